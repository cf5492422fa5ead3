/* SPDX-License-Identifier: MIT */
#include "supervise/obligations.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/frequency_wish.h"
#include "base/units.h"
#include "self/records.h"
#include "self/run_socket.h"

/* How long what is in the groups may take to die. */
#define CLEAR_LIMIT_NS (10 * NS_PER_S)

/* ---- Clocks ----------------------------------------------------------------------------------------------------------- */

static void free_clocks(struct clocks *clocks)
{
	frequency_hold_free(clocks->hold);
	frequencies_free(&clocks->planned);
	*clocks = (struct clocks){0};
}

/* False where some of what is set can't be given back, and `say` says so. */
static bool give_back_clocks(const struct clocks *clocks, bool say)
{
	char error[FREQUENCY_ERROR_MAX];
	if (!clocks->hold || frequency_hold_give_back(clocks->hold, error) == 0)
		return true;
	if (say)
		diag("--frequency: can't give back what was set: %s", error);
	return false;
}

static int fill(const struct clocks *clocks, char error[static FREQUENCY_ERROR_MAX])
{
	for (size_t i = 0; i < clocks->planned.count; i++) {
		const struct frequency *const planned = &clocks->planned.item[i];
		if (frequency_hold_add(clocks->hold, planned->policy, planned->khz, planned->top_khz, error) != 0)
			return -1;
	}
	return 0;
}

static int hold_clocks(struct clocks *clocks, const struct config *config)
{
	char error[FREQUENCY_ERROR_MAX];
	if (!clocks->planned.count)
		return 0;
	clocks->hold = frequency_hold_new(config->root, clocks->planned.count, error);
	if (clocks->hold && clocks->hold->restored && !config->quiet)
		diag("--frequency: gave back what a run had left that was killed: limits of %u polic%s", clocks->hold->restored,
			clocks->hold->restored == 1 ? "y" : "ies");
	if (clocks->hold && fill(clocks, error) == 0)
		return 0;
	diag("--frequency: %s", error);
	give_back_clocks(clocks, true);
	free_clocks(clocks);
	return -1;
}

static void warn(const char *line)
{
	diag("warning: %s", line);
}

static void say_frequencies(const struct frequencies *frequencies)
{
	char *text = NULL;
	size_t length = 0;
	FILE *const to = open_memstream(&text, &length);
	if (!to)
		return;
	frequencies_print(frequencies, to);
	if (fclose(to) == 0)
		diag("frequency: %s", text);
	free(text);
}

int obligations_set_clocks(const struct obligations *owed)
{
	const struct clocks *const clocks = &owed->clocks;
	const struct config *const config = owed->config;
	char error[FREQUENCY_ERROR_MAX];
	if (!clocks->hold)
		return 0;
	if (!config->quiet)
		frequencies_warn(&clocks->planned, warn);
	if (config->verbose)
		say_frequencies(&clocks->planned);
	if (config->verbose && clocks->hold->record < 0)
		diag("--frequency: no record in /run, by which a later run could give back what is set if all of this one is "
		     "killed");
	const int result = frequency_hold_set(clocks->hold, error) == 0 ? 0 : diag_refuse("--frequency: %s", error);
	if (clocks->hold->capped && !config->quiet)
		diag("warning: --frequency: something else, such as heat or firmware, limited %u polic%s before the run, so that "
		     "nothing tells which limit was asked for there: set back is the highest frequency",
			clocks->hold->capped, clocks->hold->capped == 1 ? "y" : "ies");
	return result;
}

void obligations_check_clocks(const struct obligations *owed)
{
	const struct clocks *const clocks = &owed->clocks;
	char low[FREQUENCY_TEXT_MAX], high[FREQUENCY_TEXT_MAX], wanted[FREQUENCY_TEXT_MAX];
	for (size_t i = 0; clocks->hold && !owed->config->quiet && i < clocks->hold->count; i++) {
		const struct held_frequency *const held = &clocks->hold->held[i];
		uint64_t low_khz, high_khz;
		if (!atomic_load(&held->is_set) || frequency_hold_is_kept(clocks->hold, i, &low_khz, &high_khz))
			continue;
		if (low_khz && high_khz)
			diag("warning: --frequency: something else changed policy%u during the run: it had %s to %s in the end "
			     "instead "
			     "of %s",
				held->policy, frequency_print(low_khz, low), frequency_print(high_khz, high),
				frequency_print(held->khz, wanted));
		else
			diag("warning: --frequency: policy%u can't be read any more, maybe as its processors went offline",
				held->policy);
	}
}

/* ---- What is attached -------------------------------------------------------------------------------------------------- */

void obligations_detach(const struct config *config, struct attached *attached)
{
	const unsigned processes = config->attaches - config->attach_groups;
	if (!attached)
		return;
	attached_groups_close(attached + processes, config->attach_groups);
	attached_close(attached, config->attaches);
}

