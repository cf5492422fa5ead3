/* SPDX-License-Identifier: MIT */
/*
 * What happens when the system has run out of something: showstopper is run again and again, and each time one call of one function in
 * one of its processes fails (fail_call.c). Each run must either succeed or end with one message and status 125, and leave nothing.
 *
 * By default some calls of each function and process are tried, spread evenly. With SHOWSTOPPER_TEST_ALL=1 in the environment each one
 * is, with each of its errors; SHOWSTOPPER_TEST_ALL=malloc:0.1 restricts that to a function and a process.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <check.h>

#include "fail_call.h"
#include "file_text.h"

#define WORKLOADS 2
/* In looks of 10 ms, and not by the clock: a test that was frozen for a while has not waited in that time. */
#define LOOK_NS 10000000
#define END_LOOKS 3000
#define CLEAN_LOOKS 100

static const struct function {
	const char *name;
	int error[4]; /* what the call may fail with */
} functions[FAIL_FUNCTIONS] = {
	[FAIL_FORK] = {"fork", {EAGAIN, ENOMEM}},
	[FAIL_MALLOC] = {"malloc", {ENOMEM}},
	[FAIL_MMAP] = {"mmap", {ENOMEM, EAGAIN}},
	[FAIL_SHM_OPEN] = {"shm_open", {ENOSPC, EMFILE, ENOENT}},
	[FAIL_FTRUNCATE] = {"ftruncate", {ENOSPC, EFBIG}},
	[FAIL_OPEN] = {"open", {EMFILE, ENOMEM, EINTR}},
	[FAIL_DUP] = {"dup2", {EMFILE}},
	[FAIL_WRITE] = {"write", {ENOSPC, EINTR, EAGAIN}},
	[FAIL_READ] = {"read", {EINTR, ENOMEM}},
	[FAIL_POLL] = {"poll", {EINTR, ENOMEM}},
	[FAIL_TIMERFD] = {"timerfd_create", {EMFILE, ENOMEM}},
	[FAIL_SIGNALFD] = {"signalfd", {EMFILE, ENOMEM}},
	[FAIL_EVENTFD] = {"eventfd", {EMFILE, ENOMEM}},
	[FAIL_PIDFD_OPEN] = {"pidfd_open", {EMFILE, ENOMEM}},
	[FAIL_PIPE] = {"pipe2", {EMFILE, ENFILE}},
};

static struct fail_call *plan;    /* shared with what is run */
static struct fail_call baseline; /* a run in which nothing failed */
static char work[64];
static unsigned runs, failures;

static void look_again(void)
{
	nanosleep(&(const struct timespec){.tv_nsec = LOOK_NS}, NULL);
}

__attribute__((format(printf, 1, 2))) static void complain(const char *format, ...)
{
	va_list arguments;
	failures++;
	printf("%s: call %u of %s in process %s: ", strerrorname_np(plan->error), plan->call, functions[plan->function].name,
		plan->path);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
}

static unsigned count_lines(const char *text)
{
	unsigned lines = 0;
	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

static pid_t start(void)
{
	static char preload[] = "LD_PRELOAD=" FAIL_CALL_PRELOAD;
	static char *const command[] = {(char *)"showstopper", (char *)"-q", (char *)"-t", (char *)"file", (char *)"-T",
		(char *)"half.trace", (char *)"-r", (char *)"500m", (char *)"--log-interval", (char *)"30m",
		(char *)"--log-instances", (char *)"-o", (char *)"log", (char *)"--export-json", (char *)"record.json",
		(char *)"--export-csv", (char *)"record.csv", (char *)"--grace", (char *)"1s", (char *)"--stdout",
		(char *)"out.%", (char *)"-n", (char *)"2", (char *)"sh", (char *)"-c", (char *)"echo started; exec sleep 1000",
		NULL};
	const pid_t pid = fork();
	if (pid != 0)
		return pid;
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	const int err = open("err", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(err, 2) < 0)
		_exit(99);
	setenv("FAIL_CALL", "plan", 1);
	putenv(preload);
	execv(SHOWSTOPPER_BUILD "/showstopper", command);
	_exit(99);
}

/* Returns the wait status, or -1 when it has not ended for a long time. */
static int await_end(pid_t pid)
{
	for (int i = 0; i < END_LOOKS; i++) {
		int status;
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		look_again();
	}
	return -1;
}

/* We are a subreaper: whatever a run leaves becomes a child of ours. */
static bool nothing_is_left(void)
{
	for (int i = 0; i < CLEAN_LOOKS; i++) {
		siginfo_t info = {0};
		if (waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) != 0)
			return errno == ECHILD;
		if (info.si_pid)
			return false; /* ended or stopped: nobody waits for it any more */
		look_again();
	}
	return false;
}

