/* SPDX-License-Identifier: MIT */
/*
 * The control groups of a run: a folder of its own, and in it a group for each workload, which is frozen and thawed, or has its bandwidth
 * limited. The folder's name is in memory that guardian, master and executors share, so that whichever survives can free what another
 * one held.
 *
 * A run has a record of its folder (group_record.h), locked as long as any of its processes lives. What a run left whose processes were all killed at once
 * is found by it, and removed by the next run of the same user.
 */
#ifndef GROUPS_WORKLOAD_GROUPS_H
#define GROUPS_WORKLOAD_GROUPS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "groups/group_tree.h"

/* Shared; zero: there are none. */
struct workload_groups {
	enum actuator actuator;
	bool unified; /* of version 2 */
	bool moved; /* the run's own processes are in a group of it, so that the controller can be had; they go back in the end */
	pid_t guardian;
	char folder[PATH_MAX]; /* of the run; "" when there is none, or no more */
	char record[PATH_MAX]; /* the file by which it is known as the run's; "": there is none */
};

/* Memory for it that children share, of a run whose guardian is the calling process. NULL with errno. */
struct workload_groups *workload_groups_new(void);
void workload_groups_free(struct workload_groups *groups);

/* Makes the folder of this run. By the master, before it has started anything. 0, or -1 with errno. */
int workload_groups_make(struct workload_groups *groups, const struct group_place *place);

/*
 * Kills what is in the folder of a dead run, which is this group, and removes it. False where some of it is still there. *killed receives how
 * many processes were.
 */
bool workload_groups_clear_left(const char *folder, const struct group_id *id, size_t *killed);

/* Lets go what is held in one group. Whoever could hold it again must have ended, or be told not to. */
void workload_groups_release_one(const struct workload_groups *groups, unsigned index);

/*
 * descendants_kill, where some of them may be held in a group, or in any: released again and again, as one of them may be an executor
 * that held others a moment ago.
 */
bool workload_groups_kill_one(const struct workload_groups *groups, unsigned index, int64_t deadline_ns);
bool workload_groups_kill(const struct workload_groups *groups, int64_t deadline_ns);

/* Removes one group, which nobody is in any more, and the folder too if it is the last one and no other will be made. */
void workload_groups_leave(const struct workload_groups *groups, unsigned index, bool last);

/* Kills whatever is in any of the groups, whosever descendant it is, and removes them. For an executor that has outlived the master. */
void workload_groups_clear(const struct workload_groups *groups, int64_t deadline_ns);

/* Removes the groups, which nobody is in any more. */
void workload_groups_remove(struct workload_groups *groups);

/* One workload's, as its executor has it; start with WORKLOAD_GROUP_NONE. */
struct workload_group {
	bool unified;
	int members;         /* descriptors: of the file that takes who enters, … */
	int control, period; /* … of those that freeze or limit, and … */
	int folder;          /* … of the group itself; -1: none is needed */
	int64_t period_ns;   /* that was written last */
	bool found;          /* it was there before: what is below it is others' */
	bool froze;          /* … and was frozen by us last */
};
#define WORKLOAD_GROUP_NONE ((struct workload_group){.members = -1, .control = -1, .period = -1, .folder = -1})

/* Makes it. 0, or -1 with errno. */
int workload_group_make(struct workload_group *group, const struct workload_groups *groups, unsigned index);
void workload_group_close(struct workload_group *group);
/* The calling process enters, which children inherit. 0, or -1 with errno. */
int workload_group_enter(const struct workload_group *group);
/* Freezes all that are in it, or lets them go on. 0, or -1 with errno. */
int workload_group_freeze(const struct workload_group *group, bool freeze);
/* Limits what all that are in it use together; quota 0: as much as they like. 0, or -1 with errno. */
int workload_group_limit(struct workload_group *group, const struct bandwidth *limit);
/* Whether that limit is in force: nobody else has changed it. */
bool workload_group_is_limited(const struct workload_group *group, const struct bandwidth *limit);
/* How many threads are in it, up to `most`; those of groups in it, which a workload may have made, count as `most`. */
size_t workload_group_count(const struct workload_group *group, size_t most);

#endif
