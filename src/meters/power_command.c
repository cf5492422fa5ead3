/* SPDX-License-Identifier: MIT */
/*
 * The asker is a subreaper, so that all that a command starts is below it and can be ended. It watches its parent: who kills that one
 * leaves nothing behind. What it learns is in shared memory, from where it is taken without waiting.
 */
#include "meters/power_command.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/latch.h"
#include "base/units.h"
#include "processes/descendants.h"
#include "processes/exec_report.h"

#define EVERY_LEAST_NS (200 * NS_PER_MS)
#define EVERY_MOST_NS NS_PER_S
/* An answer holds for rows that are shorter than the time between two of them. */
#define HOLDS_NS (3 * EVERY_MOST_NS / 2)
/* Who has not asked for so long doesn't listen. */
#define LISTENS_NS (3 * NS_PER_S)
#define CLEANUP_LIMIT_NS (10 * NS_PER_S)
/* Less than the guardian waits for a sign of life of the master. */
#define CLOSE_LIMIT_NS (700 * NS_PER_MS)
/* What an answer may be long, and how much of a wrong one is shown. */
#define ANSWER_MAX 256
#define SAID_MAX 40
#define WATTS_LIMIT 1e9

enum trouble { NO_TROUBLE, TROUBLE_STATUS, TROUBLE_SIGNAL, TROUBLE_ANSWER, TROUBLE_LINES, TROUBLE_SLOW, TROUBLE_START };

/* What the asker has learned. */
struct answers {
	double sum; /* of all of them, watts */
	uint64_t count;
	double newest;       /* NaN: the newest try failed, or there was none */
	int64_t answered_ns; /* when it came, CLOCK_MONOTONIC */
	int64_t trouble;
	int64_t detail; /* status, signal or errno */
	char said[SAID_MAX];
};

struct shared {
	struct latch answers;
	_Atomic int64_t listened_ns; /* CLOCK_MONOTONIC */
};

struct linux_power_command {
	struct shared *shared;
	pid_t asker;
	int handle;            /* pidfd of it */
	struct answers before; /* as of the last call */
	bool has_complained, has_told_end;
};

double linux_power_command_parse(const char *text, size_t length)
{
	double watts;
	while (length > 0 && isspace((unsigned char)text[length - 1]))
		length--;
	for (; length > 0 && isspace((unsigned char)*text); length--)
		text++;
	return units_parse_real(text, length, &watts, NULL) == 0 && watts >= 0 && watts < WATTS_LIMIT ? watts : NAN;
}

/* ---- The asker -------------------------------------------------------------------------------------------------------- */

struct asker {
	const char *command;
	int64_t every_ns;
	linux_power_before_exec *before_exec;
	const struct scheduling *user;
	struct shared *shared;
	struct answers answers;
	int parent, signals; /* pidfd, signalfd */
	bool is_over;
};

/* Waits for a signal of interest, or the end of the parent, at most until then. */
static void wait_until(struct asker *asker, int64_t when_ns)
{
	struct pollfd polled[] = {{.fd = asker->parent, .events = POLLIN}, {.fd = asker->signals, .events = POLLIN}};
	const int64_t left_ns = when_ns - clock_now();
	const struct timespec left = {
		.tv_sec = left_ns > 0 ? left_ns / NS_PER_S : 0, .tv_nsec = left_ns > 0 ? left_ns % NS_PER_S : 0};
	struct signalfd_siginfo info;
	if (ppoll(polled, 2, &left, NULL) <= 0)
		return;
	asker->is_over |= polled[0].revents != 0;
	while (read(asker->signals, &info, sizeof info) == sizeof info)
		asker->is_over |= info.ssi_signo == SIGTERM;
}

static void note(struct asker *asker, double watts, enum trouble trouble, int64_t detail)
{
	struct answers *const answers = &asker->answers;
	answers->newest = watts;
	answers->answered_ns = clock_now();
	if (!isnan(watts)) {
		answers->sum += watts;
		answers->count++;
	}
	answers->trouble = trouble;
	answers->detail = detail;
	latch_write(&asker->shared->answers, answers, LATCH_SIZE(struct answers));
}