static void kill_what_is_left(void)
{
	char file[64];
	snprintf(file, sizeof file, "/proc/self/task/%d/children", (int)getpid());
	for (;;) {
		char *list = file_text(file);
		char *at = list;
		char *end;
		for (pid_t pid; (pid = (pid_t)strtol(at, &end, 10)) > 0; at = end) {
			kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
		}
		const bool none = at == list;
		free(list);
		if (none)
			return;
	}
}

static void check_log(void)
{
	char *text = file_text("log");
	unsigned columns = 0;
	if (*text && text[strlen(text) - 1] != '\n')
		complain("the log ends with half a line: %s", text);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		unsigned commas = 0;
		for (const char *at = line; *at; at++)
			commas += *at == ',';
		if (columns && commas != columns)
			complain("the log has a damaged line: %s", line);
		columns = commas;
	}
	free(text);
}

static void check_success(const char *messages)
{
	/* A row of the log that is lost is said at once, and again at the end, with how much of the run that was. */
	const bool lost_rows = strstr(messages, ": can't write the log: ") && strstr(messages, " s of the run are in no row\n");
	if (count_lines(messages) > (lost_rows ? 2 : 1))
		complain("succeeded with more than one message:\n%s", messages);
	for (int i = 0; i < WORKLOADS; i++) {
		char file[16];
		snprintf(file, sizeof file, "out.%d", i);
		/* Made on the way to exec; whether it came to print anything is up to the machine. */
		if (access(file, F_OK) != 0)
			complain("succeeded without workload %d:\n%s", i, messages);
	}
	check_log();
}

static void check_messages(const char *messages)
{
	/* The call may have been the one that prints the message. */
	const unsigned least = plan->function == FAIL_WRITE ? 0 : 1;
	const unsigned lines = count_lines(messages);
	if (lines < least || lines > 1)
		complain("ended with %u messages:\n%s", lines, messages);
	if (*messages && strncmp(messages, "showstopper: ", strlen("showstopper: ")) != 0)
		complain("ended with an odd message: %s", messages);
}

static void remove_results(void)
{
	static const char *const files[] = {"log", "record.json", "record.csv", "out.0", "out.1", "err"};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		unlink(files[i]);
}

