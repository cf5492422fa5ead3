/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

#include "base/clock.h"
#include "base/descriptors.h"
#include "base/units.h"
#include "processes/affinity.h"
#include "processes/command.h"
#include "processes/descendants.h"
#include "processes/process_handle.h"
#include "workloads/spawn.h"

#define PATIENCE_NS (20 * NS_PER_S)

static struct scheduling user;
static char work[64];
static char path[128];

static void enter(void)
{
	/* What Check has set is not the user's. */
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	strcpy(work, "/tmp/test_workloads_spawn.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(work));
	scheduling_save(&user);
}

static void leave(void)
{
	char command[128];
	snprintf(command, sizeof command, "rm -rf %s", work);
	ck_assert_int_eq(system(command), 0); // NOLINT(cert-env33-c): a name of our own
	/* Every child has been reaped, also those that failed to start. */
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}

static const char *in_work(const char *name)
{
	snprintf(path, sizeof path, "%s/%s", work, name);
	return path;
}

static char *const sleeper[] = {(char *)"sleep", (char *)"1000", NULL};

static pid_t start(const struct spawn *request)
{
	enum start_stage stage = STAGE_NONE;
	const pid_t pid = spawn(request, &stage);
	if (pid < 0)
		ck_abort_msg("can't %s: %s", start_stage_text(stage), strerror(errno));
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

/* Runs a shell command to its end; returns its exit status. */
static int shell(const char *script, struct spawn request)
{
	char *const command[] = {(char *)"sh", (char *)"-c", (char *)script, NULL};
	int status;
	request.command = command;
	request.user = &user;
	const pid_t pid = start(&request);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* The request fails at this stage with this errno. */
static void refuse(struct spawn request, enum start_stage expected_stage, int expected_error)
{
	enum start_stage stage = STAGE_NONE;
	request.user = &user;
	errno = 0;
	const pid_t pid = spawn(&request, &stage);
	const int error = errno;
	ck_assert_int_eq(pid, -1);
	ck_assert_int_eq(stage, expected_stage);
	ck_assert_int_eq(error, expected_error);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
}

static void create(const char *name, mode_t mode)
{
	const int fd = open(in_work(name), O_WRONLY | O_CREAT | O_EXCL, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, "#!/bin/sh\n", 10), 10);
	ck_assert_int_eq(fchmod(fd, mode), 0);
	close(fd);
}

/* Nobody reads the FIFO, and whoever is responsible for the caller ends meanwhile. */
START_TEST(a_start_that_takes_for_ever_ends_with_the_tie)
{
	struct process keeper;
	struct linux_process now;
	const pid_t pid = fork();
	if (pid == 0) {
		clock_sleep_until(clock_now() + 300 * NS_PER_MS);
		_exit(0);
	}
	ck_assert_int_eq(process_take(&keeper, pid, &now), 0);
	ck_assert_int_eq(mkfifo(in_work("fifo"), 0600), 0);
	enum start_stage stage = STAGE_NONE;
	const struct spawn request = {.command = sleeper, .stdout_file = path, .user = &user, .tie = keeper.fd};
	ck_assert_int_eq(spawn(&request, &stage), -1);
	ck_assert_int_eq(errno, EOWNERDEAD);
	ck_assert_int_eq(waitpid(-1, NULL, 0), pid);
	process_release(&keeper);
}
END_TEST

START_TEST(processors_are_inherited)
{
	struct sst_cpus *all = linux_affinity_get();
	ck_assert_ptr_nonnull(all);
	const struct sst_cpus last = {1, &all->cpu[all->count - 1]};
	char script[128];
	snprintf(script, sizeof script, "sh -c 'grep -q \"^Cpus_allowed_list:[[:space:]]*%u$\" /proc/self/status'", last.cpu[0]);
	ck_assert_int_eq(shell(script, (struct spawn){.cpus = &last}), 0);
	/* The caller keeps what it had. */
	struct sst_cpus *still = linux_affinity_get();
	ck_assert_ptr_nonnull(still);
	ck_assert_uint_eq(still->count, all->count);
	free(still);
	free(all);
	const struct sst_cpus absent = {1, (const unsigned[]){65535}};
	refuse((struct spawn){.command = sleeper, .cpus = &absent}, STAGE_AFFINITY, EINVAL);
}
END_TEST

START_TEST(what_fails_is_reported_with_its_stage)
{
	char *const absent[] = {(char *)"no-such-program-anywhere", NULL};
	char *const absent_file[] = {(char *)"/nonexistent/program", NULL};
	char *const folder[] = {(char *)"/", NULL};
	create("script", 0644);
	char script_path[128];
	strcpy(script_path, in_work("script"));
	char *const script[] = {script_path, NULL};
	refuse((struct spawn){.command = absent}, STAGE_EXEC, ENOENT);
	refuse((struct spawn){.command = absent_file}, STAGE_EXEC, ENOENT);
	refuse((struct spawn){.command = folder}, STAGE_EXEC, EACCES);
	refuse((struct spawn){.command = script}, STAGE_EXEC, EACCES);
	refuse((struct spawn){.command = sleeper, .directory = "/nonexistent"}, STAGE_CHDIR, ENOENT);
	refuse((struct spawn){.command = sleeper, .directory = script_path}, STAGE_CHDIR, ENOTDIR);
	refuse((struct spawn){.command = sleeper, .stdout_file = "/nonexistent/out"}, STAGE_STDOUT, ENOENT);
	refuse((struct spawn){.command = sleeper, .stderr_file = "/"}, STAGE_STDERR, EISDIR);
	for (int stage = STAGE_NONE; stage <= STAGE_EXEC; stage++)
		ck_assert(strlen(start_stage_text((enum start_stage)stage)) > 5);
}
END_TEST

START_TEST(the_child_leads_its_own_group)
{
	struct linux_process process;
	const pid_t pid = start(&(struct spawn){.command = sleeper, .user = &user});
	ck_assert_int_eq(linux_process_read(pid, &process), 0);
	ck_assert_int_eq(process.group, pid);
	ck_assert_int_eq(process.session, getsid(0));
	ck_assert_int_eq(process.parent, getpid());
	ck_assert_int_eq(getpgid(pid), pid);
	end(pid);
}
END_TEST

START_TEST(streams_folder_and_number_are_as_asked_for)
{
	char out[128];
	char text[512];
	strcpy(out, in_work("out"));
	char err[128];
	strcpy(err, in_work("err"));
	ck_assert_int_eq(shell("echo $SHOWSTOPPER_INSTANCE; pwd; readlink /proc/self/fd/0; echo trouble >&2",
				 (struct spawn){.directory = work, .stdout_file = out, .stderr_file = err, .index = 17}),
		0);
	FILE *file = fopen(out, "r");
	ck_assert_ptr_nonnull(file);
	const size_t length = fread(text, 1, sizeof text - 1, file);
	fclose(file);
	text[length] = '\0';
	char expected[256];
	snprintf(expected, sizeof expected, "17\n%s\n/dev/null\n", work);
	ck_assert_str_eq(text, expected);
	file = fopen(err, "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(fgets(text, sizeof text, file));
	fclose(file);
	ck_assert_str_eq(text, "trouble\n");
	/* A relative name counts from the caller's folder. An old file is kept, and written at its end; one that isn't there is made. */
	ck_assert_int_eq(chdir(work), 0);
	ck_assert_int_eq(mkdir("folder", 0700), 0);
	const struct spawn there = {.directory = "folder", .stdout_file = "fresh", .stderr_file = "err"};
	ck_assert_int_eq(shell("echo y; echo z >&2", there), 0);
	ck_assert_int_eq(shell("echo y", there), 0);
	struct stat status;
	ck_assert_int_eq(stat("fresh", &status), 0);
	ck_assert_int_eq(status.st_size, 4);
	ck_assert_int_eq(stat("err", &status), 0);
	ck_assert_int_eq(status.st_size, 10);
	ck_assert_int_eq(stat("folder/fresh", &status), -1);
	ck_assert_int_eq(chdir("/"), 0);
}
END_TEST

/* What two write into one file, each with a descriptor of its own, is all there. */
START_TEST(nobody_writes_over_what_another_wrote)
{
	char both[128];
	char text[64] = "";
	strcpy(both, in_work("both"));
	const struct spawn one = {.stdout_file = both, .stderr_file = both};
	ck_assert_int_eq(shell("echo a; echo b >&2; sh -c 'echo c; echo d >&2'; echo e", one), 0);
	FILE *file = fopen(both, "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fread(text, 1, sizeof text - 1, file), 10);
	fclose(file);
	ck_assert_str_eq(text, "a\nb\nc\nd\ne\n");
}
END_TEST

/* A standard descriptor is taken as it is: at the place where it stands, and exchanged where that is asked for. */
START_TEST(names_of_standard_descriptors_are_these)
{
	char out[128];
	char text[64] = "";
	strcpy(out, in_work("out"));
	const int saved[2] = {fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10), fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10)};
	const int fd = open(out, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, "old\n", 4), 4);
	dup2(fd, STDOUT_FILENO);
	const int status = shell("echo a; echo b >&2; echo c", (struct spawn){.stdout_file = "/dev/stdout", .stderr_file = "-"});
	dup2(saved[0], STDOUT_FILENO);
	int ends[2];
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	dup2(fd, STDOUT_FILENO);
	dup2(ends[1], STDERR_FILENO);
	const int exchanged =
		shell("echo error; echo output >&2", (struct spawn){.stdout_file = "/dev/stderr", .stderr_file = "/dev/stdout"});
	dup2(saved[0], STDOUT_FILENO);
	dup2(saved[1], STDERR_FILENO);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(exchanged, 0);
	ck_assert_int_eq(pread(fd, text, sizeof text - 1, 0), 17);
	ck_assert_str_eq(text, "old\na\nb\nc\noutput\n");
	memset(text, 0, sizeof text);
	ck_assert_int_eq(read(ends[0], text, sizeof text - 1), 6);
	ck_assert_str_eq(text, "error\n");
	close(ends[0]);
	close(ends[1]);
	close(saved[0]);
	close(saved[1]);
	close(fd);
}
END_TEST

START_TEST(standard_input_is_inherited_on_demand_only)
{
	int input[2];
	ck_assert_int_eq(pipe(input), 0);
	const int saved = dup(STDIN_FILENO);
	ck_assert_int_eq(dup2(input[0], STDIN_FILENO), STDIN_FILENO);
	close(input[0]);
	ck_assert_int_eq(write(input[1], "word\n", 5), 5);
	ck_assert_int_eq(shell("! read line", (struct spawn){0}), 0);
	ck_assert_int_eq(shell("read line && [ \"$line\" = word ]", (struct spawn){.inherit_stdin = true}), 0);
	close(input[1]);
	dup2(saved, STDIN_FILENO);
	close(saved);
}
END_TEST

/* A field of /proc/PID/status in hexadecimal. */
static unsigned long long status_mask(pid_t pid, const char *field)
{
	char name[64];
	char line[256];
	unsigned long long value = ~0ULL;
	snprintf(name, sizeof name, "/proc/%d/status", (int)pid);
	FILE *file = fopen(name, "r");
	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof line, file))
		if (strncmp(line, field, strlen(field)) == 0)
			value = strtoull(line + strlen(field), NULL, 16);
	fclose(file);
	return value;
}

