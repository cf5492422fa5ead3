/* SPDX-License-Identifier: MIT */
#include "cli/groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"
#include "cli/option_values.h"
#include "cli/refuse.h"
#include "placement/pinning.h"
#include "placement/placement.h"

#define WORKLOADS_MOST 100000
#define TOO_MANY "%u workloads are too many: expected at most %d"

static int append(struct config *config, const struct group *group, char **error)
{
	/* Looked at with each group: the sum of many would overflow. */
	if (config->workloads + group->instances > WORKLOADS_MOST)
		return refuse(error, TOO_MANY, config->workloads + group->instances, WORKLOADS_MOST);
	struct group *grown = realloc(config->group, (config->groups + 1) * sizeof *grown);
	if (!grown)
		return refuse(error, "%s", strerror(errno));
	config->group = grown;
	grown[config->groups++] = *group;
	config->workloads += group->instances;
	return 0;
}

/* What a group says of its processors, taken together. */
static int place(struct group *group, char **error)
{
	char reason[PLACEMENT_ERROR_MAX];
	if (group->cpus && group->pin != PIN_NONE)
		return refuse(error, "--cpus and --pin: expected one of them for a group");
	if (group->parts && group->pin == PIN_NONE)
		return refuse(error, "--part: expected --pin with it, such as --pin per-core --part 0/2");
	if (group->pin == PIN_DYNAMIC && group->parts)
		return refuse(error, "--part: expected none with --pin=dynamic, whose parts are the groups in their order");
	if (group->pin == PIN_DYNAMIC)
		return 0; /* when all groups are known */
	if (group->pin != PIN_NONE && group->pin != PIN_NEUTRAL && !group->parts)
		return refuse(error, "--pin=%s: expected --part with it, such as --part 0/2", pinning_name(group->pin));
	if (placement_resolve(group, reason) != 0)
		return refuse(error, "%s", reason);
	return 0;
}

/* What stands before the first command is for all groups without files of their own. */
static void choose_outputs(struct config *config, struct group *group)
{
	if (!config->groups) {
		config->stdout_file = group->stdout_file;
		config->stderr_file = group->stderr_file;
	}
	if (!group->stdout_file)
		group->stdout_file = config->stdout_file;
	if (!group->stderr_file)
		group->stderr_file = config->stderr_file;
}

int groups_add(struct config *config, struct group *group, char **error)
{
	if (config->limit > 0 && !group->instances)
		group->instances = 1;
	choose_outputs(config, group);
	if (place(group, error) != 0 || append(config, group, error) != 0)
		return -1;
	group->cpus = NULL;
	return 0;
}

/* The groups with dynamic pinning are the parts of both schemes. */
static int place_dynamic(struct config *config, char **error)
{
	char reason[PLACEMENT_ERROR_MAX];
	unsigned part = 0;
	for (unsigned i = 0; i < config->groups; i++)
		config->dynamics += config->group[i].pin == PIN_DYNAMIC;
	if (!config->dynamics)
		return 0;
	if (config->dynamics < 2)
		return refuse(error, "--pin=dynamic: expected two groups with it, or more, such as --pin dynamic COMMAND : --pin "
				     "dynamic COMMAND");
	if (!config->dynamic.below && dynamic_pinning_parse(NULL, &config->dynamic, reason) != 0)
		return refuse(error, "--pin=dynamic: %s", reason);
	for (unsigned i = 0; i < config->groups; i++) {
		struct group *group = &config->group[i];
		if (group->pin != PIN_DYNAMIC)
			continue;
		group->part = part++;
		group->parts = config->dynamics;
		config->workloads -= group->instances;
		if (placement_resolve_dynamic(group, &config->dynamic, reason) != 0)
			return refuse(error, "%s", reason);
		config->workloads += group->instances;
	}
	return 0;
}

/* What the controlled groups may use, at low or high load: NULL for all, when one of them may use all. */
static int collect_cpus(const struct config *config, bool moved, struct sst_cpus **cpus, char **error)
{
	size_t count = 0;
	size_t at = 0;
	if (config->attaches)
		return 0;
	for (unsigned i = 0; i < config->groups; i++) {
		const struct group *group = &config->group[i];
		const struct sst_cpus *own = moved && group->pin == PIN_DYNAMIC ? group->moved : group->cpus;
		if (!group->free && !own)
			return 0;
		count += group->free ? 0 : own->count;
	}
	if (!count)
		return 0;
	unsigned *all = calloc(count, sizeof *all);
	for (unsigned i = 0; all && i < config->groups; i++) {
		const struct group *group = &config->group[i];
		const struct sst_cpus *own = moved && group->pin == PIN_DYNAMIC ? group->moved : group->cpus;
		if (group->free)
			continue;
		memcpy(all + at, own->cpu, own->count * sizeof *all);
		at += own->count;
	}
	*cpus = all ? cpus_make(all, count) : NULL;
	free(all);
	if (!*cpus)
		return refuse(error, "%s", strerror(ENOMEM));
	if (placement_is_whole_machine(*cpus)) {
		free(*cpus);
		*cpus = NULL;
	}
	return 0;
}

/* How many workloads there are, and how many of them are controlled. */
static int count_workloads(struct config *config, char **error)
{
	config->workloads += config->attaches;
	if (config->workloads > WORKLOADS_MOST)
		return refuse(error, TOO_MANY, config->workloads, WORKLOADS_MOST);
	if (config->workloads && config->start_interval_ns > OPTION_TIME_MOST / config->workloads)
		return refuse(error, "--start-interval: starting %u workloads takes too long: expected at most 3650d in all",
			config->workloads);
	config->controlled = config->attaches;
	for (unsigned i = 0; i < config->groups; i++)
		config->controlled += config->group[i].free ? 0 : config->group[i].instances;
	if (config->groups && !config->controlled)
		return refuse(error,
			"--free: nothing would be controlled: expected a group without it, such as --free COMMAND : COMMAND");
	return 0;
}

int groups_complete(struct config *config, char **error)
{
	if (place_dynamic(config, error) != 0 || count_workloads(config, error) != 0)
		return -1;
	if (collect_cpus(config, false, &config->cpus, error) != 0)
		return -1;
	return config->dynamics ? collect_cpus(config, true, &config->moved, error) : 0;
}
