/* SPDX-License-Identifier: MIT */
/*
 * The load of a control group: the processor time of its tasks, as the kernel counts it for the group, relative to what the group may
 * use. The rest of the machine doesn't count.
 */
#include "groups/cgroup.h"

#include "base/units.h"
#include "filter.h"
#include "showstopper/module.h"

struct cgroup {
	struct filter filter;
	const char *path;
	struct linux_cgroup group;
	bool open;
};

static const struct sst_option options[] = {
	SST_OPTION("path", TEXT, struct cgroup, path, "the group: a path inside the hierarchy, a directory, or self, the own one",
		.initial = "self"),
	{FILTER_BASE},
	{FILTER_SHARE},
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

static int64_t interval(const void *state, double processors)
{
	const struct cgroup *cgroup = state;
	return filter_interval(&cgroup->filter, processors, NS_PER_MS);
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
	.sample = filter_sample_ns,
	.estimate = filter_estimate,
	.interval = interval,
};
