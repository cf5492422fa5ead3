/* SPDX-License-Identifier: MIT */
/*
 * What a workload finds when it starts is what the same command finds without showstopper. This program prints all that is
 * passed on through fork and exec (as `test_surroundings print`), once run as it is and once as a workload, and compares.
 */
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

#include "base/clock.h"
#include "base/units.h"
#include "left_out.h"
#include "processes/descendants.h"
#include "workloads/containment.h"

#define PATIENCE_NS (20 * NS_PER_S)
#define NOBODY 65534
#define IOPRIO_BEST_EFFORT_6 (2 << 13 | 6)

extern char **environ;

/* ---- What there is to see --------------------------------------------------------------------------------------------- */

/* Each line of the file as "NAME: LINE", or those that begin with one of the words, which end at NULL. */
static void print_file(const char *name, const char *path, const char *const *words)
{
	char line[4096];
	FILE *file = fopen(path, "r");
	if (!file)
		printf("%s: none\n", name);
	while (file && fgets(line, sizeof line, file)) {
		bool wanted = !words;
		for (const char *const *word = words; word && *word; word++)
			wanted |= strncmp(line, *word, strlen(*word)) == 0;
		if (wanted)
			printf("%s: %s%s", name, line, strchr(line, '\n') ? "" : "\n");
	}
	if (file)
		fclose(file);
}

static void print_link(const char *name, const char *path)
{
	char target[4096];
	const ssize_t length = readlink(path, target, sizeof target - 1);
	printf("%s: %.*s\n", name, length > 0 ? (int)length : 0, target);
}

static void print_descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	for (int fd = 0; fd < 1024; fd++) {
		char path[64];
		char name[64];
		if (fd == dirfd(directory) || fcntl(fd, F_GETFD) < 0)
			continue;
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		snprintf(name, sizeof name, "descriptor %d, flags %x", fd, (unsigned)fcntl(fd, F_GETFL));
		print_link(name, path);
	}
	closedir(directory);
}

static void print_signals(void)
{
	sigset_t mask;
	sigset_t pending;
	sigprocmask(SIG_SETMASK, NULL, &mask);
	sigpending(&pending);
	for (int number = 1; number <= 64; number++) {
		struct sigaction action = {0};
		const bool known = sigaction(number, NULL, &action) == 0;
		printf("signal %d: %s%s%s\n", number, known && action.sa_handler == SIG_IGN ? "ignored" : "default",
			sigismember(&mask, number) == 1 ? ", blocked" : "",
			sigismember(&pending, number) == 1 ? ", pending" : "");
	}
}

static void print_limits(void)
{
	for (int which = 0; which < (int)RLIM_NLIMITS; which++) {
		struct rlimit limit;
		if (getrlimit((__rlimit_resource_t)which, &limit) == 0)
			printf("limit %d: %llu %llu\n", which, (unsigned long long)limit.rlim_cur,
				(unsigned long long)limit.rlim_max);
	}
}

static void print_scheduling(void)
{
	struct sched_param param = {0};
	struct itimerval timer = {0};
	cpu_set_t cpus;
	sched_getparam(0, &param);
	printf("scheduling policy: %d\n", sched_getscheduler(0));
	printf("scheduling priority: %d\n", param.sched_priority);
	printf("nice: %d\n", getpriority(PRIO_PROCESS, 0));
	printf("I/O priority: %ld\n", syscall(SYS_ioprio_get, 1, 0));
	printf("processors:");
	CPU_ZERO(&cpus);
	sched_getaffinity(0, sizeof cpus, &cpus);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &cpus))
			printf(" %d", cpu);
	printf("\ntimer slack: %d\n", prctl(PR_GET_TIMERSLACK));
	prctl(PR_SET_TIMERSLACK, 0UL);
	printf("default timer slack: %d\n", prctl(PR_GET_TIMERSLACK));
	for (int which = 0; which <= 2; which++) {
		getitimer((__itimer_which_t)which, &timer);
		printf("timer %d: %s\n", which, timer.it_value.tv_sec || timer.it_value.tv_usec ? "runs" : "none");
	}
	print_file("OOM score", "/proc/self/oom_score_adj", NULL);
	print_file("autogroup", "/proc/self/autogroup", NULL);
}

