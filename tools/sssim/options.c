/* SPDX-License-Identifier: MIT */
#include "sssim/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/units.h"
#include "config/config.h"
#include "module/trace_choice.h"

/* Places in the table of the options that are kept apart. */
enum { MODEL, BACKGROUND };

/* Ten years: sums of times can't overflow. */
#define TIME_MAX (INT64_C(3650) * 86400 * NS_PER_S)
#define MEMBER(member) offsetof(struct settings, member)
#define MODULE_OF(kind) offsetof(struct settings, sim.module[kind])
#define OPTIONS_OF(kind) offsetof(struct settings, sim.module_options[kind])

static const char *const accountings[] = {"idle", "tick", "clock", NULL};
static const char *const priorities[] = {"none", "fifo", NULL};
/* In the order of enum sim_counter's bits; none is alone. */
enum { NO_COUNTERS = 3 };
static const char *const counters[] = {"cpuacct", "groups", "schedstat", [NO_COUNTERS] = "none", NULL};
static const char *const placements[] = {[SIM_PLACE_LINUX] = "linux", [SIM_PLACE_CORES] = "cores", [SIM_PLACE_ANY] = "any", NULL};

static int set_shared_speed(void *to, const char *source, const char *text)
{
	struct settings *settings = to;
	double *speed = &settings->sim.machine.topology.speed;
	if (units_parse_load(text, strlen(text), speed, NULL) != 0 || !(*speed > 0))
		return diag_refuse("%s: '%s' is not a fraction above 0, up to 1, such as 60%% or 0.6", source, text);
	return 0;
}

static int set_idle_excess(void *to, const char *source, const char *text)
{
	struct settings *settings = to;
	double excess;
	if (units_parse_load(text, strlen(text), &excess, NULL) != 0 || excess > 0.5)
		return diag_refuse("%s: '%s' is not a fraction from 0 to 0.5, such as 4%% or 0.04", source, text);
	settings->sim.idle_excess = excess;
	return 0;
}

/* The index of a word among those that can be in a list of counters, or -1. */
static int find_counter(const char *word, size_t length)
{
	for (int i = 0; i < NO_COUNTERS; i++)
		if (strlen(counters[i]) == length && memcmp(counters[i], word, length) == 0)
			return i;
	return -1;
}

static int set_counters(void *to, const char *source, const char *list)
{
	struct settings *settings = to;
	unsigned set = 0;
	const char *at = strcmp(list, counters[NO_COUNTERS]) == 0 ? NULL : list;
	while (at) {
		const size_t length = strcspn(at, ",");
		const int found = find_counter(at, length);
		if (found < 0)
			return diag_refuse("%s: '%s': expected none, or some of cpuacct, groups and schedstat", source, list);
		set |= 1U << found;
		at = at[length] ? at + length + 1 : NULL;
	}
	settings->sim.counters = set;
	return 0;
}

static int set_load(void *to, const char *source, const char *text)
{
	struct settings *settings = to;
	if (trace_choice_check_load(source, text) != 0)
		return -1;
	settings->load = text;
	return 0;
}

