/* SPDX-License-Identifier: MIT */
#include "supervise/processes.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptors.h"
#include "base/diag.h"
#include "base/units.h"
#include "processes/attached.h"
#include "processes/descendants.h"
#include "self/scheduling.h"
#include "supervise/live_line.h"
#include "workloads/containment.h"

#define CLEANUP_LIMIT_NS (10 * NS_PER_S)
#define EXECUTORS_LIMIT_NS (300 * NS_PER_MS)
/* The master answers within a second; if it can't, the job is stopped all the same. */
#define SUSPEND_LIMIT_MS 2000
/* What a killed master may take to go; one that the kernel keeps, as it waits for a device, doesn't. */
#define MASTER_LIMIT_NS NS_PER_S
/* … and how long what was started then is looked after: the master itself is left in any case. */
#define KEPT_LIMIT_NS (2 * NS_PER_S)

/* SIGCHLD only wakes the loop. */
static const int watched[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGUSR1, SIGWINCH};

static bool is_pending(int number)
{
	sigset_t set;
	return sigpending(&set) == 0 && sigismember(&set, number) == 1;
}

/* Whether it is what reading signals would bring next: those with lower numbers come first. */
static bool is_next(int number)
{
	bool next = is_pending(number);
	for (size_t i = 0; i < sizeof watched / sizeof *watched && next; i++)
		next = watched[i] >= number || !is_pending(watched[i]);
	return next;
}

/*
 * Stops as any job does: by the SIGTSTP that is still pending, unless SIGCONT has taken it away. In a group that no shell looks after that
 * does nothing; SIGCONT is pending when it was stopped.
 */
static void stop(const sigset_t *suspension)
{
	sigprocmask(SIG_UNBLOCK, suspension, NULL);
	sigprocmask(SIG_BLOCK, suspension, NULL);
	if (!is_pending(SIGCONT))
		raise(SIGSTOP);
}

/*
 * Ctrl-Z: first the workloads, then ourselves, so that the shell reports a job that really stands still. Who sends SIGCONT in
 * between wants it to go on, and nobody would send another: so SIGTSTP stays pending meanwhile, as SIGCONT ends that in the kernel, and
 * any new stop signal would throw SIGCONT away. A master that was killed is cleaned up after now and not after `fg`.
 */
static void suspend(pid_t master, const struct master_ties *ties)
{
	struct pollfd polled[] = {{.fd = ties->suspended, .events = POLLIN}, {.fd = pidfd_open(master, 0), .events = POLLIN}};
	const struct timespec none = {0};
	sigset_t suspension;
	eventfd_t count;
	sigemptyset(&suspension);
	sigaddset(&suspension, SIGTSTP);
	eventfd_read(ties->suspended, &count); /* an answer that came too late */
	kill(master, SIGTSTP);
	poll(polled, 2, SUSPEND_LIMIT_MS);
	const bool ended = polled[1].revents;
	if (polled[1].fd >= 0)
		close(polled[1].fd);
	live_line_give_back(ties->owed.last_row);
	if (ended)
		sigtimedwait(&suspension, NULL, &none);
	else
		stop(&suspension);
	kill(master, SIGCONT);
}

/* What became of the master. */
struct end {
	int status; /* as of waitpid(2) */
	bool hung;  /* it stood still and was killed, … */
	bool kept;  /* … but the kernel doesn't let it go */
};

/* Hands a signal on. */
static void pass_on(pid_t master, int number, const struct master_ties *ties, struct heartbeat_watch *heart)
{
	/* Blocked signals arrive here even when they were ignored; nohup and background jobs mean it. */
	if (number != SIGTERM && ties->user.action[number].sa_handler == SIG_IGN)
		return;
	switch (number) {
	case SIGINT:
	case SIGTERM:
	case SIGHUP:
		heartbeat_ask(heart);
		kill(master, number);
		break;
	case SIGUSR1:
	case SIGWINCH:
		kill(master, number);
		break;
	case SIGTSTP:
		raise(SIGTSTP); /* came since it was looked for; it is found pending */
		break;
	default:
		break;
	}
}

