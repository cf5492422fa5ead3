/* SPDX-License-Identifier: MIT */
/*
 * Attached control groups: which ones may be attached, what they have used, and holding one by its own freezer or bandwidth. Those are its
 * own: what somebody else freezes stays frozen, no limit that it has by others is ever exceeded, and one that is set meanwhile counts.
 */
#ifndef GROUPS_ATTACHED_GROUP_H
#define GROUPS_ATTACHED_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "groups/cgroup_text.h"
#include "groups/group_record.h"
#include "groups/workload_groups.h"
#include "module/actuator.h"
#include "processes/attached.h"

struct attached_group {
	char folder[PATH_MAX];
	bool unified;
	struct group_id id;
	int usage; /* what counts its processor time, … */
	enum linux_cgroup_format format;
	struct group_keeper keeper; /* with what the run does to it, which is the run's claim */
};

/*
 * Opens `count` groups by their names, behind the `before` attached processes of the array, for this actuator (by its name). Before the first
 * fork, as attached_open, and under records_lock. Refused are groups with Showstopper or an ancestor of it, process 1, kernel threads, processes
 * that can't be seen or held, of another run or attached themselves; those that another run holds or such a one is in or around; that are
 * empty, and that this actuator can't hold. Changes nothing of them, and claims them. 0, or -1 after a message, when none is open.
 */
int attached_groups_open(
	struct attached *attached, unsigned before, const char *const *name, unsigned count, const char *actuator);
/* For this process alone. */
void attached_groups_close(struct attached *attached, unsigned count);
/* Removes the records of those of which nothing is held any more. `attached`: all entries, or those of the groups. */
void attached_groups_forget(const struct attached *attached, unsigned count);

/* Processor time of all that is or was in it, ns; the last that was known once it has gone. `last` keeps that. */
int64_t attached_group_used(int usage, enum linux_cgroup_format format, _Atomic int64_t *last);

/* Opens what holds it. 0, or -1 with errno. */
int attached_group_grip(struct workload_group *grip, struct attached_group *group, enum actuator actuator);
/* Freezes it, or lets it go on where we have frozen it. 0, or -1 with errno. */
int attached_group_freeze(const struct attached_group *group, struct workload_group *grip, bool freeze);
/* Limits it, but never to more than others have. quota 0: as others have. 0, or -1 with errno. */
int attached_group_limit(struct attached_group *group, struct workload_group *grip, const struct bandwidth *limit);

#endif