/* One run; true when the call in question was made. */
static bool run(const char *path, enum fail_call_function function, unsigned call, int error)
{
	memset(plan, 0, sizeof *plan);
	snprintf(plan->path, sizeof plan->path, "%s", path);
	plan->function = function;
	plan->call = call;
	plan->error = error;
	remove_results();
	runs++;
	const pid_t pid = start();
	const int status = await_end(pid);
	char *messages = file_text("err");
	if (status < 0)
		complain("hangs:\n%s", messages);
	else if (!nothing_is_left())
		complain("left processes:\n%s", messages);
	if (status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		check_success(messages);
	else if (status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 125)
		check_messages(messages);
	else if (status >= 0)
		complain("wait status 0x%x:\n%s", (unsigned)status, messages);
	if (*plan->shared_memory && access(plan->shared_memory, F_OK) == 0) {
		complain("left %s", plan->shared_memory);
		unlink(plan->shared_memory);
	}
	kill_what_is_left();
	free(messages);
	return plan->hits > 0;
}

static bool tries_all(enum fail_call_function function, const char *path)
{
	const char *all = getenv("SHOWSTOPPER_TEST_ALL");
	char name[64];
	if (!all)
		return false;
	snprintf(name, sizeof name, "%s:%s", functions[function].name, path);
	return strcmp(all, "1") == 0 || strncmp(all, name, strlen(all)) == 0;
}

static void try_all(enum fail_call_function function, const char *path)
{
	for (const int *error = functions[function].error; *error; error++)
		for (unsigned call = 1; run(path, function, call, *error); call++)
			;
}

/* How many calls of so many are tried. */
static unsigned sample_size(unsigned calls)
{
	unsigned size = 1;
	for (; calls > 1 && size < calls; calls /= 3)
		size++;
	return size;
}

static void try_some(enum fail_call_function function, const char *path, unsigned calls)
{
	const unsigned size = sample_size(calls);
	unsigned errors = 0;
	while (functions[function].error[errors])
		errors++;
	for (unsigned i = 0; i < size; i++) {
		const unsigned call = size > 1 ? 1 + i * (calls - 1) / (size - 1) : 1;
		run(path, function, call, functions[function].error[i % errors]);
	}
}

static void enter(void)
{
	strcpy(work, "/tmp/test_scarcity.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(work));
	ck_assert_int_eq(chdir(work), 0);
	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1UL), 0);
	const int trace = open("half.trace", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_eq(write(trace, "0 50%\n1h 50%\n", 13), 13);
	close(trace);
	const int fd = open("plan", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_eq(ftruncate(fd, sizeof *plan), 0);
	plan = mmap(NULL, sizeof *plan, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ck_assert_ptr_ne(plan, MAP_FAILED);
	close(fd);
	run("0", FAIL_MALLOC, 0, 0);
	memcpy(&baseline, plan, sizeof baseline);
	char *messages = file_text("err");
	ck_assert_str_eq(messages, "");
	free(messages);
	ck_assert_uint_eq(failures, 0);
}

static void leave(void)
{
	char command[128];
	snprintf(command, sizeof command, "rm -rf %s", work);
	ck_assert_int_eq(system(command), 0); // NOLINT(cert-env33-c): a name of our own
}

/* The library sees guardian, master, executors and the workloads before their exec. */
START_TEST(all_processes_are_seen)
{
	static const char *const expected[] = {"0", "0.1", "0.1.2", "0.1.3", "0.1.2.1", "0.1.3.1"};
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		unsigned k = 0;
		while (k < FAIL_CALL_PROCESSES && strcmp(baseline.process[k].path, expected[i]) != 0)
			k++;
		ck_assert_msg(k < FAIL_CALL_PROCESSES, "no process %s", expected[i]);
	}
}
END_TEST

START_TEST(a_call_fails)
{
	const enum fail_call_function function = (enum fail_call_function)_i;
	unsigned calls = 0;
	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1UL), 0);
	runs = 0;
	for (unsigned k = 0; k < FAIL_CALL_PROCESSES; k++) {
		const struct fail_call_process *process = &baseline.process[k];
		if (!process->calls[function])
			continue;
		calls += process->calls[function];
		if (tries_all(function, process->path))
			try_all(function, process->path);
		else if (!getenv("SHOWSTOPPER_TEST_ALL"))
			try_some(function, process->path, process->calls[function]);
	}
	printf("%s: %u runs, %u calls in an ordinary one\n", functions[function].name, runs, calls);
	fflush(stdout);
	/* A sanitizer brings an allocator of its own. */
	if (function != FAIL_MALLOC)
		ck_assert_uint_gt(calls, 0);
	ck_assert_uint_eq(failures, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("scarcity");
	TCase *test = tcase_create("calls that fail");
	tcase_set_timeout(test, getenv("SHOWSTOPPER_TEST_ALL") ? 0 : 280);
	tcase_add_unchecked_fixture(test, enter, leave);
	tcase_add_test(test, all_processes_are_seen);
	tcase_add_loop_test(test, a_call_fails, 0, FAIL_FUNCTIONS);
	suite_add_tcase(suite, test);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
