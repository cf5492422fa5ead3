/* SPDX-License-Identifier: MIT */
/*
 * What a run owes to the machine, and to what it found there, once it has begun. Each is undone by one function, and whoever is left of
 * guardian, master and executors calls the list; src/README.md says who sees which death. To undo what is undone does no harm, but for attached processes.
 */
#ifndef SUPERVISE_OBLIGATIONS_H
#define SUPERVISE_OBLIGATIONS_H

#include <stdbool.h>

#include "config/config.h"
#include "control/heartbeat.h"
#include "groups/attached_group.h"
#include "groups/workload_groups.h"
#include "processes/attached.h"
#include "processes/process_handle.h"
#include "self/scheduling.h"

/* Made by the guardian, before the first fork, and inherited or shared by all. */
struct obligations {
	const struct config *config;
	struct attached *attached;      /* config->attaches of them, which are to run on, groups as they were found */
	struct workload_groups *groups; /* to be removed; NULL: there are none */
	pid_t run;                      /* the guardian, whose number the socket of --set has */
	int last_row;                   /* eventfd, or -1: not 0 while the terminal's last row is the live line's */
};

/* Opens all that is attached, processes first. 0 and an array for obligations_detach, or -1 after a message. */
int obligations_attach(const struct config *config, struct attached **attached);
void obligations_detach(const struct config *config, struct attached *attached);

/* group_records_sweep, which says what it does unless `quiet`. */
unsigned obligations_sweep(const struct group_id *only, const char *folder, bool quiet, unsigned *kept);

/* Undoes what dead runs have left, and opens what is attached. 0, or -1 after a message and nothing to free. */
int obligations_take_on(struct obligations *owed, const struct config *config);
/* For this process: what is owed stays so. */
void obligations_free(struct obligations *owed);

/* What is attached may have lost its parent, and become a child of the calling guardian: that isn't to be killed. */
void obligations_spare_attached(const struct obligations *owed);
/* What the executor of one workload has left by its death: nothing of it stands still, or is limited, any more. */
void obligations_release(const struct obligations *owed, unsigned workload);

/*
 * The list, for guardian or master, which have killed what was started; the terminal's last row is the guardian's. `abandoned`: executors
 * may not have let attached processes go, which are continued. Who was let go may have been stopped by somebody else since, and stays so.
 */
void obligations_settle(const struct obligations *owed, bool abandoned);

/*
 * The list, for an executor that has outlived the master and ended its own workload. It kills what is in the groups, which may be that of
 * another executor.
 */
void obligations_settle_abandoned(const struct obligations *owed);

/* What the master shares with the guardian from the fork on. */
struct master_ties {
	struct process guardian;
	int suspended; /* eventfd: the master adds 1 when all workloads are stopped after SIGTSTP */
	struct scheduling user;
	struct obligations owed;     /* the master makes the groups */
	struct heartbeat *heartbeat; /* the master's */
};

#endif