const struct tool_option sssim_options[] = {
	[MODEL] = {'W', "workload", TOOL_VALUE, .choices = sim_model_names, .argument = "MODEL[:OPTIONS]",
		.help = "what the workloads are, see below (single); several models are given to them in turn"},
	[BACKGROUND] = {'B', "background", TOOL_VALUE, .choices = sim_model_names, .argument = "[MODEL:]OPTIONS",
		.help = "a load, or one of these models, that nobody controls, see below; may be given several times"},
	{'l', "load", TOOL_CALL, .argument = "LOAD", .help = "the load to hold, such as 50%; short for -t constant -T LOAD",
		.call = set_load},
	{'t', "trace", TOOL_TEXT, MODULE_OF(SST_TRACE), .argument = "MODULE", .help = "trace module: what the load should be",
		.completion = TOOL_COMPLETE_MODULE, .kind = SST_TRACE},
	{'T', "trace-options", TOOL_TEXT, OPTIONS_OF(SST_TRACE), .argument = "OPTIONS",
		.help = "its options, key=value,key=value; without -t a load, or the name of a trace's file",
		.completion = TOOL_COMPLETE_MODULE_OPTIONS, .kind = SST_TRACE},
	{'f', "feedback", TOOL_TEXT, MODULE_OF(SST_FEEDBACK), .argument = "MODULE", .help = "feedback module: what the load is",
		.completion = TOOL_COMPLETE_MODULE, .kind = SST_FEEDBACK},
	{'F', "feedback-options", TOOL_TEXT, OPTIONS_OF(SST_FEEDBACK), .argument = "OPTIONS", .help = "its options",
		.completion = TOOL_COMPLETE_MODULE_OPTIONS, .kind = SST_FEEDBACK},
	{'c', "control", TOOL_TEXT, MODULE_OF(SST_CONTROL), .argument = "MODULE", .help = "control module: the global duty cycle",
		.completion = TOOL_COMPLETE_MODULE, .kind = SST_CONTROL},
	{'C', "control-options", TOOL_TEXT, OPTIONS_OF(SST_CONTROL), .argument = "OPTIONS", .help = "its options",
		.completion = TOOL_COMPLETE_MODULE_OPTIONS, .kind = SST_CONTROL},
	{'s', "space", TOOL_TEXT, MODULE_OF(SST_SPACE), .argument = "MODULE",
		.help = "space module: what each workload gets of it", .completion = TOOL_COMPLETE_MODULE, .kind = SST_SPACE},
	{'S', "space-options", TOOL_TEXT, OPTIONS_OF(SST_SPACE), .argument = "OPTIONS", .help = "its options",
		.completion = TOOL_COMPLETE_MODULE_OPTIONS, .kind = SST_SPACE},
	{'d', "dithering", TOOL_TEXT, MODULE_OF(SST_DITHERING), .argument = "MODULE",
		.help = "dithering module: when each workload runs", .completion = TOOL_COMPLETE_MODULE, .kind = SST_DITHERING},
	{'D', "dithering-options", TOOL_TEXT, OPTIONS_OF(SST_DITHERING), .argument = "OPTIONS", .help = "its options",
		.completion = TOOL_COMPLETE_MODULE_OPTIONS, .kind = SST_DITHERING},
	{'a', "actuator", TOOL_TEXT, MODULE_OF(KIND_ACTUATOR), .argument = "MODULE",
		.help = "actuator module: what holds them to it", .completion = TOOL_COMPLETE_MODULE, .kind = KIND_ACTUATOR},
	{'A', "actuator-options", TOOL_TEXT, OPTIONS_OF(KIND_ACTUATOR), .argument = "OPTIONS", .help = "its options",
		.completion = TOOL_COMPLETE_MODULE_OPTIONS, .kind = KIND_ACTUATOR},
	{'n', "instances", TOOL_INT, MEMBER(instances), 1, 100000, .argument = "N", .help = "workloads (as many as processors)"},
	{'w', "warmup", TOOL_TIME, MEMBER(sim.warmup_ns), 0, TIME_MAX, .argument = "TIME", .is_length = true,
		.help = "run uncontrolled first"},
	{'r', "run-time", TOOL_TIME, MEMBER(sim.run_time_ns), 1, TIME_MAX, .argument = "TIME", .is_length = true,
		.help = "stop after this long under control (the trace's length)"},
	{'o', "log", TOOL_TEXT, MEMBER(sim.log), .argument = "FILE", .help = "write the control log there, as CSV",
		.completion = TOOL_COMPLETE_FILE},
	{0, "requests", TOOL_TEXT, MEMBER(sim.requests), .argument = "FILE",
		.help = "write the requests of services there, as CSV: what 'ssreport latency' reads",
		.completion = TOOL_COMPLETE_FILE},
	{0, "log-interval", TOOL_TIME, MEMBER(sim.log_interval_ns), NS_PER_MS, TIME_MAX, .argument = "TIME",
		.help = "length of a row of the log"},
	{0, "log-instances", TOOL_FLAG, MEMBER(sim.log_instances), .help = "add each workload's duty cycle to the log"},
	{'p', "processors", TOOL_INT, MEMBER(processors), 1, SIM_PROCESSORS_MAX, .argument = "P", .help = "of the machine"},
	{0, "sockets", TOOL_INT, MEMBER(sockets), 1, SIM_PROCESSORS_MAX, .argument = "N",
		.help = "that the processors are on, as many on each"},
	{0, "threads-per-core", TOOL_INT, MEMBER(threads_per_core), 1, SIM_THREADS_PER_CORE_MAX, .argument = "N",
		.help = "processors that share a core"},
	{0, "shared-speed", TOOL_CALL, .argument = "FRACTION", .call = set_shared_speed,
		.help = "speed of each of two busy processors of a core, relative to one alone (60%)"},
	{0, "placement", TOOL_CHOICE, MEMBER(placement), .choices = placements, .argument = "NAME",
		.help = "how the scheduler picks one of several idle processors: linux, cores or any"},
	{0, "accounting", TOOL_CHOICE, MEMBER(accounting), .choices = accountings, .argument = "NAME",
		.help = "how the kernel counts processor time: idle, tick or clock"},
	{0, "counters", TOOL_CALL, .choices = counters, .argument = "LIST",
		.help = "what the kernel has beside /proc/stat (cpuacct)", .completion = TOOL_COMPLETE_LIST,
		.call = set_counters},
	{0, "idle-excess", TOOL_CALL, .argument = "FRACTION", .help = "by which the idle columns of /proc/stat pass too fast (0)",
		.call = set_idle_excess},
	{0, "slice", TOOL_TIME, MEMBER(sim.machine.slice_ns), 10 * NS_PER_US, NS_PER_S, .argument = "TIME",
		.help = "of the scheduler"},
	{0, "tick", TOOL_TIME, MEMBER(sim.machine.tick_ns), 10 * NS_PER_US, NS_PER_S, .argument = "TIME",
		.help = "between two timer ticks"},
	{0, "idle-cost", TOOL_TIME, MEMBER(sim.machine.idle_cost_ns), 0, NS_PER_S, .argument = "TIME",
		.help = "work of the kernel's own when a processor goes idle"},
	{0, "priority", TOOL_CHOICE, MEMBER(priority), .choices = priorities, .argument = "NAME",
		.help = "of executors over workloads: fifo or none"},
	{0, "wakeup-delay", TOOL_TIME, MEMBER(sim.machine.wakeup_ns), 0, NS_PER_S, .argument = "TIME",
		.help = "how late executors wake up, in the mean"},
	{0, "edge-cost", TOOL_TIME, MEMBER(sim.edge_ns), 0, NS_PER_S, .argument = "TIME",
		.help = "CPU time of an executor for an edge …"},
	{0, "edge-cost-thread", TOOL_TIME, MEMBER(sim.edge_thread_ns), 0, NS_PER_MS, .argument = "TIME",
		.help = "… and for each thread of its workload"},
	{0, "reading-cost", TOOL_TIME, MEMBER(sim.reading_ns), 0, NS_PER_S, .argument = "TIME",
		.help = "CPU time of a reading of /proc/stat …"},
	{0, "reading-cost-processor", TOOL_TIME, MEMBER(sim.reading_processor_ns), 0, NS_PER_MS, .argument = "TIME",
		.help = "… and for each processor"},
	{0, "stall", TOOL_TIME, MEMBER(sim.stall_ns), 0, NS_PER_S, .argument = "TIME",
		.help = "now and then a processor stands still for this long, as under a hypervisor"},
	{0, "stall-every", TOOL_TIME, MEMBER(sim.stall_every_ns), NS_PER_MS, TIME_MAX, .argument = "TIME",
		.help = "mean time from one such stall to the next, more than twice the stall"},
	{0, "release", TOOL_TIME, MEMBER(sim.release_ns), 0, TIME_MAX, .argument = "TIME",
		.help = "from the start of one executor to that of the next"},
	{'i', "seed", TOOL_INT, MEMBER(seed), 0, INT64_MAX, .argument = "N", .help = "what all randomness comes from"},
	{0, "report", TOOL_FLAG, MEMBER(report), .help = "print the results in one line on standard output"},
	{0, "speed", TOOL_FLAG, MEMBER(speed), .help = "say how long the simulation took"},
	{'q', "quiet", TOOL_FLAG, MEMBER(quiet), .help = "no summary"},
	{'v', "verbose", TOOL_FLAG, MEMBER(verbose), .help = "say what was set up; a longer summary"},
	{'h', "help", TOOL_NOTHING, .help = "print this"},
	{'V', "version", TOOL_NOTHING, .help = "print the version"},
};
const size_t sssim_option_count = sizeof sssim_options / sizeof *sssim_options;

