/* SPDX-License-Identifier: MIT */
#include "self/scheduling.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The highest that is left to others: the kernel's own threads and watchdogs run at 99. */
#define FIFO_MOST 98
#define OOM_SCORE (-900)

static int read_oom_score(void)
{
	char text[16] = "";
	const int fd = open("/proc/self/oom_score_adj", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	const ssize_t length = read(fd, text, sizeof text - 1);
	close(fd);
	return length > 0 ? (int)strtol(text, NULL, 10) : 0;
}

static bool write_oom_score(int score)
{
	char text[16];
	const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	const int length = snprintf(text, sizeof text, "%d", score);
	const bool written = write(fd, text, (size_t)length) == length;
	close(fd);
	return written;
}

void scheduling_save(struct scheduling *saved)
{
	struct sched_param param = {0};
	sched_getparam(0, &param);
	*saved = (struct scheduling){
		.policy = sched_getscheduler(0),
		.priority = param.sched_priority,
		.nice = getpriority(PRIO_PROCESS, 0),
		.slack_ns = (unsigned long)prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL),
		.oom_score = read_oom_score(),
	};
	getrlimit(RLIMIT_NOFILE, &saved->files);
	sigprocmask(SIG_SETMASK, NULL, &saved->mask);
	for (int number = 1; number <= 64; number++)
		sigaction(number, NULL, &saved->action[number]);
}

struct scheduling_grant scheduling_raise_nice(void)
{
	const int before = getpriority(PRIO_PROCESS, 0);
	int least = -20;
	prctl(PR_SET_TIMERSLACK, 1UL);
	if (setpriority(PRIO_PROCESS, 0, least) != 0) {
		/* RLIMIT_NICE counts from 1 (nice 19) to 40 (nice -20). */
		struct rlimit limit;
		if (getrlimit(RLIMIT_NICE, &limit) != 0 || limit.rlim_cur < 1 || limit.rlim_cur > 40)
			return (struct scheduling_grant){0};
		least = 20 - (int)limit.rlim_cur;
		if (least >= before || setpriority(PRIO_PROCESS, 0, least) != 0)
			return (struct scheduling_grant){0};
	}
	return (struct scheduling_grant){.grant = GRANT_NICE, .value = least};
}

/* A user's real-time workloads would starve an executor that is not above them, and the machine with it. */
struct scheduling_grant scheduling_raise(const struct scheduling *user)
{
	const struct scheduling_grant nice = scheduling_raise_nice();
	const int policy = user->policy & ~SCHED_RESET_ON_FORK;
	const int wanted = policy == SCHED_FIFO || policy == SCHED_RR ? user->priority + 1 : 1;
	const struct sched_param param = {.sched_priority = wanted < FIFO_MOST ? wanted : FIFO_MOST};
	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param) == 0)
		return (struct scheduling_grant){.grant = GRANT_FIFO, .value = param.sched_priority};
	return nice;
}

struct scheduling_grant scheduling_try(const struct scheduling *user)
{
	struct scheduling_grant grant = {0};
	int pipe_ends[2];
	if (pipe2(pipe_ends, O_CLOEXEC) != 0)
		return grant;
	const pid_t pid = fork();
	if (pid == 0) {
		/* Also when it stands still, and who would kill what the caller leaves is killed with the caller. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		grant = scheduling_raise(user);
		_exit(write(pipe_ends[1], &grant, sizeof grant) == sizeof grant ? 0 : 1);
	}
	close(pipe_ends[1]);
	if (pid < 0 || read(pipe_ends[0], &grant, sizeof grant) != sizeof grant)
		grant = (struct scheduling_grant){0};
	close(pipe_ends[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return grant;
}

bool scheduling_remedy(char text[static SCHEDULING_REMEDY_MAX])
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_";
	char path[PATH_MAX];
	if (geteuid() == 0 || prctl(PR_GET_NO_NEW_PRIVS, 0UL, 0UL, 0UL, 0UL) == 1 ||
		prctl(PR_CAPBSET_READ, (unsigned long)CAP_SYS_NICE) != 1)
		return false;
	const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
	if (length <= 0)
		return false;
	path[length] = '\0';
	/* A quote in its path is left to who has one. */
	if (strchr(path, '\''))
		return false;
	const char *const quote = strspn(path, plain) == (size_t)length ? "" : "'";
	snprintf(text, SCHEDULING_REMEDY_MAX, "sudo setcap cap_sys_nice+ep %s%s%s", quote, path, quote);
	return true;
}

static bool is_fifo(void)
{
	return (sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) == SCHED_FIFO;
}

void scheduling_step_down(void)
{
	const struct sched_param none = {0};
	if (is_fifo())
		sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &none);
}

struct scheduling_lent scheduling_before_fork(const struct scheduling *user)
{
	const bool fifo = is_fifo();
	scheduling_step_down();
	const struct scheduling_lent lent = {
		.fifo = fifo, .slack_ns = (unsigned long)prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL)};
	prctl(PR_SET_TIMERSLACK, user->slack_ns);
	return lent;
}

void scheduling_after_fork(const struct scheduling *user, const struct scheduling_lent *lent)
{
	prctl(PR_SET_TIMERSLACK, lent->slack_ns);
	if (lent->fifo)
		scheduling_raise(user);
}

bool scheduling_spare_from_oom(void)
{
	return write_oom_score(OOM_SCORE);
}

void scheduling_restore_attributes(const struct scheduling *saved)
{
	const struct sched_param param = {.sched_priority = saved->priority};
	if (saved->policy >= 0)
		sched_setscheduler(0, saved->policy, &param);
	setpriority(PRIO_PROCESS, 0, saved->nice);
	prctl(PR_SET_TIMERSLACK, saved->slack_ns);
	if (read_oom_score() != saved->oom_score)
		write_oom_score(saved->oom_score);
	setrlimit(RLIMIT_NOFILE, &saved->files);
}

void scheduling_restore(const struct scheduling *saved)
{
	scheduling_restore_attributes(saved);
	for (int number = 1; number <= 64; number++)
		if (number != SIGKILL && number != SIGSTOP)
			sigaction(number, &saved->action[number], NULL);
	sigprocmask(SIG_SETMASK, &saved->mask, NULL);
}
