/* SPDX-License-Identifier: MIT */
/*
 * That there is a hypervisor the processor says (x86), or the firmware (a device tree). Its name is guessed: from the clock that it offers,
 * from what it calls itself, and from who made the machine.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cpus.h"
#include "base/units.h"
#include "cli/machine.h"
#include "control/run.h"
#include "load/container.h"
#include "load/machine_load.h"
#include "load/processors.h"
#include "load/stat.h"
#include "placement/placement.h"
#include "processes/affinity.h"
#include "self/accounting.h"
#include "self/host_text.h"
#include "self/kernel.h"
#include "self/source.h"

/* From these shares of the processors on, steal and others are worth a word. */
#define MUCH_STEAL 0.01
#define MUCH_BUSY 0.05
/* Pages in two seconds. */
#define MUCH_SWAP 200

/* For so long the machine is looked at. */
#define LOOKS 21
#define LOOK_NS (100 * NS_PER_MS)

#define CLOCKS "/sys/devices/system/clocksource/clocksource0/"
#define CLOCK_SOURCE_MAX 64

/* Swap space and its traffic. */
struct swap {
	uint64_t total_kib, free_kib;
	uint64_t pages; /* brought in and out since boot */
};

/* What the counters were. */
struct moment {
	bool has_stat, has_swap;
	struct linux_stat stat;
	struct swap swap;
};

/* The beginning of a file as a string, up to one of these characters; "" where it can't be read. */
static void read_start(const struct sst_env *env, const char *path, const char *ends, char *start, size_t size)
{
	char *const text = host_text(env, path, NULL);
	snprintf(start, size, "%s", text ? text + strspn(text, " ") : "");
	start[strcspn(start, ends)] = '\0';
	free(text);
}

/* Whether the first processor's line of flags has the word. */
static bool has_flag(const struct sst_env *env)
{
	char *const text = host_text(env, "/proc/cpuinfo", NULL);
	char *const flags = text ? strstr(text, "\nflags") : NULL;
	if (flags)
		flags[1 + strcspn(flags + 1, "\n")] = '\0';
	const bool found = flags && strstr(flags, " hypervisor");
	free(text);
	return found;
}

bool linux_hypervisor_find(const struct sst_env *env, char name[static LINUX_HYPERVISOR_NAME_MAX])
{
	static const struct {
		const char *path, *mark, *name;
	} signs[] = {
		{CLOCKS "available_clocksource", "kvm-clock", "KVM"},
		{CLOCKS "available_clocksource", "hyperv", "Hyper-V"},
		{"/sys/hypervisor/type", "xen", "Xen"},
		{"/sys/class/dmi/id/sys_vendor", "QEMU", "QEMU"},
		{"/sys/class/dmi/id/sys_vendor", "VMware", "VMware"},
		{"/sys/class/dmi/id/sys_vendor", "innotek", "VirtualBox"},
		{"/sys/class/dmi/id/sys_vendor", "Xen", "Xen"},
		{"/sys/class/dmi/id/sys_vendor", "Parallels", "Parallels"},
	};
	char line[256];
	name[0] = '\0';
	read_start(env, "/proc/device-tree/hypervisor/compatible", "\n", line, sizeof line);
	if (!has_flag(env) && !*line)
		return false;
	for (size_t i = 0; !*name && i < sizeof signs / sizeof *signs; i++) {
		read_start(env, signs[i].path, "\n", line, sizeof line);
		if (strstr(line, signs[i].mark))
			snprintf(name, LINUX_HYPERVISOR_NAME_MAX, "%s", signs[i].name);
	}
	return true;
}

/* The name of the counter that the kernel's clock is made of, or "" where the kernel doesn't tell. */
static void clock_source(const struct sst_env *env, char name[static CLOCK_SOURCE_MAX])
{
	read_start(env, CLOCKS "current_clocksource", " \n", name, CLOCK_SOURCE_MAX);
}

/* Whether a look at the clock with this source leaves the processor, and so takes a microsecond or more. */
static bool clock_source_is_slow(const char *name)
{
	static const char *const slow[] = {"hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit"};
	for (size_t i = 0; i < sizeof slow / sizeof *slow; i++)
		if (strcmp(name, slow[i]) == 0)
			return true;
	return false;
}

/* Whether the kernel offers another one. */
static bool clock_source_has(const struct sst_env *env, const char *name)
{
	char *const names = host_text(env, CLOCKS "available_clocksource", NULL);
	const bool has = host_has_word(names, name);
	free(names);
	return has;
}

/* Seconds that the machine was suspended since it was started. */
static double clock_suspended_s(void)
{
	struct timespec boot, awake;
	if (clock_gettime(CLOCK_MONOTONIC, &awake) != 0 || clock_gettime(CLOCK_BOOTTIME, &boot) != 0)
		return 0;
	return (double)(boot.tv_sec - awake.tv_sec) + (double)(boot.tv_nsec - awake.tv_nsec) / 1e9;
}

