/* SPDX-License-Identifier: MIT */
/*
 * Counters of the kernel's: each is opened, read, and made up for the time in which it had to make way for others. And several events,
 * counted together: of processors that come and go, or of all that is started from now on.
 */
#ifndef METERS_COUNTER_SET_H
#define METERS_COUNTER_SET_H

#include "meters/counter_event.h"

/* What a counter has counted, or what it grew by. Of the time `enabled` it counted for `running`, in ns. */
struct linux_counter_reading {
	uint64_t value, enabled, running;
};

/* Whom it counts. */
struct linux_counter_scope {
	bool is_of_started; /* all that this process and its children start by exec from now on, with their threads; or else … */
	unsigned cpu;       /* … this processor */
};

/* A descriptor, or -1 with errno. */
int linux_counter_open(const struct linux_counter_event *event, const struct linux_counter_scope *scope);

/* 0, or -1 with errno. */
int linux_counter_read(int fd, struct linux_counter_reading *reading);

/* Why linux_counter_open failed with this errno, in words; `root` stands before /proc. */
void linux_counter_explain(const struct linux_counter_event *event, bool is_of_started, const char *root, int error,
	char text[static LINUX_COUNTER_ERROR_MAX]);

/* What perf_event_paranoid is, or -2 where it can't be read, and what it may be at most for that. */
int linux_counter_paranoid(const char *root);
int linux_counter_paranoid_most(const struct linux_counter_event *event, bool is_of_started);

/* Adds what came between two readings. */
void linux_counter_add(
	struct linux_counter_reading *sum, const struct linux_counter_reading *before, const struct linux_counter_reading *now);

/* What would have been counted, had it counted all the time; NaN where it never did, though there was something to count. */
double linux_counter_scaled(const struct linux_counter_reading *growth);

/* The share of the time in which it counted, 0 to 1; 1 where there was none. */
double linux_counter_share(const struct linux_counter_reading *growth);

struct linux_counter_set;

/* Counts nothing yet. `root` stands before /sys and /proc in what describes events; it must outlive the set. NULL with errno. */
struct linux_counter_set *linux_counter_set_open(const char *root, const struct linux_counter_events *events);
void linux_counter_set_close(struct linux_counter_set *set);

/* Counts on these processors from now on, and on no other. 0, or -1 with errno ENOMEM. */
int linux_counter_set_follow(struct linux_counter_set *set, const unsigned *id, size_t count);

/*
 * Counts what this process and its children start by exec from now on. A set counts either processors or what is started. 0, or -1 with
 * errno ENOMEM.
 */
int linux_counter_set_add(struct linux_counter_set *set);

/* A counter of what a process starts: its descriptor, or -1 and errno. */
struct linux_counter_opened {
	int fd, error;
};

/* Opens those of what this process and its children start, for another process; the caller closes them. Of what is no event there is none. */
void linux_counter_set_open_started(
	struct linux_counter_set *set, struct linux_counter_opened opened[static LINUX_COUNTER_EVENTS_MAX]);

/* Counts by what another process has opened for all events, and owns it from now on; NULL: that place counts nothing. 0, or -1 with errno ENOMEM. */
int linux_counter_set_add_opened(struct linux_counter_set *set, const struct linux_counter_opened *opened);

/* Whether so many processors or starters leave room for other open files; where not, nothing is counted, for that reason. */
bool linux_counter_set_has_room(struct linux_counter_set *set, size_t places, const char *what);

/* Why an event isn't counted wherever it should be; NULL where it is. */
const char *linux_counter_set_lacks(const struct linux_counter_set *set, size_t event);

/* Reads all counters. What they grew by is kept until it is taken. */
void linux_counter_set_read(struct linux_counter_set *set);

/* What was counted of an event, over the readings since the last call, and in the meantime: */
struct linux_counter_growth {
	struct linux_counter_reading sum; /* of all processors */
	uint64_t longest_ns; /* how long the processor was counted that was counted the longest: the time that passed */
};
struct linux_counter_growth linux_counter_set_take(struct linux_counter_set *set, size_t event);

/* The same of one place alone, in the order in which they were added or received, from 0. */
struct linux_counter_reading linux_counter_set_take_of(struct linux_counter_set *set, size_t place, size_t event);

#endif
