/* SPDX-License-Identifier: MIT */
/*
 * Where an executor would be forked, the modules' state is copied. Each executor's modules see the same env at the same address, with its
 * index, as they would after a fork; only one executor acts at a time.
 */
#include "sssim/run.h"

#include <stdlib.h>
#include <string.h>

/* Streams of random numbers. */
enum { STREAM_TASK = 1 << 20, STREAM_WORKLOAD = 2 << 20 };

void sim_executors_enter(const struct sim_executors *executors, unsigned index)
{
	for (int kind = 0; kind < KINDS; kind++)
		executors->run->host[kind].env.index = index;
}

static int64_t read_clock(void *context)
{
	const struct sim_executors *const owner = SIM_OWNER(context, struct sim_executor, executor.loop)->owner;
	return owner->machine->now_ns + owner->host->charged_ns;
}

/* The threads of a workload that is left as it is don't wake up. */
static int64_t hold(void *context, const struct executor_hold *how)
{
	struct sim_executor *const simulated = context;
	const struct sim_config *config = simulated->owner->config;
	const bool throttled = simulated->bandwidth.throttled;
	const bool changes = simulated->workload->stopped == how->run && !throttled;
	const int64_t signals_ns = changes ? simulated->workload->threads * config->edge_thread_ns : 0;
	simulated->owner->host->charged_ns += config->edge_ns + signals_ns;
	if (!how->run)
		sim_process_stop(simulated->workload);
	else if (!throttled)
		sim_process_continue(simulated->workload);
	sim_bandwidth_limit(&simulated->bandwidth, how->limit.quota_ns, how->limit.period_ns);
	return signals_ns;
}

static double find_width(void *context)
{
	return ((const struct sim_executor *)context)->workload->threads;
}

static void fetch(void *context, struct slot *late)
{
	const struct sim_executor *const simulated = context;
	const struct sim_executors *const owner = simulated->owner;
	sim_task_fetch(&owner->executor[late - owner->run->shared->slot].task, simulated->task.processor);
}

static void move(void *context, bool to_home_cpu)
{
	struct sim_executor *const simulated = context;
	struct sim_machine *const machine = simulated->owner->machine;
	if (to_home_cpu)
		simulated->task.processor = &machine->processor[simulated->executor.loop.index % machine->config.processors];
}

static int64_t find_used(void *context, bool living)
{
	(void)living;
	return sim_process_cpu_ns(((const struct sim_executor *)context)->workload);
}

/* A simulated run ends with its executors, and no workload ends before. */
static const struct executor_hands hands = {
	.hold = hold,
	.width = find_width,
	.fetch = fetch,
	.move = move,
	.used = find_used,
};

/* Returns the CPU time it takes. */
static int64_t act(struct sim_task *task)
{
	struct sim_executor *const simulated = SIM_OWNER(task, struct sim_executor, task);
	const struct sim_executors *const owner = simulated->owner;
	struct executor *const executor = &simulated->executor;
	if (owner->halted_until_ns) {
		sim_task_sleep(task, owner->halted_until_ns);
		return 0;
	}
	sim_executors_enter(owner, executor->loop.index);
	owner->host->charged_ns = 0;
	executor_awake(executor);
	if (!executor_on_time(executor))
		executor_look(executor);
	sim_task_sleep(task, executor_sleep(executor));
	return owner->host->charged_ns;
}

/* Room for a module's state, at which any object may begin. */
static size_t state_room(const struct module *module)
{
	const size_t alignment = _Alignof(max_align_t);
	return (module->base->state_size / alignment + 1) * alignment;
}

static int add(struct sim_executors *executors, unsigned index, char *state, int64_t origin_ns)
{
	const struct sim_config *config = executors->config;
	struct sim_executor *const simulated = &executors->executor[index];
	struct module *const modules = simulated->module;
	simulated->owner = executors;
	simulated->task.run = act;
	executor_init(&simulated->executor, executors->run, index, &hands, simulated);
	simulated->executor.slot->group = index % config->models;
	simulated->executor.loop.module = modules;
	simulated->executor.loop.estimator.clock = simulated->executor.loop.estimator.cpu_clock = read_clock;
	sim_executors_enter(executors, index);
	for (int kind = 0; kind < KINDS; kind++) {
		const struct module *prepared = &executors->run->module[kind];
		modules[kind] = *prepared;
		modules[kind].state = state;
		memcpy(state, prepared->state, prepared->base->state_size);
		state += state_room(prepared);
		if (prepared->base->init && prepared->base->init(modules[kind].state, &executors->run->host[kind].env) != 0)
			return -1;
	}
	if (loop_init(&simulated->executor.loop, &executors->run->host[SST_FEEDBACK].env) != 0)
		return -1;
	executors->count++;
	simulated->workload =
		sim_workload_add(executors->machine, &config->model[index % config->models], STREAM_WORKLOAD + index, origin_ns);
	if (!simulated->workload || sim_bandwidth_init(&simulated->bandwidth, simulated->workload) != 0 ||
		sim_task_add(executors->machine, &simulated->task, STREAM_TASK + index) != 0)
		return -1;
	move(simulated, true);
	executors->process[index] = simulated->workload;
	executor_come_up(&simulated->executor);
	return 0;
}

int sim_executors_add(struct sim_executors *executors, int64_t began_ns, int64_t origin_ns)
{
	const struct sim_config *config = executors->config;
	size_t room = 0;
	for (int kind = 0; kind < KINDS; kind++)
		room += state_room(&executors->run->module[kind]);
	executors->executor = calloc(config->workloads, sizeof *executors->executor);
	executors->states = calloc(config->workloads, room);
	executors->process = calloc(config->workloads, sizeof(struct sim_process *));
	if (!executors->executor || !executors->states || !executors->process)
		return -1;
	for (unsigned i = 0; i < config->workloads; i++) {
		if (add(executors, i, executors->states + i * room, origin_ns) != 0)
			return -1;
		sim_task_sleep(&executors->executor[i].task, began_ns + i * config->release_ns);
	}
	return 0;
}

void sim_executors_free(struct sim_executors *executors)
{
	for (unsigned i = 0; i < executors->count; i++) {
		loop_free(&executors->executor[i].executor.loop);
		if (executors->executor[i].workload)
			sim_workload_free(executors->executor[i].workload);
	}
	free(executors->executor);
	free(executors->states);
	free(executors->process);
}