static void handle(int number)
{
	(void)number;
}

START_TEST(the_workload_gets_back_what_the_user_had)
{
	sigset_t all;
	sigset_t some;
	char name[64];
	/* The user blocks one signal, ignores another, and is nice. */
	sigemptyset(&some);
	sigaddset(&some, SIGUSR2);
	sigprocmask(SIG_SETMASK, &some, NULL);
	signal(SIGHUP, SIG_IGN);
	const int nice_before = getpriority(PRIO_PROCESS, 0);
	prctl(PR_SET_TIMERSLACK, 77777UL);
	scheduling_save(&user);
	ck_assert_int_eq(user.nice, nice_before);
	/* The executor is quite different. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGUSR1, SIG_IGN);
	signal(SIGTERM, handle);
	signal(SIGCHLD, handle);
	scheduling_raise(&user);
	const pid_t pid = start(&(struct spawn){.command = sleeper, .user = &user});
	const unsigned long long ignored = 1ULL << (SIGHUP - 1);
	ck_assert_uint_eq(status_mask(pid, "SigBlk:"), 1ULL << (SIGUSR2 - 1));
	ck_assert_uint_eq(
		status_mask(pid, "SigIgn:") & (ignored | 1ULL << (SIGUSR1 - 1) | 1ULL << (SIGTERM - 1) | 1ULL << (SIGCHLD - 1)),
		ignored);
	ck_assert_uint_eq(status_mask(pid, "SigCgt:"), 0);
	ck_assert_int_eq(getpriority(PRIO_PROCESS, (id_t)pid), nice_before);
	ck_assert_int_eq(sched_getscheduler(pid), user.policy);
	snprintf(name, sizeof name, "/proc/%d/timerslack_ns", (int)pid);
	FILE *file = fopen(name, "r");
	char slack[32];
	/* Not on old kernels, and those that don't let us look at others' slack. */
	if (file && fgets(slack, sizeof slack, file))
		ck_assert_str_eq(slack, "77777\n");
	if (file)
		fclose(file);
	/* The caller's own mask is as it was. */
	sigset_t now;
	sigprocmask(SIG_SETMASK, NULL, &now);
	ck_assert_int_eq(sigismember(&now, SIGUSR1), 1);
	scheduling_restore(&user);
	sigprocmask(SIG_SETMASK, NULL, &now);
	ck_assert_int_eq(sigismember(&now, SIGUSR1), 0);
	ck_assert_int_eq(sigismember(&now, SIGUSR2), 1);
	end(pid);
}
END_TEST

