/* SPDX-License-Identifier: MIT */
#include "sim/sysfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEFORE "/sys/devices/system/cpu/cpu"
#define BEHIND "/topology/thread_siblings_list"

int sim_sysfs_find(const struct sim_machine *machine, const char *path)
{
	if (strncmp(path, BEFORE, sizeof BEFORE - 1) != 0)
		return -1;
	const char *number = path + sizeof BEFORE - 1;
	char *end;
	const unsigned long processor = strtoul(number, &end, 10);
	return end > number && strcmp(end, BEHIND) == 0 && processor < machine->config.processors ? (int)processor : -1;
}

int sim_sysfs_print(const struct sim_machine *machine, unsigned processor, char *text, size_t size)
{
	const struct sim_topology *topology = &machine->topology;
	int length = 0;
	for (unsigned i = sim_topology_core(topology, processor); i < machine->config.processors; i += topology->cores)
		length += snprintf(text + length, size - (size_t)length, "%s%u", length ? "," : "", i);
	return length + snprintf(text + length, size - (size_t)length, "\n");
}
