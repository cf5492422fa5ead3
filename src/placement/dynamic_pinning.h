/* SPDX-License-Identifier: MIT */
/* Pinning that follows the load: which of two schemes, and when to change from one to the other. Pure. */
#ifndef PLACEMENT_DYNAMIC_PINNING_H
#define PLACEMENT_DYNAMIC_PINNING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/config.h"
#include "module/option.h"

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
	int64_t since_ns; /* … and since when */
};

/*
 * After a sample of the load: true when the other scheme is to be taken, which then is in force. It goes up above threshold +
 * hysteresis and down below threshold - hysteresis. NaN is no sample.
 */
bool dynamic_pinning_step(struct pinning_course *course, double load, int64_t now_ns);

/* The scheme in force. */
enum pinning dynamic_pinning_scheme(const struct pinning_course *course);

#endif
