/* SPDX-License-Identifier: MIT */
/*
 * The load between two readings of /proc/stat, of the whole machine (or a subset) and of each processor, also when processors go
 * offline or come back in between.
 */
#ifndef OS_LOAD_H
#define OS_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "os/stat.h"

/* One reading. Start with {0}; linux_load_parse uses the memory again; freed by linux_load_free. */
struct linux_load_reading {
	int64_t when_ns;
	struct linux_stat stat;     /* stat.processors is 0 when none of the subset is online */
	struct linux_stat_cpu *cpu; /* online ones (of the subset), ascending */
	size_t count, room;
};

/*
 * Fills the reading from the text of /proc/stat. 0, or -1 with errno EINVAL (not a text of /proc/stat) or ENOMEM. It is not an error
 * when no processor of the subset is online.
 */
int linux_load_parse(
	const char *text, size_t length, int64_t when_ns, const struct sst_cpus *subset, struct linux_load_reading *reading);
void linux_load_free(struct linux_load_reading *reading);

/* Whether the processor was online (and is of the subset). */
bool linux_load_has_cpu(const struct linux_load_reading *reading, unsigned id);

/* What is taken for idle and for time, as in stat.h. */
enum linux_load_counters { LINUX_LOAD_IDLE, LINUX_LOAD_TICKS };

/*
 * Work and capacity between two readings, of all processors. When processors came or went, or a counter jumped, the sample is that of
 * the processors which have a sample of their own. False when there are none.
 */
bool linux_load_sample(const struct linux_load_reading *before, const struct linux_load_reading *now,
	enum linux_load_counters counters, double hz, struct sst_sample *sample);
/* Of one processor; false also when it was not online at both ends. */
bool linux_load_sample_cpu(const struct linux_load_reading *before, const struct linux_load_reading *now, unsigned id,
	enum linux_load_counters counters, double hz, struct sst_sample *sample);

/* Fraction of the capacity that the hypervisor gave to others, or NaN when the kernel doesn't tell. */
double linux_load_steal(const struct linux_load_reading *before, const struct linux_load_reading *now, double hz);

#endif
