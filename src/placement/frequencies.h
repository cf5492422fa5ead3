/* SPDX-License-Identifier: MIT */
/* Which clock gets which frequency: --frequency of the groups, on the policies and the processors at hand. */
#ifndef PLACEMENT_FREQUENCIES_H
#define PLACEMENT_FREQUENCIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "config/config.h"
#include "meters/frequency_policies.h"

/* One clock. */
struct frequency {
	unsigned policy;
	struct sst_cpus *cpus; /* all that it is the clock of; owned */
	uint64_t khz;
	uint64_t top_khz; /* the highest that it can have now; 0: not known, as without boost where the driver has no steps */
	unsigned group;   /* the first one that wants it */
};

struct frequencies {
	struct frequency *item; /* `count` of them, by policy; 0: no group wants any */
	size_t count;
	struct sst_cpus *beyond; /* processors that get one though no such group uses them; NULL for none; owned */
	bool is_boosted;         /* one of them is so high that the processors may be faster or slower, by themselves */
	bool lacks_boost;        /* … so high that they can't reach it, as boost is off */
};

/*
 * Reads the policies below `root`, which stands before /sys, and changes nothing. 0, or -1 with a message, which names the option.
 */
int frequencies_plan(const struct config *config, struct frequencies *frequencies, char error[static FREQUENCY_ERROR_MAX]);
void frequencies_free(struct frequencies *frequencies);

/* Prints each frequency with its processors: "1800MHz: processors 0-3; 2400MHz: processors 4-7". */
void frequencies_print(const struct frequencies *frequencies, FILE *to);

/* Hands to `say` what a reader of the results must know: a sentence each, without full stop. */
void frequencies_warn(const struct frequencies *frequencies, void (*say)(const char *line));

#endif