/* The number behind a name at the beginning of a line. */
static bool find(const char *text, const char *name, uint64_t *value)
{
	const size_t width = strlen(name);
	for (const char *at = text; at; at = strchr(at, '\n'), at += at != NULL)
		if (strncmp(at, name, width) == 0) {
			at += width;
			at += strspn(at, " :");
			return linux_number(&at, at + strlen(at), value);
		}
	return false;
}

/* False where /proc/meminfo or /proc/vmstat doesn't tell. */
static bool swap_read(const struct sst_env *env, struct swap *swap)
{
	uint64_t in, out;
	char *const memory = host_text(env, "/proc/meminfo", NULL);
	char *const traffic = host_text(env, "/proc/vmstat", NULL);
	const bool told = find(memory, "SwapTotal:", &swap->total_kib) && find(memory, "SwapFree:", &swap->free_kib) &&
			  find(traffic, "pswpin ", &in) && find(traffic, "pswpout ", &out);
	if (told)
		swap->pages = in + out;
	free(memory);
	free(traffic);
	return told;
}

static void look(const struct sst_env *env, struct moment *moment)
{
	size_t length = 0;
	char *const text = host_text(env, "/proc/stat", &length);
	moment->has_stat = text && linux_stat_parse(text, length, NULL, &moment->stat) == 0;
	free(text);
	moment->has_swap = swap_read(env, &moment->swap);
}

static void watch_columns(struct linux_machine *machine, const struct sst_env *env)
{
	struct sst_reading ignored;
	for (int i = 0; i < LOOKS; i++) {
		clock_sleep_until(clock_now() + LOOK_NS);
		if (machine)
			linux_machine_read(machine, env, &ignored);
	}
}

/* "; WHAT LIST", if the kernel keeps such a list and it isn't empty. */
static void print_list(const struct sst_env *env, const char *name, const char *what, FILE *to)
{
	struct sst_cpus *const cpus = linux_cpu_list(env, name);
	if (cpus) {
		fprintf(to, "; %s ", what);
		cpus_print(cpus, to);
	}
	free(cpus);
}

static void add_processors(struct findings *findings, const struct sst_env *env, const struct moment *now)
{
	char text[512] = "";
	FILE *const to = fmemopen(text, sizeof text, "w");
	if (to) {
		if (now->has_stat)
			fprintf(to, "%u online", now->stat.processors);
		else
			fputs("/proc/stat unavailable", to);
		fprintf(to, ", %u usable", linux_processors_usable());
		print_list(env, "offline", "offline", to);
		print_list(env, "isolated", "isolated", to);
		print_list(env, "nohz_full", "without a tick", to);
		fclose(to);
	}
	findings_add(findings, "processors", now->has_stat ? FINDING_KNOWN : FINDING_UNKNOWN, "%s", text)->value =
		now->has_stat ? (double)now->stat.processors : (double)NAN;
}

static void add_container(struct findings *findings, const struct sst_env *env)
{
	struct linux_container container;
	char text[PATH_MAX + 256] = "none: neither a quota nor a cpuset takes anything away";
	if (linux_container_find(env, &container))
		linux_container_describe(&container, text, sizeof text);
	linux_container_free(&container);
	findings_add(findings, "container", FINDING_KNOWN, "%.600s", text);
}

static unsigned count_new(const struct topology *topology, bool (*same)(const struct place *, const struct place *))
{
	unsigned count = 0;
	for (size_t i = 0; i < topology->count; i++) {
		bool is_new = true;
		for (size_t k = 0; k < i && is_new; k++)
			is_new = !same(&topology->place[k], &topology->place[i]);
		count += is_new;
	}
	return count;
}

static bool same_chip(const struct place *a, const struct place *b)
{
	return a->chip == b->chip;
}

static bool same_core(const struct place *a, const struct place *b)
{
	return a->chip == b->chip && a->core == b->core;
}

static bool same_kind(const struct place *a, const struct place *b)
{
	return a->kind == b->kind;
}

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

static void add_topology(struct findings *findings)
{
	struct topology topology;
	struct sst_cpus *const allowed = linux_affinity_get();
	if (!allowed || topology_read(allowed, &topology) != 0) {
		findings_add(findings, "topology", FINDING_UNKNOWN, "unknown: --pin can't be had");
		free(allowed);
		return;
	}
	const unsigned chips = count_new(&topology, same_chip), cores = count_new(&topology, same_core);
	const unsigned kinds = count_new(&topology, same_kind);
	char more[160] = "";
	if (kinds > 1)
		snprintf(more, sizeof more, "; %u kinds of cores: work per load depends on where it runs", kinds);
	else if (topology.count > cores)
		snprintf(more, sizeof more, "; threads share cores (SMT): work is no straight line of the load");
	findings_add(findings, "topology", FINDING_KNOWN, "%u chip%s, %u core%s, %zu thread%s%s%s", chips, plural(chips), cores,
		plural(cores), topology.count, plural(topology.count), topology.elsewhere ? ", by hwloc's variables" : "", more);
	topology_free(&topology);
	free(allowed);
}