static void print_rights(void)
{
	static const char *const words[] = {"Uid", "Gid", "Cap", "NoNewPrivs", "Seccomp:", "Mems_allowed_list", NULL};
	gid_t groups[1024];
	const int count = getgroups(1024, groups);
	printf("groups:");
	for (int i = 0; i < count; i++)
		printf(" %u", groups[i]);
	putchar('\n');
	print_file("status", "/proc/self/status", words);
	printf("securebits: %d\n", prctl(PR_GET_SECUREBITS));
	printf("capabilities kept: %d\n", prctl(PR_GET_KEEPCAPS));
	printf("dumpable: %d\n", prctl(PR_GET_DUMPABLE));
	printf("huge pages off: %d\n", prctl(PR_GET_THP_DISABLE, 0UL, 0UL, 0UL, 0UL));
	printf("personality: %x\n", (unsigned)personality(0xffffffff));
	print_file("login", "/proc/self/loginuid", NULL);
	print_file("audit session", "/proc/self/sessionid", NULL);
}

static void print_place(void)
{
	char terminal[128];
	int subreaper = 0;
	int death_signal = 0;
	const mode_t mask = umask(0);
	umask(mask);
	prctl(PR_GET_CHILD_SUBREAPER, &subreaper);
	prctl(PR_GET_PDEATHSIG, &death_signal);
	printf("file mode mask: %o\n", mask);
	printf("session: %d\n", (int)getsid(0));
	printf("process group: %s\n", getpgrp() == getpid() ? "its own" : "another's");
	printf("terminal: %s\n", open("/dev/tty", O_RDONLY | O_CLOEXEC) >= 0 ? ctermid(terminal) : "none");
	printf("adopts orphans: %d\n", subreaper);
	printf("parent-death signal: %d\n", death_signal);
	print_link("folder", "/proc/self/cwd");
	print_link("root", "/proc/self/root");
	print_file("control group", "/proc/self/cgroup", NULL);
	print_file("core filter", "/proc/self/coredump_filter", NULL);
	static const char *const spaces[] = {"cgroup", "ipc", "mnt", "net", "pid", "pid_for_children", "time", "user", "uts"};
	for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
		char name[64];
		char path[64];
		snprintf(name, sizeof name, "%s namespace", spaces[i]);
		snprintf(path, sizeof path, "/proc/self/ns/%s", spaces[i]);
		print_link(name, path);
	}
	for (char **word = environ; *word; word++)
		printf("environment: %s\n", *word);
}

static int print_all(void)
{
	print_descriptors();
	print_signals();
	print_limits();
	print_scheduling();
	print_rights();
	print_place();
	return fflush(stdout) == 0 ? 0 : 1;
}

/* ---- Users ------------------------------------------------------------------------------------------------------------ */

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	if (file) {
		fputs(text, file);
		fclose(file);
	}
}

