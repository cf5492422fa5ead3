/* SPDX-License-Identifier: MIT */
/*
 * What an attached control group was before a run held it, and what the run does to it now: memory that all processes of the run share, so
 * that whichever survives can give back what another one took. It is a file, named after the group's identity (self/records.h), with the table
 * of stopped processes behind it, whose lock is the run's claim on the group. What a run left whose processes were all killed at once is given
 * back from it by the next run of the same user, or by --release; it is removed once everything was. The folder of the groups that a run has
 * made for its workloads (workload_groups.h) has such a file, too, by which the next run kills what is in them and removes them.
 */
#ifndef GROUPS_GROUP_RECORD_H
#define GROUPS_GROUP_RECORD_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "groups/group_tree.h"

/* The texts of cpu.max, or of cpu.cfs_quota_us and cpu.cfs_period_us. */
#define GROUP_LIMIT_MAX 48
/* The first of them, without the line's end; "" where it can't be limited. */
void group_quota_read(const char *folder, bool unified, char text[static GROUP_LIMIT_MAX]);

#define GROUP_BOOT_MAX 40

struct group_record {
	char magic[16];
	char boot[GROUP_BOOT_MAX]; /* of the system, after which numbers mean something else */
	uint64_t pids;             /* the PID namespace of the run: inode of /proc/self/ns/pid */
	struct group_id id, root;  /* of the group, and of the highest one of its hierarchy that the run saw */
	char folder[PATH_MAX];
	bool own; /* that of the run's own groups: nothing of what follows counts, and id is 0 until the folder is made */
	bool unified;
	char limit[2][GROUP_LIMIT_MAX]; /* that it has by others: quota and period; "" where it can't be limited */
	char ours[2][GROUP_LIMIT_MAX];  /* the quota that we wrote last, and the one that we may have: any other is by others */
	uint64_t period_us;             /* version 1: the period that we may have set; 0: none */
	/*
	 * How often processes, those in the table, may have been stopped, and after which of these times they were continued: some may
	 * be stopped where these differ. A process that is killed between both, or while another one stops them again, leaves them different.
	 */
	atomic_uint_least64_t stops, continued;
	atomic_bool frozen, limited; /* by us, or may be */
};

/*
 * Writes the limit that it has by others, where it is still there and has ours. A quota of theirs that came with our period gets the period
 * that they had. False with errno where that failed.
 */
bool group_record_restore_limit(const struct group_record *record);
/* Of version 1. */
bool group_record_has_our_period(const struct group_record *record);

/* One, and its file. */
struct group_keeper {
	struct group_record *record;
	int file;            /* for attached_enter, too */
	char path[PATH_MAX]; /* of it; "" where there is none but in memory */
};
#define GROUP_KEEPER_NONE ((struct group_keeper){.file = -1})

/*
 * Makes one for a group that nobody has claimed, under records_lock: nothing of it is held. 0, or -1 with errno, which is EEXIST where a
 * dead run has left one. Where there is no folder for its file, or no room, it is in memory alone, and no claim.
 */
int group_keeper_open(struct group_keeper *keeper, const char *folder, bool unified, const struct group_id *id);
/* That of a run's own groups, before their folder is made. The lock is held until each process that has the file has closed it. */
int group_keeper_open_own(struct group_keeper *keeper, const char *folder);
/* For this process alone. */
void group_keeper_close(struct group_keeper *keeper);

/* Before processes of it are stopped. */
void group_keeper_hold(const struct group_keeper *keeper);
/*
 * Gives back what is held of the group; processes that are stopped go on, but where none may be. Again does no harm. False with errno where
 * something could not be given back: ENOENT where the group can't be seen.
 */
bool group_keeper_restore(const struct group_keeper *keeper);
/* The file, once nothing is held and nobody could hold it again; it stays where something is. */
void group_keeper_remove(const struct group_keeper *keeper);

/* Whether a run of this user, maybe the calling one, has claimed a group. */
bool group_is_claimed(const struct group_id *id);

/* What was given back of a dead run, and what was not. */
struct group_left {
	char folder[PATH_MAX];
	bool own;      /* groups that it had made, in which … */
	size_t killed; /* … so many processes were killed */
	bool thawed, unlimited, continued, is_gone;
	int error;       /* for which something isn't given back, and the record stays; 0: everything is */
	bool is_outside; /* … since the run was in another PID namespace, which may have processes still */
	bool is_file;    /* … and `folder` is the record, which can't be read, or is of another layout (EBADMSG) */
};

/* Kills what is in a folder, if it is this group, and removes it: workload_groups_clear_left. */
typedef bool group_clear(const char *folder, const struct group_id *id, size_t *killed);

/*
 * Gives back what dead runs of this user have left of all groups, or of one (`only`, or where that is NULL `folder`, without symbolic links),
 * `clear`s those that they had made, and removes their records; `say`, which may be NULL, is told of each group of which something was or is held. How
 * many these are; *kept, which may be NULL, of how many something is held still. Where another run has records_lock for seconds, nothing is done, and
 * `say` is told of a group without a name.
 */
unsigned group_records_sweep(const struct group_id *only, const char *folder, group_clear *clear,
	void (*say)(const struct group_left *left), unsigned *kept);

#endif
