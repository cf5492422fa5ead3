/* SPDX-License-Identifier: MIT */
#include "sssim/host.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/units.h"
#include "load/stat.h"
#include "sssim/workload.h"

/* Longest line of a processor, and everything below the processors. */
#define LINE_MAX_LENGTH 128

#define GROUPS "/sys/fs/cgroup"
#define DOMAIN_COUNTERS 36

/* From SIBLINGS on: those of processor 0, 1, … */
enum source { STAT, COMMAND_LINE, CPUACCT, MOUNTS, OWN_GROUP, CONTROLLERS, RUN, REST, SCHEDSTAT, SIBLINGS };

static const struct {
	const char *path;
	unsigned counter; /* 0: it is always there */
	const char *text; /* NULL: it changes */
} sources[SIBLINGS] = {
	[STAT] = {"/proc/stat", 0, NULL},
	[COMMAND_LINE] = {"/proc/cmdline", 0, NULL},
	[CPUACCT] = {GROUPS "/cpuacct/cpuacct.usage", SIM_HAS_CPUACCT, NULL},
	[MOUNTS] = {"/proc/self/mountinfo", SIM_HAS_GROUPS, "30 24 0:26 / " GROUPS " rw - cgroup2 cgroup2 rw\n"},
	[OWN_GROUP] = {"/proc/self/cgroup", SIM_HAS_GROUPS, "0::/run\n"},
	[CONTROLLERS] = {GROUPS "/cgroup.controllers", SIM_HAS_GROUPS, "cpu\n"},
	[RUN] = {GROUPS "/run/cpu.stat", SIM_HAS_GROUPS, NULL},
	[REST] = {GROUPS "/rest/cpu.stat", SIM_HAS_GROUPS, NULL},
	[SCHEDSTAT] = {"/proc/schedstat", SIM_HAS_SCHEDSTAT, NULL},
};

static struct sim_host *simulated(const struct sst_env *env)
{
	return SIM_OWNER(env, struct host_env, env)->run;
}

static int open_source(const struct sst_env *env, const char *path)
{
	const struct sim_host *const host = simulated(env);
	for (int i = 0; i < SIBLINGS; i++)
		if (strcmp(path, sources[i].path) == 0 && (host->counters & sources[i].counter) == sources[i].counter)
			return i;
	const int processor = sim_sysfs_find(host->machine, path);
	if (processor >= 0)
		return SIBLINGS + processor;
	return fail(ENOENT);
}

static ssize_t list_source(const struct sst_env *env, const char *path, char *names, size_t size)
{
	static const char *const groups[] = {"run", "rest"};
	size_t used = 0;
	if (!(simulated(env)->counters & SIM_HAS_GROUPS) || strcmp(path, GROUPS) != 0)
		return fail(ENOENT);
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
		const size_t length = strlen(groups[i]) + 1;
		if (used + length <= size)
			memcpy(names + used, groups[i], length);
		used += length;
	}
	return (ssize_t)used;
}

static void close_source(const struct sst_env *env, int handle)
{
	(void)env;
	(void)handle;
}

/* ---- Times ------------------------------------------------------------------------------------------------------------ */

struct sim_times sim_machine_times(const struct sim_machine *machine, unsigned processor)
{
	const struct sim_processor *of = &machine->processor[processor];
	struct sim_times times = {.work_ns = of->busy_ns + of->own_ns, .busy_ticks = of->busy_ticks};
	if (of->idle_place) {
		times.work_ns += sim_processor_own_ns(of);
	} else {
		times.work_ns += machine->now_ns - of->since_ns;
		times.busy_ticks += sim_ticks_between(machine, of->since_ns, machine->now_ns);
	}
	times.idle_ns = machine->now_ns - times.work_ns;
	times.idle_ticks = sim_ticks_between(machine, 0, machine->now_ns) - times.busy_ticks;
	return times;
}

int64_t sim_machine_work_ns(const struct sim_machine *machine)
{
	int64_t work = 0;
	for (unsigned i = 0; i < machine->config.processors; i++)
		work += sim_machine_times(machine, i).work_ns;
	return work;
}