START_TEST(the_user_s_nice_value_survives)
{
	/* Any user may be nicer. */
	ck_assert_int_eq(setpriority(PRIO_PROCESS, 0, 7), 0);
	scheduling_save(&user);
	scheduling_raise(&user);
	const pid_t pid = start(&(struct spawn){.command = sleeper, .user = &user});
	ck_assert_int_eq(getpriority(PRIO_PROCESS, (id_t)pid), 7);
	end(pid);
}
END_TEST

START_TEST(the_limit_of_descriptors_is_raised_for_us_alone)
{
	struct rlimit before;
	struct rlimit limit;
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit = (struct rlimit){.rlim_cur = before.rlim_cur - 1, .rlim_max = before.rlim_max};
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	scheduling_save(&user);
	descriptors_raise_limit();
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_uint_eq(limit.rlim_cur, before.rlim_max);
	const pid_t pid = start(&(struct spawn){.command = sleeper, .user = &user});
	ck_assert_int_eq(prlimit(pid, RLIMIT_NOFILE, NULL, &limit), 0);
	ck_assert_uint_eq(limit.rlim_cur, before.rlim_cur - 1);
	ck_assert_uint_eq(limit.rlim_max, before.rlim_max);
	end(pid);
}
END_TEST

/* Descriptors of a process beyond the first three, as text. */
static void list_descriptors(pid_t pid, char *text, size_t size, bool only_inheritable)
{
	char name[64];
	snprintf(name, sizeof name, "/proc/%d/fd", (int)pid);
	DIR *directory = opendir(name);
	ck_assert_ptr_nonnull(directory);
	text[0] = '\0';
	for (struct dirent *entry; (entry = readdir(directory));) {
		const int fd = (int)strtol(entry->d_name, NULL, 10);
		if (entry->d_name[0] == '.' || fd <= STDERR_FILENO ||
			(only_inheritable && (fd == dirfd(directory) || (fcntl(fd, F_GETFD) & FD_CLOEXEC))))
			continue;
		const size_t used = strlen(text);
		snprintf(text + used, size - used, "%d ", fd);
	}
	closedir(directory);
}

