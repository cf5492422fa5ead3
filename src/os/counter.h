/* SPDX-License-Identifier: MIT */
/* One counter of the kernel's: opened, read, and made up for the time in which it had to make way for others. */
#ifndef OS_COUNTER_H
#define OS_COUNTER_H

#include "os/counter_event.h"

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

/*
 * A descriptor, or -1 with errno, that whoever opens counters of what it starts opens before them, and keeps open. Without it the
 * kernel may exchange its counters for those of a child.
 */
int linux_counter_open_guard(void);

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

#endif