/* The next signal that there is. */
static void hear(pid_t master, int signals, const struct master_ties *ties, struct heartbeat_watch *heart)
{
	struct signalfd_siginfo info;
	const bool heeded = ties->user.action[SIGTSTP].sa_handler != SIG_IGN;
	if (heeded && is_next(SIGTSTP)) {
		suspend(master, ties);
		heartbeat_forget(heart, clock_now());
	} else if (read(signals, &info, sizeof info) == sizeof info) {
		/* The terminal has written ^C, and what comes next begins a line. */
		if (info.ssi_signo == SIGINT && info.ssi_code == SI_KERNEL && isatty(STDERR_FILENO))
			diag_write("\n", 1);
		pass_on(master, (int)info.ssi_signo, ties, heart);
	}
}

/* A master that stands still is killed; the kernel may keep it all the same. */
static struct end kill_master(pid_t master)
{
	struct end end = {.status = SIGKILL, .hung = true};
	const int64_t deadline = clock_now() + MASTER_LIMIT_NS;
	kill(master, SIGKILL);
	while (waitpid(master, &end.status, WNOHANG) != master) {
		if (clock_now() >= deadline) {
			end.kept = true;
			break;
		}
		clock_sleep_until(clock_now() + NS_PER_MS);
	}
	/* It may just have ended by itself. */
	end.hung = WIFSIGNALED(end.status);
	return end;
}

/* Waits for the master's end. */
static struct end watch(pid_t master, int signals, const struct master_ties *ties)
{
	struct heartbeat_watch heart = {.seen_ns = clock_now()};
	struct pollfd polled = {.fd = signals, .events = POLLIN};
	for (;;) {
		struct end end = {0};
		if (waitpid(master, &end.status, WNOHANG) == master)
			return end;
		const int64_t wait_ns = heartbeat_next_look(&heart, ties->heartbeat, clock_now());
		if (poll(&polled, 1, (int)(wait_ns / NS_PER_MS) + 1) > 0)
			hear(master, signals, ties, &heart);
		if (heartbeat_has_stopped(&heart, ties->heartbeat, clock_now()))
			return kill_master(master);
	}
}

/*
 * Executors end their own workloads when the master is gone. They are left alone with that at first: a guardian that killed them, and
 * was killed itself before it came to their workloads, would leave these to nobody.
 */
static void await_executors(void)
{
	const int64_t deadline = clock_now() + EXECUTORS_LIMIT_NS;
	pid_t reaped;
	while (((reaped = waitpid(-1, NULL, WNOHANG)) >= 0 || errno != ECHILD) && clock_now() < deadline)
		if (reaped == 0)
			clock_sleep_until(clock_now() + NS_PER_MS);
}

static void set_signals(sigset_t *set)
{
	sigset_t unread;
	sigemptyset(set);
	for (size_t i = 0; i < sizeof watched / sizeof *watched; i++)
		sigaddset(set, watched[i]);
	sigprocmask(SIG_BLOCK, set, NULL);
	/* A message that nobody reads, or that a terminal doesn't want now, must not keep it from cleaning up. */
	sigemptyset(&unread);
	sigaddset(&unread, SIGPIPE);
	sigaddset(&unread, SIGTTOU);
	/* Until there is a master, which cleans up after whom this kills. */
	sigaddset(&unread, SIGQUIT);
	sigprocmask(SIG_BLOCK, &unread, NULL);
	/* Children of a process that ignores SIGCHLD leave no status. */
	const struct sigaction plain = {.sa_handler = SIG_DFL};
	sigaction(SIGCHLD, &plain, NULL);
}

static void let_quit(const struct scheduling *user)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGQUIT);
	if (!sigismember(&user->mask, SIGQUIT))
		sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* Opens what guardian and master hear of each other by. 0, or -1 with errno; what is open by then is the caller's. */
static int open_ties(struct master_ties *ties, const sigset_t *set, int *signals)
{
	struct linux_process self;
	ties->suspended = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	ties->owed.last_row = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	ties->owed.groups = workload_groups_new();
	ties->heartbeat = heartbeat_new();
	*signals = signalfd(-1, set, SFD_CLOEXEC);
	return ties->suspended < 0 || ties->owed.last_row < 0 || *signals < 0 || !ties->owed.groups || !ties->heartbeat
		       ? -1
		       : process_take(&ties->guardian, getpid(), &self);
}

static void close_ties(struct master_ties *ties, int signals)
{
	if (signals >= 0)
		close(signals);
	if (ties->suspended >= 0)
		close(ties->suspended);
	process_release(&ties->guardian);
	heartbeat_free(ties->heartbeat);
	obligations_free(&ties->owed);
}

