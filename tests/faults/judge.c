/* SPDX-License-Identifier: MIT */
#include "judge.h"

#include <string.h>

/* A run that goes on without anybody to end it is a fault, too. */
#define RUN_LIMIT_US 15000000
/* So long after the deadline it may still become clean. */
#define LATE_LIMIT_US 10000000
#define STOP_LOOKS 10
/* What a process that stands still may cost: the guardian's patience with the master, and the end of what that had begun. */
#define STOOD_US 4500000

/* … when somebody could still continue it. */
static bool was_standing(const struct trial *trial, pid_t pid)
{
	for (size_t i = 0; i < trial->standing_count && pid != trial->halted; i++)
		if (trial->standing[i] == pid)
			return true;
	return false;
}

static bool killed_any_executor(const struct trial *trial)
{
	for (unsigned i = 0; i < trial->plan.executors; i++)
		if (trial->killed_executor[i])
			return true;
	return false;
}

bool judge_is_unsupervised(const struct trial *trial, int instance)
{
	if (trial->settings->tool != TOOL_SHOWSTOPPER || !trial->killed_guardian || !trial->killed_master)
		return false;
	/*
	 * Nothing contains what was there before. Its executor is the last; where some had ended before they were seen, it may be any. Others
	 * continue it when they can, but may have ended just before, as the master had told them to.
	 */
	if (instance == ATTACHED_INSTANCE)
		return trial->executor[trial->plan.instances] ? trial->killed_executor[trial->plan.instances]
							      : killed_any_executor(trial);
	if (trial->settings->contain || instance < 0 || instance >= (int)trial->plan.instances)
		return false;
	return trial->killed_executor[instance];
}

/*
 * Whether it may still be there. When nobody was left to clean up: the first process of a workload must be dead, and what belongs
 * to the session of the tool must have been continued. The kernel continues only what stands still already when its group
 * becomes an orphan: a stop that is under way is not undone. What is killed in a group that may not run now dies when it may.
 */
static bool is_permitted(const struct trial *trial, const struct person *person)
{
	if (person->instance == ATTACHED_INSTANCE)
		return (!person_is_frozen(person) && !person_is_stopped(person)) ||
		       ((!person_is_frozen(person) || trial->plan.actuator == ACTUATOR_FREEZER) &&
			       judge_is_unsupervised(trial, person->instance));
	/* Its environment can't be read while it executes another program: it may be anybody's. */
	if (!person->marked && !person_is_stopped(person) && !person_is_frozen(person) &&
		strcmp(person->name, "showstopper") != 0)
		return trial->settings->tool == TOOL_SHOWSTOPPER && !trial->settings->contain && trial->killed_guardian &&
		       trial->killed_master && killed_any_executor(trial);
	if (!judge_is_unsupervised(trial, person->instance) ||
		(person_is_frozen(person) && trial->plan.actuator != ACTUATOR_FREEZER) ||
		strcmp(person->name, "showstopper") == 0)
		return false;
	if (person->killed && trial->plan.actuator == ACTUATOR_QUOTA)
		return true;
	if (trial->plan.kind != KIND_SETUID &&
		strcmp(person->name, trial->plan.kind == KIND_JOBS ? "bash" : "faults_workload") == 0 &&
		(trial->plan.kind != KIND_JOBS || person->group == person->pid))
		return false;
	return !(person_is_stopped(person) && person->session == trial->guardian && was_standing(trial, person->pid));
}

/*
 * The master has a child for a moment, before the executors, that finds out which priority they can have. When that was killed in
 * place of an executor, the run rightly goes on: then all executors are there.
 */
static void forgive_executors(struct trial *trial)
{
	unsigned executors = 0;
	if (trial->killed_guardian || trial->killed_master)
		return;
	census_take(&trial->census, trial->mark);
	for (size_t i = 0; i < trial->census.count; i++)
		executors += trial->census.item[i].parent == trial->master && trial_is_of_the_tool(&trial->census.item[i]);
	if (executors == trial->plan.executors)
		trial->fatal_us = 0;
}

/* When the run ended, or -1 while it goes on. */
static int64_t run_end(const struct trial *trial)
{
	const int64_t stood_us = trial->stood ? STOOD_US : 0;
	if (trial->fatal_us)
		return trial->fatal_us + stood_us;
	if (trial->guardian_gone)
		return trial->guardian_gone_us;
	if (trial->request_us && trial_now_us() > trial->request_us + trial->plan.grace_us + stood_us)
		return trial->request_us + trial->plan.grace_us + stood_us;
	return trial_now_us() - trial->begin_us > RUN_LIMIT_US ? trial->begin_us + trial->plan.run_us : -1;
}