static _Noreturn void become(const struct asker *asker, pid_t parent, int output)
{
	sigset_t none;
	exec_report_die_with(parent);
	setpgid(0, 0);
	const int null = open("/dev/null", O_RDWR);
	if (dup2(null, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)
		_exit(126);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (asker->before_exec)
		asker->before_exec(asker->user);
	execl("/bin/sh", "sh", "-c", asker->command, (char *)NULL);
	_exit(127);
}

/* Notes an answer that is no number, and what of it is shown: the first line that has something. */
static void note_wrong_answer(struct asker *asker, const char *text, size_t length)
{
	char *const said = asker->answers.said;
	size_t from = 0;
	while (from < length && isspace((unsigned char)text[from]))
		from++;
	while (length > from && isspace((unsigned char)text[length - 1]))
		length--;
	snprintf(said, sizeof asker->answers.said, "%.*s", (int)(length - from), text + from);
	said[strcspn(said, "\n")] = '\0';
	for (char *at = said; *at; at++)
		if (!isprint((unsigned char)*at))
			*at = '?';
	note(asker, NAN, memchr(text + from, '\n', length - from) ? TROUBLE_LINES : TROUBLE_ANSWER, 0);
}

/* What has been printed by a command that has ended with that wait status. */
static void take_answer(struct asker *asker, int input, int status)
{
	char text[ANSWER_MAX];
	const ssize_t length = read(input, text, sizeof text);
	const double watts = length > 0 && length < (ssize_t)sizeof text ? linux_power_command_parse(text, (size_t)length) : NAN;
	if (WIFSIGNALED(status)) {
		note(asker, NAN, TROUBLE_SIGNAL, WTERMSIG(status));
	} else if (WEXITSTATUS(status) != 0) {
		note(asker, NAN, TROUBLE_STATUS, WEXITSTATUS(status));
	} else if (isnan(watts)) {
		note_wrong_answer(asker, text, length > 0 ? (size_t)length : 0);
	} else {
		note(asker, watts, NO_TROUBLE, 0);
	}
}

/* Waits for the command's end. False when there was none in time, or nobody wants to know any more. */
static bool await(struct asker *asker, pid_t pid, int *status)
{
	const int64_t deadline_ns = clock_now() + LINUX_POWER_COMMAND_LIMIT_NS;
	pid_t reaped;
	while (!asker->is_over) {
		while ((reaped = waitpid(-1, status, WNOHANG)) > 0)
			if (reaped == pid)
				return true;
		if (clock_now() >= deadline_ns)
			break;
		wait_until(asker, deadline_ns);
	}
	return false;
}

static void ask(struct asker *asker)
{
	int ends[2];
	int status;
	const pid_t self = getpid();
	if (pipe_above_standard(ends) != 0) {
		note(asker, NAN, TROUBLE_START, errno);
		return;
	}
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	const pid_t pid = fork();
	if (pid == 0)
		become(asker, self, ends[1]);
	const int error = errno;
	close(ends[1]);
	if (pid < 0)
		note(asker, NAN, TROUBLE_START, error);
	else if (await(asker, pid, &status))
		take_answer(asker, ends[0], status);
	else if (!asker->is_over)
		note(asker, NAN, TROUBLE_SLOW, 0);
	close(ends[0]);
	/* Also what it left in the background. */
	descendants_kill(clock_now() + CLEANUP_LIMIT_NS);
}

static bool is_listened_to(const struct asker *asker)
{
	return clock_now() - atomic_load(&asker->shared->listened_ns) < LISTENS_NS;
}

static _Noreturn void serve(struct asker *asker, pid_t parent)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* Children of a process that ignores SIGCHLD leave no status. */
	const struct sigaction plain = {.sa_handler = SIG_DFL};
	sigaction(SIGCHLD, &plain, NULL);
	/* Nothing that is typed on the terminal is meant for it. */
	setsid();
	/* It may have been stopped when its parent ends. */
	prctl(PR_SET_PDEATHSIG, SIGCONT);
	asker->parent = pidfd_open(parent, 0);
	asker->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (asker->parent < 0 || asker->signals < 0 || getppid() != parent || prctl(PR_SET_CHILD_SUBREAPER, 1UL) != 0)
		_exit(1);
	for (int64_t next_ns = clock_now(); !asker->is_over;) {
		if (is_listened_to(asker))
			ask(asker);
		next_ns += asker->every_ns;
		if (next_ns < clock_now())
			next_ns = clock_now();
		while (!asker->is_over && clock_now() < next_ns)
			wait_until(asker, next_ns);
	}
	descendants_kill(clock_now() + CLEANUP_LIMIT_NS);
	_exit(0);
}

/* ---- Who wants to know ------------------------------------------------------------------------------------------------ */

static int64_t clamp(int64_t every_ns)
{
	return every_ns < EVERY_LEAST_NS ? EVERY_LEAST_NS : every_ns > EVERY_MOST_NS ? EVERY_MOST_NS : every_ns;
}

