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
#include "meters/frequency_hold.h"
#include "placement/frequencies.h"
#include "processes/attached.h"
#include "processes/process.h"
#include "self/scheduling.h"

/* Those of --frequency. */
struct clocks {
	struct frequencies planned;
	struct frequency_hold *hold; /* NULL where nothing is planned; shared by those that are forked */
};

/* Made by the guardian, before the first fork, and inherited or shared by all. */
struct obligations {
	const struct config *config;
	struct attached *attached;      /* config->attaches of them, which are to run on, groups as they were found */
	struct workload_groups *groups; /* to be removed; NULL: there are none */
	struct clocks clocks;           /* to be given back */
	pid_t run;                      /* the guardian, whose number the socket of --set has */
	int last_row;                   /* eventfd, or -1: not 0 while the terminal's last row is the live line's */
};

/* The first step, which owes nothing: reads which clocks there are. 0, or -1 after a message and nothing to free. */
int obligations_plan(struct obligations *owed, const struct config *config);
/* Opens all that is attached, processes first. 0 and an array for obligations_detach, or -1 after a message. */
int obligations_attach(const struct config *config, struct attached **attached);
void obligations_detach(const struct config *config, struct attached *attached);

/* group_records_sweep, which says what it does unless `quiet`. */
unsigned obligations_sweep(const struct group_id *only, const char *folder, bool quiet, unsigned *kept);

/*
 * What may be refused of clocks and what is attached is; nothing is changed yet but what dead runs have left. 0, or -1 after a message and
 * nothing to free.
 */
int obligations_take_on(struct obligations *owed);
/* For this process: what is owed stays so. */
void obligations_free(struct obligations *owed);

/* Sets the clocks. 0, or -1 after a message, when all are as they were. */
int obligations_set_clocks(const struct obligations *owed);
/* Says which were not held, before they are given back; for the master, which is about to report. */
void obligations_check_clocks(const struct obligations *owed);

/* What is attached may have lost its parent, and become a child of the calling guardian: that isn't to be killed. */
void obligations_spare_attached(const struct obligations *owed);
/* What the executor of one workload has left by its death: nothing of it stands still, or is limited, any more. */
void obligations_release(const struct obligations *owed, unsigned workload);

/*
 * The list, for guardian or master, which have killed what was started; the terminal's last row is the guardian's. `abandoned`: executors
 * may not have let attached processes go, which are continued. Who was let go may have been stopped by somebody else since, and stays so.
 * False where clocks can't be given back, which `say` says.
 */
bool obligations_settle(const struct obligations *owed, bool abandoned, bool say);

/*
 * The list, for an executor that has outlived the master and ended its own workload. It kills what is in the groups, which may be that of
 * another executor. Clocks are the guardian's, or the next run's by their record: several executors that gave them back at once, and were
 * killed at it, could leave neither.
 */
void obligations_settle_abandoned(const struct obligations *owed);

/* What the master shares with the guardian from the fork on. */
struct master_ties {
	struct process guardian;
	int suspended; /* eventfd: the master adds 1 when all workloads are stopped after SIGTSTP */
	struct scheduling user;
	struct obligations owed;     /* the master makes the groups, and sets the clocks */
	struct heartbeat *heartbeat; /* the master's */
};

#endif
