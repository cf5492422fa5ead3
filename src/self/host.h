/* SPDX-License-Identifier: MIT */
/* The real host of modules: sources are files below a root, workloads are processes. */
#ifndef SELF_HOST_H
#define SELF_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "showstopper/module.h"

struct stream_board;

/* Where workloads with dynamic pinning are, of which they are moved. Shared memory holds it as one word, so that both parts agree. */
struct host_place {
	uint32_t moves; /* how often they were moved */
	bool above;     /* they are on the processors that are for loads above the threshold */
};

#define HOST_RECORDS_MAX 256
#define HOST_REFUSAL_MAX 1024

/* A module's surroundings and what this host keeps beside them. */
struct host_env {
	struct sst_env env;
	const char *root;             /* before every path of a source; "" for none */
	const struct sst_cpus *moved; /* instead of env.cpus while workloads are above; NULL for all */
	/* What only the run knows; NULL until there are workloads. */
	int64_t (*cpu_time)(void *run); /* of the controlled trees, ns */
	void *run;
	const _Atomic struct host_place *place;
	bool counts;                      /* a module has asked for iterations … */
	int64_t (*iterations)(void *run); /* … which this adds up, once there are workloads */
	/* Targets that come during the run: how a board for them is made and read; NULL where nobody reads what a module asks to follow. */
	struct stream_board *(*board_new)(double first);
	double (*board_target)(const struct stream_board *board, int64_t since_ns, double *last);
	struct sst_stream followed;       /* … as it was asked */
	struct stream_board *board;       /* … and what has come; NULL: nothing is followed. The run frees it */
	double heard;                     /* what was got from it last */
	bool is_record[HOST_RECORDS_MAX]; /* by descriptor: a file that the kernel makes as one record */
	char refusal[HOST_REFUSAL_MAX];   /* what refuse() was told; "" for nothing */
};

/* Fills it; root must outlive it. */
void host_env_init(struct host_env *host, const char *root, unsigned workloads, uint64_t entropy);

/* What any host does, also one that shows modules another machine: its env is that of a struct host_env. */
int host_refuse(const struct sst_env *env, const char *format, ...) __attribute__((format(printf, 2, 3)));
void host_say(const struct sst_env *env, const char *format, ...) __attribute__((format(printf, 2, 3)));
int64_t host_cpu_time(const struct sst_env *env);
const struct sst_cpus *host_cpus_now(const struct sst_env *env, uint64_t *moves);
int host_follow(const struct sst_env *env, const struct sst_stream *stream);
double host_followed(const struct sst_env *env, int64_t since_ns);
int host_count_iterations(const struct sst_env *env);
int64_t host_iterations(const struct sst_env *env);

#endif
