/* SPDX-License-Identifier: MIT */
/*
 * Orders go through shared memory and a nudge by signal; news come as the executors' exit. The master is a subreaper: what an
 * executor that was killed leaves behind becomes the master's child and is killed.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/units.h"
#include "control/estimate.h"
#include "processes/descendants.h"
#include "supervise/master_state.h"
#include "supervise/processes.h"
#include "workloads/spawn.h"

/* How long executors may take to end after the grace period, and after the order to kill. */
#define TERMINATE_LIMIT_NS (2 * NS_PER_S)
#define KILL_LIMIT_NS (700 * NS_PER_MS)

/* ---- Orders ----------------------------------------------------------------------------------------------------------- */

void executors_nudge(const struct master *master)
{
	for (unsigned i = 0; i < master->config->workloads; i++)
		if (master->executor[i])
			kill(master->executor[i], EXECUTOR_NUDGE);
}

void executors_order(struct master *master, enum shared_phase phase)
{
	if (atomic_load(&master->run.shared->phase) >= (int)phase)
		return;
	atomic_store(&master->run.shared->phase, (int)phase);
	executors_nudge(master);
	/* Who was stopped by somebody is to end like all others. */
	for (unsigned i = 0; phase >= SHARED_TERMINATE && i < master->config->workloads; i++)
		if (master->executor[i])
			kill(master->executor[i], SIGCONT);
}

void master_arm(const struct master *master, int64_t when_ns)
{
	const struct itimerspec timer = {.it_value = {.tv_sec = when_ns / NS_PER_S, .tv_nsec = when_ns % NS_PER_S}};
	timerfd_settime(master->timer, TFD_TIMER_ABSTIME, &timer, NULL);
}

void master_end(struct master *master, enum shared_phase how)
{
	if (master->stage != ENDING) {
		master->ended_ns = clock_now();
		atomic_store(&master->run.heartbeat->end_ns, master->ended_ns);
		stalls_end(master);
	}
	/* What was too short for a row of the log. */
	if (master->stage == RUNNING && !master->paused_ns)
		recording_stop_meters(&master->recording);
	master->stage = ENDING;
	executors_order(master, how);
	const bool kill = atomic_load(&master->run.shared->phase) == SHARED_KILL;
	master->limit_ns = clock_now() + master->config->grace_ns + TERMINATE_LIMIT_NS;
	if (!kill)
		master_arm(master, master->limit_ns);
	else if (!master->killing)
		master_arm(master, clock_now() + KILL_LIMIT_NS);
	master->killing = kill;
}

void master_end_with_error(struct master *master, int status)
{
	if (master->status == 0)
		master->status = status;
	master_end(master, SHARED_KILL);
}

/* ---- Their life ------------------------------------------------------------------------------------------------------- */

int executors_fork(struct master *master, unsigned index)
{
	struct counted *const counted = &master->recording.counted;
	const bool is_prepared = counted_before_fork(counted) == 0;
	heartbeat_beat(master->run.heartbeat); /* there may be thousands */
	const pid_t pid = is_prepared ? fork() : -1;
	if (pid == 0) {
		counted_in_child(counted);
		_exit(executor_process_run(&master->run, index));
	}
	const int error = errno;
	if (is_prepared)
		counted_after_fork(counted);
	if (pid < 0) {
		diag("can't start the executor of workload %u: %s", index, strerror(error));
		master_end_with_error(master, EXIT_TROUBLE);
		return -1;
	}
	master->executor[index] = pid;
	master->alive++;
	master->forked++;
	return 0;
}

static bool is_executor(const struct master *master, pid_t pid)
{
	for (unsigned i = 0; i < master->config->workloads; i++)
		if (master->executor[i] == pid)
			return true;
	return false;
}

bool executors_kill_strays(const struct master *master)
{
	struct descendants list = {0};
	bool found = false;
	if (descendants_list(getpid(), &list) != 0)
		return false;
	/* Parents come first in the list, so a process's fate is known when its children are looked at. */
	for (size_t i = 0; i < list.count; i++) {
		struct linux_process *process = &list.item[i].process;
		bool stray = list.item[i].depth == 1 && !is_executor(master, process->pid);
		for (size_t k = 0; k < i && !stray && list.item[i].depth > 1; k++)
			stray = list.item[k].process.pid == process->parent && list.item[k].depth == 0;
		if (!stray)
			continue;
		list.item[i].depth = 0; /* the mark of a stray */
		if (!linux_process_has_ended(process)) {
			const struct process target = process_of(process);
			process_signal(&target, SIGKILL);
			found = true;
		}
	}
	descendants_free(&list);
	return found;
}