/* As settings_parse, but what depends on other options is left open. */
static int parse_options(struct settings *settings, int argc, char **argv)
{
	struct tool_options parse = {
		.option = sssim_options, .count = sssim_option_count, .program = "sssim", .words = argc, .word = argv};
	for (;;) {
		const int found = tool_options_next(&parse, true);
		if (found == TOOL_OPTIONS_ERROR)
			return -1;
		if (found == TOOL_OPTIONS_END)
			break;
		if (sssim_options[found].takes == TOOL_NOTHING)
			return sssim_options[found].letter;
		if (found == MODEL)
			settings->model_text[settings->sim.models++] = parse.value;
		else if (found == BACKGROUND)
			settings->background_text[settings->sim.backgrounds++] = parse.value;
		else if (tool_options_take(&parse, found, settings) != 0)
			return -1;
	}
	if (parse.stop < argc)
		return diag_refuse("unexpected argument '%s': sssim runs no commands, see --workload", argv[parse.stop]);
	return 0;
}

/* What depends on other options. */
static int complete(struct settings *settings)
{
	struct sim_config *sim = &settings->sim;
	char error[OPTION_ERROR_MAX];
	const bool has_module = sim->module[SST_TRACE] != config_usual_module[SST_TRACE];
	if (trace_choice_complete(settings->load, has_module, &sim->module[SST_TRACE], &sim->module_options[SST_TRACE]) != 0)
		return -1;
	const unsigned processors = (unsigned)settings->processors;
	if (!sim->models)
		settings->model_text[sim->models++] = "single";
	settings->model = calloc(sim->models, sizeof *settings->model);
	settings->background = calloc(sim->backgrounds + 1, sizeof *settings->background);
	if (!settings->model || !settings->background)
		return diag_refuse("%s", strerror(errno));
	for (unsigned i = 0; i < sim->models; i++)
		if (sim_workload_parse(&settings->model[i], settings->model_text[i], processors, error) != 0)
			return diag_refuse("--workload: %s", error);
	for (unsigned i = 0; i < sim->backgrounds; i++)
		if (sim_background_parse(&settings->background[i], settings->background_text[i], processors, error) != 0)
			return diag_refuse("--background: %s", error);
	if (sim->stall_ns > 0 && sim->stall_every_ns <= 2 * sim->stall_ns)
		return diag_refuse("--stall-every: expected more than twice the stall");
	sim->machine.topology.sockets = (unsigned)settings->sockets;
	sim->machine.topology.threads = (unsigned)settings->threads_per_core;
	sim->machine.topology.placement = (enum sim_placement)settings->placement;
	if (processors % (sim->machine.topology.sockets * sim->machine.topology.threads) != 0)
		return diag_refuse("--processors: expected a multiple of %u, for %u socket%s and %u thread%s per core",
			sim->machine.topology.sockets * sim->machine.topology.threads, sim->machine.topology.sockets,
			sim->machine.topology.sockets == 1 ? "" : "s", sim->machine.topology.threads,
			sim->machine.topology.threads == 1 ? "" : "s");
	sim->model = settings->model;
	sim->background = settings->background;
	sim->workloads = settings->instances > 0 ? (unsigned)settings->instances : processors;
	sim->machine.processors = processors;
	sim->machine.seed = (uint64_t)settings->seed;
	sim->machine.priority = settings->priority == 1;
	sim->accounting = (enum sim_accounting)settings->accounting;
	return 0;
}

void settings_init(struct settings *settings)
{
	*settings = (struct settings){
		.processors = 2, .sockets = 1, .threads_per_core = 1, .instances = -1, .seed = 1, .priority = 1};
	sim_config_defaults(&settings->sim, 2);
}

int settings_parse(struct settings *settings, int argc, char **argv)
{
	settings_init(settings);
	settings->model_text = calloc((size_t)argc + 1, sizeof *settings->model_text);
	settings->background_text = calloc((size_t)argc + 1, sizeof *settings->background_text);
	if (!settings->model_text || !settings->background_text)
		return diag_refuse("%s", strerror(errno));
	const int what = parse_options(settings, argc, argv);
	return what == 0 ? complete(settings) : what;
}

void settings_free(struct settings *settings)
{
	free(settings->model_text);
	free(settings->background_text);
	free(settings->model);
	free(settings->background);
}
