/* SPDX-License-Identifier: MIT */
/* The rate that the settings ask for, constant or that of a trace. */
#ifndef SSREQUEST_RATES_H
#define SSREQUEST_RATES_H

#include "module/module.h"
#include "self/host.h"
#include "ssrequest/options.h"
#include "ssrequest/schedule.h"

/* Start with {0}. */
struct rates {
	struct module module; /* of a trace */
	struct host_env host;
	bool is_prepared;
	double peak;
};

/*
 * Loads the trace and fills in when requests are planned, which then points into both. 0, or -1 after a message. To be closed in any
 * case, after the schedule is no longer used.
 */
int rates_open(struct rates *rates, const struct settings *settings, struct schedule_settings *schedule);
void rates_close(struct rates *rates);

#endif
