/* SPDX-License-Identifier: MIT */
#include "placement/placement.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/diag.h"
#include "groups/cgroup.h"
#include "load/processors.h"
#include "processes/affinity.h"
#include "processes/descendants.h"
#include "self/host.h"

static int check(const struct sst_cpus *cpus, const struct sst_cpus *allowed, const char *option)
{
	char text[128];
	for (size_t i = 0; cpus && i < cpus->count; i++)
		if (!cpus_contain(allowed, cpus->cpu[i]))
			return diag_refuse(
				"--%s: processor %u can't be used: it is offline, not there or not allowed; expected some of %s",
				option, cpus->cpu[i], cpus_print_short(allowed, text, sizeof text));
	return 0;
}

/* `hint` ends the message. */
static int read_topology(const struct sst_cpus *allowed, struct topology *topology, const char *hint)
{
	if (topology_read(allowed, topology) == 0)
		return 0;
	return diag_refuse("can't find out where the processors are: %s%s", strerror(errno), hint);
}

static int apply_scheme(
	const struct group *group, enum pinning scheme, const struct sst_cpus *allowed, struct sst_cpus **cpus, const char *hint)
{
	struct topology topology;
	char reason[PINNING_REASON_MAX];
	if (read_topology(allowed, &topology, hint) != 0)
		return -1;
	const int result = pinning_cpus(topology.place, topology.count, scheme, group->part, group->parts, cpus, reason);
	topology_free(&topology);
	return result == 0 ? 0 : diag_refuse("--pin=%s: %s%s", pinning_name(scheme), reason, hint);
}

/* A group without a set of its own has its share of instances all the same. */
static unsigned default_instances(const struct group *group)
{
	const unsigned usable = linux_processors_usable();
	unsigned share = usable;
	if (group->cpus && group->cpus->count < usable)
		share = (unsigned)group->cpus->count;
	else if (!group->cpus && group->parts)
		share = usable * (group->part + 1) / group->parts - usable * group->part / group->parts;
	return share ? share : 1;
}

static void set_default_instances(struct group *group)
{
	group->by_default = !group->instances;
	if (group->by_default)
		group->instances = default_instances(group);
}

/* Processors that no instance is bound to are none of the group's. */
static int keep_bound(struct group *group, const struct sst_cpus *allowed)
{
	const struct sst_cpus *const all = group->cpus ? group->cpus : allowed;
	struct sst_cpus *const bound = cpus_make(all->cpu, group->instances < all->count ? group->instances : all->count);
	if (!bound)
		return diag_refuse("%s", strerror(errno));
	free(group->cpus);
	group->cpus = bound;
	return 0;
}

int placement_resolve(struct group *group)
{
	struct sst_cpus *allowed = NULL;
	int result = 0;
	if (group->cpus || group->pin != PIN_NONE || group->bind) {
		allowed = linux_affinity_get();
		if (!allowed)
			return diag_refuse("can't find out which processors may be used: %s", strerror(errno));
		if (group->pin != PIN_NONE)
			result = apply_scheme(group, group->pin, allowed, &group->cpus, "");
		if (result == 0)
			result = check(group->cpus, allowed, group->pin == PIN_NONE ? "cpus" : "pin");
	}
	set_default_instances(group);
	if (result == 0 && group->bind)
		result = keep_bound(group, allowed);
	free(allowed);
	return result;
}

int placement_resolve_dynamic(struct group *group, const struct dynamic_pinning *dynamic)
{
	/* The user may not have chosen the schemes. */
	static const char hint[] = "; --pin dynamic:below=SCHEME,above=SCHEME takes others (--list-pins shows them)";
	struct sst_cpus *allowed = linux_affinity_get();
	if (!allowed)
		return diag_refuse("can't find out which processors may be used: %s", strerror(errno));
	int result = apply_scheme(group, dynamic->below, allowed, &group->cpus, hint);
	if (result == 0)
		result = apply_scheme(group, dynamic->above, allowed, &group->moved, hint);
	if (result == 0)
		result = check(group->cpus, allowed, "pin");
	if (result == 0)
		result = check(group->moved, allowed, "pin");
	free(allowed);
	set_default_instances(group);
	return result;
}