int64_t sim_machine_core_work_ns(const struct sim_machine *machine)
{
	return sim_topology_work_ns(&machine->topology, machine->now_ns, machine->config.idle_cost_ns);
}

/* ---- Texts ------------------------------------------------------------------------------------------------------------ */

/* Sums and single values are cut to ticks of USER_HZ after adding, as the kernel does it. */
struct columns {
	uint64_t user_ns, idle_ns;
};

static int64_t gone_ns(const struct sim_host *host)
{
	return host->gone_ns + (host->gone_since_ns ? host->machine->now_ns - host->gone_since_ns : 0);
}

static struct columns columns_of(const struct sim_host *host, unsigned processor)
{
	const struct sim_machine *machine = host->machine;
	struct sim_times times = sim_machine_times(machine, processor);
	const uint64_t tick_ns = (uint64_t)machine->config.tick_ns;
	const uint64_t past_ticks = (uint64_t)host->past_ns / tick_ns;
	if (processor == host->gone) {
		times.work_ns -= gone_ns(host);
		times.busy_ticks -= (uint64_t)gone_ns(host) / tick_ns;
	}
	times.work_ns += host->past_ns;
	times.idle_ns -= host->past_ns + host->stood_ns;
	const uint64_t not_idle_ticks = past_ticks + (uint64_t)host->stood_ns / tick_ns;
	struct columns columns = {(times.busy_ticks + past_ticks) * tick_ns, (times.idle_ticks - not_idle_ticks) * tick_ns};
	if (host->accounting != SIM_ACCOUNT_TICKS) {
		times.idle_ns += (int64_t)((double)times.idle_ns * host->idle_excess);
		columns.idle_ns = (uint64_t)times.idle_ns / 1000 * 1000; /* the idle clock is read in µs */
	}
	if (host->accounting == SIM_ACCOUNT_CLOCK)
		columns.user_ns = (uint64_t)times.work_ns;
	return columns;
}

/* Most of the time of a simulation with many processors would go into printf. */
static char *print_number(char *to, uint64_t value)
{
	char digits[20];
	int count = 0;
	do
		digits[count++] = (char)('0' + value % 10);
	while ((value /= 10));
	while (count)
		*to++ = digits[--count];
	return to;
}

static char *print_columns(char *to, const struct columns *columns, uint64_t unit_ns)
{
	static const char before_idle[] = " 0 0 ";
	static const char after_idle[] = " 0 0 0 0 0 0\n";
	to = print_number(to, columns->user_ns / unit_ns);
	memcpy(to, before_idle, sizeof before_idle - 1);
	to = print_number(to + sizeof before_idle - 1, columns->idle_ns / unit_ns);
	memcpy(to, after_idle, sizeof after_idle - 1);
	return to + sizeof after_idle - 1;
}

/* 0, or -1 with errno. */
static int make_room(struct sim_host *host, size_t room)
{
	if (host->room >= room)
		return 0;
	char *text = realloc(host->text, room);
	if (!text)
		return -1;
	host->text = text;
	host->room = room;
	return 0;
}

static ssize_t print_stat(struct sim_host *host)
{
	const struct sim_machine *machine = host->machine;
	const unsigned processors = machine->config.processors;
	if (make_room(host, (processors + 2) * (size_t)LINE_MAX_LENGTH) != 0)
		return -1;
	const uint64_t unit_ns = (uint64_t)((double)NS_PER_S / linux_stat_hz());
	struct columns total = {0};
	/* The summary comes first, and needs all others. */
	for (unsigned i = 0; i < processors; i++) {
		const struct columns columns = columns_of(host, i);
		total.user_ns += columns.user_ns;
		total.idle_ns += columns.idle_ns;
	}
	char *to = host->text;
	memcpy(to, "cpu  ", 5);
	to = print_columns(to + 5, &total, unit_ns);
	for (unsigned i = 0; i < processors; i++) {
		const struct columns columns = columns_of(host, i);
		if (host->gone_since_ns && i == host->gone)
			continue;
		memcpy(to, "cpu", 3);
		to = print_number(to + 3, i);
		*to++ = ' ';
		to = print_columns(to, &columns, unit_ns);
	}
	to += snprintf(
		to, LINE_MAX_LENGTH, "ctxt %llu\nprocs_running %u\n", (unsigned long long)machine->switches, machine->active);
	return to - host->text;
}