/* All that a user may have set. What is not permitted stays as it is, which is compared all the same. */
static void be_peculiar(void)
{
	sigset_t mask;
	cpu_set_t cpus;
	cpu_set_t one;
	struct rlimit limit;
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR2);
	sigaddset(&mask, SIGWINCH);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	signal(SIGHUP, SIG_IGN);
	signal(SIGTSTP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	umask(027);
	const struct sched_param none = {0};
	sched_setscheduler(0, SCHED_BATCH, &none);
	setpriority(PRIO_PROCESS, 0, 5);
	syscall(SYS_ioprio_set, 1, 0, IOPRIO_BEST_EFFORT_6);
	prctl(PR_SET_TIMERSLACK, 77777UL);
	CPU_ZERO(&one);
	sched_getaffinity(0, sizeof cpus, &cpus);
	for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++)
		if (CPU_ISSET(cpu, &cpus))
			CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof one, &one);
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = 200;
	setrlimit(RLIMIT_NOFILE, &limit);
	limit = (struct rlimit){.rlim_cur = 0, .rlim_max = 4096};
	setrlimit(RLIMIT_CORE, &limit);
	write_file("/proc/self/oom_score_adj", "300");
	write_file("/proc/self/coredump_filter", "0x13");
	personality(ADDR_NO_RANDOMIZE);
	prctl(PR_SET_THP_DISABLE, 1UL, 0UL, 0UL, 0UL);
	prctl(PR_CAPBSET_DROP, CAP_SYS_TIME);
	if (dup2(STDIN_FILENO, 17) != 17)
		_exit(1);
	setenv("LC_ALL", "C", 1);
	setenv("EMPTY", "", 1);
}

/* An ordinary user, if need be with a capability that programs of theirs inherit. */
static void be_nobody(bool with_capability)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {0};
	data[0].effective = data[0].permitted = data[0].inheritable = with_capability ? 1U << CAP_NET_BIND_SERVICE : 0;
	prctl(PR_SET_KEEPCAPS, 1UL);
	const gid_t groups[] = {NOBODY, 65533};
	if (setgroups(2, groups) != 0 || setresgid(NOBODY, NOBODY, NOBODY) != 0 || setresuid(NOBODY, NOBODY, NOBODY) != 0)
		_exit(1);
	syscall(SYS_capset, &header, data);
	if (with_capability)
		prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_NET_BIND_SERVICE, 0UL, 0UL);
}

/* ---- The comparison --------------------------------------------------------------------------------------------------- */

enum { PECULIAR = 1, AS_NOBODY = 2, WITH_CAPABILITY = 4, NO_NEW_PRIVILEGES = 8 };

static char self[4096];
static char out[64];

static char *collect(unsigned user, const char *contain)
{
	int status;
	fflush(stdout);
	const pid_t pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		/* Check has set some of these. */
		for (int number = 1; number <= 64; number++)
			signal(number, SIG_DFL);
		unsetenv("SHOWSTOPPER_INSTANCE");
		const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
		const int to = open(out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (dup2(in, STDIN_FILENO) < 0 || dup2(to, STDOUT_FILENO) < 0)
			_exit(1);
		if (user & PECULIAR)
			be_peculiar();
		if (user & AS_NOBODY)
			be_nobody(user & WITH_CAPABILITY);
		if (user & NO_NEW_PRIVILEGES)
			prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL);
		/* As a shell would. */
		const pid_t command = fork();
		if (command == 0) {
			if (user & PECULIAR)
				signal(SIGCHLD, SIG_IGN);
			if (contain)
				execl(SHOWSTOPPER_BUILD "/showstopper", "showstopper", contain, "-q", "-T", "100%", "-c", "open",
					"-n", "1", self, "print", (char *)NULL);
			else
				execl(self, self, "print", (char *)NULL);
			_exit(127);
		}
		_exit(command > 0 && waitpid(command, &status, 0) == command ? WEXITSTATUS(status) : 127);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "user %u, %s: wait status %x", user,
		contain ? contain : "plain", status);
	char *text = calloc(1, 1 << 20);
	FILE *file = fopen(out, "r");
	ck_assert_ptr_nonnull(text);
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_gt(fread(text, 1, (1 << 20) - 1, file), 1000);
	fclose(file);
	return text;
}

/* Whether the line begins with one of the names, which are separated by commas and end with one. */
static bool is_among(const char *line, size_t length, const char *names)
{
	for (size_t size; (size = strcspn(names, ",")) > 0; names += size + 1)
		if (length > size && strncmp(line, names, size) == 0)
			return true;
	return false;
}

