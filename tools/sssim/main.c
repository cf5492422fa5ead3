/* SPDX-License-Identifier: MIT */
/* sssim: runs Showstopper's modules in virtual time on a modelled machine. See sssim(1). */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/tool_options.h"
#include "base/units.h"
#include "base/version.h"
#include "sim/run.h"

/* ---- Command line ----------------------------------------------------------------------------------------------------- */

struct settings {
	struct sim_config sim;
	int64_t processors, instances, seed; /* instances below 0: not given */
	int64_t reading_ns;                  /* below 0: not given */
	int accounting, priority;
	const char **model_text, **background_text; /* as given; owned, the words are argv's */
	struct sim_workload *model, *background;
	bool report, speed, quiet, verbose;
};

/* Places in the table of the options that are kept apart. */
enum { MODEL, BACKGROUND };

/* Ten years: sums of times can't overflow. */
#define TIME_MAX (INT64_C(3650) * 86400 * NS_PER_S)
#define MEMBER(member) offsetof(struct settings, member)
#define MODULE(kind) offsetof(struct settings, sim.module) + (kind) * sizeof(const char *)
#define MODULE_OPTIONS(kind) offsetof(struct settings, sim.module_options) + (kind) * sizeof(const char *)

static const char *const accountings[] = {"idle", "tick", "clock", NULL};
static const char *const priorities[] = {"none", "fifo", NULL};

