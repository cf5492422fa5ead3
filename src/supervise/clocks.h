/* SPDX-License-Identifier: MIT */
/* The clocks of a run (--frequency): guardian and master set them and give them back by the same hold, which says so in messages. */
#ifndef SUPERVISE_CLOCKS_H
#define SUPERVISE_CLOCKS_H

#include <stdbool.h>

#include "base/config.h"
#include "os/frequency_hold.h"
#include "placement/frequencies.h"

struct clocks {
	struct frequencies planned;
	struct frequency_hold *hold; /* NULL where nothing is planned; shared by those that are forked */
};

/* Before the master is forked: all that can be refused, and nothing is set yet. 0, or -1 after a message. */
int clocks_prepare(struct clocks *clocks, const struct config *config);
void clocks_free(struct clocks *clocks);

/* 0, or -1 after a message, when all are as they were. */
int clocks_set(const struct clocks *clocks, const struct config *config);

/* Says which clocks were not held, before they are given back; for the master, which is about to report. */
void clocks_check(const struct clocks *clocks, const struct config *config);

/* Gives back what is set, if anything is. False where some of it can't be given back, and `say` says so. */
bool clocks_give_back(const struct clocks *clocks, bool say);

#endif
