/* SPDX-License-Identifier: MIT */
/*
 * This process is the subreaper of all that the commands start, so that what they leave behind stays below it, and is killed in the end. A
 * command leads a process group; it is killed by the kernel when this process is.
 */
#include "ssrequest/commands.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/units.h"
#include "processes/descendants.h"
#include "self/signals.h"
#include "workloads/spawn.h"

/* What still lives after it was killed waits for a disk. */
#define KILL_LIMIT_NS (5 * NS_PER_S)

struct commands {
	const struct settings *settings;
	struct sender_owner owner;
	const struct scheduling *user;
	const struct linux_mask *mask;
	bool has_said; /* why the first one couldn't be started */
	pid_t pid[];   /* by slot; 0: none */
};

/* It is sent when the start of a process begins, as a request by HTTP may begin with that of a connection. */
static int64_t command_send(void *self, unsigned slot, unsigned url, uint64_t number)
{
	struct commands *const commands = self;
	enum start_stage stage;
	const struct spawn wanted = {.command = commands->settings->command,
		.index = (unsigned)number,
		.mask = *commands->mask,
		.user = commands->user};
	(void)url;
	const int64_t sent_ns = clock_now();
	const pid_t pid = spawn(&wanted, &stage);
	if (pid > 0) {
		commands->pid[slot] = pid;
		return sent_ns;
	}
	if (!commands->has_said)
		diag("can't %s '%s': %s (said of the first request that fails)", start_stage_text(stage), wanted.command[0],
			strerror(errno));
	commands->has_said = true;
	const struct sender_answer answer = {.fate = REQUEST_FAILED, .bytes = REQUEST_LOG_UNKNOWN};
	commands->owner.answered(commands->owner.context, slot, &answer);
	return sent_ns;
}

/* Sends a signal to all below a process and to itself. */
static void signal_tree(pid_t root, int number)
{
	struct descendants below = {.count = 0};
	/* A list that can't be had is an empty one: its process group is told all the same. */
	descendants_list(root, &below);
	kill(-root, number);
	for (size_t i = 0; i < below.count; i++) {
		const struct process victim = process_of(&below.item[i].process);
		process_signal(&victim, number);
	}
	descendants_free(&below);
}

static void command_give_up(void *self, unsigned slot)
{
	struct commands *const commands = self;
	if (commands->pid[slot] > 0)
		signal_tree(commands->pid[slot], SIGKILL);
	/* Its end will be nobody's. */
	commands->pid[slot] = 0;
}

static void take_end(struct commands *commands, pid_t pid, int wait_status)
{
	int64_t slot = 0;
	while (slot < commands->settings->limit && commands->pid[slot] != pid)
		slot++;
	if (slot == commands->settings->limit)
		return;
	struct sender_answer answer = {.bytes = REQUEST_LOG_UNKNOWN,
		.status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status)};
	answer.fate = expected_judge(&commands->settings->expected, true, answer.status, true);
	commands->pid[slot] = 0;
	commands->owner.answered(commands->owner.context, (unsigned)slot, &answer);
}

static void command_reap(void *self)
{
	struct commands *const commands = self;
	int wait_status;
	for (pid_t pid; (pid = waitpid(-1, &wait_status, WNOHANG)) > 0;)
		take_end(commands, pid, wait_status);
}

/* How many there are after those that have ended are forgotten. */
static unsigned count_living(struct commands *commands)
{
	unsigned count = 0;
	for (int64_t i = 0; i < commands->settings->limit; i++) {
		if (commands->pid[i] > 0 && waitpid(commands->pid[i], NULL, WNOHANG) != 0)
			commands->pid[i] = 0;
		count += commands->pid[i] > 0;
	}
	return count;
}

/* False when somebody wants it to end at once. */
static bool wait_for_signal(int signals, int64_t until_ns)
{
	struct signalfd_siginfo info;
	struct pollfd event = {.fd = signals, .events = POLLIN};
	const int64_t left_ns = until_ns - clock_now();
	if (left_ns <= 0)
		return false;
	const struct timespec left = {.tv_sec = left_ns / NS_PER_S, .tv_nsec = left_ns % NS_PER_S};
	ppoll(&event, 1, &left, NULL);
	while (read(signals, &info, sizeof info) == (ssize_t)sizeof info)
		if (signals_is_ending((int)info.ssi_signo) || info.ssi_signo == SIGQUIT)
			return false;
	return true;
}

static void commands_close(void *self, int64_t grace_ns, int signals)
{
	struct commands *const commands = self;
	const int64_t deadline_ns = clock_now() + grace_ns;
	if (grace_ns > 0)
		for (int64_t i = 0; i < commands->settings->limit; i++)
			if (commands->pid[i] > 0)
				signal_tree(commands->pid[i], SIGTERM);
	while (count_living(commands) > 0 && wait_for_signal(signals, deadline_ns))
		;
	if (!descendants_kill(clock_now() + KILL_LIMIT_NS)) {
		char names[256];
		descendants_name(names, sizeof names);
		diag("these can't be killed: %s", names);
	}
	free(commands);
}

int commands_open(struct sender *sender, const struct settings *settings, const struct sender_owner *owner,
	const struct scheduling *user, const struct linux_mask *mask)
{
	struct commands *const commands = calloc(1, sizeof *commands + (size_t)settings->limit * sizeof(pid_t));
	if (!commands)
		return diag_refuse("%s", strerror(errno));
	commands->settings = settings;
	commands->owner = *owner;
	commands->user = user;
	commands->mask = mask;
	if (prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL) != 0 || descendants_spare() < 0) {
		free(commands);
		return diag_refuse("can't look after commands: %s", strerror(errno));
	}
	*sender = (struct sender){.self = commands,
		.send = command_send,
		.give_up = command_give_up,
		.reap = command_reap,
		.close = commands_close};
	return 0;
}
