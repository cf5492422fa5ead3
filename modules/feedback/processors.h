/* SPDX-License-Identifier: MIT */
/* The processors that a load is relative to, for feedback modules whose source doesn't say: all of the machine, or those that workloads may use. */
#ifndef FEEDBACK_PROCESSORS_H
#define FEEDBACK_PROCESSORS_H

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "load/stat.h"
#include "offline.h"
#include "showstopper/module.h"

/* Enough for the processors' lines of the largest machines. */
#define PROCESSORS_TEXT_SIZE ((size_t)512 * 1024)

/* Shared by all executors: how many make a load of 100 %, how many there are, and when that was looked up. */
struct processors_found {
	_Atomic double count, usable;
	_Atomic int64_t looked_ns;
	_Atomic uint64_t moves; /* of the workloads to other processors, at that time */
};

struct processors {
	int64_t given; /* that a load of 100 % is; 0: all that are usable */
	int stat;      /* handle of /proc/stat, which has the processors */
	int clock;     /* of a file that is read for the time alone, or -1 */
	struct linux_online online;
	char *text;
	bool open;
};

static inline int processors_look(
	struct processors *processors, struct processors_found *found, const struct sst_env *env, const struct sst_cpus *cpus)
{
	struct linux_stat stat;
	int64_t ignored;
	const ssize_t length = env->host->read(env, processors->stat, processors->text, PROCESSORS_TEXT_SIZE, &ignored);
	if (length < 0)
		return -1;
	if (linux_stat_parse(processors->text, (size_t)length, cpus, &stat) != 0) {
		if (cpus && linux_stat_parse(processors->text, (size_t)length, NULL, &stat) == 0)
			offline_refuse(env, cpus);
		errno = EINVAL;
		return -1;
	}
	atomic_store(&found->usable, (double)stat.processors);
	atomic_store(&found->count, processors->given ? (double)processors->given : (double)stat.processors);
	return 0;
}

/* In `prepare`, with `given` set. 0, or -1 after refuse(). */
static inline int processors_open(struct processors *processors, struct processors_found *found, const struct sst_env *env)
{
	processors->stat = env->host->open(env, "/proc/stat");
	if (processors->stat < 0)
		return env->host->refuse(env, "can't open /proc/stat: %s", strerror(errno));
	/* The shortest there is: the host has no other clock, and /proc/stat is made anew for the first of its bytes. */
	processors->clock = env->host->open(env, "/proc/loadavg");
	linux_online_open(&processors->online, env);
	processors->open = true;
	processors->text = malloc(PROCESSORS_TEXT_SIZE);
	if (!processors->text)
		return env->host->refuse(env, "%s", strerror(errno));
	if (processors_look(processors, found, env, env->cpus) != 0)
		return env->host->refuse(
			env, "can't read /proc/stat: %s", errno == EINVAL ? "it has no line of a processor" : strerror(errno));
	return 0;
}

/* What time it is. 0, or -1 with errno. */
static inline int processors_clock(const struct processors *processors, const struct sst_env *env, int64_t *when_ns)
{
	char first[64];
	const int handle = processors->clock >= 0 ? processors->clock : processors->stat;
	return env->host->read(env, handle, first, sizeof first, when_ns) < 0 ? -1 : 0;
}

/* How many there are at that time: looked up again where that may have changed. 0, or -1 with errno. */
static inline int processors_count(
	struct processors *processors, struct processors_found *found, const struct sst_env *env, int64_t when_ns, double *count)
{
	const struct sst_cpus *cpus = env->cpus;
	uint64_t moves = 0;
	if (env->moving)
		cpus = env->host->cpus(env, &moves);
	/* A second is for kernels that don't list the processors that are online. */
	if (atomic_exchange(&found->moves, moves) != moves || linux_online_changed(&processors->online, env))
		atomic_store(&found->looked_ns, 0);
	int64_t looked_ns = atomic_load(&found->looked_ns);
	if (when_ns - looked_ns >= NS_PER_S && atomic_compare_exchange_strong(&found->looked_ns, &looked_ns, when_ns) &&
		processors_look(processors, found, env, cpus) != 0) {
		atomic_store(&found->looked_ns, 0); /* what is known holds no more */
		return -1;
	}
	*count = atomic_load(&found->count);
	return 0;
}

/* CPU time of the workloads, ns; 0 before there are any. -1 with errno. */
static inline int64_t processors_used(const struct sst_env *env)
{
	const int64_t used_ns = env->host->tree_cpu_time(env);
	return used_ns < 0 && errno == EAGAIN ? 0 : used_ns;
}

static inline void processors_close(struct processors *processors, const struct sst_env *env)
{
	if (processors->open && processors->clock >= 0)
		env->host->close(env, processors->clock);
	if (processors->open)
		env->host->close(env, processors->stat);
	if (processors->open)
		linux_online_close(&processors->online, env);
	processors->open = false;
	free(processors->text);
	processors->text = NULL;
}

#endif
