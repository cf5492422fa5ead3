/* SPDX-License-Identifier: MIT */
/* Modules are asked themselves: each source is prepared as for a run, and what it refuses is told in its words. */
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli/machine.h"
#include "control/run.h"
#include "load/container.h"
#include "load/machine_load.h"
#include "meters/power.h"
#include "self/host_text.h"
#include "self/kernel.h"

/* Those of feedback module realtime, the best first. */
static const char *const realtime_sources[] = {"combined", "cpuacct", "groups", "schedstat", "idle", "ticks", "cgroup"};
static const struct {
	const char *name, *about;
} other_modules[] = {
	{"cgroup", "-f cgroup: a control group, its own or another one"},
	{"workloads", "-f workloads: the workloads alone"},
};

/* What became of preparing a feedback module. */
struct trial {
	bool works;
	const char *source; /* what its option `source` then was; "" without one */
	double processors;
	enum sst_scope scope;
	char reason[RUN_ERROR_MAX]; /* where it doesn't work */
};

static void try(const struct config *config, const char *module, const char *options, struct trial *trial)
{
	struct config asked = *config;
	struct sst_reading reading;
	asked.module[SST_FEEDBACK] = module;
	asked.module_options[SST_FEEDBACK] = options;
	struct run run = {.config = &asked, .master = -1, .ready = -1};
	*trial = (struct trial){.source = ""};
	trial->works = run_prepare_module(&run, SST_FEEDBACK, trial->reason) == 0;
	if (trial->works) {
		const struct module *const loaded = &run.module[SST_FEEDBACK];
		/* The names are the module's, which is unloaded below. */
		const char *const source = run_source(&run);
		for (size_t i = 0; source && i < sizeof realtime_sources / sizeof *realtime_sources; i++)
			if (strcmp(source, realtime_sources[i]) == 0)
				trial->source = realtime_sources[i];
		trial->scope = loaded->feedback->scope ? loaded->feedback->scope(loaded->state) : SST_SCOPE_UNKNOWN;
		if (loaded->feedback->read(loaded->state, &run.host[SST_FEEDBACK].env, &reading) == 0)
			trial->processors = reading.processors;
	} else if (*run.host[SST_FEEDBACK].refusal) {
		snprintf(trial->reason, sizeof trial->reason, "%s", run.host[SST_FEEDBACK].refusal);
	}
	run_release(&run);
}

/* cpuacct can be mounted beside version 2, where the kernel has it. */
static bool can_mount_cpuacct(const struct sst_env *env)
{
	size_t length = 0;
	char *const text = host_text(env, "/proc/cgroups", &length);
	/* name, hierarchy (0: none, or version 2), groups, enabled */
	const char *const at = text ? memmem(text, length, "\ncpuacct\t0\t", 11) : NULL;
	const char *const end = at ? memchr(at + 1, '\n', length - (size_t)(at + 1 - text)) : NULL;
	const bool found = end && end[-1] == '1';
	free(text);
	return found;
}

static void weigh_source(struct finding *finding, const struct sst_env *env)
{
	if (strcmp(finding->name, "ticks") == 0) {
		finding_weigh(finding, FINDING_LOWERS, "a tick is charged whole to whoever runs when it comes");
		finding_remedy(finding, NULL, "%s",
			linux_accounting_idle_clock(env) ? "leave out source=ticks" : "start the kernel without nohz=off");
	} else if (strcmp(finding->name, "idle") == 0) {
		finding_weigh(finding, FINDING_LOWERS,
			"comes in units of 10 ms: samples are uncertain by some of them, their mean isn't");
		if (can_mount_cpuacct(env))
			finding_remedy(finding,
				"sudo mkdir /sys/fs/cgroup/cpuacct && sudo mount -t cgroup -o cpuacct none "
				"/sys/fs/cgroup/cpuacct",
				"to have ns");
	} else if (strcmp(finding->name, "schedstat") == 0) {
		finding_weigh(finding, FINDING_LOWERS,
			"between switches it is as uncertain as idle, by units of 10 ms: samples are, their mean isn't");
		finding_remedy(finding, NULL,
			"start showstopper in a control group of version 2, as by systemd-run --scope, to have ns");
	}
}

/* Whether cpuacct can be read but was passed over, since it is that of a container. */
static bool is_passed_over(const char *name, const struct trial *chosen)
{
	return chosen->scope != SST_SCOPE_UNKNOWN && strcmp(chosen->source, "idle") == 0 &&
	       (strcmp(name, "cpuacct") == 0 || strcmp(name, "combined") == 0);
}

/* What the source of this name is; NULL where it is none. */
static const char *source_about(const char *name)
{
	static const struct {
		const char *name, *about;
	} sources[] = {
		{"combined", "ns of all tasks (cpuacct), corrected by the idle time"},
		{"cpuacct", "ns of all tasks, without interrupts"},
		{"groups", "ns of the tasks in control groups of version 2, corrected by those of all"},
		{"schedstat", "ns of the tasks on each processor, exact at each switch"},
		{"idle", "the idle columns of /proc/stat, in units of 10 ms"},
		{"ticks", "all columns of /proc/stat: a tick is charged whole"},
		{"cgroup", "the control group that has a quota"},
	};
	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
		if (strcmp(name, sources[i].name) == 0)
			return sources[i].about;
	return NULL;
}