int obligations_attach(const struct config *config, struct attached **attached)
{
	const unsigned processes = config->attaches - config->attach_groups;
	const int lock = config->attaches ? records_lock(true) : -1;
	*attached = NULL;
	if (lock == -2)
		return diag_refuse(
			"--attach: another run of showstopper has been attaching for seconds, and may have been stopped");
	int result = attached_open(config->attach, processes, config->attach_groups, attached);
	if (result == 0 && attached_groups_open(*attached, processes, config->attach_group, config->attach_groups,
				   config->module[KIND_ACTUATOR]) != 0) {
		attached_close(*attached, config->attaches);
		*attached = NULL;
		result = -1;
	}
	records_unlock(lock);
	return result;
}

/* What helps where something of a dead run can't be given back. */
static void say_kept(const struct group_left *left)
{
	const char *const option = left->own ? "" : "--attach-group: ";
	if (!left->folder[0])
		diag("warning: another run of showstopper has been attaching for seconds, and may have been stopped: what dead "
		     "runs "
		     "have left is not given back");
	else if (left->is_file)
		diag("warning: %s: %s: what a dead run has left there is not given back", left->folder,
			left->error == EBADMSG ? "it is of another version of showstopper, or damaged" : strerror(left->error));
	else if (left->is_outside)
		diag("warning: %sa run that was killed in another PID namespace has left %s %s: expected showstopper --release "
		     "%s there, "
		     "or that namespace to end",
			option, left->folder, left->own ? "behind" : "held", left->folder);
	else
		diag("warning: %scan't %s what a run had left that was killed: %s: %s: expected showstopper --release %s, where "
		     "it may "
		     "be seen and written",
			option, left->own ? "remove" : "give back", left->folder, strerror(left->error), left->folder);
}

static void say_left(const struct group_left *left)
{
	if (left->error)
		say_kept(left);
	else if (!left->own)
		diag("--attach-group: gave back what a run had left that was killed: %s%s%s%s%s", left->folder,
			left->is_gone ? ", which is gone" : "", left->thawed ? ", frozen" : "",
			left->unlimited ? ", its limit" : "", left->continued ? ", stopped processes" : "");
	else if (left->killed)
		diag("killed %zu process%s that a dead run had left in the control group %s", left->killed,
			left->killed == 1 ? "" : "es", left->folder);
}

unsigned obligations_sweep(const struct group_id *only, const char *folder, bool quiet, unsigned *kept)
{
	return group_records_sweep(only, folder, workload_groups_clear_left, quiet ? NULL : say_left, kept);
}

/* By whoever is left, as far as it is due. */
static void restore(const struct attached *attached)
{
	if (attached->group)
		group_keeper_restore(&attached->group->keeper);
	else
		attached_continue(attached->table);
}

void obligations_spare_attached(const struct obligations *owed)
{
	for (unsigned i = 0; i < owed->config->attaches; i++)
		attached_spare(owed->attached[i].table);
}

/* ---- All of them ------------------------------------------------------------------------------------------------------ */

int obligations_plan(struct obligations *owed, const struct config *config)
{
	char error[FREQUENCY_ERROR_MAX];
	*owed = (struct obligations){.config = config, .last_row = -1, .run = getpid()};
	return frequencies_plan(config, &owed->clocks.planned, error) == 0 ? 0 : diag_refuse("%s", error);
}

int obligations_take_on(struct obligations *owed)
{
	const struct config *const config = owed->config;
	if (hold_clocks(&owed->clocks, config) != 0)
		return -1;
	obligations_sweep(NULL, NULL, config->quiet, NULL);
	if (obligations_attach(config, &owed->attached) == 0)
		return 0;
	give_back_clocks(&owed->clocks, true);
	free_clocks(&owed->clocks);
	return -1;
}

void obligations_free(struct obligations *owed)
{
	if (owed->last_row >= 0)
		close(owed->last_row);
	workload_groups_free(owed->groups);
	free_clocks(&owed->clocks);
	obligations_detach(owed->config, owed->attached);
}

static void continue_attached(const struct obligations *owed)
{
	for (unsigned i = 0; i < owed->config->attaches; i++)
		restore(&owed->attached[i]);
}

void obligations_release(const struct obligations *owed, unsigned workload)
{
	const unsigned started = owed->config->workloads - owed->config->attaches;
	if (workload >= started)
		restore(&owed->attached[workload - started]);
	workload_groups_release_one(owed->groups, workload);
}

bool obligations_settle(const struct obligations *owed, bool abandoned, bool say)
{
	if (owed->groups)
		workload_groups_remove(owed->groups);
	/* Now that nobody is left who could stop them again. */
	for (unsigned i = 0; i < owed->config->attaches; i++)
		if (abandoned || owed->attached[i].group)
			restore(&owed->attached[i]);
	attached_groups_forget(owed->attached, owed->config->attaches);
	run_socket_remove(owed->run);
	return give_back_clocks(&owed->clocks, say);
}

void obligations_settle_abandoned(const struct obligations *owed)
{
	continue_attached(owed);
	run_socket_remove(owed->run);
	workload_groups_clear(owed->groups, clock_now() + CLEAR_LIMIT_NS);
}
