/* SPDX-License-Identifier: MIT */
/* Events of the workloads: rates of each interval, and what was counted in those that count. */
#ifndef RECORD_COUNTED_H
#define RECORD_COUNTED_H

#include <stdbool.h>
#include <stdint.h>

#include "meters/counter_set.h"

/* Zeroed it counts nothing, has no events, and no column. */
struct counted {
	struct linux_counter_events events;
	struct linux_counter_set *set; /* NULL: nothing can be counted */
	char (*lacks)[LINUX_COUNTER_ERROR_MAX];
	unsigned workloads, groups, forked, received;
	int *socket;                            /* of each executor that was forked; those before `received` are closed */
	int pair[2];                            /* of the one that is being forked: ours, and its own */
	unsigned *group;                        /* of each workload, from 0 */
	struct linux_counter_reading *sum;      /* of each workload, by event: over the intervals that count */
	struct linux_counter_reading *interval; /* of all, then of each group, by event: in the last interval, … */
	double interval_s;                      /* … which took so long */
	double seconds;                         /* all that count */
	int64_t since_ns;                       /* when the interval under way began */
};

/*
 * Prepares for so many workloads; `group` has the group of each, from 0. What can't be counted is known from now on. 0, or -1 with errno
 * ENOMEM.
 */
int counted_open(struct counted *counted, const char *root, const struct linux_counter_events *events, unsigned workloads,
	const unsigned *group);
void counted_close(struct counted *counted);

/*
 * Around the fork of a workload's executor, in the order of the workloads: what the child starts by exec after counted_in_child is counted.
 * counted_before_fork returns 0, or -1 with errno.
 */
int counted_before_fork(struct counted *counted);
void counted_in_child(const struct counted *counted);
void counted_after_fork(struct counted *counted);

/* Why an event isn't counted; NULL where it is. */
const char *counted_lacks(const struct counted *counted, size_t event);

/* An interval begins; what was before counts nowhere. All executors have been forked, and have started their workloads. */
void counted_start(struct counted *counted);
/* An interval ends, and the next begins. */
void counted_take(struct counted *counted, bool counts);

/* Columns of the log: of each event a rate of all workloads, and where there are several groups one of each. */
#define COUNTED_COLUMN_MAX (LINUX_COUNTER_NAME_MAX + 32)
size_t counted_columns(const struct counted *counted);
void counted_column_name(const struct counted *counted, size_t column, char name[static COUNTED_COLUMN_MAX]);
/* Events per second in the last interval, or NaN. */
double counted_column(const struct counted *counted, size_t column);

/* What was counted of a workload, of a group or of all, in the intervals that count. */
struct linux_counter_reading counted_of_workload(const struct counted *counted, unsigned workload, size_t event);
struct linux_counter_reading counted_of_group(const struct counted *counted, unsigned group, size_t event);
struct linux_counter_reading counted_of_all(const struct counted *counted, size_t event);

/* The count that such a reading stands for; NaN where the event isn't counted, or never was while there was something to count. */
double counted_value(const struct counted *counted, size_t event, const struct linux_counter_reading *reading);

#endif