static void add_accounting(struct findings *findings, const struct sst_env *env)
{
	struct utsname system;
	uname(&system);
	findings_add(findings, "accounting", FINDING_KNOWN, "%s for user and system time, %s for idle time",
		linux_accounting_mode(env, system.release), linux_accounting_idle_clock(env) ? "clock" : "tick");
}

#define CLOCK_FILE_MAX 96

static const char *clock_file(unsigned cpu, const char *name, char path[static CLOCK_FILE_MAX])
{
	snprintf(path, CLOCK_FILE_MAX, "/sys/devices/system/cpu/cpu%u/cpufreq/%s", cpu, name);
	return path;
}

static void add_frequency(struct findings *findings, const char *root)
{
	char path[CLOCK_FILE_MAX], governor[32], range[64] = "";
	uint64_t least_khz, most_khz;
	struct sst_cpus *const allowed = linux_affinity_get();
	const unsigned cpu = allowed ? allowed->cpu[0] : 0;
	free(allowed);
	if (!linux_source_line(root, clock_file(cpu, "scaling_governor", path), governor, sizeof governor)) {
		findings_add(findings, "frequency", FINDING_UNKNOWN,
			"unknown: no cpufreq; what clocks do is up to the processor, or to a host");
		return;
	}
	if (linux_source_number(root, clock_file(cpu, "scaling_min_freq", path), &least_khz) &&
		linux_source_number(root, clock_file(cpu, "scaling_max_freq", path), &most_khz))
		snprintf(range, sizeof range, ", %.0f to %.0f MHz", (double)least_khz / 1000, (double)most_khz / 1000);
	struct finding *const finding = findings_add(findings, "frequency", FINDING_KNOWN, "governor %s%s", governor, range);
	if (strcmp(governor, "performance") != 0 && strcmp(governor, "userspace") != 0)
		finding_remedy(finding, "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
			"for a clock that doesn't follow the load");
}

static double steal_between(const struct linux_stat_times *before, const struct linux_stat_times *now)
{
	const double ticks = (double)(linux_stat_busy(now) + linux_stat_idle(now)) -
			     (double)(linux_stat_busy(before) + linux_stat_idle(before));
	return ticks > 0 ? fmax((double)now->steal - (double)before->steal, 0) / ticks : 0;
}

static void add_virtual_machine(
	struct findings *findings, const struct sst_env *env, const struct moment *before, const struct moment *now)
{
	char name[LINUX_HYPERVISOR_NAME_MAX];
	const bool is_virtual = linux_hypervisor_find(env, name);
	findings_add(findings, "virtual_machine", FINDING_KNOWN, "%s", !is_virtual ? "none seen" : *name ? name : "yes");
	if (!before->has_stat || !now->has_stat) {
		findings_add(findings, "steal", FINDING_UNKNOWN, "unknown: no /proc/stat");
		return;
	}
	const struct linux_stat_times boot = {0};
	const double steal = steal_between(&before->stat.total, &now->stat.total);
	const double since_boot = steal_between(&boot, &now->stat.total);
	struct finding *const finding = findings_add(findings, "steal", FINDING_KNOWN,
		"%.1f %% over two seconds, %.1f %% since the start of the machine%s", 100 * steal, 100 * since_boot,
		is_virtual && now->stat.total.steal == 0 ? " (or not told)" : "");
	finding->value = steal;
	if (fmax(steal, since_boot) < MUCH_STEAL)
		return;
	finding_weigh(finding, FINDING_LOWERS, "a hypervisor gave %.1f %% of the processors to others (%.1f %% since the start)",
		100 * steal, 100 * since_boot);
	finding_remedy(finding, NULL, "it counts as work; a host with processors of your own, or another time");
}

static void add_clock(struct findings *findings, const struct sst_env *env)
{
	char name[CLOCK_SOURCE_MAX];
	char more[64] = "";
	const double suspended_s = clock_suspended_s();
	clock_source(env, name);
	if (suspended_s >= 1)
		snprintf(more, sizeof more, "; the machine slept for %.0f s since its start", suspended_s);
	struct finding *const finding =
		findings_add(findings, "clock", *name ? FINDING_KNOWN : FINDING_UNKNOWN, "%s%s", *name ? name : "unknown", more);
	if (!clock_source_is_slow(name))
		return;
	finding_weigh(finding, FINDING_LOWERS, "each look at the clock %s takes a microsecond or more", name);
	if (clock_source_has(env, "tsc"))
		finding_remedy(finding, "echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource",
			"for a faster one");
}