static const struct tool_option table[] = {
	[MODEL] = {'W', "workload", TOOL_VALUE, .argument = "MODEL[:OPTIONS]",
		.help = "what the workloads are, see below (single); several models are given to them in turn"},
	[BACKGROUND] = {'B', "background", TOOL_VALUE, .argument = "OPTIONS",
		.help = "a load that nobody controls, see below; may be given several times"},
	{'t', "trace", TOOL_TEXT, MODULE(SST_TRACE), .argument = "MODULE", .help = "trace module: what the load should be"},
	{'T', "trace-options", TOOL_TEXT, MODULE_OPTIONS(SST_TRACE), .argument = "OPTIONS",
		.help = "its options, key=value,key=value"},
	{'f', "feedback", TOOL_TEXT, MODULE(SST_FEEDBACK), .argument = "MODULE", .help = "feedback module: what the load is"},
	{'F', "feedback-options", TOOL_TEXT, MODULE_OPTIONS(SST_FEEDBACK), .argument = "OPTIONS", .help = "its options"},
	{'c', "control", TOOL_TEXT, MODULE(SST_CONTROL), .argument = "MODULE", .help = "control module: the global duty cycle"},
	{'C', "control-options", TOOL_TEXT, MODULE_OPTIONS(SST_CONTROL), .argument = "OPTIONS", .help = "its options"},
	{'s', "space", TOOL_TEXT, MODULE(SST_SPACE), .argument = "MODULE", .help = "space module: what each workload gets of it"},
	{'S', "space-options", TOOL_TEXT, MODULE_OPTIONS(SST_SPACE), .argument = "OPTIONS", .help = "its options"},
	{'d', "dithering", TOOL_TEXT, MODULE(SST_DITHERING), .argument = "MODULE",
		.help = "dithering module: when each workload runs"},
	{'D', "dithering-options", TOOL_TEXT, MODULE_OPTIONS(SST_DITHERING), .argument = "OPTIONS", .help = "its options"},
	{'n', "instances", TOOL_INT, MEMBER(instances), 1, 100000, .argument = "N", .help = "workloads (as many as processors)"},
	{'w', "warmup", TOOL_TIME, MEMBER(sim.warmup_ns), 0, TIME_MAX, .argument = "TIME", .help = "run uncontrolled first (0)"},
	{'r', "run-time", TOOL_TIME, MEMBER(sim.run_time_ns), 1, TIME_MAX, .argument = "TIME",
		.help = "stop after this long under control (the trace's length)"},
	{'o', "log", TOOL_TEXT, MEMBER(sim.log), .argument = "FILE", .help = "write the control log there, as CSV"},
	{0, "log-interval", TOOL_TIME, MEMBER(sim.log_interval_ns), NS_PER_MS, TIME_MAX, .argument = "TIME",
		.help = "length of a row of the log (500m)"},
	{0, "log-instances", TOOL_FLAG, MEMBER(sim.log_instances), .help = "add each workload's duty cycle to the log"},
	{'p', "processors", TOOL_INT, MEMBER(processors), 1, SIM_PROCESSORS_MAX, .argument = "P", .help = "of the machine (2)"},
	{0, "accounting", TOOL_CHOICE, MEMBER(accounting), .choices = accountings, .argument = "NAME",
		.help = "how the kernel counts processor time: idle, tick or clock (idle)"},
	{0, "slice", TOOL_TIME, MEMBER(sim.machine.slice_ns), 10 * NS_PER_US, NS_PER_S, .argument = "TIME",
		.help = "of the scheduler (3m)"},
	{0, "tick", TOOL_TIME, MEMBER(sim.machine.tick_ns), 10 * NS_PER_US, NS_PER_S, .argument = "TIME",
		.help = "between two timer ticks (4m)"},
	{0, "idle-cost", TOOL_TIME, MEMBER(sim.machine.idle_cost_ns), 0, NS_PER_S, .argument = "TIME",
		.help = "work of the kernel's own when a processor goes idle (5u)"},
	{0, "priority", TOOL_CHOICE, MEMBER(priority), .choices = priorities, .argument = "NAME",
		.help = "of executors over workloads: fifo or none (fifo)"},
	{0, "wakeup-delay", TOOL_TIME, MEMBER(sim.machine.wakeup_ns), 0, NS_PER_S, .argument = "TIME",
		.help = "how late executors wake up, in the mean (30u)"},
	{0, "edge-cost", TOOL_TIME, MEMBER(sim.edge_ns), 0, NS_PER_S, .argument = "TIME",
		.help = "CPU time of an executor for an edge (30u)"},
	{0, "reading-cost", TOOL_TIME, MEMBER(reading_ns), 0, NS_PER_S, .argument = "TIME",
		.help = "CPU time of a reading of /proc/stat (20u and 2u per processor)"},
	{0, "release", TOOL_TIME, MEMBER(sim.release_ns), 0, TIME_MAX, .argument = "TIME",
		.help = "from the start of one executor to that of the next (20u)"},
	{'i', "seed", TOOL_INT, MEMBER(seed), 0, INT64_MAX, .argument = "N", .help = "what all randomness comes from (1)"},
	{0, "report", TOOL_FLAG, MEMBER(report), .help = "print the results in one line on standard output"},
	{0, "speed", TOOL_FLAG, MEMBER(speed), .help = "say how long the simulation took"},
	{'q', "quiet", TOOL_FLAG, MEMBER(quiet), .help = "no summary"},
	{'v', "verbose", TOOL_FLAG, MEMBER(verbose), .help = "say what was set up; a longer summary"},
	{'h', "help", TOOL_NOTHING, .help = "print this"},
	{'V', "version", TOOL_NOTHING, .help = "print the version"},
};
#define ROWS (sizeof table / sizeof *table)

static void print_help(const struct settings *settings)
{
	fputs("Usage: sssim [OPTION]... -T OPTIONS\n"
	      "Run Showstopper's modules in virtual time on a modelled machine, and say how well they did.\n\n",
		stdout);
	tool_options_help(table, ROWS, 0, stdout);
	fputs("\nModules, where no others are asked for:", stdout);
	for (int kind = 0; kind < SST_KINDS; kind++)
		printf("%s %s", kind ? "," : "", settings->sim.module[kind]);
	fputs("\n\nModels of workloads, with their options:\n", stdout);
	sim_workload_help(stdout);
	fputs("\nExample: sssim -p 12 -W parallel:4 -T 50% -r 3M -o run.csv\n", stdout);
}

static int refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int refuse(const char *format, ...)
{
	char message[1024];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	diag("%s", message);
	return -1;
}