/* How many are left that must not be. With `write_down` all are counted, and some of the wrong ones described. */
static unsigned count_wrong(struct trial *trial, bool write_down)
{
	struct census *census = &trial->census;
	unsigned wrong = 0;
	census_take(census, trial->mark);
	for (size_t i = 0; i < census->count; i++) {
		const struct person *person = &census->item[i];
		/* Zombies have a parent that is alive and counted itself, or the trial, which reaps them in place of init. */
		if (person_has_ended(person))
			continue;
		trial->result->alive += write_down;
		trial->result->stopped += write_down && person_is_stopped(person);
		if (is_permitted(trial, person))
			continue;
		wrong++;
		if (write_down && wrong <= 12)
			trial_say(trial, " [%d %s %c%s, instance %d, parent %d, group %d, session %d%s]", (int)person->pid,
				person->name, person->state, person_is_frozen(person) ? " frozen" : "", person->instance,
				(int)person->parent, (int)person->group, (int)person->session, person->below ? "" : ", escaped");
	}
	return wrong;
}

/* An attached process is there afterwards, so that having no children says nothing: then the census alone does. */
static bool is_over(const struct trial *trial, bool no_children)
{
	return trial->plan.attached ? trial->guardian_gone : no_children;
}

void judge_attached(struct trial *trial)
{
	unsigned alive = 0;
	census_take(&trial->census, trial->mark);
	for (size_t i = 0; i < trial->census.count; i++)
		alive += trial->census.item[i].instance == ATTACHED_INSTANCE && !person_has_ended(&trial->census.item[i]);
	if (alive)
		return;
	trial->result->verdict = VERDICT_LEFT;
	trial_say(trial, " [the attached process is gone]");
}

void judge_wait(struct trial *trial)
{
	struct result *result = trial->result;
	int64_t end = -1;
	result->clean_us = -1;
	for (;;) {
		const bool none = trial_reap(trial);
		const int64_t now = trial_now_us();
		if (end < 0)
			end = run_end(trial);
		if (is_over(trial, none) && count_wrong(trial, false) == 0) {
			if (end < 0)
				end = trial->guardian_gone_us;
			result->clean_us = now > end ? now - end : 0;
			result->verdict = VERDICT_CLEAN;
			return;
		}
		if (end >= 0 && now >= end + trial->settings->deadline_us) {
			if (!trial->fatal_us)
				break;
			forgive_executors(trial);
			if (trial->fatal_us)
				break;
			end = -1;
		}
		trial_pause_us(POLL_US);
	}
	/* The deadline. A process that has just been killed may be on its way still; one look may also fall between two. */
	unsigned wrong = count_wrong(trial, true);
	trial_reap(trial);
	result->verdict = wrong ? VERDICT_LEFT : VERDICT_CLEAN;
	if (!wrong)
		return;
	const int64_t limit = trial_now_us() + LATE_LIMIT_US;
	while (trial_now_us() < limit) {
		const bool none = trial_reap(trial);
		if (none || count_wrong(trial, false) == 0) {
			result->verdict = VERDICT_LATE;
			result->clean_us = trial_now_us() - end;
			trial_say(trial, " Clean %.2f s after the end.", (double)result->clean_us / 1e6);
			return;
		}
		trial_pause_us(100000);
	}
}

void judge_count(struct trial *trial)
{
	struct result *result = trial->result;
	pid_t always[256];
	size_t count = 0;
	trial_sleep_until(trial, (trial->fatal_us ? trial->fatal_us : trial_now_us()) + trial->settings->deadline_us);
	for (int looks = 0; looks < STOP_LOOKS; looks++) {
		size_t kept = 0;
		trial_reap(trial);
		census_take(&trial->census, trial->mark);
		for (size_t i = 0; looks == 0 && i < trial->census.count && count < 256; i++)
			always[count++] = trial->census.item[i].pid;
		for (size_t i = 0; i < count; i++) {
			const struct person *person = census_find(&trial->census, always[i]);
			if (person && person_is_stopped(person))
				always[kept++] = always[i];
		}
		count = kept;
		trial_sleep_until(trial, trial_now_us() + 50000);
	}
	result->stopped = (unsigned)count;
	for (size_t i = 0; i < trial->census.count; i++)
		result->alive += !person_has_ended(&trial->census.item[i]);
	result->verdict = VERDICT_CLEAN;
	result->clean_us = -1;
}