static void print_part(const struct topology *topology, enum pinning scheme, unsigned part, unsigned parts, FILE *to)
{
	struct sst_cpus *cpus;
	char reason[PINNING_REASON_MAX];
	char share[32];
	snprintf(share, sizeof share, "%u/%u", part, parts);
	if (pinning_cpus(topology->place, topology->count, scheme, part, parts, &cpus, reason) != 0) {
		/* The same for all parts. */
		if (part == 0)
			fprintf(to, "%-12s -     %s\n", pinning_name(scheme), reason);
		return;
	}
	fprintf(to, "%-12s %-5s ", pinning_name(scheme), share);
	placement_print(cpus, to);
	fputc('\n', to);
	free(cpus);
}

int placement_list(unsigned parts, FILE *to)
{
	struct topology topology;
	struct sst_cpus *allowed = linux_affinity_get();
	if (!allowed)
		return diag_refuse("can't find out which processors may be used: %s", strerror(errno));
	const int result = read_topology(allowed, &topology, "");
	free(allowed);
	if (result != 0)
		return -1;
	for (int scheme = PIN_NEUTRAL; scheme < PIN_SCHEMES; scheme++)
		for (unsigned part = 0; part < parts; part++)
			print_part(&topology, (enum pinning)scheme, part, parts, to);
	topology_free(&topology);
	return 0;
}

bool placement_is_whole_machine(const struct sst_cpus *cpus)
{
	return (long)cpus->count >= sysconf(_SC_NPROCESSORS_ONLN);
}

void placement_print(const struct sst_cpus *cpus, FILE *to)
{
	if (cpus)
		cpus_print(cpus, to);
	else
		fputs("all", to);
}

/* Processors of the quota, or infinitely many. */
static double quota(void)
{
	struct host_env host;
	struct linux_cgroup_container container;
	host_env_init(&host, "", 1, 0);
	const bool is_found = linux_cgroup_find_container(&host.env, &container);
	free(container.cpus);
	return is_found && container.quota > 0 ? container.quota : INFINITY;
}

double capacity_of_controlled(const struct config *config)
{
	if (config->attaches || config->dynamics)
		return NAN;
	struct sst_cpus *const allowed = config->cpus ? NULL : linux_affinity_get();
	const struct sst_cpus *const cpus = config->cpus ? config->cpus : allowed;
	const double processors = cpus ? (double)cpus->count : NAN;
	free(allowed);
	return isnan(processors) ? NAN : fmin(processors, quota());
}

/* ---- Binding processes ------------------------------------------------------------------------------------------------ */

/* What a thread starts while it still has the old processors is found by the next look, and what a look misses by the one after it. */
#define LOOKS 10
#define CLEAN_LOOKS 2

struct binding {
	const struct sst_cpus *cpus;
	size_t bound; /* threads that had to be */
};

static int bind_thread(pid_t thread, void *context)
{
	struct binding *const binding = context;
	if (!linux_affinity_is(thread, binding->cpus))
		binding->bound += linux_affinity_set(thread, binding->cpus) == 0;
	return 0;
}

bool placement_bind(pid_t root, const struct sst_cpus *cpus)
{
	struct descendants list = {0};
	int clean = 0;
	for (int look = 0; look < LOOKS && clean < CLEAN_LOOKS && descendants_list(root, &list) == 0; look++) {
		struct binding binding = {.cpus = cpus};
		for (size_t i = 0; i < list.count; i++)
			linux_process_each_thread(list.item[i].process.pid, bind_thread, &binding);
		clean = binding.bound ? 0 : clean + 1;
	}
	descendants_free(&list);
	return clean == CLEAN_LOOKS;
}
