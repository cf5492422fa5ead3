/* SPDX-License-Identifier: MIT */
/* Several events, counted together: of processors that come and go, or of all that is started from now on. */
#ifndef OS_COUNTER_SET_H
#define OS_COUNTER_SET_H

#include "os/counter.h"

struct linux_counter_set;

/*
 * Of the processors that linux_counter_set_follow names, or (`of_started`) of all that this process and its children start by exec from
 * now on. `root` stands before /sys and /proc in what describes events; it and the events must outlive the set. NULL with errno.
 */
struct linux_counter_set *linux_counter_set_open(const char *root, const struct linux_counter_events *events, bool of_started);
void linux_counter_set_close(struct linux_counter_set *set);

/* Counts on these processors from now on, and on no other. 0, or -1 with errno ENOMEM. */
int linux_counter_set_follow(struct linux_counter_set *set, const unsigned *id, size_t count);

/* Why an event isn't counted wherever it should be; NULL where it is. */
const char *linux_counter_set_lacks(const struct linux_counter_set *set, size_t event);

/* Reads all counters. What they grew by is kept until it is taken. */
void linux_counter_set_read(struct linux_counter_set *set);

/* What was counted of an event, over the readings since the last call, and in the meantime: */
struct linux_counter_growth {
	struct linux_counter_reading sum; /* of all processors */
	uint64_t
		longest_ns; /* how long that processor was counted that was counted the longest; of processors, the time that passed */
};
struct linux_counter_growth linux_counter_set_take(struct linux_counter_set *set, size_t event);

#endif
