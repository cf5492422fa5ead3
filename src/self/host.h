/* SPDX-License-Identifier: MIT */
/* The real host of modules: sources are files below a root, workloads are processes. */
#ifndef SELF_HOST_H
#define SELF_HOST_H

#include <stdint.h>

#include "module/module.h"

/* A module's surroundings and what this host keeps beside them. */
struct host_env {
	struct sst_env env;
	const char *root;             /* before every path of a source; "" for none */
	const struct sst_cpus *moved; /* instead of env.cpus at odd numbers of moves; NULL for all */
	/* What only the run knows; NULL until there are workloads. */
	int64_t (*cpu_time)(void *run); /* of the controlled trees, ns */
	void *run;
	const _Atomic uint32_t *moves;  /* how often workloads were moved to other processors */
	char refusal[MODULE_ERROR_MAX]; /* what refuse() was told; "" for nothing */
};

/* Fills it; root must outlive it. */
void host_env_init(struct host_env *host, const char *root, unsigned workloads, uint64_t entropy);

#endif
