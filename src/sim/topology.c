/* SPDX-License-Identifier: MIT */
#include "sim/topology.h"

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