/* What tasks ran on a processor until the last switch. */
static int64_t switched_ns(const struct sim_host *host, unsigned processor)
{
	const struct sim_processor *const of = &host->machine->processor[processor];
	const int64_t stretch_ns = of->charged ? of->charged_since_ns - of->since_ns : 0;
	return host->past_ns + of->busy_ns + stretch_ns - (processor == host->gone ? gone_ns(host) : 0);
}

/* Prints the line of a domain of all processors. Returns its end. */
static char *print_domain(char *to, unsigned processors)
{
	static const char counter[] = " 0";
	memcpy(to, "domain0 ", 8);
	to += 8;
	for (unsigned left = processors, word; left; left -= word) {
		word = left % 32 ? left % 32 : 32;
		to += snprintf(to, sizeof ",ffffffff", "%s%08x", left < processors ? "," : "", UINT32_MAX >> (32 - word));
	}
	for (int i = 0; i < DOMAIN_COUNTERS; i++, to += sizeof counter - 1)
		memcpy(to, counter, sizeof counter - 1);
	*to++ = '\n';
	return to;
}

static ssize_t print_schedstat(struct sim_host *host)
{
	static const char before[] = " 0 0 0 0 0 0 ", behind[] = " 0 0\n";
	const unsigned processors = host->machine->config.processors;
	const size_t domain_room = 2 * LINE_MAX_LENGTH + processors / 32 * sizeof ",ffffffff";
	if (make_room(host, LINE_MAX_LENGTH + domain_room + processors * (LINE_MAX_LENGTH + domain_room)) != 0)
		return -1;
	/* All have the same line, which is printed once, at the end of the room. */
	char *const domain = host->text + host->room - domain_room;
	const size_t domain_length = (size_t)(print_domain(domain, processors) - domain);
	char *to = host->text;
	to += snprintf(to, LINE_MAX_LENGTH, "version 15\ntimestamp %" PRId64 "\n",
		host->machine->now_ns / host->machine->config.tick_ns);
	for (unsigned i = 0; i < processors; i++) {
		if (host->gone_since_ns && i == host->gone)
			continue;
		memcpy(to, "cpu", 3);
		to = print_number(to + 3, i);
		memcpy(to, before, sizeof before - 1);
		to = print_number(to + sizeof before - 1, (uint64_t)switched_ns(host, i));
		memcpy(to, behind, sizeof behind - 1);
		to += sizeof behind - 1;
		memcpy(to, domain, domain_length);
		to += domain_length;
	}
	return to - host->text;
}

/* ---- Usage of control groups ------------------------------------------------------------------------------------------ */

static int64_t usage_ns(const struct sim_host *host)
{
	return sim_machine_charged_ns(host->machine) - gone_ns(host) + host->past_ns * host->machine->config.processors;
}

/* How long what is on it has run since the last switch or tick. A processor that stands still gets no ticks. */
static int64_t late_ns(const struct sim_processor *processor)
{
	const struct sim_machine *const machine = processor->machine;
	const int64_t ticked_ns = processor->still_until_ns ? 0 : machine->now_ns - machine->now_ns % machine->config.tick_ns;
	const int64_t since_ns = processor->charged_since_ns > ticked_ns ? processor->charged_since_ns : ticked_ns;
	return processor->charged ? machine->now_ns - since_ns : 0;
}

static int64_t rest_ns(const struct sim_host *host)
{
	int64_t total = host->past_ns * host->machine->config.processors;
	for (unsigned i = 0; i < host->backgrounds; i++) {
		const struct sim_process *const process = host->background[i];
		total += sim_process_cpu_ns(process);
		for (unsigned k = 0; k < process->threads; k++)
			if (process->thread[k].state == SIM_RUNNING)
				total -= late_ns(process->thread[k].processor);
	}
	return total;
}