struct linux_power_command *linux_power_command_open(
	const char *command, int64_t every_ns, linux_power_before_exec *before_exec, const struct scheduling *user)
{
	const struct answers none = {.newest = NAN};
	struct linux_power_command *const power = calloc(1, sizeof *power);
	if (!power)
		return NULL;
	*power = (struct linux_power_command){.handle = -1, .before = none};
	power->shared = mmap(NULL, sizeof *power->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (power->shared == MAP_FAILED) {
		free(power);
		return NULL;
	}
	latch_write(&power->shared->answers, &none, LATCH_SIZE(struct answers));
	linux_power_command_poll(power);
	const pid_t parent = getpid();
	power->asker = fork();
	if (power->asker == 0) {
		struct asker asker = {.command = command,
			.every_ns = clamp(every_ns),
			.before_exec = before_exec,
			.user = user,
			.shared = power->shared,
			.answers = none};
		serve(&asker, parent);
	}
	power->handle = power->asker > 0 ? pidfd_open(power->asker, 0) : -1;
	if (power->handle >= 0)
		return power;
	const int saved = errno;
	linux_power_command_close(power);
	errno = saved;
	return NULL;
}

/* Whether the asker has ended, or does so within that time. */
static bool has_ended(const struct linux_power_command *power, int64_t within_ns)
{
	struct pollfd polled = {.fd = power->handle, .events = POLLIN};
	return poll(&polled, 1, (int)(within_ns / NS_PER_MS)) > 0;
}

void linux_power_command_close(struct linux_power_command *power)
{
	if (!power)
		return;
	if (power->asker > 0) {
		/* It ends what it has started; only if it can't, it is killed. */
		if (power->handle >= 0 && !has_ended(power, 0))
			pidfd_send_signal(power->handle, SIGTERM, NULL, 0);
		if (power->handle < 0 || !has_ended(power, CLOSE_LIMIT_NS))
			kill(power->asker, SIGKILL);
		waitpid(power->asker, NULL, 0);
	}
	if (power->handle >= 0)
		close(power->handle);
	munmap(power->shared, sizeof *power->shared);
	free(power);
}

void linux_power_command_poll(struct linux_power_command *power)
{
	atomic_store(&power->shared->listened_ns, clock_now());
}

double linux_power_command_watts(struct linux_power_command *power)
{
	struct answers now;
	const struct answers before = power->before;
	linux_power_command_poll(power);
	latch_read(&power->shared->answers, &now, LATCH_SIZE(struct answers));
	power->before = now;
	if (now.count > before.count)
		return (now.sum - before.sum) / (double)(now.count - before.count);
	return has_ended(power, 0) || clock_now() - now.answered_ns > HOLDS_NS ? NAN : now.newest;
}

bool linux_power_command_complaint(struct linux_power_command *power, char text[static LINUX_POWER_COMMAND_TEXT_MAX])
{
	const struct answers *const now = &power->before;
	if (!power->has_told_end && has_ended(power, 0)) {
		snprintf(text, LINUX_POWER_COMMAND_TEXT_MAX, "the process that asks it was killed");
		power->has_told_end = true;
		return true;
	}
	if (power->has_complained)
		return false;
	if (now->trouble == TROUBLE_STATUS)
		snprintf(text, LINUX_POWER_COMMAND_TEXT_MAX, "it ended with status %d", (int)now->detail);
	else if (now->trouble == TROUBLE_SIGNAL)
		snprintf(text, LINUX_POWER_COMMAND_TEXT_MAX, "it was killed by signal %d (%s)", (int)now->detail,
			strsignal((int)now->detail));
	else if (now->trouble == TROUBLE_ANSWER)
		snprintf(text, LINUX_POWER_COMMAND_TEXT_MAX, "found '%s', expected a number of watts", now->said);
	else if (now->trouble == TROUBLE_LINES)
		snprintf(text, LINUX_POWER_COMMAND_TEXT_MAX, "found several lines, '%s' and more, expected one number of watts",
			now->said);
	else if (now->trouble == TROUBLE_SLOW)
		snprintf(text, LINUX_POWER_COMMAND_TEXT_MAX, "no answer within %d s",
			(int)(LINUX_POWER_COMMAND_LIMIT_NS / NS_PER_S));
	else if (now->trouble == TROUBLE_START)
		snprintf(text, LINUX_POWER_COMMAND_TEXT_MAX, "can't start it: %s", strerror((int)now->detail));
	else
		return false;
	power->has_complained = true;
	return true;
}

pid_t linux_power_command_process(const struct linux_power_command *power)
{
	return power->asker;
}