START_TEST(nothing_else_is_inherited)
{
	char ours[1024];
	char theirs[1024];
	char out[128];
	strcpy(out, in_work("out"));
	list_descriptors(getpid(), ours, sizeof ours, true);
	const int closed = open("/dev/null", O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(closed, 0);
	const pid_t pid = start(&(struct spawn){.command = sleeper, .user = &user, .stdout_file = out, .stderr_file = out});
	/* The new program's loader may have a library open for a moment. */
	const int64_t deadline = clock_now() + PATIENCE_NS;
	do
		list_descriptors(pid, theirs, sizeof theirs, false);
	while (strcmp(theirs, ours) != 0 && clock_now() < deadline);
	/* What whoever started us left open for its children is theirs, too; nothing of ours is. */
	ck_assert_str_eq(theirs, ours);
	end(pid);
	close(closed);
	/* Neither does the caller lose or keep any. */
	list_descriptors(getpid(), theirs, sizeof theirs, true);
	ck_assert_str_eq(theirs, ours);
}
END_TEST

START_TEST(a_closed_standard_stream_does_no_harm)
{
	/* Files that are opened then get the numbers 0 to 2 themselves. */
	char out[128];
	strcpy(out, in_work("out"));
	const int saved[2] = {fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10), fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10)};
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	const int status = shell("echo word", (struct spawn){.stdout_file = out});
	dup2(saved[0], STDIN_FILENO);
	dup2(saved[1], STDOUT_FILENO);
	ck_assert_int_eq(status, 0);
	struct stat file;
	ck_assert_int_eq(stat(out, &file), 0);
	ck_assert_int_eq(file.st_size, 5);
}
END_TEST

