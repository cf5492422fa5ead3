/* SPDX-License-Identifier: MIT */
/* A hypervisor that runs something else: now and then one processor of a simulated machine stands still. */
#ifndef SIM_STALL_H
#define SIM_STALL_H

#include "sim/machine.h"
#include "sim/random.h"

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
