/* SPDX-License-Identifier: MIT */
/*
 * Which simulated processors share a core and a socket, and what that does to them.
 *
 * With C cores of T threads, processor p is a thread of core p mod C, as on most servers: the first C processors are on cores of their
 * own. Sockets have equal numbers of cores, the first one the first cores.
 *
 * Threads of a core slow each other down. A processor that is busy while k of its core are, itself among them, works at speed^log2(k)
 * of what it does alone: each doubling costs the same factor. That is about progress alone; CPU time is time on the processor.
 */
#ifndef SIM_TOPOLOGY_H
#define SIM_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_THREADS_PER_CORE_MAX 8

/* Where a thread that becomes runnable goes, when there are idle processors. */
enum sim_placement {
	SIM_PLACE_LINUX, /* where it last ran; else an idle core; else any. At the end of a slice from a shared core to an idle one */
	SIM_PLACE_CORES, /* likewise, but an idle core goes before where it last ran */
	SIM_PLACE_ANY,   /* where it last ran; else any: cores don't matter */
};

/* Zero stands for one socket, and for cores of one thread. */
struct sim_topology_config {
	unsigned sockets, threads; /* threads of each core; both together divide the number of processors */
	double speed;              /* above 0, at most 1; 0: 1 */
	enum sim_placement placement;
};

struct sim_core {
	unsigned busy;    /* processors */
	int64_t busy_ns;  /* while at least one was, and the kernel's own work, without the stretch that is under way … */
	int64_t since_ns; /* … and its start */
};

struct sim_topology {
	struct sim_topology_config config;
	unsigned cores;
	struct sim_core *core;
	double speed[SIM_THREADS_PER_CORE_MAX + 1]; /* by how many are busy */
};

/* 0, or -1 with errno EINVAL (the numbers don't go together) or ENOMEM. Free with sim_topology_free. */
int sim_topology_init(
	struct sim_topology *topology, const struct sim_topology_config *config, unsigned processors, int64_t start_ns);
void sim_topology_free(struct sim_topology *topology);

unsigned sim_topology_core(const struct sim_topology *topology, unsigned processor);
unsigned sim_topology_socket(const struct sim_topology *topology, unsigned processor);
/* The speed of a busy processor as things are. */
double sim_topology_speed(const struct sim_topology *topology, unsigned processor);

/* A processor has become busy, or idle; `idle_cost_ns` is the kernel's own work then. */
void sim_topology_busy(struct sim_topology *topology, unsigned processor, int64_t now_ns, int64_t idle_cost_ns);
void sim_topology_idle(struct sim_topology *topology, unsigned processor, int64_t now_ns);

/* Time that all cores together were busy: a core is when any of its processors is. */
int64_t sim_topology_work_ns(const struct sim_topology *topology, int64_t now_ns, int64_t idle_cost_ns);

/* Which idle processor a thread takes, by sockets and cores. See enum sim_placement. */

/* Numbers of the idle processors; the last one has become idle last. */
struct sim_idle {
	const unsigned *processor;
	size_t count;
};

/* Where a thread last ran, or does. */
struct sim_place {
	unsigned processor;
	bool is_free; /* nothing is on it, but it may be about to get something: then it is in no list */
	bool is_idle;
};

/* For a thread that becomes runnable; -1 when it has to wait. */
int sim_placing_find(const struct sim_topology *topology, struct sim_idle idle, struct sim_place last);

/* A processor of an idle core for the thread on one whose core is shared, at the end of its slice; -1 when it stays. */
int sim_placing_improve(const struct sim_topology *topology, struct sim_idle idle, unsigned processor);

#endif
