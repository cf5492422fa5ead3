/* SPDX-License-Identifier: MIT */
#include "disturb.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "judge.h"

#define STANDSTILL_LIMIT_US 5000000

static bool is_fatal(int signal)
{
	return signal == SIGKILL || signal == SIGSEGV || signal == SIGABRT;
}

/* What is done to an attached process is the tool's alone. */
static bool is_to_be_hit(const struct person *person)
{
	return person->instance >= 0 && person->instance < ATTACHED_INSTANCE && !person_has_ended(person);
}

static pid_t some_workload_process(const struct trial *trial, unsigned which)
{
	unsigned count = 0;
	for (size_t i = 0; i < trial->census.count; i++)
		count += is_to_be_hit(&trial->census.item[i]);
	if (!count)
		return 0;
	which %= count;
	for (size_t i = 0; i < trial->census.count; i++)
		if (is_to_be_hit(&trial->census.item[i]) && which-- == 0)
			return trial->census.item[i].pid;
	return 0;
}

static void note_killed(struct trial *trial, const struct action *action)
{
	trial->result->kills++;
	trial->fatal_us = trial_now_us();
	if (action->role == ROLE_GUARDIAN)
		trial->killed_guardian = true;
	else if (action->role == ROLE_MASTER)
		trial->killed_master = true;
	else
		trial->killed_executor[action->which] = true;
}

/* The kernel continues an orphan that stands still, but not one that is yet to be stopped, as it waits for a processor. */
static void await_standstill(struct trial *trial, pid_t pid)
{
	const int64_t limit = trial_now_us() + STANDSTILL_LIMIT_US;
	while (trial_now_us() < limit) {
		census_take(&trial->census, trial->mark);
		const struct person *const person = census_find(&trial->census, pid);
		if (!person || person_has_ended(person) || person_is_stopped(person))
			return;
		trial_pause_us(1000);
	}
}

/* Signals that a process blocks, as the kernel prints them. */
static uint64_t blocked(pid_t pid)
{
	char path[64], line[256];
	uint64_t set = 0;
	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	FILE *const file = fopen(path, "re");
	while (file && fgets(line, sizeof line, file))
		if (strncmp(line, "SigBlk:", 7) == 0)
			set = strtoull(line + 7, NULL, 16);
	if (file)
		fclose(file);
	return set;
}

/*
 * A master that has just been forked has the guardian's mask, until it has told the kernel what is to become of it if the guardian dies.
 * Before that nothing can be promised (src/README.md), so it is stopped once more, a moment later.
 */
static void stop_master_later(struct trial *trial)
{
	const int64_t limit = trial_now_us() + STANDSTILL_LIMIT_US;
	while (!trial->guardian_gone && blocked(trial->master) == blocked(trial->guardian) && trial_now_us() < limit) {
		kill(trial->master, SIGCONT);
		trial_pause_us(1000);
		kill(trial->master, SIGSTOP);
		await_standstill(trial, trial->master);
	}
}

static void take_action(struct trial *trial, const struct action *action)
{
	pid_t pid = 0;
	switch (action->role) {
	case ROLE_GUARDIAN:
		pid = trial->guardian_gone ? 0 : trial->guardian;
		break;
	case ROLE_MASTER:
		pid = trial->master;
		break;
	case ROLE_EXECUTOR:
		pid = trial->executor[action->which];
		break;
	case ROLE_WORKLOAD:
		pid = some_workload_process(trial, action->which);
		break;
	}
	const struct person *person = census_find(&trial->census, pid);
	if (!person)
		return;
	if (action->role == ROLE_WORKLOAD || !is_fatal(action->signal)) {
		const bool done = !person_has_ended(person) && kill(pid, action->signal) == 0;
		trial->result->kills += done;
		const bool of_ours = done && action->role != ROLE_WORKLOAD;
		if (done && !of_ours && action->signal == SIGSTOP && judge_is_unsupervised(trial, person->instance))
			trial->halted = pid;
		trial->stood = trial->stood || (of_ours && action->signal == SIGSTOP);
		if (of_ours && action->signal == SIGSTOP)
			await_standstill(trial, pid);
		if (of_ours && action->signal == SIGSTOP && action->role == ROLE_MASTER)
			stop_master_later(trial);
		if (of_ours && action->signal != SIGSTOP && action->signal != SIGCONT && !trial->request_us)
			trial->request_us = trial_now_us();
		return;
	}
	const int which = (int)(action - trial->plan.action);
	if (!strike(&trial->strikes, pid, action->signal, which)) {
		trial->result->vanished++;
		/* Unless it has been waited for already; others that were hit are left to strikes_settle. */
		if (pid == trial->guardian && waitpid(pid, NULL, WNOHANG) != 0)
			trial_note_guardian(trial);
	} else if (action->signal != SIGKILL || trial->strikes.count == 0) {
		note_killed(trial, action);
	}
}

/* Of SIGKILL only the death says whether it was in time. */
static void note_death(void *context, const struct strike *strike, bool of_it)
{
	struct trial *trial = context;
	if (strike->pid == trial->guardian && !trial->guardian_gone)
		trial_note_guardian(trial);
	if (of_it)
		note_killed(trial, &trial->plan.action[strike->which]);
	else
		trial->result->vanished++;
}

void disturb(struct trial *trial)
{
	const struct plan *plan = &trial->plan;
	if (plan->suspend) {
		trial_sleep_until(trial, trial->begin_us + plan->moment_us / 2);
		if (!trial_reap(trial) && !trial->guardian_gone)
			kill(trial->guardian, SIGTSTP);
	}
	trial_sleep_until(trial, trial->begin_us + plan->moment_us);
	trial_look(trial);
	trial->result->ran = !trial->guardian_gone;
	for (unsigned i = 0; i < plan->actions; i++) {
		if (plan->action[i].gap_us) {
			strikes_settle(&trial->strikes, note_death, trial);
			trial_sleep_until(trial, trial_now_us() + plan->action[i].gap_us);
			trial_reap(trial);
			trial_look(trial);
		}
		take_action(trial, &plan->action[i]);
	}
	strikes_settle(&trial->strikes, note_death, trial);
	if (plan->suspend && !trial->guardian_gone)
		kill(trial->guardian, SIGCONT);
}
