/* SPDX-License-Identifier: MIT */
/* Events of units that count, as /sys/bus/event_source/devices describes them. */
#ifndef OS_COUNTER_PMU_H
#define OS_COUNTER_PMU_H

#include "os/counter_event.h"
#include "showstopper/module.h"

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
