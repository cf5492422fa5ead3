/* SPDX-License-Identifier: MIT */
/*
 * A chip is a package, or each part of it that is a NUMA node of its own. Nodes that share processors with another (fast memory
 * beside slow one) or have none make no chips. Without cores, as some virtual machines are, every processor is one.
 */
#include "placement/placement.h"

#include <errno.h>
#include <hwloc.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/cpus.h"

static unsigned package_of(hwloc_topology_t handle, hwloc_obj_t processor)
{
	const hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(handle, HWLOC_OBJ_PACKAGE, processor);
	return package ? package->logical_index : 0;
}

static unsigned node_of(hwloc_topology_t handle, hwloc_obj_t processor)
{
	for (hwloc_obj_t node = NULL; (node = hwloc_get_next_obj_by_type(handle, HWLOC_OBJ_NUMANODE, node));)
		if (hwloc_bitmap_isset(node->cpuset, processor->os_index))
			return node->logical_index;
	return 0;
}

static unsigned core_of(hwloc_topology_t handle, hwloc_obj_t processor)
{
	const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(handle, HWLOC_OBJ_CORE, processor);
	return core ? core->logical_index : processor->logical_index;
}

/* hwloc ranks kinds of cores, where the system tells them apart. */
static unsigned kind_of(hwloc_topology_t handle, hwloc_obj_t processor)
{
	const int kind = hwloc_cpukinds_get_by_cpuset(handle, processor->cpuset, 0);
	return kind < 0 ? 0 : (unsigned)kind;
}

static int list_places(hwloc_topology_t handle, const struct sst_cpus *allowed, struct topology *topology)
{
	const int most = hwloc_get_nbobjs_by_type(handle, HWLOC_OBJ_PU);
	const unsigned nodes = (unsigned)hwloc_get_nbobjs_by_type(handle, HWLOC_OBJ_NUMANODE) + 1;
	topology->place = calloc((size_t)(most > 0 ? most : 0) + 1, sizeof *topology->place);
	if (!topology->place)
		return -1;
	for (hwloc_obj_t processor = NULL; (processor = hwloc_get_next_obj_by_type(handle, HWLOC_OBJ_PU, processor));) {
		if (processor->os_index >= CPUS_LIMIT || (!topology->elsewhere && !cpus_contain(allowed, processor->os_index)))
			continue;
		topology->place[topology->count++] = (struct place){
			.cpu = processor->os_index,
			.chip = package_of(handle, processor) * nodes + node_of(handle, processor),
			.core = core_of(handle, processor),
			.kind = kind_of(handle, processor),
		};
	}
	if (topology->count)
		return 0;
	errno = ENODEV;
	return -1;
}

static int read_places(const struct sst_cpus *allowed, struct topology *topology)
{
	hwloc_topology_t handle;
	int result = -1;
	if (hwloc_topology_init(&handle) != 0)
		return -1;
	if (hwloc_topology_load(handle) == 0) {
		topology->elsewhere = !hwloc_topology_is_thissystem(handle);
		result = list_places(handle, allowed, topology);
	}
	const int saved = errno;
	hwloc_topology_destroy(handle);
	errno = saved;
	return result;
}

/*
 * The environment while hwloc works, to be freed, or NULL with errno: what it misses in /sys is said by who asks, and not by hwloc. Its
 * variables name files, and a folder of plugins, which it loads as soon as it is initialised: those of the user don't count where we have
 * privileges that the user has not.
 */
static char **make_environment(void)
{
	static char quiet[] = "HWLOC_HIDE_ERRORS=2";
	size_t count = 0;
	while (!getauxval(AT_SECURE) && environ[count])
		count++;
	char **const made = malloc((count + 2) * sizeof *made);
	if (!made)
		return NULL;
	/* The first of two counts: the user's. */
	for (size_t i = 0; i < count; i++)
		made[i] = environ[i];
	made[count] = quiet;
	made[count + 1] = NULL;
	return made;
}

int topology_read(const struct sst_cpus *allowed, struct topology *topology)
{
	char **const given = environ;
	char **const made = make_environment();
	*topology = (struct topology){0};
	if (!made)
		return -1;
	environ = made;
	const int result = read_places(allowed, topology);
	const int saved = errno;
	environ = given;
	free(made);
	if (result != 0)
		topology_free(topology);
	errno = saved;
	return result;
}

void topology_free(struct topology *topology)
{
	free(topology->place);
	*topology = (struct topology){0};
}
