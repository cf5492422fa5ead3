/* SPDX-License-Identifier: MIT */
/*
 * The bandwidth of a simulated process, as the kernel's scheduler limits that of a control group: what is used is looked at with each
 * tick, what was used beyond the quota by then is taken off the next one, and a new limit begins with a whole quota, whatever was used.
 */
#ifndef SIM_BANDWIDTH_H
#define SIM_BANDWIDTH_H

#include "base/splitmix.h"
#include "sssim/machine.h"

struct sim_bandwidth {
	struct sim_event tick, refill;
	struct sim_process *process;
	int64_t quota_ns, period_ns; /* quota 0: no limit */
	int64_t left_ns;             /* of the quota, when … */
	int64_t seen_ns;             /* … the process had used so much */
	bool throttled;              /* it stands still for it */
};

/* Takes two events, which it reserves. 0, or -1 with errno ENOMEM. */
int sim_bandwidth_init(struct sim_bandwidth *bandwidth, struct sim_process *process);
/* From now on; quota 0: no limit. A process that somebody has stopped must not have one. */
void sim_bandwidth_limit(struct sim_bandwidth *bandwidth, int64_t quota_ns, int64_t period_ns);

/* A hypervisor that runs something else: now and then one processor of a simulated machine stands still. */

struct sim_stall {
	struct sim_event event;
	struct sim_machine *machine;
	struct sim_random random;
	int64_t length_ns, every_ns;
	struct sim_processor *processor; /* that stands still; NULL: none */
	unsigned count;                  /* that have begun */
};

/*
 * From from_ns on, about every every_ns (between half and one and a half of it) a processor drawn at random stands still for
 * length_ns, which is below half of every_ns. Takes one event, which must have been reserved.
 */
void sim_stall_start(struct sim_stall *stall, struct sim_machine *machine, uint64_t number, int64_t length_ns, int64_t every_ns,
	int64_t from_ns);

#endif