START_TEST(the_child_dies_with_its_parent)
{
	int report[2];
	pid_t sleeping = 0;
	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1UL), 0);
	ck_assert_int_eq(pipe2(report, O_CLOEXEC), 0);
	const pid_t parent = fork();
	ck_assert_int_ge(parent, 0);
	if (parent == 0) {
		const pid_t pid = start(&(struct spawn){.command = sleeper, .user = &user});
		if (write(report[1], &pid, sizeof pid) != sizeof pid)
			_exit(1);
		for (;;)
			pause();
	}
	ck_assert_int_eq(read(report[0], &sleeping, sizeof sleeping), sizeof sleeping);
	ck_assert_int_eq(kill(sleeping, 0), 0);
	kill(parent, SIGKILL);
	ck_assert_int_eq(waitpid(parent, NULL, 0), parent);
	/* It is ours now; the kernel has killed it. */
	int status = 0;
	const int64_t deadline = clock_now() + PATIENCE_NS;
	while (waitpid(sleeping, &status, WNOHANG) == 0 && clock_now() < deadline)
		clock_sleep_until(clock_now() + NS_PER_MS);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	close(report[0]);
	close(report[1]);
}
END_TEST

START_TEST(a_script_without_a_first_line_is_run_by_the_shell)
{
	const int fd = open(in_work("plain"), O_WRONLY | O_CREAT | O_EXCL, 0700);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, "exit 42\n", 8), 8);
	close(fd);
	char *const command[] = {path, NULL};
	int status;
	const pid_t pid = start(&(struct spawn){.command = command, .user = &user});
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 42);
}
END_TEST

static char path_found[PATH_MAX];

static int found(const char *command, const char *directory)
{
	errno = 0;
	const int result = command_find(command, directory, path_found);
	ck_assert_int_eq(result, errno ? -1 : 0);
	return errno;
}