static void add_sources(
	struct findings *findings, const struct config *config, const struct sst_env *env, const struct trial *chosen)
{
	const bool by_default = !config->module_options[SST_FEEDBACK];
	for (size_t i = 0; i < sizeof realtime_sources / sizeof *realtime_sources; i++) {
		const char *const name = realtime_sources[i], *const about = source_about(name);
		char options[48];
		struct trial trial;
		snprintf(options, sizeof options, "source=%s", name);
		try(config, "realtime", options, &trial);
		if (strcmp(name, chosen->source) == 0)
			weigh_source(findings_add(findings, name, FINDING_CHOSEN, "%s", about), env);
		else if (!trial.works)
			findings_add(findings, name, FINDING_UNAVAILABLE, "%.600s", trial.reason);
		else if (by_default && is_passed_over(name, chosen))
			findings_add(findings, name, FINDING_UNAVAILABLE, "cpuacct.usage here is not that of the machine");
		else
			findings_add(findings, name, FINDING_AVAILABLE, "%s", about);
	}
}

static void add_modules(struct findings *findings, const struct config *config, const struct trial *chosen)
{
	static const char *const names[] = {"module_cgroup", "module_workloads"};
	const char *const given = config->module[SST_FEEDBACK];
	bool is_named = strcmp(given, "realtime") == 0;
	for (size_t i = 0; i < sizeof other_modules / sizeof *other_modules; i++) {
		const bool is_given = strcmp(given, other_modules[i].name) == 0;
		struct trial trial;
		is_named = is_named || is_given;
		try(config, other_modules[i].name, is_given ? config->module_options[SST_FEEDBACK] : NULL, &trial);
		findings_add(findings, names[i],
			!trial.works ? FINDING_UNAVAILABLE
			: is_given   ? FINDING_CHOSEN
				     : FINDING_AVAILABLE,
			"%.600s", trial.works ? other_modules[i].about : trial.reason);
	}
	if (!is_named)
		findings_add(findings, "module_given", chosen->works ? FINDING_CHOSEN : FINDING_UNAVAILABLE, "-f %.600s", given);
}

static void add_power(struct findings *findings, const char *root)
{
	char error[LINUX_POWER_ERROR_MAX];
	glob_t files;
	struct linux_power *const power = linux_power_open(root, NULL, error);
	if (power) {
		findings_add(findings, "electric_power", FINDING_AVAILABLE, "--log-power");
		linux_power_close(power);
		return;
	}
	struct finding *const finding = findings_add(findings, "electric_power", FINDING_UNAVAILABLE, "%s", error);
	char pattern[512];
	snprintf(pattern, sizeof pattern, "%.400s/sys/class/powercap/intel-rapl:*/energy_uj", root);
	if (geteuid() != 0 && glob(pattern, 0, NULL, &files) == 0) {
		finding_remedy(finding, "sudo chmod a+r /sys/class/powercap/intel-rapl:*/energy_uj",
			"to read it (and all users with you)");
		globfree(&files);
	}
}

/* Whoever may use a part alone can't load the whole. */
static void weigh_measured(struct finding *finding, const struct sst_env *env, const struct trial *chosen)
{
	struct sst_cpus *const allowed = linux_container_allowed(env);
	const double usable = allowed ? linux_container_online(env, allowed) : 0;
	free(allowed);
	if (chosen->scope != SST_SCOPE_MACHINE || !(usable > 0) || usable >= chosen->processors)
		return;
	finding_weigh(finding, FINDING_LOWERS,
		"workloads may use %.0f of %.0f processors, by affinity; no load above %.0f %% can be held", usable,
		chosen->processors, floor(100 * usable / chosen->processors));
	finding_remedy(finding, NULL, "-F cpus=allowed measures those alone");
}

static void add_measured(struct findings *findings, const struct sst_env *env, const struct trial *chosen)
{
	static const char *const scopes[] = {[SST_SCOPE_UNKNOWN] = "a part of the machine",
		[SST_SCOPE_WORKLOADS] = "the workloads alone",
		[SST_SCOPE_CONTAINER] = "what the container may use",
		[SST_SCOPE_MACHINE] = "the whole machine"};
	char number[UNITS_TEXT_MAX];
	if (!chosen->works) {
		struct finding *const finding = findings_add(findings, "measured", FINDING_UNKNOWN, "unknown");
		finding_weigh(finding, FINDING_STOPS, "%.250s", chosen->reason);
		return;
	}
	struct finding *const finding = findings_add(findings, "measured", FINDING_KNOWN, "%s: %s processor%s",
		scopes[chosen->scope], units_print_real(chosen->processors, number), chosen->processors == 1 ? "" : "s");
	finding->value = chosen->processors;
	weigh_measured(finding, env, chosen);
}

void machine_add_sources(struct findings *findings, const struct config *config, const struct sst_env *env)
{
	struct trial chosen;
	findings->section = FINDING_SOURCES;
	try(config, config->module[SST_FEEDBACK], config->module_options[SST_FEEDBACK], &chosen);
	add_sources(findings, config, env, &chosen);
	add_modules(findings, config, &chosen);
	add_power(findings, config->root);
	findings->section = FINDING_MACHINE;
	add_measured(findings, env, &chosen);
}