/* The next line that is compared, or NULL at the end; without its newline, which length counts. */
static const char *next_line(const char **at, size_t *length, const char *different)
{
	while (**at) {
		const char *line = *at;
		*length = strcspn(line, "\n");
		*at += *length + (line[*length] == '\n');
		if (!is_among(line, *length, different))
			return line;
	}
	return NULL;
}

static void compare(unsigned user, const char *contain, const char *different)
{
	char *const plain = collect(user, NULL);
	char *const workload = collect(user, contain);
	const char *a = plain;
	const char *b = workload;
	unsigned lines = 0;
	for (;; lines++) {
		size_t a_length = 0;
		size_t b_length = 0;
		const char *a_line = next_line(&a, &a_length, different);
		const char *b_line = next_line(&b, &b_length, different);
		if (!a_line && !b_line)
			break;
		ck_assert_msg(a_line && b_line && a_length == b_length && memcmp(a_line, b_line, a_length) == 0,
			"user %u, %s: found '%.*s', without showstopper '%.*s'", user, contain, (int)b_length,
			b_line ? b_line : "", (int)a_length, a_line ? a_line : "");
	}
	ck_assert_uint_gt(lines, 100);
	free(plain);
	free(workload);
}

/* What is different, and why, is in showstopper(1). */
#define DIFFERENT "environment: SHOWSTOPPER_INSTANCE,process group:,parent-death signal:,"
#define DIFFERENT_IN_PIDNS DIFFERENT "session:,mnt namespace:,pid namespace:,pid_for_children namespace:,"
#define DIFFERENT_IN_USERNS                                                                                                      \
	DIFFERENT_IN_PIDNS "user namespace:,groups:,status: CapInh,status: CapPrm,status: CapEff,status: CapAmb,"

static const unsigned users[] = {
	0, PECULIAR, PECULIAR | NO_NEW_PRIVILEGES, AS_NOBODY, AS_NOBODY | PECULIAR, AS_NOBODY | WITH_CAPABILITY};

/* Whether this user can be tried, by who runs the test. */
static bool can_be(unsigned user)
{
	int status;
	if (!(user & AS_NOBODY))
		return true;
	if (geteuid() != 0)
		return false;
	const pid_t pid = fork();
	if (pid == 0) {
		be_nobody(false);
		_exit(access(self, X_OK));
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

START_TEST(a_workload_finds_what_the_command_would)
{
	if (can_be(users[_i]))
		compare(users[_i], "--contain=none", DIFFERENT);
	else
		left_out("as nobody: it takes root, and a build that others may execute");
}
END_TEST

START_TEST(a_contained_one_too)
{
	char reason[CONTAINMENT_REASON_MAX] = "";
	bool user_namespace = true;
	if (!can_be(users[_i]) || !containment_is_permitted(&user_namespace, reason)) {
		left_out("contained: %s", *reason ? reason : "not root");
		return;
	}
	compare(users[_i], "--contain=pidns",
		user_namespace || (users[_i] & AS_NOBODY) ? DIFFERENT_IN_USERNS : DIFFERENT_IN_PIDNS);
}
END_TEST

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "print") == 0)
		return print_all();
	const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
	const int fd = mkstemp(strcpy(out, "/tmp/test_surroundings.XXXXXX"));
	if (length < 0 || fd < 0)
		return EXIT_FAILURE;
	close(fd);
	left_out_begin();
	Suite *suite = suite_create("surroundings");
	TCase *tests = tcase_create("all");
	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, a_workload_finds_what_the_command_would, 0, (int)(sizeof users / sizeof *users));
	tcase_add_loop_test(tests, a_contained_one_too, 0, (int)(sizeof users / sizeof *users));
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	/* What a test that failed leaves behind comes to this process. */
	prctl(PR_SET_CHILD_SUBREAPER, 1UL);
	srunner_run_all(runner, CK_NORMAL);
	descendants_kill(clock_now() + PATIENCE_NS);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	unlink(out);
	return left_out_status(failed);
}
