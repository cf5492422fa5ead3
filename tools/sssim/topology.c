/* SPDX-License-Identifier: MIT */
#include "sssim/topology.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

int sim_topology_init(
	struct sim_topology *topology, const struct sim_topology_config *config, unsigned processors, int64_t start_ns)
{
	*topology = (struct sim_topology){.config = *config};
	struct sim_topology_config *own = &topology->config;
	own->sockets = own->sockets ? own->sockets : 1;
	own->threads = own->threads ? own->threads : 1;
	own->speed = own->speed > 0 ? own->speed : 1;
	if (own->threads > SIM_THREADS_PER_CORE_MAX || processors % (own->sockets * own->threads) != 0) {
		errno = EINVAL;
		return -1;
	}
	topology->cores = processors / own->threads;
	topology->core = calloc(topology->cores, sizeof *topology->core);
	if (!topology->core)
		return -1;
	for (unsigned i = 0; i < topology->cores; i++)
		topology->core[i].since_ns = start_ns;
	for (unsigned busy = 0; busy <= own->threads; busy++)
		topology->speed[busy] = busy > 1 ? pow(own->speed, log2(busy)) : 1;
	return 0;
}

void sim_topology_free(struct sim_topology *topology)
{
	free(topology->core);
	*topology = (struct sim_topology){0};
}

unsigned sim_topology_core(const struct sim_topology *topology, unsigned processor)
{
	return processor % topology->cores;
}

unsigned sim_topology_socket(const struct sim_topology *topology, unsigned processor)
{
	return sim_topology_core(topology, processor) / (topology->cores / topology->config.sockets);
}

double sim_topology_speed(const struct sim_topology *topology, unsigned processor)
{
	return topology->speed[topology->core[sim_topology_core(topology, processor)].busy];
}

/* The core's work in the stretch that is under way. An idle one begins with the kernel's own. */
static int64_t stretch_ns(const struct sim_core *core, int64_t now_ns, int64_t idle_cost_ns)
{
	const int64_t length = now_ns - core->since_ns;
	return core->busy || length < idle_cost_ns ? length : idle_cost_ns;
}

void sim_topology_busy(struct sim_topology *topology, unsigned processor, int64_t now_ns, int64_t idle_cost_ns)
{
	struct sim_core *core = &topology->core[sim_topology_core(topology, processor)];
	if (!core->busy) {
		core->busy_ns += stretch_ns(core, now_ns, idle_cost_ns);
		core->since_ns = now_ns;
	}
	core->busy++;
}

void sim_topology_idle(struct sim_topology *topology, unsigned processor, int64_t now_ns)
{
	struct sim_core *core = &topology->core[sim_topology_core(topology, processor)];
	if (core->busy == 1) {
		core->busy_ns += now_ns - core->since_ns;
		core->since_ns = now_ns;
	}
	core->busy--;
}

int64_t sim_topology_work_ns(const struct sim_topology *topology, int64_t now_ns, int64_t idle_cost_ns)
{
	int64_t work = 0;
	for (unsigned i = 0; i < topology->cores; i++)
		work += topology->core[i].busy_ns + stretch_ns(&topology->core[i], now_ns, idle_cost_ns);
	return work;
}

/* Whether another processor of its core is busy. */
static bool shares_core(const struct sim_topology *topology, unsigned processor, bool is_idle)
{
	return topology->core[sim_topology_core(topology, processor)].busy > (is_idle ? 0 : 1);
}

/* The last one to have become idle of the best ones: on an idle core where that counts, then on the socket of `near`; -1: none. */
static int best_idle(const struct sim_topology *topology, struct sim_idle idle, unsigned near)
{
	const unsigned socket = sim_topology_socket(topology, near);
	const bool by_core = topology->config.placement != SIM_PLACE_ANY;
	int best = -1;
	int best_rank = -1;
	for (size_t i = idle.count; i-- > 0 && best_rank < 3;) {
		const unsigned candidate = idle.processor[i];
		int rank = sim_topology_socket(topology, candidate) == socket;
		rank += !by_core || !shares_core(topology, candidate, true) ? 2 : 0;
		if (rank > best_rank) {
			best = (int)candidate;
			best_rank = rank;
		}
	}
	return best;
}

int sim_placing_find(const struct sim_topology *topology, struct sim_idle idle, struct sim_place last)
{
	const bool would_move =
		topology->config.placement == SIM_PLACE_CORES && shares_core(topology, last.processor, last.is_idle);
	if (last.is_free && !would_move)
		return (int)last.processor;
	const int best = best_idle(topology, idle, last.processor);
	const bool is_no_better = best < 0 || shares_core(topology, (unsigned)best, true);
	return last.is_free && is_no_better ? (int)last.processor : best;
}

int sim_placing_improve(const struct sim_topology *topology, struct sim_idle idle, unsigned processor)
{
	if (topology->config.placement == SIM_PLACE_ANY || !shares_core(topology, processor, false))
		return -1;
	const int best = best_idle(topology, idle, processor);
	return best >= 0 && shares_core(topology, (unsigned)best, true) ? -1 : best;
}
