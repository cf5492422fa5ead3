/* SPDX-License-Identifier: MIT */
/* Names of the kernel's performance events, as perf(1) lists them. */
#ifndef OS_COUNTER_EVENT_H
#define OS_COUNTER_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
