/* SPDX-License-Identifier: MIT */
/*
 * What an attached control group was before a run held it, and what the run does to it now: memory that all processes of the run share, so
 * that whoever survives can give back what another one took. Where it can be, that memory is a file, below /run/showstopper or
 * $XDG_RUNTIME_DIR/showstopper, with the table of stopped processes beside it. What a run left whose processes were all killed at once is given back from
 * these by the next run of the same user, or by --release. A run has its records locked as long as any of its processes lives, which tells
 * them from those of the dead. Nobody else can lock these; the folder of a group, by which runs of all users see each other, is
 * locked as well.
 */
#ifndef GROUPS_GROUP_RECORD_H
#define GROUPS_GROUP_RECORD_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The texts of cpu.max, or of cpu.cfs_quota_us and cpu.cfs_period_us. */
#define GROUP_LIMIT_MAX 48

#define GROUP_BOOT_MAX 40

struct group_record {
	char magic[16];
	char boot[GROUP_BOOT_MAX]; /* of the system, after which numbers mean something else */
	uint64_t inode;            /* of the folder */
	char folder[PATH_MAX];
	bool unified;
	char limit[2][GROUP_LIMIT_MAX]; /* that it has by others: quota and period; "" where it can't be limited */
	char ours[2][GROUP_LIMIT_MAX];  /* the quota that we wrote last, and the one that we may have: any other is by others */
	uint64_t period_us;             /* version 1: the period that we may have set; 0: none */
	/*
	 * How often processes, those in the table, may have been stopped, and after which of these times they were continued: some may
	 * be stopped where these differ. Who is killed between both, or while another one stops them again, leaves them different.
	 */
	atomic_uint_least64_t stops, continued;
	atomic_bool frozen, limited; /* by us, or may be */
};

/* Whether a folder is still that group, and not another one that was made in its place. */
bool group_is_there(const char *folder, uint64_t inode);

/*
 * Writes the limit that it has by others, where it is still there and has ours. A quota of theirs that came with our period gets the period
 * that they had.
 */
void group_record_restore_limit(const struct group_record *record);
/* Of version 1. */
bool group_record_has_our_period(const struct group_record *record);

/* One, and its files. */
struct group_keeper {
	struct group_record *record;
	int table;           /* of the processes that may be stopped: for attached_enter */
	int lock;            /* the record's file, or -1 */
	char path[PATH_MAX]; /* of the record; "" where there is none but in memory */
};
#define GROUP_KEEPER_NONE ((struct group_keeper){.table = -1, .lock = -1})

/* Makes one for a group, which the caller has locked: nothing of it is held. 0, or -1 with errno. */
int group_keeper_open(struct group_keeper *keeper, const char *folder, bool unified, uint64_t inode);
/* For this process alone. */
void group_keeper_close(struct group_keeper *keeper);

/* Before processes of it are stopped. */
void group_keeper_hold(const struct group_keeper *keeper);
/* Gives back what is held of the group; processes that are stopped go on, but where none may be. Again does no harm. */
void group_keeper_restore(const struct group_keeper *keeper);
/* The files, once nothing is held and nobody could hold it again. */
void group_keeper_remove(const struct group_keeper *keeper);

/* What was given back of a dead run. */
struct group_left {
	char folder[PATH_MAX];
	bool thawed, unlimited, continued, is_gone;
};

/*
 * Gives back what dead runs of this user have left of all groups, or of one (`folder`), and removes their records; `say`, which may be
 * NULL, is told of each group of which something was held. How many these are.
 */
unsigned group_records_sweep(const char *folder, void (*say)(const struct group_left *left));

/* A descriptor with the lock of a folder, of this kind (LOCK_EX, LOCK_SH), or -1: EWOULDBLOCK where a run holds it. */
int group_lock(const char *folder, int kind);

#endif
