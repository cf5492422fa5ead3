/* SPDX-License-Identifier: MIT */
#include "cpuload/cores.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "self/host.h"
#include "self/host_text.h"

/* Readings take at most this share of a processor. */
#define COST_SHARE 100

struct cores {
	struct host_env host;
	struct linux_core_load load;
	int stat; /* handle of /proc/stat */
	char *text;
	size_t size;
	struct sst_reading now, taken;
	bool has_taken;
};

struct cores *cores_open(const char *root, const struct sst_cpus *cpus, char error[static LINUX_CORE_LOAD_ERROR_MAX])
{
	struct cores *cores = calloc(1, sizeof *cores);
	size_t length = 0;
	if (!cores) {
		snprintf(error, LINUX_CORE_LOAD_ERROR_MAX, "%s", strerror(errno));
		return NULL;
	}
	host_env_init(&cores->host, root, 1, 0);
	const struct sst_env *env = &cores->host.env;
	char *first = host_text(env, "/proc/stat", &length);
	cores->stat = env->host->open(env, "/proc/stat");
	/* The numbers become longer, and processors may come. */
	cores->size = 2 * length + 4096;
	cores->text = malloc(cores->size);
	int result = -1;
	if (!first || cores->stat < 0 || !cores->text)
		snprintf(error, LINUX_CORE_LOAD_ERROR_MAX, "can't read /proc/stat: %s", strerror(errno));
	else
		result = linux_core_load_open(&cores->load, env, first, length, cpus, error);
	free(first);
	if (result == 0)
		return cores;
	cores_close(cores);
	return NULL;
}

void cores_close(struct cores *cores)
{
	if (!cores)
		return;
	if (cores->stat >= 0)
		cores->host.env.host->close(&cores->host.env, cores->stat);
	linux_core_load_close(&cores->load);
	free(cores->text);
	free(cores);
}

int cores_look(struct cores *cores, int64_t *next_ns)
{
	const struct sst_env *env = &cores->host.env;
	const int64_t before_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	int64_t when_ns;
	const ssize_t length = env->host->read(env, cores->stat, cores->text, cores->size, &when_ns);
	if (length < 0 || linux_core_load_read(&cores->load, cores->text, (size_t)length, when_ns, &cores->now) != 0)
		return -1;
	if (!cores->has_taken)
		cores->taken = cores->now;
	cores->has_taken = true;
	const int64_t least_ns = COST_SHARE * (clock_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns);
	*next_ns = when_ns + (least_ns > LINUX_CORE_LOAD_STEP_NS ? least_ns : LINUX_CORE_LOAD_STEP_NS);
	return 0;
}

bool cores_take(struct cores *cores, struct sst_sample *sample)
{
	const bool found = linux_core_load_sample(&cores->taken, &cores->now, sample);
	if (found)
		cores->taken = cores->now;
	return found;
}
