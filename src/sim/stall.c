/* SPDX-License-Identifier: MIT */
#include "sim/stall.h"

static void arm(struct sim_stall *stall, int64_t from_ns)
{
	const double every = (double)stall->every_ns;
	sim_event_arm(stall->machine, &stall->event, from_ns + (int64_t)(every * (0.5 + sim_random_real(&stall->random))));
}

static void turn(struct sim_event *event)
{
	struct sim_stall *stall = SIM_OWNER(event, struct sim_stall, event);
	struct sim_machine *machine = stall->machine;
	if (stall->processor) {
		sim_processor_go_on(stall->processor);
		stall->processor = NULL;
		arm(stall, machine->now_ns - stall->length_ns);
		return;
	}
	stall->processor = &machine->processor[sim_random_below(&stall->random, machine->config.processors)];
	stall->count++;
	sim_processor_stand_still(stall->processor, machine->now_ns + stall->length_ns);
	sim_event_arm(machine, event, machine->now_ns + stall->length_ns);
}

void sim_stall_start(struct sim_stall *stall, struct sim_machine *machine, uint64_t number, int64_t length_ns, int64_t every_ns,
	int64_t from_ns)
{
	*stall = (struct sim_stall){.event = {.fire = turn},
		.machine = machine,
		.random = sim_random_stream(machine->config.seed, number),
		.length_ns = length_ns,
		.every_ns = every_ns};
	arm(stall, from_ns);
}
