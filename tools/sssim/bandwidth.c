/* SPDX-License-Identifier: MIT */
#include "sssim/bandwidth.h"

static void count(struct sim_bandwidth *bandwidth)
{
	const int64_t used_ns = sim_process_cpu_ns(bandwidth->process);
	bandwidth->left_ns -= used_ns - bandwidth->seen_ns;
	bandwidth->seen_ns = used_ns;
}

static void let_go(struct sim_bandwidth *bandwidth)
{
	if (bandwidth->throttled)
		sim_process_continue(bandwidth->process);
	bandwidth->throttled = false;
}

static void arm_tick(struct sim_bandwidth *bandwidth)
{
	struct sim_machine *const machine = bandwidth->process->machine;
	const int64_t tick_ns = machine->config.tick_ns;
	sim_event_arm(machine, &bandwidth->tick, (machine->now_ns / tick_ns + 1) * tick_ns);
}

static void tick(struct sim_event *event)
{
	struct sim_bandwidth *const bandwidth = SIM_OWNER(event, struct sim_bandwidth, tick);
	count(bandwidth);
	if (bandwidth->left_ns > 0) {
		arm_tick(bandwidth);
		return;
	}
	bandwidth->throttled = true;
	sim_process_stop(bandwidth->process);
}

static void refill(struct sim_event *event)
{
	struct sim_bandwidth *const bandwidth = SIM_OWNER(event, struct sim_bandwidth, refill);
	struct sim_machine *const machine = bandwidth->process->machine;
	count(bandwidth);
	bandwidth->left_ns = bandwidth->quota_ns + (bandwidth->left_ns < 0 ? bandwidth->left_ns : 0);
	sim_event_arm(machine, &bandwidth->refill, machine->now_ns + bandwidth->period_ns);
	if (bandwidth->throttled && bandwidth->left_ns > 0) {
		let_go(bandwidth);
		arm_tick(bandwidth);
	}
}

int sim_bandwidth_init(struct sim_bandwidth *bandwidth, struct sim_process *process)
{
	*bandwidth = (struct sim_bandwidth){.tick.fire = tick, .refill.fire = refill, .process = process};
	return sim_machine_reserve(process->machine, 2);
}

void sim_bandwidth_limit(struct sim_bandwidth *bandwidth, int64_t quota_ns, int64_t period_ns)
{
	struct sim_machine *const machine = bandwidth->process->machine;
	const bool was_limited = bandwidth->quota_ns > 0;
	const bool is_same = quota_ns == bandwidth->quota_ns && (period_ns == bandwidth->period_ns || !quota_ns);
	if (is_same)
		return;
	count(bandwidth);
	bandwidth->quota_ns = bandwidth->left_ns = quota_ns;
	bandwidth->period_ns = period_ns;
	let_go(bandwidth);
	if (quota_ns <= 0) {
		sim_event_disarm(machine, &bandwidth->tick);
		sim_event_disarm(machine, &bandwidth->refill);
		return;
	}
	arm_tick(bandwidth);
	if (!was_limited)
		sim_event_arm(machine, &bandwidth->refill, machine->now_ns + period_ns);
}

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