/* Returns -1 after a message, the letter of an option that asks for something else than a run, or 0. */
static int parse_options(struct settings *settings, int argc, char **argv)
{
	struct tool_options parse = {.option = table, .count = ROWS, .program = "sssim", .words = argc, .word = argv};
	for (;;) {
		const int found = tool_options_next(&parse, true);
		if (found == TOOL_OPTIONS_ERROR)
			return -1;
		if (found == TOOL_OPTIONS_END)
			break;
		if (table[found].takes == TOOL_NOTHING)
			return table[found].letter;
		char source[32];
		snprintf(source, sizeof source, "--%s", table[found].name);
		if (found == MODEL)
			settings->model_text[settings->sim.models++] = parse.value;
		else if (found == BACKGROUND)
			settings->background_text[settings->sim.backgrounds++] = parse.value;
		else if (tool_options_set(&table[found], settings, source, parse.value) != 0)
			return -1;
	}
	if (parse.stop < argc)
		return refuse("unexpected argument '%s': sssim runs no commands, see --workload", argv[parse.stop]);
	return 0;
}

/* What depends on other options. */
static int complete(struct settings *settings)
{
	struct sim_config *sim = &settings->sim;
	char error[OPTION_ERROR_MAX];
	const unsigned processors = (unsigned)settings->processors;
	if (!sim->models)
		settings->model_text[sim->models++] = "single";
	settings->model = calloc(sim->models, sizeof *settings->model);
	settings->background = calloc(sim->backgrounds + 1, sizeof *settings->background);
	if (!settings->model || !settings->background)
		return refuse("%s", strerror(errno));
	for (unsigned i = 0; i < sim->models; i++)
		if (sim_workload_parse(&settings->model[i], settings->model_text[i], processors, error) != 0)
			return refuse("--workload: %s", error);
	for (unsigned i = 0; i < sim->backgrounds; i++)
		if (sim_background_parse(&settings->background[i], settings->background_text[i], processors, error) != 0)
			return refuse("--background: %s", error);
	struct sim_config usual;
	sim_config_defaults(&usual, processors);
	sim->model = settings->model;
	sim->background = settings->background;
	sim->workloads = settings->instances > 0 ? (unsigned)settings->instances : processors;
	sim->reading_ns = settings->reading_ns >= 0 ? settings->reading_ns : usual.reading_ns;
	sim->machine.processors = processors;
	sim->machine.seed = (uint64_t)settings->seed;
	sim->machine.priority = settings->priority == 1;
	sim->accounting = (enum sim_accounting)settings->accounting;
	return 0;
}

/* ---- Results ---------------------------------------------------------------------------------------------------------- */

/* As the goals of the project name them. */
static const int64_t windows[] = {500 * NS_PER_MS, 370 * NS_PER_MS, 1300 * NS_PER_MS};
#define WINDOWS (sizeof windows / sizeof *windows)
#define SETTLED 0.05
/* What comes before is left out of the largest error. */
#define WORST_FROM_NS (5 * NS_PER_S)

static void print_report(const struct sim_run *run)
{
	const struct sim_history *history = sim_run_history(run);
	const struct summary *summary = sim_run_summary(run);
	for (size_t i = 0; i < WINDOWS; i++) {
		const struct accuracy exact = sim_history_accuracy(history, windows[i]);
		if (i == 0)
			printf("load=%.6f mean_error_pp=%.4f", accuracy_mean_load(&exact), accuracy_mean_error_pp(&exact));
		printf(" mse_%d_pp2=%.4f", (int)(windows[i] / NS_PER_MS), accuracy_mse_pp2(&exact));
	}
	printf(" settling_s=%.2f worst_500_pp=%.3f", sim_history_settling(history, windows[0], SETTLED),
		100 * sim_history_worst(history, windows[0], (size_t)(WORST_FROM_NS / SIM_HISTORY_STEP_NS)));
	printf(" seen_mean_error_pp=%.4f seen_mse_pp2=%.4f late_99_us=%.0f saturated=%.4f starved=%.4f own_cpu_s=%.6f\n",
		accuracy_mean_error_pp(&summary->accuracy), accuracy_mse_pp2(&summary->accuracy), summary->lateness_99_us,
		summary->saturated, summary->starved, summary->executors_cpu_s);
}

