/* SPDX-License-Identifier: MIT */
#include "sim/placing.h"

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
