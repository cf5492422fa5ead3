/* SPDX-License-Identifier: MIT */
/*
 * How long processors were busy, by what the kernel counts of each of them: the columns of /proc/stat, as far as they can be true, and the
 * processor time of tasks in /proc/schedstat.
 *
 * All readers of a run share what is counted, so that readings of different processes have differences. One of them counts at a time;
 * the others use what it has counted.
 */
#ifndef LOAD_BUSY_TIMES_H
#define LOAD_BUSY_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/stat.h"
#include "showstopper/module.h"

/* Processors with larger numbers are not counted: Linux has none. */
#define BUSY_PROCESSORS 8192u

/* One reading of /proc/stat. Start with {0}; busy_parse uses the memory again; freed by busy_reading_free. */
struct busy_reading {
	struct linux_stat stat;     /* stat.processors: all that are online */
	struct linux_stat_cpu *cpu; /* those, ascending */
	size_t count, room;
};

/* 0, or -1 with errno EINVAL (not a text of /proc/stat) or ENOMEM. */
int busy_parse(const char *text, size_t length, struct busy_reading *reading);
void busy_reading_free(struct busy_reading *reading);
bool busy_has_cpu(const struct busy_reading *reading, unsigned id);
/* Whether the text of /proc/schedstat has a line for each of its processors. */
bool busy_schedstat_has(const struct busy_reading *reading, const char *text, size_t length);

enum busy_source {
	BUSY_IDLE,      /* what the idle columns leave of the time that passed */
	BUSY_TICKS,     /* all columns against each other */
	BUSY_SCHEDSTAT, /* the time of tasks to the last switch, from there on the idle columns */
};

/* What doesn't hold of the columns: bits. */
enum {
	BUSY_FAST = 1,    /* idle time passes faster than the clock */
	BUSY_SLOW = 2,    /* all columns together pass slower than it */
	BUSY_UNKNOWN = 4, /* those of some processors are not believed */
	BUSY_STOPPED = 8, /* … and of none they are */
};

/* All that was counted up to a reading. Work and capacity never go back for long; they are CPU-seconds. */
struct busy_total {
	int64_t when_ns;   /* of the reading; 0: none yet */
	uint64_t number;   /* of readings */
	double processors; /* that are measured and online */
	double work, capacity;
	double steal;     /* part of the work */
	double idle_work; /* the work by the idle columns, believed or not */
	double tasks;     /* the work by /proc/schedstat */
	double excess;    /* what that is ahead of the last switches */
	double lead;      /* of idle_work before the witness … */
	double lead_most; /* … at most */
	double window_lead;
	int64_t fast_ns;   /* when the idle columns were seen to pass too fast; 0: never */
	int64_t window_ns; /* when the stretch began over which columns are judged */
	uint64_t summary;  /* idle ticks of the first line … */
	double apart;      /* … and by how much these and the processors' have moved apart, in s */
	uint64_t moves;
	uint64_t trouble; /* BUSY_… */
	uint64_t agrees;  /* in the last stretch the witness had seen (nearly) all that the idle columns have */
};

/* Of one processor, in the memory that is shared. */
struct busy_cpu {
	struct linux_stat_times columns;
	uint64_t ran_ns;    /* of /proc/schedstat */
	uint64_t number;    /* of the last reading that had it; 0: none */
	double work, known; /* in s, since the first */
	double excess;      /* as in busy_total */
	double slack;       /* how far that can be: the time since the last switch at most, in s */
	double still;       /* for how long no column has moved, in s */
	double window;      /* time that all columns passed in the stretch, in s; below 0: it wasn't there from its beginning */
	uint8_t verdict;
	bool stood;  /* its columns stood still in the last reading */
	bool is_odd; /* they can't have been those of a processor in the last stretch */
};

struct busy_shared;

/* What a reader has of its own. The witness says how long all tasks, or (lower) some of them, have run. */
struct busy_times {
	enum busy_source source;
	const struct sst_cpus *cpus; /* those measured, NULL: all; may change between readings, with `moves` */
	uint64_t moves;
	double hz;
	struct busy_reading reading; /* the last one of this reader */
	struct busy_shared *shared;
};

/* What one reading brings beside /proc/stat. */
struct busy_news {
	const char *schedstat; /* text of /proc/schedstat, or NULL */
	size_t length;
	double witness; /* CPU-seconds of tasks on the measured processors, from any moment on; NaN: not looked at */
	bool is_whole;  /* the witness has the time of (nearly) all tasks */
};

/* Whether a stretch has ended that could tell what the time of tasks is of the work by the columns; `tasks` may be ahead by the difference until then. */
bool busy_has_ratio(const struct busy_times *times);

/* 0, or -1 with errno ENOMEM. The memory is shared with processes that are forked later. */
int busy_open(struct busy_times *times);
void busy_close(struct busy_times *times);

/*
 * Counts on to this text of /proc/stat, and stores all that was counted, which ends earlier where another process is at it. 0, or -1 with errno
 * as busy_parse.
 */
int busy_count(struct busy_times *times, const char *text, size_t length, int64_t when_ns, const struct busy_news *news,
	struct busy_total *total);

/* What was counted last, by anybody. */
void busy_last(const struct busy_times *times, struct busy_total *total);

/* Work and known time of one processor so far, in s. False where it isn't online now. */
bool busy_of(const struct busy_times *times, unsigned id, double *work, double *known);

/* "processors 1, 3": whose columns are not believed; `size` bytes. */
void busy_describe_unknown(const struct busy_times *times, char *text, size_t size);

#endif