/* What the master's wait status makes the result of the run. */
static int result_of(int status)
{
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	if (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM || WTERMSIG(status) == SIGHUP)
		return -WTERMSIG(status);
	return EXIT_TROUBLE;
}

/*
 * True when none of the workloads is left. A master that ended in order has seen to that: what children a guardian with children of
 * others (`spared`) has then are orphans of these.
 */
static bool kill_what_is_left(const struct master_ties *ties, const struct end *end, bool spared)
{
	if (spared && WIFEXITED(end->status) && WEXITSTATUS(end->status) != EXIT_TROUBLE)
		return true;
	return workload_groups_kill(ties->owed.groups, clock_now() + (end->kept ? KEPT_LIMIT_NS : CLEANUP_LIMIT_NS));
}

static void say_what_was(const struct end *end, int result, const char *left)
{
	const int status = end->status;
	if (end->hung)
		diag("the master stood still (stopped, or kept by a file system that doesn't answer) and was killed; "
		     "its workloads were ended");
	else if (WIFSIGNALED(status) && result == EXIT_TROUBLE)
		diag("the master was killed by signal %d (%s); its workloads were killed", WTERMSIG(status),
			strsignal(WTERMSIG(status)));
	/* A master that ended by itself with trouble has said so. */
	if (left && (WIFSIGNALED(status) || result != EXIT_TROUBLE))
		diag("can't kill what is left%s: %s",
			end->kept ? "; the master goes when its file system answers" : " of the workloads", left);
}

/* Leaves no process behind, and none stopped. Returns the result of the run. */
static int clean_up(const struct master_ties *ties, const struct end *end, bool spared)
{
	const int result = result_of(end->status);
	char names[128];
	if (WIFSIGNALED(end->status))
		await_executors();
	obligations_spare_attached(&ties->owed);
	const bool is_clean = kill_what_is_left(ties, end, spared);
	if (!is_clean)
		descendants_name(names, sizeof names);
	obligations_settle(&ties->owed, WIFSIGNALED(end->status));
	/* The last, as a terminal that is held may take a second. */
	live_line_give_back(ties->owed.last_row);
	say_what_was(end, result, is_clean ? NULL : names);
	return is_clean ? result : EXIT_TROUBLE;
}

/* Forks the master, in which it returns the master's result, as in the guardian that of the run. */
static int run_master(const struct config *config, struct master_ties *ties, const sigset_t *set, int *signals, bool spared)
{
	pid_t master = -1;
	if (open_ties(ties, set, signals) == 0 && prctl(PR_SET_CHILD_SUBREAPER, 1UL) == 0) {
		scheduling_spare_from_oom();
		master = fork();
	}
	if (master == 0) {
		close(*signals);
		*signals = -1;
		return master_run(config, ties);
	}
	if (master > 0) {
		let_quit(&ties->user);
		const struct end end = watch(master, *signals, ties);
		return clean_up(ties, &end, spared);
	}
	diag("can't start the master: %s%s", strerror(errno),
		ties->guardian.fd < 0 && (errno == ENOSYS || errno == EPERM)
			? " (expected Linux 5.3 or newer, and a sandbox that permits pidfd_open)"
			: "");
	obligations_settle(&ties->owed, false);
	return EXIT_TROUBLE;
}

int guardian_run(const struct config *config)
{
	struct master_ties ties = {.guardian = PROCESS_NONE, .suspended = -1};
	sigset_t set;
	int signals = -1;
	if (!linux_facilities_own_proc()) {
		diag("/proc shows the processes of another PID namespace: expected those of this one (unshare --mount-proc)");
		return EXIT_TROUBLE;
	}
	const int spared = descendants_spare();
	if (spared < 0) {
		diag("can't list the children that are there already: %s", strerror(errno));
		return EXIT_TROUBLE;
	}
	scheduling_save(&ties.user);
	descriptors_raise_limit();
	/* From the first obligation on no signal may end this process but in order. */
	set_signals(&set);
	if (obligations_take_on(&ties.owed, config) != 0)
		return EXIT_TROUBLE;
	run_mark_set(RUN_MARK_GUARDIAN);
	const int result = run_master(config, &ties, &set, &signals, spared > 0);
	close_ties(&ties, signals);
	run_mark_clear();
	return result;
}