static int64_t run_ns(const struct sim_host *host)
{
	int64_t total = usage_ns(host) - rest_ns(host);
	for (unsigned i = 0; i < host->machine->config.processors; i++)
		if (!host->gone_since_ns || i != host->gone)
			total -= late_ns(&host->machine->processor[i]);
	return total;
}

static int print_group(char *text, size_t size, int64_t ns)
{
	return snprintf(text, size, "usage_usec %" PRId64 "\nuser_usec 0\nsystem_usec 0\n", ns / 1000);
}

/* ---- Readings --------------------------------------------------------------------------------------------------------- */

static int64_t reading_cost(const struct sim_host *host)
{
	return host->reading_ns + host->machine->config.processors * host->reading_processor_ns;
}

/* One line to print instead of many, and of each processor one number to add up. */
static int64_t usage_cost(const struct sim_host *host)
{
	return (host->reading_ns * 5 + host->machine->config.processors * host->reading_processor_ns * 2) / 20;
}

static int64_t group_cost(const struct sim_host *host)
{
	return host->reading_ns / 4;
}

static ssize_t read_source(const struct sst_env *env, int handle, void *buffer, size_t size, int64_t *when_ns)
{
	struct sim_host *host = simulated(env);
	char line[64];
	const char *text = line;
	ssize_t length = 0;
	switch ((enum source)(handle < SIBLINGS ? handle : SIBLINGS)) {
	case STAT:
		length = print_stat(host);
		if (length < 0)
			return -1;
		text = host->text;
		host->charged_ns += reading_cost(host);
		break;
	case SCHEDSTAT:
		length = print_schedstat(host);
		if (length < 0)
			return -1;
		text = host->text;
		host->charged_ns += reading_cost(host);
		break;
	case COMMAND_LINE:
		text = host->accounting == SIM_ACCOUNT_TICKS ? "nohz=off\n" : "quiet\n";
		length = (ssize_t)strlen(text);
		break;
	case CPUACCT:
		length = snprintf(line, sizeof line, "%" PRId64 "\n", usage_ns(host));
		host->charged_ns += usage_cost(host);
		break;
	case RUN:
	case REST:
		length = print_group(line, sizeof line, handle == RUN ? run_ns(host) : rest_ns(host));
		host->charged_ns += group_cost(host);
		break;
	case MOUNTS:
	case OWN_GROUP:
	case CONTROLLERS:
		text = sources[handle].text;
		length = (ssize_t)strlen(text);
		break;
	case SIBLINGS:
		length = sim_sysfs_print(host->machine, (unsigned)(handle - SIBLINGS), line, sizeof line);
		break;
	}
	const size_t taken = (size_t)length < size ? (size_t)length : size;
	memcpy(buffer, text, taken);
	if (when_ns)
		*when_ns = host->machine->now_ns;
	return (ssize_t)taken;
}

static int64_t workloads_cpu_time(void *of)
{
	const struct sim_host *const host = of;
	int64_t total = 0;
	if (!host->workload)
		return fail(EAGAIN);
	for (unsigned i = 0; i < host->workloads; i++)
		total += sim_process_cpu_ns(host->workload[i]);
	return total;
}

static int64_t workloads_iterations(void *of)
{
	const struct sim_host *const host = of;
	int64_t total = 0;
	for (unsigned i = 0; host->workload && i < host->workloads; i++)
		total += sim_workload_finished(host->workload[i]);
	return total;
}

static const struct sst_host sim_host = {
	.refuse = host_refuse,
	.say = host_say,
	.open = open_source,
	.read = read_source,
	.close = close_source,
	.tree_cpu_time = host_cpu_time,
	.cpus = host_cpus_now,
	.follow = host_follow,
	.followed = host_followed,
	.count_iterations = host_count_iterations,
	.iterations = host_iterations,
	.list = list_source,
};

void sim_env_init(struct host_env *env, struct sim_host *host, unsigned workloads, uint64_t entropy)
{
	host_env_init(env, "", workloads, entropy);
	env->env.host = &sim_host;
	env->cpu_time = workloads_cpu_time;
	env->iterations = workloads_iterations;
	env->run = host;
}

void sim_host_free(struct sim_host *host)
{
	free(host->text);
	host->text = NULL;
	host->room = 0;
}

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
