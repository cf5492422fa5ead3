/* SPDX-License-Identifier: MIT */
/*
 * Holds policies of cpufreq at one frequency each, by both of their limits, and gives them back. What the limits were is in memory that
 * guardian and master share, so that whoever survives can give back what the other one set.
 *
 * The same is in a record, ROOT/run/showstopper/frequency, which a run has locked as long as any of its processes lives. What a run left
 * whose processes were all killed at once is given back from it by the next run that holds frequencies. A lock means that there is one
 * such run at a time. Where no record can be made (no /run, not root), there is none and no lock either.
 */
#ifndef METERS_FREQUENCY_HOLD_H
#define METERS_FREQUENCY_HOLD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "meters/frequency_policies.h"

struct held_frequency {
	unsigned policy;
	uint64_t khz;               /* to hold */
	uint64_t low_khz, high_khz; /* the limits before */
	uint64_t asked_khz;         /* the highest there is, while it is asked for as upper limit; else 0 */
	bool is_capped;             /* nobody had asked for the upper limit: high_khz is the highest there is */
	atomic_bool is_set;         /* or may be in part: to be given back */
};

/* Shared by the processes that the maker forks. */
struct frequency_hold {
	char root[256];
	int record;        /* with the lock, or -1 */
	unsigned restored; /* policies that were given back after a dead run */
	unsigned capped;   /* policies that are */
	size_t count, most;
	struct held_frequency held[];
};

/*
 * Takes the lock and gives back what a dead run has left. `most` policies can be added. NULL with a message.
 */
struct frequency_hold *frequency_hold_new(const char *root, size_t most, char error[static FREQUENCY_ERROR_MAX]);

/* Closes it for this process. What is set stays so; the record goes with the last policy that is given back. */
void frequency_hold_free(struct frequency_hold *hold);

/*
 * Adds a policy, and looks whether it can be set; changes nothing. Where its upper limit is below `top_khz`, the highest that it can have
 * (0: not known), frequency_hold_set finds out whether somebody asked for that limit. 0, or -1 with a message.
 */
int frequency_hold_add(
	struct frequency_hold *hold, unsigned policy, uint64_t khz, uint64_t top_khz, char error[static FREQUENCY_ERROR_MAX]);

/* Sets all that were added. 0, or -1 with a message, when all are as before. */
int frequency_hold_set(struct frequency_hold *hold, char error[static FREQUENCY_ERROR_MAX]);

/* Whether a policy that is set has its frequency still; else *low_khz and *high_khz are what it has (0: not told). */
bool frequency_hold_is_kept(const struct frequency_hold *hold, size_t index, uint64_t *low_khz, uint64_t *high_khz);

/* Gives back all that is set, whatever it is now. Again does no harm. 0, or -1 with a message about those that could not be. */
int frequency_hold_give_back(struct frequency_hold *hold, char error[static FREQUENCY_ERROR_MAX]);

#endif
