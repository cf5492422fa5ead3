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
#include "base/units.h"
#include "self/records.h"
#include "self/run_socket.h"

/* How long what is in the groups may take to die. */
#define CLEAR_LIMIT_NS (10 * NS_PER_S)

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

int obligations_take_on(struct obligations *owed, const struct config *config)
{
	*owed = (struct obligations){.config = config, .last_row = -1, .run = getpid()};
	obligations_sweep(NULL, NULL, config->quiet, NULL);
	return obligations_attach(config, &owed->attached);
}

void obligations_free(struct obligations *owed)
{
	if (owed->last_row >= 0)
		close(owed->last_row);
	workload_groups_free(owed->groups);
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

void obligations_settle(const struct obligations *owed, bool abandoned)
{
	if (owed->groups)
		workload_groups_remove(owed->groups);
	/* Now that nobody is left who could stop them again. */
	for (unsigned i = 0; i < owed->config->attaches; i++)
		if (abandoned || owed->attached[i].group)
			restore(&owed->attached[i]);
	attached_groups_forget(owed->attached, owed->config->attaches);
	run_socket_remove(owed->run);
}

void obligations_settle_abandoned(const struct obligations *owed)
{
	continue_attached(owed);
	run_socket_remove(owed->run);
	workload_groups_clear(owed->groups, clock_now() + CLEAR_LIMIT_NS);
}
