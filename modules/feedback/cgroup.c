/* SPDX-License-Identifier: MIT */
/*
 * The load of a control group: the processor time of its tasks, as the kernel counts it for the group, relative to what the group may
 * use. The rest of the machine doesn't count.
 */
#include "os/cgroup.h"

#include "base/units.h"
#include "showstopper/module.h"

struct cgroup {
	const char *path;
	int64_t base_ns;
	int64_t share_ns;
	struct linux_cgroup group;
	bool open;
};

static const struct sst_option options[] = {
	{.name = "path",
		.type = SST_TEXT,
		.offset = offsetof(struct cgroup, path),
		.initial = "self",
		.help = "the group: a path inside the hierarchy, a directory, or self, the own one"},
	{.name = "base",
		.type = SST_TIME,
		.offset = offsetof(struct cgroup, base_ns),
		.initial = "333m",
		.least = "1m",
		.most = "1h",
		.help = "base period of the filter, in processor-time (delta)"},
	{.name = "share",
		.type = SST_TIME,
		.offset = offsetof(struct cgroup, share_ns),
		.initial = "40m",
		.least = "1m",
		.most = "1h",
		.help = "executors use one another's samples up to this age, in processor-time"},
	{0},
};

static int prepare(void *state, const struct sst_env *env)
{
	struct cgroup *cgroup = state;
	char error[LINUX_CGROUP_ERROR_MAX];
	if (linux_cgroup_open(&cgroup->group, env, cgroup->path, env->shared, error) != 0)
		return env->host->refuse(env, "%s", error);
	cgroup->open = true;
	return 0;
}

static int read_source(void *state, const struct sst_env *env, struct sst_reading *now)
{
	const struct cgroup *cgroup = state;
	return linux_cgroup_read(&cgroup->group, env, env->shared, now);
}

static bool sample(const void *state, const struct sst_reading *before, const struct sst_reading *now, struct sst_sample *sample)
{
	(void)state;
	return sst_sample_ns(before, now, sample);
}

static double estimate(const void *state, double load, const struct sst_sample *sample)
{
	const struct cgroup *cgroup = state;
	return sst_filter(load, sample, (double)cgroup->base_ns / (double)NS_PER_S);
}

static int64_t interval(const void *state, double processors)
{
	const struct cgroup *cgroup = state;
	const int64_t share = (int64_t)((double)cgroup->share_ns / processors);
	return share > NS_PER_MS ? share : NS_PER_MS;
}

static void fini(void *state, const struct sst_env *env)
{
	struct cgroup *cgroup = state;
	if (cgroup->open)
		linux_cgroup_close(&cgroup->group, env);
	cgroup->open = false;
}

SST_EXPORT const struct sst_feedback sst_module = {
	SST_BASE(feedback, SST_FEEDBACK, .name = "cgroup", .version = SHOWSTOPPER_VERSION,
		.summary = "load of a control group, relative to what it may use", .state_size = sizeof(struct cgroup),
		.shared_size = sizeof(struct linux_cgroup_capacity), .options = options, .prepare = prepare, .fini = fini),
	.read = read_source,
	.sample = sample,
	.estimate = estimate,
	.interval = interval,
};
