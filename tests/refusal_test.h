/* SPDX-License-Identifier: MIT */
/*
 * Runs programs of this build in a folder of their own. What is refused must be refused with status 125, one line on standard error that
 * names the option or quotes the value, nothing on standard output, and no command started.
 */
#ifndef REFUSAL_TEST_H
#define REFUSAL_TEST_H

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <check.h>

#include "file_text.h"

/* In looks of 5 ms, and not by the clock: a test that was frozen for a while has not waited in that time. */
#define LOOK_NS 5000000
#define END_LOOKS 12000

static char work[64];
static unsigned failures, runs;

static inline const char *command_line(char *const *word)
{
	static char line[512];
	size_t used = 0;
	for (; *word && used < sizeof line; word++)
		used += (size_t)snprintf(line + used, sizeof line - used, "%s'%.60s'", used ? " " : "", *word);
	return line;
}

__attribute__((format(printf, 2, 3))) static inline void complain(char *const *word, const char *format, ...)
{
	va_list arguments;
	failures++;
	printf("%s: ", command_line(word));
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
}

static inline void become(char *const *word, uid_t user)
{
	char program[512];
	const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	const int out = open("out", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	const int err = open("err", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(99);
	if (user && (setgid(user) != 0 || setuid(user) != 0))
		_exit(99);
	setpgid(0, 0);
	snprintf(program, sizeof program, "%s/%s", SHOWSTOPPER_BUILD, word[0]);
	execv(program, word);
	_exit(99);
}

/* Runs a program of this build as `user` (0: as we are); returns its exit status, or -1 when it was killed or doesn't end. */
static inline int run_as(char *const *word, uid_t user)
{
	int status;
	runs++;
	const pid_t pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		become(word, user);
	for (int i = 0; i < END_LOOKS; i++) {
		/* Most take less than the shortest sleep. */
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
		nanosleep(&(const struct timespec){.tv_nsec = i < 20 ? LOOK_NS / 20 : LOOK_NS}, NULL);
	}
	complain(word, "doesn't end");
	kill(pid, SIGTERM);
	sleep(1);
	kill(-pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return -1;
}

static inline int run(char *const *word)
{
	return run_as(word, 0);
}

static inline void clean(void)
{
	unlink("started");
}

/* Whether a message shows the beginning of a value; of KIND:NAME the name will do. */
static inline bool quotes(const char *message, const char *value)
{
	char shown[40];
	const char *colon = strchr(value, ':');
	snprintf(shown, sizeof shown, "%.*s", (int)sizeof shown - 1, colon && colon[1] ? colon + 1 : value);
	for (char *at = shown; *at; at++)
		if (*at == '\n')
			*at = '?';
	return *shown && strstr(message, shown);
}

/* Whether a message names an option by the letter with which it was given that value. */
static inline bool names_letter(const char *message, char *const *word, const char *value)
{
	for (size_t i = 1; word[i] && word[i + 1]; i++) {
		char named[] = ": -x:";
		named[3] = word[i][1];
		if (strlen(word[i]) == 2 && word[i][0] == '-' && strcmp(word[i + 1], value) == 0 && strstr(message, named))
			return true;
	}
	return false;
}

/* The program must have ended with one message that has name (or letter) or value in it (where there is one). */
static inline void check_refusal(char *const *word, const char *name, const char *value)
{
	char *out = file_text("out");
	char *err = file_text("err");
	const size_t length = strlen(err);
	const char *newline = strchr(err, '\n');
	if (*out)
		complain(word, "is refused, but printed: %.200s", out);
	if (!length || newline != err + length - 1)
		complain(word, "expected a message of one line, found: %.500s", err);
	else if (strncmp(err, word[0], strlen(word[0])) != 0)
		complain(word, "the message is not headed by the program's name: %s", err);
	else if (name && !strstr(err, name) && !(value && (quotes(err, value) || names_letter(err, word, value))))
		complain(word, "the message names neither option nor value: %s", err);
	if (access("started", F_OK) == 0)
		complain(word, "is refused, but a command was started");
	free(out);
	free(err);
	clean();
}

static inline void refuse(char *const *word, const char *name, const char *value)
{
	const int status = run(word);
	if (status != 125)
		complain(word, "expected status 125, found %d", status);
	else
		check_refusal(word, name, value);
	clean();
}

/* May be taken, but not anyhow. */
static inline void survive(char *const *word, const char *name, const char *value)
{
	const int status = run(word);
	if (status == 125)
		check_refusal(word, name, value);
	else if (status != 0)
		complain(word, "expected status 0 or 125, found %d", status);
	clean();
}

static inline void write_file(const char *name, const void *data, size_t size)
{
	FILE *file = fopen(name, "we");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(data, 1, size, file), size);
	ck_assert_int_eq(fclose(file), 0);
}

static inline void enter_folder(void)
{
	static const char trace[] = "0 50%\n10s 60%\n20s free\n";
	strcpy(work, "/tmp/test_bad_input.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(work));
	ck_assert_int_eq(chmod(work, 0755), 0);
	ck_assert_int_eq(chdir(work), 0);
	write_file("right.trace", trace, strlen(trace));
	unsetenv("SHOWSTOPPER_INSTANCE");
	unsetenv("SHOWSTOPPER_MODULE_PATH");
}

static inline void leave_folder(void)
{
	char command[128];
	snprintf(command, sizeof command, "rm -rf %s", work);
	ck_assert_int_eq(system(command), 0); // NOLINT(cert-env33-c): a name of our own
}

static inline int run_tests(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
