/* SPDX-License-Identifier: MIT */
/*
 * A feedback module to start from. It does something small and real: it takes the share of time in which some task waited for a
 * processor (`some … total=` of /proc/pressure/cpu) as the load, which is close to what operators mean by "full".
 *
 * Copy it to NAME.c, rename the struct, and change what the numbers below mark:
 *   1. the state: option values and whatever the hooks need; each process has its own copy;
 *   2. the options;
 *   3. read: get the counters, and the time at which they were got, through env->host and in no other way;
 *   4. sample: subtract two readings. Executors exchange readings through shared memory, so both may come from other processes:
 *      put nothing in them that only this process understands;
 *   5. estimate: the filter; sst_filter is that of the paper.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "showstopper/module.h"

/* 1 */
struct skeleton {
	int64_t base_ns;
	int handle;
	bool open;
};

/* 2: the first option may be given without its name, as in -F 200m */
static const struct sst_option options[] = {
	SST_OPTION("base", TIME, struct skeleton, base_ns, "base period of the filter, in wall-clock time", .initial = "333m",
		.least = "1m", .most = "1h"),
	{0},
};

/* Runs once, in the master, before any workload: the place to refuse what can't work. */
static int prepare(void *state, const struct sst_env *env)
{
	struct skeleton *skeleton = state;
	skeleton->handle = env->host->open(env, "/proc/pressure/cpu");
	if (skeleton->handle < 0)
		return env->host->refuse(env, "can't open /proc/pressure/cpu: %s", strerror(errno));
	skeleton->open = true;
	return 0;
}

/* 3 */
static int read_source(void *state, const struct sst_env *env, struct sst_reading *now)
{
	const struct skeleton *skeleton = state;
	char text[256];
	int64_t when_ns;
	const ssize_t length = env->host->read(env, skeleton->handle, text, sizeof text - 1, &when_ns);
	if (length < 0)
		return -1;
	text[length] = '\0';
	const char *total = strstr(text, "total=");
	if (!total) {
		errno = EINVAL;
		return -1;
	}
	*now = (struct sst_reading){.when_ns = when_ns, .processors = 1, .counter = {strtoull(total + 6, NULL, 10)}};
	return 0;
}

/* 4: microseconds of pressure over nanoseconds of time */
static bool sample(const void *state, const struct sst_reading *before, const struct sst_reading *now, struct sst_sample *sample)
{
	(void)state;
	if (now->when_ns <= before->when_ns || now->counter[0] < before->counter[0])
		return false;
	sample->capacity = (double)(now->when_ns - before->when_ns) / 1e9;
	sample->work = (double)(now->counter[0] - before->counter[0]) / 1e6;
	return true;
}

/* 5 */
static double estimate(const void *state, double load, const struct sst_sample *sample)
{
	const struct skeleton *skeleton = state;
	return sst_filter(load, sample, (double)skeleton->base_ns / 1e9);
}

/* Samples that follow one another more closely than this would be noise. */
static int64_t interval(const void *state, double processors)
{
	(void)state;
	(void)processors;
	return 50000000;
}

static void fini(void *state, const struct sst_env *env)
{
	struct skeleton *skeleton = state;
	if (skeleton->open)
		env->host->close(env, skeleton->handle);
	skeleton->open = false;
}

SST_EXPORT const struct sst_feedback sst_module = {
	SST_BASE(feedback, SST_FEEDBACK, .name = "skeleton", .version = "1",
		.summary = "share of time in which some task waited for a processor", .state_size = sizeof(struct skeleton),
		.options = options, .prepare = prepare, .fini = fini),
	.read = read_source,
	.sample = sample,
	.estimate = estimate,
	.interval = interval,
};
