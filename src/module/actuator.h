/* SPDX-License-Identifier: MIT */
/* What holds a workload to its duty cycle: a table, from which one is chosen as modules are. */
#ifndef MODULE_ACTUATOR_H
#define MODULE_ACTUATOR_H

#include "showstopper/module.h"

enum actuator {
	ACTUATOR_SIGNALS, /* SIGSTOP and SIGCONT for each of its processes */
	ACTUATOR_FREEZER, /* the freezer of a control group, in which it is started */
	ACTUATOR_QUOTA,   /* the bandwidth of such a group: it never stands still, and dithering is not asked */
};
#define ACTUATORS 3

/* Processor time that a workload may use in each period. */
struct bandwidth {
	int64_t quota_ns;  /* from 1 ms; 0: no limit */
	int64_t period_ns; /* 1 ms to 1 s */
};

/* The options of all of them, those that an actuator doesn't have are 0: the state that its options are set in. */
struct actuator_settings {
	int64_t period_ns;   /* of a quota */
	int64_t interval_ns; /* between two steps of control, without edges; above 0 */
	int version;         /* of control groups, 1 or 2; 0: 2 where it can be had, else 1 */
};

/* By enum actuator: name, summary and options of each. They have no hooks. */
extern const struct sst_module actuator_table[ACTUATORS];

/* Which one an element of the table is. */
enum actuator actuator_of(const struct sst_module *element);
/* By its name; ACTUATORS where there is none. */
enum actuator actuator_find(const char *name);

/* ACTUATOR_QUOTA: the bandwidth that a duty cycle from 0 to 1 is for a workload that could use `width` processors, above 0. */
struct bandwidth actuator_limit(const struct actuator_settings *settings, double duty, double width);

#endif
