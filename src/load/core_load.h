/* SPDX-License-Identifier: MIT */
/*
 * The physical load: how much of the time cores are busy, of which each is when any of its processors is.
 *
 * No kernel counts that. What is known is the busy time of each processor, and of two processors with busy shares a and b the core
 * was busy for anything from max(a, b) to min(1, a + b). Over some milliseconds, though, a processor is mostly busy or idle all of the
 * time, and then there is no doubt. So these are read every hundredth of a second or so, and taken to be independent in
 * between: the core was idle for the product of the idle shares.
 *
 * Where processors take turns that is wrong by something that grows with the length of the interval, so it is also computed over twice
 * the interval, and half of the difference is added once more (Richardson's extrapolation to the length 0).
 *
 * The counters have a unit of 10 ms. What they say beyond an idle share of 0 or 1 is carried into the next interval: else the errors of
 * two processors that were idle for long would be multiplied, again and again.
 */
#ifndef LOAD_CORE_LOAD_H
#define LOAD_CORE_LOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/latch.h"
#include "base/lease.h"
#include "load/busy_times.h"
#include "showstopper/module.h"

/* Which processors share a core, as /sys says it, through the host. */
#define LINUX_CORES_NONE UINT32_MAX

struct linux_cores {
	unsigned count;
	bool are_shared; /* some core has two of the processors at least */
	unsigned *core;  /* from 0, by the number of the processor; LINUX_CORES_NONE for those that are not among them */
	size_t room;     /* numbers of processors are below this */
};

/*
 * Finds the cores of these processors. 0, or -1 with errno: what the first file that can't be read said, EINVAL for one that is no list
 * of processors, or ENOMEM. Free with linux_cores_free in any case.
 */
int linux_cores_read(
	struct linux_cores *cores, const struct sst_env *env, const struct linux_stat_cpu *processor, size_t processors);
void linux_cores_free(struct linux_cores *cores);

/* The core of a processor, or LINUX_CORES_NONE. */
static inline unsigned linux_cores_of(const struct linux_cores *cores, unsigned processor)
{
	return processor < cores->room ? cores->core[processor] : LINUX_CORES_NONE;
}

/* The least length of an interval: a unit of the counters. */
#define LINUX_CORE_LOAD_STEP_NS (10 * INT64_C(1000000))

/* What is known of a processor at the end of the last interval. */
struct linux_core_load_cpu {
	double work, known;    /* as busy_of has them, in s */
	uint32_t seen;         /* number of the last interval that it was there for */
	uint32_t intervals;    /* without a gap, that it got some in; 0: none */
	float carry_s, last_s; /* idle time that no interval has got yet, and what the last one got */
};

/* In memory that all readers share: the process that opened it, and its children. */
struct linux_core_load_shared {
	struct latch record;
	struct lease lease;               /* one ends an interval at a time */
	struct linux_core_load_cpu cpu[]; /* by number */
};

/* How much of an interval a core was idle, and of that and the one before. */
struct linux_core_load_share {
	double idle, idle_of_two;
	bool is_online, is_known;
};

/* What a reader has of its own. Start with {0}. */
struct linux_core_load {
	struct linux_cores cores;
	struct linux_core_load_shared *shared;
	struct linux_core_load_share *share; /* of each core */
};

/*
 * Finds the cores of the processors that `busy` measures, by its last reading. 0, or -1 with a message (without what was asked for: "the
 * processors share no cores"). Processors that come online later are left out.
 */
#define LINUX_CORE_LOAD_ERROR_MAX 256
int linux_core_load_open(struct linux_core_load *load, const struct sst_env *env, const struct busy_times *busy,
	char error[static LINUX_CORE_LOAD_ERROR_MAX]);
void linux_core_load_close(struct linux_core_load *load);

/*
 * Makes a reading of what was counted up to `when_ns`: the cores that are online, in counter[0] the ns that all of them were busy, and in counter[1] those in which that was known. Unless an
 * interval is over this goes on as it was in the last one. 0, or -1 with errno ENODATA: none of the processors is online.
 */
int linux_core_load_read(struct linux_core_load *load, const struct busy_times *busy, int64_t when_ns, struct sst_reading *now);

/* As sst_feedback.sample. Work may be somewhat below 0, or above the capacity. */
bool linux_core_load_sample(const struct sst_reading *before, const struct sst_reading *now, struct sst_sample *sample);

#endif