static void report_start_failure(struct master *master, unsigned index)
{
	const struct slot *slot = &master->run.shared->slot[index];
	const int error = atomic_load(&slot->start_errno);
	const enum start_stage stage = (enum start_stage)atomic_load(&slot->start_stage);
	const struct attached *attached = run_attached(&master->run, index);
	const char *what = attached ? "" : run_group(master->config, index)->command[0];
	if (stage == STAGE_CHDIR)
		what = master->config->directory;
	else if (stage == STAGE_STDOUT)
		what = run_group(master->config, index)->stdout_file;
	else if (stage == STAGE_STDERR)
		what = run_group(master->config, index)->stderr_file;
	if (master->status == 0 && attached && attached->group)
		diag("workload %u: can't attach to group %s: %s", index, attached->group->folder, strerror(error));
	else if (master->status == 0 && attached)
		diag("workload %u: can't attach to process %d: %s", index, (int)attached->process.pid, strerror(error));
	else if (master->status == 0)
		diag("workload %u: can't %s: %s: %s", index, start_stage_text(stage), what, strerror(error));
	master_end_with_error(master, stage != STAGE_EXEC ? EXIT_TROUBLE : error == ENOENT ? 127 : 126);
}

/* It ran, ended, and can't be started again: that is its end, and a failure. */
static void report_respawn_failure(const struct master *master, unsigned index)
{
	const struct slot *slot = &master->run.shared->slot[index];
	diag("workload %u can't be started again: can't %s: %s: %s", index,
		start_stage_text((enum start_stage)atomic_load(&slot->start_stage)), run_group(master->config, index)->command[0],
		strerror(atomic_load(&slot->start_errno)));
}

/* True when it was lost, with children that are ours now. */
static bool note_executor(struct master *master, unsigned index, int wait_status)
{
	struct slot *slot = &master->run.shared->slot[index];
	master->executor[index] = 0;
	master->alive--;
	estimate_release(master->run.shared, index + 1);
	if (atomic_load(&slot->start_stage)) {
		if (atomic_load(&slot->pid))
			report_respawn_failure(master, index);
		else
			report_start_failure(master, index);
		return false;
	}
	if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0)
		return false;
	if (atomic_load(&slot->left)) {
		shared_set_live(master->run.shared, index, false);
		if (master->status == 0)
			master->status = EXIT_TROUBLE;
		return false;
	}
	const bool goes_on = master->config->keep_going && master->stage != ENDING;
	const char *const then = goes_on ? "the run goes on without it" : "the run ends";
	master->lost += !atomic_load(&slot->lost);
	shared_set_lost(master->run.shared, index, clock_now());
	obligations_release(&master->ties->owed, index);
	/* Who ends later doesn't find it abandoned once more. */
	atomic_store(&slot->executor, 0);
	if (WIFSIGNALED(wait_status))
		diag("the executor of workload %u was killed by signal %d (%s); %s", index, WTERMSIG(wait_status),
			strsignal(WTERMSIG(wait_status)), then);
	else
		diag("the executor of workload %u ended with status %d; %s", index, WEXITSTATUS(wait_status), then);
	if (!master->config->keep_going)
		master_end_with_error(master, EXIT_TROUBLE);
	return true;
}

/* True when an executor was lost. */
static bool note_ended(struct master *master)
{
	int wait_status;
	pid_t pid;
	bool lost = false;
	while ((pid = waitpid(-1, &wait_status, WNOHANG)) > 0) {
		for (unsigned i = 0; i < master->config->workloads; i++)
			if (master->executor[i] == pid) {
				lost |= note_executor(master, i, wait_status);
				break;
			}
	}
	return lost;
}

void executors_reap(struct master *master)
{
	if (!note_ended(master))
		return;
	const int64_t deadline = clock_now() + NS_PER_S;
	while ((master->strays = executors_kill_strays(master)) && clock_now() < deadline) {
		heartbeat_beat(master->run.heartbeat);
		clock_sleep_until(clock_now() + NS_PER_MS);
		/* What another one held may not die before that is noted, too. */
		note_ended(master);
	}
}

/* ---- How they fare ---------------------------------------------------------------------------------------------------- */

bool executors_some_are_controlled(const struct master *master)
{
	for (unsigned i = 0; i < master->config->workloads; i++)
		if (master->executor[i] && !master->run.shared->slot[i].free)
			return true;
	return false;
}

bool executors_all_are_ready(const struct master *master)
{
	if (master->forked < master->config->workloads)
		return false;
	for (unsigned i = 0; i < master->config->workloads; i++)
		if (master->executor[i] && !atomic_load(&master->run.shared->slot[i].pid))
			return false;
	return true;
}