START_TEST(commands_are_found_as_execvp_would)
{
	char name[128];
	create("run", 0755);
	create("data", 0644);
	ck_assert_int_eq(mkdir(in_work("folder"), 0755), 0);
	ck_assert_int_eq(found("sh", NULL), 0);
	ck_assert_int_eq(found("/bin/sh", NULL), 0);
	ck_assert_int_eq(found("no-such-program-anywhere", NULL), ENOENT);
	ck_assert_int_eq(found("/nonexistent/program", NULL), ENOENT);
	ck_assert_int_eq(found("/bin/sh/program", NULL), ENOENT);
	ck_assert_int_eq(found("", NULL), ENOENT);
	strcpy(name, in_work("data"));
	ck_assert_int_eq(found(name, NULL), EACCES);
	ck_assert_int_eq(found(work, NULL), EACCES); /* a folder */
	/* Relative names count from the folder that the workload starts in. */
	ck_assert_int_eq(found("./run", work), 0);
	snprintf(name, sizeof name, "%s/./run", work);
	ck_assert_str_eq(path_found, name);
	ck_assert_int_eq(found("./data", work), EACCES);
	ck_assert_int_eq(found("./program", "/"), ENOENT);
	ck_assert_int_eq(found("/bin/sh", work), 0);
	/* One that can't be executed is passed over when a later folder of PATH has one that can. */
	char search[256];
	snprintf(search, sizeof search, "/nonexistent:%s:/bin:/usr/bin", work);
	setenv("PATH", search, 1);
	ck_assert_int_eq(found("run", NULL), 0);
	ck_assert_str_eq(path_found, in_work("run"));
	ck_assert_int_eq(found("data", NULL), EACCES);
	ck_assert_int_eq(found("folder", NULL), EACCES);
	create("sh", 0644);
	ck_assert_int_eq(found("sh", NULL), 0);
	setenv("PATH", "", 1);
	ck_assert_int_eq(chdir(work), 0);
	ck_assert_int_eq(found("run", NULL), 0); /* an empty folder is the current one */
	unsetenv("PATH");
	unlink(in_work("sh"));
	ck_assert_int_eq(found("sh", NULL), 0);
	char longer[PATH_MAX + 10];
	memset(longer, 'x', sizeof longer);
	longer[0] = '/';
	longer[sizeof longer - 1] = '\0';
	ck_assert_int_eq(found(longer, NULL), ENAMETOOLONG);
	ck_assert_int_eq(chdir("/"), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("linux_spawn");
	TCase *tests = tcase_create("all");
	tcase_add_checked_fixture(tests, enter, leave);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, what_fails_is_reported_with_its_stage);
	tcase_add_test(tests, a_start_that_takes_for_ever_ends_with_the_tie);
	tcase_add_test(tests, processors_are_inherited);
	tcase_add_test(tests, the_child_leads_its_own_group);
	tcase_add_test(tests, streams_folder_and_number_are_as_asked_for);
	tcase_add_test(tests, nobody_writes_over_what_another_wrote);
	tcase_add_test(tests, names_of_standard_descriptors_are_these);
	tcase_add_test(tests, standard_input_is_inherited_on_demand_only);
	tcase_add_test(tests, the_workload_gets_back_what_the_user_had);
	tcase_add_test(tests, the_user_s_nice_value_survives);
	tcase_add_test(tests, the_limit_of_descriptors_is_raised_for_us_alone);
	tcase_add_test(tests, nothing_else_is_inherited);
	tcase_add_test(tests, a_closed_standard_stream_does_no_harm);
	tcase_add_test(tests, the_child_dies_with_its_parent);
	tcase_add_test(tests, a_script_without_a_first_line_is_run_by_the_shell);
	tcase_add_test(tests, commands_are_found_as_execvp_would);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	/* What a test that failed leaves behind comes to this process. */
	prctl(PR_SET_CHILD_SUBREAPER, 1UL);
	srunner_run_all(runner, CK_NORMAL);
	descendants_kill(clock_now() + PATIENCE_NS);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
