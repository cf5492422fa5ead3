/* SPDX-License-Identifier: MIT */
/* Schemes that divide a machine's processors among groups of workloads (paper 000, Section 6, Fig. 11; paper 004, Fig. 4). Pure. */
#ifndef PLACEMENT_PINNING_H
#define PLACEMENT_PINNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "config/config.h"
#include "module/option.h"
#include "showstopper/module.h"

/* One processor and where it is. */
struct place {
	unsigned cpu;        /* its number in the system */
	unsigned chip, core; /* any numbers that tell chips (NUMA nodes or packages) and, within a chip, cores apart */
	unsigned kind;       /* of its core, where a machine has fast and slow ones; any number that tells them apart */
};

/* The scheme's name, as in "per-chip"; and back, PIN_NONE when there is none such. "dynamic" is none. */
const char *pinning_name(enum pinning scheme);
enum pinning pinning_find(const char *name);

#define PINNING_REASON_MAX 128

/*
 * The processors of part `part` (from 0) of `parts`. The places are in the order of the topology: those of a chip, and of a core, lie
 * together. Every processor belongs to exactly one part; parts are as even as the scheme and the machine permit. 0 with *cpus to be
 * freed (NULL for neutral), or -1 with a reason: the machine lacks what the scheme divides, or ENOMEM.
 */
int pinning_cpus(const struct place *place, size_t count, enum pinning scheme, unsigned part, unsigned parts,
	struct sst_cpus **cpus, char reason[static PINNING_REASON_MAX]);

/* Pinning that follows the load: which of two schemes, and when to change from one to the other. Pure. */

/*
 * Sets it from `key=value,…`, or to the defaults where text is NULL. 0, or -1 with a message that names what was
 * found and what is accepted.
 */
int dynamic_pinning_parse(const char *text, struct dynamic_pinning *dynamic, char error[static OPTION_ERROR_MAX]);

/* The settings as they are parsed. */
void dynamic_pinning_print(const struct dynamic_pinning *dynamic, FILE *to);

/* Where it is in a run. Begins with the scheme `below`. */
struct pinning_course {
	const struct dynamic_pinning *settings;
	bool is_above;    /* which scheme is in force */
	int64_t since_ns; /* and since when */
};

/*
 * After a sample of the load: true when the other scheme is to be taken, which then is in force. It goes up above threshold +
 * hysteresis and down below threshold - hysteresis. NaN is no sample.
 */
bool dynamic_pinning_step(struct pinning_course *course, double load, int64_t now_ns);

/* The scheme in force. */
enum pinning dynamic_pinning_scheme(const struct pinning_course *course);

#endif