/* Whether the columns of /proc/stat can be true, as was seen over two seconds. */
static void add_columns(struct findings *findings, const struct linux_machine *machine, const char *why, bool is_chosen)
{
	char text[LINUX_MACHINE_TROUBLE_MAX];
	if (!machine) {
		findings_add(findings, "columns", FINDING_UNKNOWN, "unknown: %.200s", why);
		return;
	}
	const bool wrong = linux_machine_trouble(machine, true, text);
	struct finding *const finding = findings_add(
		findings, "columns", FINDING_KNOWN, "%s", wrong ? text : "those of /proc/stat pass as the clock does");
	if (wrong && is_chosen)
		finding_weigh(finding, FINDING_LOWERS, "%.200s", text);
}

/* The load as a run would measure it; NaN where it can't. */
static double load_between(const struct run *run, const struct sst_reading *before)
{
	const struct module *const feedback = &run->module[SST_FEEDBACK];
	struct sst_reading now;
	struct sst_sample sample;
	if (feedback->feedback->read(feedback->state, &run->host[SST_FEEDBACK].env, &now) != 0 ||
		!feedback->feedback->sample(feedback->state, before, &now, &sample))
		return NAN;
	return fmin(fmax(sample.work / sample.capacity, 0), 1);
}

static void add_busy(struct findings *findings, double load)
{
	if (isnan(load)) {
		findings_add(findings, "busy", FINDING_UNKNOWN, "unknown");
		return;
	}
	struct finding *const finding = findings_add(
		findings, "busy", FINDING_KNOWN, "a load of %.1f %% over two seconds, without a workload", 100 * load);
	finding->value = load;
	if (load < MUCH_BUSY)
		return;
	finding_weigh(finding, FINDING_LOWERS, "what runs already makes a load of %.0f %%; no lower one can be held", 100 * load);
	finding_remedy(finding, "top -b -n 1 | head -n 15", "to see what it is");
}

static void add_swap(struct findings *findings, const struct moment *before, const struct moment *now)
{
	if (!before->has_swap || !now->has_swap) {
		findings_add(findings, "swap", FINDING_UNKNOWN, "unknown");
		return;
	}
	if (!now->swap.total_kib) {
		findings_add(findings, "swap", FINDING_KNOWN, "none");
		return;
	}
	const uint64_t pages = now->swap.pages - before->swap.pages;
	struct finding *const finding =
		findings_add(findings, "swap", FINDING_KNOWN, "%llu of %llu MiB used, %llu pages moved in two seconds",
			(unsigned long long)(now->swap.total_kib - now->swap.free_kib) / 1024,
			(unsigned long long)now->swap.total_kib / 1024, (unsigned long long)pages);
	finding->value = (double)pages;
	if (pages < MUCH_SWAP)
		return;
	finding_weigh(finding, FINDING_LOWERS, "the machine swaps: workloads wait for memory though they may run");
	finding_remedy(finding, NULL, "fewer or smaller programs");
}

void machine_add_hardware(struct findings *findings, const struct config *config, const struct sst_env *env)
{
	findings->section = FINDING_MACHINE;
	struct moment before, now;
	struct sst_reading first;
	char ignored[RUN_ERROR_MAX];
	double load = NAN;
	struct run run = {.config = config, .master = -1, .ready = -1};
	const struct linux_machine_settings columns = {.source = LINUX_MACHINE_IDLE};
	char why[LINUX_MACHINE_ERROR_MAX];
	struct linux_machine *const machine = linux_machine_open(env, &columns, why);
	const bool measures =
		run_prepare_module(&run, SST_FEEDBACK, ignored) == 0 &&
		run.module[SST_FEEDBACK].feedback->read(run.module[SST_FEEDBACK].state, &run.host[SST_FEEDBACK].env, &first) == 0;
	look(env, &before);
	watch_columns(machine, env);
	look(env, &now);
	if (measures)
		load = load_between(&run, &first);
	const char *const source = measures ? run_source(&run) : NULL;
	const bool needs_columns = source && (strcmp(source, "idle") == 0 || strcmp(source, "ticks") == 0);
	run_release(&run);
	add_processors(findings, env, &now);
	add_container(findings, env);
	add_topology(findings);
	add_accounting(findings, env);
	add_columns(findings, machine, why, needs_columns);
	linux_machine_close(machine, env);
	add_frequency(findings, config->root);
	add_virtual_machine(findings, env, &before, &now);
	add_clock(findings, env);
	add_busy(findings, load);
	add_swap(findings, &before, &now);
}
