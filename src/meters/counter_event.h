/* SPDX-License-Identifier: MIT */
/* Names of the kernel's performance events, as perf(1) lists them, and events of units that count, as /sys describes them. */
#ifndef METERS_COUNTER_EVENT_H
#define METERS_COUNTER_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "showstopper/module.h"

#define LINUX_COUNTER_EVENTS_MAX 32
#define LINUX_COUNTER_NAME_MAX 56
#define LINUX_COUNTER_ERROR_MAX 512
#define LINUX_COUNTER_EXPECTED                                                                                                   \
	"events such as cycles, cache-misses, L1-dcache-load-misses, page-faults, cycles:u, r01c2 or cpu/event=0xc0/"

/* Those that have no cache, no number and no unit in their names; NULL-terminated. */
extern const char *const linux_counter_names[];

struct linux_counter_event {
	char name[LINUX_COUNTER_NAME_MAX]; /* as perf(1) lists it; aliases are gone */
	uint32_t type;                     /* as perf_event_open(2) has them; of a PMU's event they are still to be looked up */
	uint64_t config, config1, config2;
	bool is_of_pmu;
	bool only_user, only_kernel;
};

struct linux_counter_events {
	size_t count;
	struct linux_counter_event event[LINUX_COUNTER_EVENTS_MAX];
};

/*
 * Reads names with commas between them: of the table of perf(1), rHEX, or PMU/TERM,…/, each perhaps with :u or :k behind it, which leaves
 * the kernel or the programs out. 0, or -1 with a message. Looks at nothing but the text.
 */
int linux_counter_events_parse(const char *text, struct linux_counter_events *events, char error[static LINUX_COUNTER_ERROR_MAX]);

/* Whether software counts it, which any machine has. */
bool linux_counter_is_software(const struct linux_counter_event *event);

/*
 * Looks up the type and the bits of an event PMU/TERM,…/ below `root`. A term is FIELD=NUMBER, FIELD (1), or the name of an event
 * that the PMU lists. *cpus, to be freed, becomes the processors on which it counts; NULL for all. 0, or -1 with a message.
 */
int linux_counter_pmu_resolve(
	const char *root, struct linux_counter_event *event, struct sst_cpus **cpus, char error[static LINUX_COUNTER_ERROR_MAX]);

/*
 * Pure: puts a value into the bits that a file of a PMU's folder `format` names, such as config:0-7,32-35, the lowest ones first. False
 * where the text is malformed or the value doesn't fit.
 */
bool linux_counter_pmu_place(const char *format, uint64_t value, struct linux_counter_event *event);

#endif
