/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/machine.h"
#include "meters/counter_set.h"
#include "processes/affinity.h"
#include "self/source.h"

/* What is tried, of all that has such names. */
#define OF_SOFTWARE "page-faults,context-switches,cpu-migrations,task-clock"
#define OF_PROCESSORS                                                                                                            \
	"cycles,instructions,cache-references,cache-misses,branch-misses,stalled-cycles-frontend,stalled-cycles-backend,"        \
	"L1-dcache-load-misses,LLC-load-misses,dTLB-load-misses"

#define IDLE_STATES_MAX 16
#define IDLE_NAME_MAX 17

/* What became of it; `error` is that of the first one that can't be had. */
struct trial {
	char names[400];
	int error;
	struct linux_counter_event first; /* … and which that is */
};

static void try_events(const struct linux_counter_events *events, const struct linux_counter_scope *scope, struct trial *trial)
{
	*trial = (struct trial){0};
	for (size_t i = 0; i < events->count; i++) {
		const int fd = linux_counter_open(&events->event[i], scope);
		const size_t used = strlen(trial->names);
		if (fd >= 0) {
			close(fd);
			snprintf(
				trial->names + used, sizeof trial->names - used, "%s%s", used ? ", " : "", events->event[i].name);
		} else if (!trial->error) {
			trial->error = errno;
			trial->first = events->event[i];
		}
	}
}

static bool is_of_rights(const struct trial *trial)
{
	return trial->error == EACCES || trial->error == EPERM;
}

static void add_remedy(
	struct finding *finding, const struct trial *trial, bool is_of_started, const char *root, const struct sst_env *env)
{
	char name[LINUX_HYPERVISOR_NAME_MAX];
	const int most = linux_counter_paranoid_most(&trial->first, is_of_started);
	char command[96];
	snprintf(command, sizeof command, "echo %d | sudo tee /proc/sys/kernel/perf_event_paranoid", most);
	if (is_of_rights(trial) && linux_counter_paranoid(root) > most)
		finding_remedy(finding, command, "to permit it to all users");
	else if (is_of_rights(trial))
		finding_remedy(finding, NULL, "to permit it: CAP_PERFMON, and a seccomp profile with perf_event_open");
	else if (trial->error == ENOENT && linux_hypervisor_find(env, name))
		finding_remedy(finding, NULL, "to have it: a host that passes its counters on (QEMU: -cpu host,pmu=on)");
}

static void add_events(struct findings *findings, const char *member, const char *names, const char *root,
	const struct sst_env *env, unsigned cpu)
{
	struct linux_counter_events events;
	struct trial of_started, of_processor;
	char reason[LINUX_COUNTER_ERROR_MAX];
	if (linux_counter_events_parse(names, &events, reason) != 0)
		return;
	try_events(&events, &(struct linux_counter_scope){.is_of_started = true}, &of_started);
	try_events(&events, &(struct linux_counter_scope){.cpu = cpu}, &of_processor);
	if (!*of_started.names) {
		linux_counter_explain(&of_started.first, true, root, of_started.error, reason);
		add_remedy(findings_add(findings, member, FINDING_UNAVAILABLE, "%s", reason), &of_started, true, root, env);
	} else if (!*of_processor.names) {
		linux_counter_explain(&of_processor.first, false, root, of_processor.error, reason);
		add_remedy(findings_add(findings, member, FINDING_AVAILABLE,
				   "--log-counters, such as %s; not of the whole machine: %.200s", of_started.names, reason),
			&of_processor, false, root, env);
	} else {
		findings_add(findings, member, FINDING_AVAILABLE, "--log-counters, cpuload --columns counters=, such as %s",
			of_started.names);
	}
}

/* What cpuload can record of this processor. */
static void add_idle_states(struct findings *findings, const char *root, unsigned cpu)
{
	char names[IDLE_STATES_MAX * (IDLE_NAME_MAX + 2)] = "", name[IDLE_NAME_MAX], path[96];
	size_t used = 0;
	for (size_t i = 0; i < IDLE_STATES_MAX; i++) {
		snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cpuidle/state%zu/name", cpu, i);
		if (!linux_source_line(root, path, name, sizeof name))
			break;
		used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", name);
	}
	if (used)
		findings_add(findings, "idle_states", FINDING_AVAILABLE, "cpuload --columns idle: %s", names);
	else
		findings_add(findings, "idle_states", FINDING_UNAVAILABLE, "there is no %s/sys/devices/system/cpu/cpu%u/cpuidle",
			root, cpu);
}

void machine_add_counters(struct findings *findings, const struct config *config, const struct sst_env *env)
{
	findings->section = FINDING_SOURCES;
	struct sst_cpus *const allowed = linux_affinity_get();
	const unsigned cpu = allowed ? allowed->cpu[0] : 0;
	free(allowed);
	add_events(findings, "software_events", OF_SOFTWARE, config->root, env, cpu);
	add_events(findings, "processor_events", OF_PROCESSORS, config->root, env, cpu);
	add_idle_states(findings, config->root, cpu);
}