static void print_summary(const struct settings *settings, const struct sim_run *run)
{
	const struct sim_history *history = sim_run_history(run);
	struct accuracy exact[WINDOWS];
	for (size_t i = 0; i < WINDOWS; i++)
		exact[i] = sim_history_accuracy(history, windows[i]);
	summary_print(sim_run_summary(run), sim_run_shared(run), settings->verbose, stderr);
	if (!exact[0].samples)
		return;
	fprintf(stderr, "exact mean error     %+.3f pp\n", accuracy_mean_error_pp(&exact[0]));
	fprintf(stderr, "exact squared error  %.3f pp^2 in windows of 500 ms, %.3f of 370 ms, %.3f of 1.3 s\n",
		accuracy_mse_pp2(&exact[0]), accuracy_mse_pp2(&exact[1]), accuracy_mse_pp2(&exact[2]));
	fprintf(stderr, "settling time        %.2f s until windows of 500 ms stay within 5 pp\n",
		sim_history_settling(history, windows[0], SETTLED));
}

/* As showstopper says it. */
static void say_what_was_set_up(const struct sim_run *run)
{
	for (int kind = 0; kind < SST_KINDS; kind++) {
		const struct module *module = &sim_run_modules(run)[kind];
		char *options = NULL;
		size_t size = 0;
		FILE *text = open_memstream(&options, &size);
		if (!text)
			return;
		option_print(module->base->options, module->state, text);
		fclose(text);
		diag("%s %s %s", module_kind_name((enum sst_kind)kind), module->base->name, options);
		free(options);
	}
}

static int simulate(const struct settings *settings)
{
	const int64_t start = clock_now();
	struct sim_run *run = sim_run_new(&settings->sim);
	if (!run)
		return EXIT_TROUBLE;
	int status = EXIT_TROUBLE;
	if (settings->verbose)
		say_what_was_set_up(run);
	if (sim_run_go(run) == 0) {
		const struct sim_machine *machine = sim_run_machine(run);
		status = 0;
		if (!settings->quiet)
			print_summary(settings, run);
		if (settings->report)
			print_report(run);
		const double took = (double)(clock_now() - start) / 1e9;
		const double simulated = (double)(machine->now_ns - machine->config.start_ns) / 1e9;
		if (settings->speed)
			diag("%.1f s in %.3f s: %.0f times as fast as real time, %.2f million events", simulated, took,
				simulated / took, (double)machine->fired / 1e6);
	}
	sim_run_free(run);
	return status;
}

int main(int argc, char **argv)
{
	struct settings settings = {.processors = 2, .instances = -1, .seed = 1, .reading_ns = -1, .priority = 1};
	int status = EXIT_TROUBLE;
	diag_name("sssim");
	sim_config_defaults(&settings.sim, 2);
	settings.model_text = calloc((size_t)argc + 1, sizeof *settings.model_text);
	settings.background_text = calloc((size_t)argc + 1, sizeof *settings.background_text);
	if (!settings.model_text || !settings.background_text) {
		diag("%s", strerror(errno));
		goto out;
	}
	switch (parse_options(&settings, argc, argv)) {
	case -1:
		goto out;
	case 'h':
		print_help(&settings);
		status = 0;
		break;
	case 'V':
		printf("sssim %s\n", version_text);
		status = 0;
		break;
	default:
		if (complete(&settings) == 0)
			status = simulate(&settings);
		break;
	}
	if (fflush(stdout) != 0 || ferror(stdout)) {
		diag("can't write to standard output: %s", strerror(errno));
		status = EXIT_TROUBLE;
	}
out:
	free(settings.model_text);
	free(settings.background_text);
	free(settings.model);
	free(settings.background);
	return status;
}
