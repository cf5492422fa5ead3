/* SPDX-License-Identifier: MIT */
/*
 * ssreport: tables and pictures from control logs and iteration records. See ssreport(1).
 *
 * A subcommand is a row of `commands`: it makes a table of its results, and, where it has one, a picture. Which files belong
 * together is decided in report_input.c, what is computed in report_accuracy.c, report_window.c and report_colocation.c. This file
 * has the options and writes outputs.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/diag.h"
#include "base/half_file.h"
#include "base/tool_options.h"
#include "base/units.h"
#include "base/version.h"
#include "report/accuracy.h"
#include "report/colocation.h"
#include "report/heat.h"
#include "report/input.h"
#include "report/matrix.h"
#include "report/picture.h"
#include "report/plot.h"
#include "report/table.h"
#include "report/window.h"

#define TIME_MAX (366 * 86400 * NS_PER_S)
#define INTERVAL_DEFAULT (6 * NS_PER_S)
#define EDGE_DEFAULT (1.0 / 6)
#define PANELS_MAX 12 /* in a column */
#define COLUMNS_MAX 12
#define TABLE_COLUMNS_MAX 32
#define SIZE_LEAST_CM 3.0
#define SIZE_MOST_CM 100.0
#define UNSET (-1)

/* ---- Settings --------------------------------------------------------------------------------------------------------- */

enum { FORMAT_UNSET = -1 };
static const char *const format_names[] = {"text", "csv", "markdown", "json", NULL};

enum {
	ACCURACY = 1,
	TIMELINE = 2,
	THROUGHPUT = 4,
	CURVE = 8,
	INTERFERENCE = 16,
	OVERALL = 32,
	EFFICIENCY = 64,
	RATIO = 128,
	HEATMAP = 256,
	COLOCATION = INTERFERENCE | OVERALL | EFFICIENCY | RATIO,
	OF_RUNS = ACCURACY | TIMELINE | THROUGHPUT | CURVE | COLOCATION,
	ALL = OF_RUNS | HEATMAP,
};

struct settings {
	const struct command *command;
	struct report_input input;
	const char **output; /* `outputs` names; none: standard output */
	size_t outputs;
	int format;
	int64_t window_ns, interval_ns, settle_ns, skip_edges_ns; /* UNSET */
	bool per_target, per_step, with_warmup;
	double edge;           /* NaN: unset */
	int64_t columns;       /* of panels */
	const char *reference; /* a label, or NULL */
	struct report_heat_range range;
	struct report_size size; /* 0: that of the picture */
};

/* What a subcommand makes. Starts empty. */
struct report {
	const struct settings *settings;
	struct report_table *table;
	struct report_series *series; /* for the picture; the labels are those of the runs */
	size_t count;
	struct report_matrix matrix; /* what a heat map shows */
};

struct command {
	unsigned bit;
	const char *name, *argument, *summary;
	const struct report_column *column;
	size_t columns;
	int (*check)(const struct settings *settings);           /* of options: 0, or -1 after a message. May be NULL */
	int (*make)(struct report *report);                      /* 0, or -1 after a message */
	size_t most;                                             /* series in a picture; 0: no limit */
	struct report_size (*size)(const struct report *report); /* of the picture; NULL: there is none */
	int (*draw)(const struct report *report, struct plot *plot, const struct report_size *size); /* 0, or -1 with errno */
};

#define MEMBER(member) offsetof(struct settings, member)

enum {
	OUTPUT,
	FORMAT,
	LABEL,
	WINDOW,
	SETTLE,
	SKIP_EDGES,
	PER_TARGET,
	INTERVAL,
	PER_STEP,
	EDGE,
	WARMUP,
	REFERENCE,
	RANGE,
	COLUMNS,
	SIZE,
	HELP,
	VERSION
};

static const struct tool_option options[] = {
	[OUTPUT] = {'o', "output", TOOL_VALUE, .argument = "FILE", .uses = ALL,
		.help = "write a picture (.png .svg .pdf) or a table to FILE; may be repeated"},
	[FORMAT] = {'f', "format", TOOL_CHOICE, MEMBER(format), .choices = format_names, .argument = "NAME", .uses = ALL,
		.help = "of tables: text, csv, markdown, json (that of FILE's ending, or text)"},
	[LABEL] = {'l', "label", TOOL_VALUE, .argument = "LABEL", .uses = OF_RUNS,
		.help = "the files that follow are one run of this label"},
	[WINDOW] = {'w', "window", TOOL_TIME, MEMBER(window_ns), NS_PER_MS, TIME_MAX, .argument = "TIME",
		.uses = ACCURACY | TIMELINE, .help = "length of a sample (the rows of the log)"},
	[SETTLE] = {0, "settle", TOOL_TIME, MEMBER(settle_ns), 0, TIME_MAX, .argument = "TIME", .uses = ACCURACY,
		.help = "leave out so much after control begins"},
	[SKIP_EDGES] = {0, "skip-edges", TOOL_TIME, MEMBER(skip_edges_ns), 0, TIME_MAX, .argument = "TIME", .uses = ACCURACY,
		.help = "leave out so much after each jump of the target"},
	[PER_TARGET] = {0, "per-target", TOOL_FLAG, MEMBER(per_target), .uses = ACCURACY,
		.help = "add a row for each level of the target"},
	[INTERVAL] = {'i', "interval", TOOL_TIME, MEMBER(interval_ns), NS_PER_MS, TIME_MAX, .argument = "TIME",
		.uses = TIMELINE | THROUGHPUT | CURVE, .help = "count iterations over so long (6s; curve: in steps)"},
	[PER_STEP] = {0, "per-step", TOOL_FLAG, MEMBER(per_step), .uses = THROUGHPUT,
		.help = "count iterations over each step of the target"},
	[EDGE] = {0, "edge", TOOL_VALUE, .argument = "SHARE", .uses = THROUGHPUT | CURVE | COLOCATION,
		.help = "of a step that is left out at its beginning and at its end (1/6)"},
	[WARMUP] = {0, "warmup", TOOL_FLAG, MEMBER(with_warmup), .uses = TIMELINE | THROUGHPUT, .help = "show the warm-up too"},
	[REFERENCE] = {0, "reference", TOOL_TEXT, MEMBER(reference), .argument = "LABEL", .uses = OVERALL | EFFICIENCY,
		.help = "show each step relative to that of this label's runs"},
	[RANGE] = {0, "range", TOOL_VALUE, .argument = "LOW:HIGH", .uses = HEATMAP,
		.help = "numbers of the lightest and of the darkest colour (those of the table)"},
	[COLUMNS] = {0, "columns", TOOL_INT, MEMBER(columns), 1, COLUMNS_MAX, .argument = "N", .uses = TIMELINE,
		.help = "logs beside each other in a picture (1)"},
	[SIZE] = {0, "size", TOOL_VALUE, .argument = "WxH",
		.uses = TIMELINE | THROUGHPUT | CURVE | INTERFERENCE | OVERALL | EFFICIENCY | HEATMAP,
		.help = "of a picture, in cm (8.5 wide, as a column)"},
	[HELP] = {'h', "help", TOOL_NOTHING, .uses = ALL, .help = "print this"},
	[VERSION] = {'V', "version", TOOL_NOTHING, .uses = ALL, .help = "print the version"},
};
#define OPTIONS (sizeof options / sizeof *options)

static double seconds(int64_t ns)
{
	return (double)ns / (double)NS_PER_S;
}

static int complain(const char *error)
{
	diag("%s", error);
	return -1;
}

static int complain_about_memory(void)
{
	return complain(strerror(errno));
}

/* ---- Accuracy --------------------------------------------------------------------------------------------------------- */

static const struct report_column accuracy_columns[] = {
	{"label", REPORT_IS_TEXT, "label", 0, 1},
	{"file", REPORT_IS_TEXT, "file", 0, 1},
	{"level", 6, "level %", 1, 100},
	{"samples", 0, "samples", 0, 1},
	{"time_s", 3, "time s", 1, 1},
	{"target", 6, "target %", 2, 100},
	{"load", 6, "load %", 2, 100},
	{"mean_error_pp", 4, "mean error pp", 2, 1},
	{"mse_pp2", 4, "MSE pp\xc2\xb2", 2, 1},
};

static int add_accuracy(struct report *report, const char *label, const char *file, const struct report_accuracy *result)
{
	const struct accuracy *const accuracy = &result->accuracy;
	const union report_cell cells[] = {{.text = label}, {.text = file}, {.number = result->target},
		{.number = (double)accuracy->samples}, {.number = result->seconds}, {.number = accuracy_mean_target(accuracy)},
		{.number = accuracy_mean_load(accuracy)}, {.number = accuracy_mean_error_pp(accuracy)},
		{.number = accuracy_mse_pp2(accuracy)}};
	return report_table_add(report->table, cells) == 0 ? 0 : complain_about_memory();
}

static int accuracy_of_log(struct report *report, const struct report_run *run, const struct report_log *log)
{
	const struct settings *const settings = report->settings;
	const struct report_accuracy_rules rules = {.window = settings->window_ns == UNSET ? 0 : seconds(settings->window_ns),
		.settle = settings->settle_ns == UNSET ? 0 : seconds(settings->settle_ns),
		.skip_edges = settings->skip_edges_ns == UNSET ? 0 : seconds(settings->skip_edges_ns)};
	size_t count = 0;
	int result = -1;
	if (!log->target) {
		diag("%s:1: found no column target, expected a control log (showstopper -o)", log->name);
		return -1;
	}
	/* Rows are a few per cent longer or shorter than they should be. */
	if (rules.window > 0 && rules.window < 0.9 * log->interval) {
		diag("%s: found rows of %.3f s, expected --window to be at least as long", log->name, log->interval);
		return -1;
	}
	struct report_accuracy *const accuracy = report_accuracy(log, &rules, settings->per_target, &count);
	if (!accuracy)
		return complain_about_memory();
	if (accuracy[0].accuracy.samples == 0)
		diag("%s: found no sample with a load and a target that is not left out", log->name);
	else
		result = 0;
	for (size_t i = 0; result == 0 && i < count; i++)
		if (i == 0 || accuracy[i].accuracy.samples > 0)
			result = add_accuracy(report, run->label, log->name, &accuracy[i]);
	free(accuracy);
	return result;
}

static int make_accuracy(struct report *report)
{
	const struct report_input *const input = &report->settings->input;
	for (size_t i = 0; i < input->runs; i++)
		for (size_t log = 0; log < input->run[i].logs; log++)
			if (accuracy_of_log(report, &input->run[i], &input->run[i].log[log]) != 0)
				return -1;
	if (report_table_rows(report->table) > 0)
		return 0;
	return complain("found iterations only, expected a control log (showstopper -o)");
}

/* ---- Windows ---------------------------------------------------------------------------------------------------------- */

static const struct report_column window_columns[] = {
	{"label", REPORT_IS_TEXT, "label", 0, 1},
	{"file", REPORT_IS_TEXT, "file", 0, 1},
	{"start_s", 3, "start s", 1, 1},
	{"end_s", 3, "end s", 1, 1},
	{"target", 6, "target %", 2, 100},
	{"load", 6, "load %", 2, 100},
	{"iterations", 6, "iterations", 2, 1},
	{"throughput", 6, "iterations/s", 3, 1},
};

static int add_windows(struct report *report, const char *label, const char *file, const struct report_windows *windows)
{
	for (size_t i = 0; i < windows->count; i++) {
		const struct report_window *const window = &windows->item[i];
		const union report_cell cells[] = {{.text = label}, {.text = file}, {.number = window->start},
			{.number = window->end}, {.number = window->target}, {.number = window->load},
			{.number = window->iterations}, {.number = window->throughput}};
		if (report_table_add(report->table, cells) != 0)
			return complain_about_memory();
	}
	return 0;
}

/* A label is shown when the user gave it or when there are several. */
static void show_labels(struct report *report)
{
	const struct report_input *const input = &report->settings->input;
	bool is_needed = report->count > 1;
	for (size_t i = 0; i < input->runs; i++)
		is_needed |= input->run[i].is_labelled;
	for (size_t i = 0; !is_needed && i < report->count; i++)
		report->series[i].label = NULL;
}

static struct report_series *add_series(struct report *report, const char *label, const struct report_log *log)
{
	struct report_series *const larger = realloc(report->series, (report->count + 1) * sizeof *larger);
	if (!larger) {
		complain_about_memory();
		return NULL;
	}
	report->series = larger;
	larger[report->count] = (struct report_series){.label = label, .log = log};
	return &larger[report->count++];
}

static int make_windows(struct report_windows *windows, const struct report_run *run, const struct report_log *log,
	const struct report_windows_rules *rules)
{
	char error[CSV_ERROR_MAX];
	return report_windows_make(windows, run, log, rules, error) == 0 ? 0 : complain(error);
}

static double interval(const struct settings *settings)
{
	return seconds(settings->interval_ns == UNSET ? INTERVAL_DEFAULT : settings->interval_ns);
}

static double edge(const struct settings *settings)
{
	return isnan(settings->edge) ? EDGE_DEFAULT : settings->edge;
}

/* ---- Timeline --------------------------------------------------------------------------------------------------------- */

static int timeline_of_log(struct report *report, const struct report_run *run, const struct report_log *log)
{
	const struct settings *const settings = report->settings;
	const bool has_window = settings->window_ns != UNSET;
	const struct report_windows_rules load = {.kind = has_window ? REPORT_INTERVALS : REPORT_ROWS,
		.length = has_window ? seconds(settings->window_ns) : 0,
		.with_warmup = settings->with_warmup};
	const struct report_windows_rules throughput = {
		.kind = REPORT_INTERVALS, .length = interval(settings), .with_warmup = settings->with_warmup};
	struct report_series *const series = add_series(report, run->label, log);
	if (!series || make_windows(&series->windows, run, log, &load) != 0)
		return -1;
	if (run->iteration_files > 0 && make_windows(&series->throughput, run, log, &throughput) != 0)
		return -1;
	return add_windows(report, run->label, log->name, &series->windows);
}

static int make_timeline(struct report *report)
{
	const struct report_input *const input = &report->settings->input;
	for (size_t i = 0; i < input->runs; i++) {
		if (input->run[i].logs == 0) {
			diag("%s: found iterations, but no log of the load", input->run[i].label);
			return -1;
		}
		for (size_t log = 0; log < input->run[i].logs; log++)
			if (timeline_of_log(report, &input->run[i], &input->run[i].log[log]) != 0)
				return -1;
	}
	return 0;
}

/* No more than there are logs. */
static size_t panel_columns(const struct report *report)
{
	const size_t wanted = (size_t)report->settings->columns;
	return wanted < report->count ? wanted : report->count;
}

static struct report_size size_timeline(const struct report *report)
{
	return report_picture_size_timeline(report->series, report->count, panel_columns(report));
}

static int draw_timeline(const struct report *report, struct plot *plot, const struct report_size *size)
{
	return report_picture_timeline(plot, report->series, report->count, panel_columns(report), size);
}

/* ---- Throughput ------------------------------------------------------------------------------------------------------- */

static int check_throughput(const struct settings *settings)
{
	if (settings->per_step && settings->interval_ns != UNSET)
		return complain("found --per-step and --interval, expected one of them");
	if (!settings->per_step && !isnan(settings->edge))
		return complain("found --edge without --per-step");
	return 0;
}

static int throughput_of(struct report *report, const struct report_run *run, const struct report_log *log)
{
	const struct settings *const settings = report->settings;
	const struct report_windows_rules rules = {.kind = settings->per_step ? REPORT_STEPS : REPORT_INTERVALS,
		.length = interval(settings),
		.edge = edge(settings),
		.with_warmup = settings->with_warmup};
	struct report_series *const series = add_series(report, run->label, log);
	if (!series || make_windows(&series->windows, run, log, &rules) != 0)
		return -1;
	return add_windows(report, run->label, log ? log->name : NULL, &series->windows);
}

static int check_iterations(const struct report_run *run)
{
	if (run->iteration_files > 0)
		return 0;
	diag("%s: found a log, but no iterations", run->label);
	return -1;
}

static int make_throughput(struct report *report)
{
	const struct settings *const settings = report->settings;
	for (size_t i = 0; i < settings->input.runs; i++) {
		const struct report_run *const run = &settings->input.run[i];
		if (check_iterations(run) != 0)
			return -1;
		if (run->logs == 0 && settings->per_step) {
			diag("%s: found iterations, but no log whose steps --per-step could take", run->label);
			return -1;
		}
		if (run->logs == 0 && throughput_of(report, run, NULL) != 0)
			return -1;
		for (size_t log = 0; log < run->logs; log++)
			if (throughput_of(report, run, &run->log[log]) != 0)
				return -1;
	}
	return 0;
}

static struct report_size size_lines(const struct report *report)
{
	return report_picture_size_lines(report->series, report->count);
}

static int draw_throughput(const struct report *report, struct plot *plot, const struct report_size *size)
{
	return report_picture_throughput(plot, report->series, report->count, size, report->settings->per_step);
}

/* ---- Curve ------------------------------------------------------------------------------------------------------------ */

static int check_curve(const struct settings *settings)
{
	if (settings->interval_ns != UNSET && !isnan(settings->edge))
		return complain("found --interval and --edge, expected one of them");
	return 0;
}

/* Runs of one label make one series. */
static struct report_series *find_series(struct report *report, const char *label)
{
	for (size_t i = 0; i < report->count; i++)
		if (strcmp(report->series[i].label, label) == 0)
			return &report->series[i];
	return add_series(report, label, NULL);
}

static int append(struct report_windows *to, const struct report_windows *from)
{
	struct report_window *const larger = realloc(to->item, (to->count + from->count + 1) * sizeof *larger);
	if (!larger)
		return complain_about_memory();
	memcpy(larger + to->count, from->item, from->count * sizeof *larger);
	to->item = larger;
	to->count += from->count;
	return 0;
}

static int curve_of_log(struct report *report, const struct report_run *run, const struct report_log *log)
{
	const struct settings *const settings = report->settings;
	const struct report_windows_rules rules = {.kind = settings->interval_ns == UNSET ? REPORT_STEPS : REPORT_INTERVALS,
		.length = interval(settings),
		.edge = edge(settings),
		.is_staircase = true};
	struct report_windows windows;
	int result = make_windows(&windows, run, log, &rules);
	bool has_load = false;
	for (size_t i = 0; result == 0 && i < windows.count; i++)
		has_load |= !isnan(windows.item[i].load);
	if (result == 0 && !has_load) {
		diag("%s: found no load, expected it in some rows", log->name);
		result = -1;
	}
	struct report_series *const series = result == 0 ? find_series(report, run->label) : NULL;
	if (!series || append(&series->windows, &windows) != 0)
		result = -1;
	else
		result = add_windows(report, run->label, log->name, &windows);
	report_windows_free(&windows);
	return result;
}

static int make_curve(struct report *report)
{
	const struct report_input *const input = &report->settings->input;
	for (size_t i = 0; i < input->runs; i++) {
		const struct report_run *const run = &input->run[i];
		if (check_iterations(run) != 0)
			return -1;
		if (run->logs == 0) {
			diag("%s: found iterations, but no log of the load", run->label);
			return -1;
		}
		for (size_t log = 0; log < run->logs; log++)
			if (curve_of_log(report, run, &run->log[log]) != 0)
				return -1;
	}
	return 0;
}

static int draw_curve(const struct report *report, struct plot *plot, const struct report_size *size)
{
	return report_picture_curve(plot, report->series, report->count, size, report->settings->interval_ns != UNSET);
}

/* ---- Colocation ------------------------------------------------------------------------------------------------------- */

static const struct report_column interference_columns[] = {
	{"label", REPORT_IS_TEXT, "label", 0, 1},
	{"file", REPORT_IS_TEXT, "file", 0, 1},
	{"steps", 0, "steps", 0, 1},
	{"interference", 4, "interference", 1, 1},
	{"interference_1", 4, "first half", 1, 1},
	{"interference_2", 4, "second half", 1, 1},
	{"angle_deg", 4, "angle \xc2\xb0", 2, 1},
	{"symmetric", REPORT_IS_TEXT, "symmetric", 0, 1},
	{"p", 9, "largest p", 4, 1},
	{"significant", REPORT_IS_TEXT, "significant", 0, 1},
	{"slope_1", 9, NULL, 0, 1},
	{"intercept_1", 9, NULL, 0, 1},
	{"slope_p_1", 9, NULL, 0, 1},
	{"intercept_p_1", 9, NULL, 0, 1},
	{"r2_1", 6, NULL, 0, 1},
	{"slope_2", 9, NULL, 0, 1},
	{"intercept_2", 9, NULL, 0, 1},
	{"slope_p_2", 9, NULL, 0, 1},
	{"intercept_p_2", 9, NULL, 0, 1},
	{"r2_2", 6, NULL, 0, 1},
};

static const struct report_column overall_columns[] = {
	{"label", REPORT_IS_TEXT, "label", 0, 1},
	{"file", REPORT_IS_TEXT, "file", 0, 1},
	{"step", 0, "step", 0, 1},
	{"start_s", 3, "start s", 1, 1},
	{"end_s", 3, "end s", 1, 1},
	{"target", 6, "target %", 2, 100},
	{"load", 6, "load %", 2, 100},
	{"iterations", 6, "iterations", 2, 1},
	{"throughput", 6, "iterations/s", 3, 1},
	{"relative", 6, "relative %", 2, 100},
};

static const struct report_column efficiency_columns[] = {
	{"label", REPORT_IS_TEXT, "label", 0, 1},
	{"file", REPORT_IS_TEXT, "file", 0, 1},
	{"step", 0, "step", 0, 1},
	{"start_s", 3, "start s", 1, 1},
	{"end_s", 3, "end s", 1, 1},
	{"target", 6, "target %", 2, 100},
	{"load", 6, "load %", 2, 100},
	{"iterations", 6, "iterations", 2, 1},
	{"power_w", 3, "power W", 2, 1},
	{"energy_j", 3, "energy J", 1, 1},
	{"iterations_per_wh", 6, "iterations/Wh", 2, 1},
	{"relative", 6, "relative %", 2, 100},
};

static const struct report_column ratio_columns[] = {
	{"label", REPORT_IS_TEXT, "label", 0, 1},
	{"file", REPORT_IS_TEXT, NULL, 0, 1},
	{"reference", REPORT_IS_TEXT, NULL, 0, 1},
	{"steps", 0, "steps", 0, 1},
	{"least", 6, "least", 3, 1},
	{"median", 6, "median", 3, 1},
	{"most", 6, "most", 3, 1},
};

static const char *yes_or_no(bool is)
{
	return is ? "yes" : "no";
}

static int add_interference(struct report *report, const struct report_colocated *run)
{
	struct report_interference found;
	char error[CSV_ERROR_MAX];
	if (report_interference(run, &found, error) != 0)
		return complain(error);
	if (isnan(found.mean))
		diag("%s: interference is unavailable: the load was the same in all steps of a half, or there was no throughput",
			run->file);
	const struct regression *const first = &found.line[0];
	const struct regression *const second = &found.line[1];
	const union report_cell cells[] = {{.text = run->label}, {.text = run->file}, {.number = (double)found.steps},
		{.number = found.mean}, {.number = found.metric[0]}, {.number = found.metric[1]}, {.number = found.angle},
		{.text = yes_or_no(found.is_symmetric)}, {.number = found.p}, {.text = yes_or_no(found.is_significant)},
		{.number = first->slope}, {.number = first->intercept}, {.number = first->slope_p},
		{.number = first->intercept_p}, {.number = first->r2}, {.number = second->slope}, {.number = second->intercept},
		{.number = second->slope_p}, {.number = second->intercept_p}, {.number = second->r2}};
	return report_table_add(report->table, cells) == 0 ? 0 : complain_about_memory();
}

static int make_interference(struct report *report, const struct report_colocation *colocation)
{
	for (size_t i = 0; i < colocation->count; i++) {
		const struct report_colocated *const run = &colocation->item[i];
		if (add_interference(report, run) != 0)
			return -1;
		struct report_series *const series = add_series(report, run->label, NULL);
		if (!series || append(&series->windows, &run->windows) != 0)
			return -1;
	}
	return 0;
}

static int draw_interference(const struct report *report, struct plot *plot, const struct report_size *size)
{
	return report_picture_interference(plot, report->series, report->count, size);
}

static int add_overall(struct report *report, const struct report_colocated *run, size_t step, double relative)
{
	const struct report_window *const window = &run->windows.item[step];
	const union report_cell cells[] = {{.text = run->label}, {.text = run->file}, {.number = (double)step + 1},
		{.number = window->start}, {.number = window->end}, {.number = window->target}, {.number = window->load},
		{.number = window->iterations}, {.number = window->throughput}, {.number = relative}};
	return report_table_add(report->table, cells) == 0 ? 0 : complain_about_memory();
}

static int add_efficiency(struct report *report, const struct report_colocated *run, size_t step, double relative)
{
	const struct report_window *const window = &run->windows.item[step];
	const union report_cell cells[] = {{.text = run->label}, {.text = run->file}, {.number = (double)step + 1},
		{.number = window->start}, {.number = window->end}, {.number = window->target}, {.number = window->load},
		{.number = window->iterations}, {.number = window->power}, {.number = report_window_joules(window)},
		{.number = report_window_efficiency(window)}, {.number = relative}};
	return report_table_add(report->table, cells) == 0 ? 0 : complain_about_memory();
}

/* A row per step, and for the picture a series per run with the value, or with per cent of that of the reference. */
static int make_steps(struct report *report, const struct report_colocation *colocation,
	double (*value)(const struct report_window *),
	int (*add)(struct report *report, const struct report_colocated *run, size_t step, double relative))
{
	const char *const label = report->settings->reference;
	char error[CSV_ERROR_MAX];
	double *const reference = label ? report_reference(colocation, label, value, error) : NULL;
	int result = label && !reference ? complain(error) : 0;
	for (size_t i = 0; result == 0 && i < colocation->count; i++) {
		const struct report_colocated *const run = &colocation->item[i];
		struct report_series *const series = add_series(report, run->label, NULL);
		if (!series || append(&series->windows, &run->windows) != 0)
			result = -1;
		for (size_t step = 0; result == 0 && step < run->windows.count; step++) {
			struct report_window *const window = &series->windows.item[step];
			const double relative = reference ? value(window) / reference[step] : NAN;
			window->throughput = reference ? 100 * relative : value(window);
			result = add(report, run, step, relative);
		}
	}
	free(reference);
	return result;
}

static int make_overall(struct report *report, const struct report_colocation *colocation)
{
	return make_steps(report, colocation, report_window_throughput, add_overall);
}

static bool has_power(const struct report_colocated *run)
{
	for (size_t i = 0; i < run->windows.count; i++)
		if (!isnan(run->windows.item[i].power))
			return true;
	return false;
}

static bool wants_picture(const struct settings *settings)
{
	for (size_t i = 0; i < settings->outputs; i++)
		if (plot_format_of(settings->output[i]) >= 0)
			return true;
	return false;
}

static int make_efficiency(struct report *report, const struct report_colocation *colocation)
{
	bool has_any = false;
	for (size_t i = 0; i < colocation->count; i++) {
		if (has_power(&colocation->item[i]))
			has_any = true;
		else
			diag("%s: energy is unavailable: none of its logs has values in a column power_w",
				colocation->item[i].label);
	}
	if (!has_any && wants_picture(report->settings))
		return complain(
			"found no run with a power to draw, expected logs with a column power_w (cpuload --columns power)");
	return make_steps(report, colocation, report_window_efficiency, add_efficiency);
}

/* Each label has two runs; the first one is compared with the second. */
static int make_ratio(struct report *report, const struct report_colocation *colocation)
{
	for (size_t i = 0; i < colocation->count; i++) {
		const struct report_colocated *const run = &colocation->item[i];
		const struct report_colocated *reference = NULL;
		struct report_ratio ratio;
		char error[CSV_ERROR_MAX];
		size_t before = 0;
		size_t after = 0;
		for (size_t other = 0; other < colocation->count; other++) {
			if (other == i || strcmp(colocation->item[other].label, run->label) != 0)
				continue;
			before += other < i;
			after += other > i;
			reference = &colocation->item[other];
		}
		if (before + after != 1) {
			diag("%s: found %zu run%s of this label, expected two: the first is compared with the second", run->label,
				before + after + 1, before + after ? "s" : "");
			return -1;
		}
		if (before > 0)
			continue;
		if (report_ratio(run, reference, &ratio, error) != 0)
			return complain(error);
		const union report_cell cells[] = {{.text = run->label}, {.text = run->file}, {.text = reference->file},
			{.number = (double)ratio.steps}, {.number = ratio.least}, {.number = ratio.median},
			{.number = ratio.most}};
		if (report_table_add(report->table, cells) != 0)
			return complain_about_memory();
	}
	return 0;
}

static int make_colocation(struct report *report)
{
	const struct settings *const settings = report->settings;
	struct report_colocation colocation;
	char error[CSV_ERROR_MAX];
	int result = -1;
	if (report_colocation_make(&colocation, &settings->input, edge(settings), error) != 0)
		complain(error);
	else if (settings->command->bit == INTERFERENCE)
		result = make_interference(report, &colocation);
	else if (settings->command->bit == OVERALL)
		result = make_overall(report, &colocation);
	else if (settings->command->bit == EFFICIENCY)
		result = make_efficiency(report, &colocation);
	else
		result = make_ratio(report, &colocation);
	report_colocation_free(&colocation);
	return result;
}

static int draw_steps(const struct report *report, struct plot *plot, const struct report_size *size)
{
	const bool is_overall = report->settings->command->bit == OVERALL;
	const char *const absolute = is_overall ? "throughput (iterations/s)" : "efficiency (iterations/Wh)";
	const char *const relative = is_overall ? "relative throughput (%)" : "relative efficiency (%)";
	return report_picture_steps(plot, report->series, report->count, size, report->settings->reference ? relative : absolute);
}

/* ---- Heat map --------------------------------------------------------------------------------------------------------- */

static const struct report_column heatmap_columns[] = {
	{"row", REPORT_IS_TEXT, "row", 0, 1},
	{"column", REPORT_IS_TEXT, "column", 0, 1},
	{"value", 6, "value", 3, 1},
	{"mark", REPORT_IS_TEXT, "mark", 0, 1},
};

static int check_heatmap(const struct settings *settings)
{
	if (settings->input.words == 1)
		return 0;
	diag("found %zu files, expected one table", settings->input.words);
	return -1;
}

static int make_heatmap(struct report *report)
{
	const char *const path = report_input_text(&report->settings->input, 0);
	const char *const name = strcmp(path, "-") == 0 ? "standard input" : path;
	struct report_matrix *const matrix = &report->matrix;
	char error[CSV_ERROR_MAX];
	bool is_cut;
	if (report_matrix_read(matrix, path, name, &is_cut, error) != 0)
		return complain(error);
	if (is_cut)
		diag("%s: the last line is not whole and is left out", name);
	for (size_t row = 0; row < matrix->rows; row++) {
		for (size_t column = 0; column < matrix->columns; column++) {
			const struct report_matrix_cell *const cell = report_matrix_at(matrix, row, column);
			const union report_cell cells[] = {{.text = matrix->row[row]}, {.text = matrix->column[column]},
				{.number = cell->number}, {.text = cell->mark}};
			if (report_table_add(report->table, cells) != 0)
				return complain_about_memory();
		}
	}
	return 0;
}

static struct report_size size_heatmap(const struct report *report)
{
	return report_heat_size(&report->matrix);
}

static int draw_heatmap(const struct report *report, struct plot *plot, const struct report_size *size)
{
	return report_heat_draw(plot, &report->matrix, &report->settings->range, size);
}

/* ---- Subcommands ------------------------------------------------------------------------------------------------------ */

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static const struct command commands[] = {
	{ACCURACY, "accuracy", "LOG", "mean error and mean squared error of the load", accuracy_columns, LENGTH(accuracy_columns),
		NULL, make_accuracy, 0, NULL, NULL},
	{TIMELINE, "timeline", "LOG|ITERATIONS", "target, load and throughput over time", window_columns, LENGTH(window_columns),
		NULL, make_timeline, PANELS_MAX, size_timeline, draw_timeline},
	{THROUGHPUT, "throughput", "ITERATIONS|LOG", "iterations per second in each interval or step", window_columns,
		LENGTH(window_columns), check_throughput, make_throughput, 0, size_lines, draw_throughput},
	{CURVE, "curve", "LOG|ITERATIONS", "throughput against load", window_columns, LENGTH(window_columns), check_curve,
		make_curve, 0, size_lines, draw_curve},
	{INTERFERENCE, "interference", "LOG|ITERATIONS", "how the load of a background slows a foreground down",
		interference_columns, LENGTH(interference_columns), NULL, make_colocation, 0, size_lines, draw_interference},
	{OVERALL, "overall", "LOG|ITERATIONS", "throughput of all workloads together in each step", overall_columns,
		LENGTH(overall_columns), NULL, make_colocation, 0, size_lines, draw_steps},
	{EFFICIENCY, "efficiency", "LOG|ITERATIONS", "iterations per watt-hour in each step", efficiency_columns,
		LENGTH(efficiency_columns), NULL, make_colocation, 0, size_lines, draw_steps},
	{RATIO, "ratio", "LOG|ITERATIONS", "throughput of the first run of each label as a share of that of its second",
		ratio_columns, LENGTH(ratio_columns), NULL, make_colocation, 0, NULL, NULL},
	{HEATMAP, "heatmap", "TABLE", "a table of numbers as a picture", heatmap_columns, LENGTH(heatmap_columns), check_heatmap,
		make_heatmap, 0, size_heatmap, draw_heatmap},
};
_Static_assert(LENGTH(interference_columns) <= TABLE_COLUMNS_MAX && LENGTH(efficiency_columns) <= TABLE_COLUMNS_MAX, "room");

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < LENGTH(commands); i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

static void print_help(const struct command *command)
{
	if (command) {
		printf("usage: ssreport %s [OPTION]... %s%s%s\n"
		       "Reports %s.\n\n",
			command->name, command->bit & OF_RUNS ? "[LABEL=]" : "", command->argument,
			command->bit & OF_RUNS ? "..." : "", command->summary);
		tool_options_help(options, OPTIONS, command->bit, stdout);
		return;
	}
	printf("usage: ssreport SUBCOMMAND [OPTION]... FILE...\n"
	       "Makes tables and pictures from control logs (showstopper -o), load logs (cpuload) and iteration records.\n\n");
	for (size_t i = 0; i < LENGTH(commands); i++)
		printf("  %-13s %s\n", commands[i].name, commands[i].summary);
	printf("\nssreport SUBCOMMAND --help shows the options:\n\n");
	tool_options_help(options, OPTIONS, 0, stdout);
}

/* ---- Command line ----------------------------------------------------------------------------------------------------- */

/* 0 to go on, 1 when there is nothing more to do, or -1 after a message. */
enum { GO_ON, DONE };

static int print_information(const struct command *command, bool is_version)
{
	if (is_version)
		printf("ssreport %s\n", version_text);
	else
		print_help(command);
	if (fflush(stdout) == 0 && !ferror(stdout))
		return DONE;
	diag("can't write standard output: %s", strerror(errno));
	return -1;
}

static int set_edge(struct settings *settings, const char *text)
{
	if (units_parse_load(text, strlen(text), &settings->edge, NULL) == 0 && settings->edge < 0.5)
		return 0;
	diag("--edge: found '%s', expected a share below 1/2, such as 1/6 or 10%%", text);
	return -1;
}

static int set_size(struct settings *settings, const char *text)
{
	const size_t length = strcspn(text, "x");
	struct report_size *const size = &settings->size;
	if (text[length] && units_parse_real(text, length, &size->width, NULL) == 0 &&
		units_parse_real(text + length + 1, strlen(text + length + 1), &size->height, NULL) == 0 &&
		size->width >= SIZE_LEAST_CM && size->height >= SIZE_LEAST_CM && size->width <= SIZE_MOST_CM &&
		size->height <= SIZE_MOST_CM)
		return 0;
	diag("--size: found '%s', expected width and height in cm, such as 8.5x6, from %g to %g", text, SIZE_LEAST_CM,
		SIZE_MOST_CM);
	return -1;
}

static int set_range(struct settings *settings, const char *text)
{
	const size_t length = strcspn(text, ":");
	struct report_heat_range *const range = &settings->range;
	if (text[length] && units_parse_real(text, length, &range->low, NULL) == 0 &&
		units_parse_real(text + length + 1, strlen(text + length + 1), &range->high, NULL) == 0 &&
		range->low < range->high)
		return 0;
	diag("--range: found '%s', expected two numbers, the lower one first, such as -5:100", text);
	return -1;
}

/* What the caller of tool_options_set stores itself. */
static int set_value(struct settings *settings, int option, const char *text)
{
	if (!*text) {
		diag("--%s: found '', expected %s", options[option].name, options[option].argument);
		return -1;
	}
	if (option == EDGE)
		return set_edge(settings, text);
	if (option == SIZE)
		return set_size(settings, text);
	if (option == RANGE)
		return set_range(settings, text);
	if (option == OUTPUT)
		settings->output[settings->outputs++] = text;
	else
		report_input_label(&settings->input, text);
	return 0;
}

static int parse_options(struct settings *settings, struct tool_options *parse)
{
	for (;;) {
		int found = tool_options_next(parse, false);
		if (found == TOOL_OPTIONS_ERROR)
			return -1;
		if (found == TOOL_OPTIONS_END)
			break;
		if (found == TOOL_OPTIONS_WORD) {
			if (report_input_file(&settings->input, parse->value) != 0)
				return complain_about_memory();
			continue;
		}
		if (found == HELP || found == VERSION)
			return print_information(settings->command, found == VERSION);
		if (!(options[found].uses & settings->command->bit)) {
			diag("%s has no option --%s (see ssreport %s --help)", settings->command->name, options[found].name,
				settings->command->name);
			return -1;
		}
		char source[32];
		snprintf(source, sizeof source, "--%s", options[found].name);
		if (tool_options_set(&options[found], settings, source, parse->value) != 0 ||
			(options[found].takes == TOOL_VALUE && set_value(settings, found, parse->value) != 0))
			return -1;
	}
	for (int i = parse->stop; i < parse->words; i++)
		if (report_input_file(&settings->input, parse->word[i]) != 0)
			return complain_about_memory();
	return GO_ON;
}

/* What can be refused before a file is opened. */
static int check(const struct settings *settings)
{
	const struct command *const command = settings->command;
	char error[PLOT_ERROR_MAX];
	bool has_picture = false;
	if (settings->input.words == 0) {
		diag("expected files (see ssreport %s --help)", command->name);
		return -1;
	}
	if (report_input_empty_label(&settings->input)) {
		diag("--label: found no file behind '%s'", report_input_empty_label(&settings->input));
		return -1;
	}
	for (size_t i = 0; i < settings->outputs; i++) {
		const bool is_picture = plot_format_of(settings->output[i]) >= 0;
		if (is_picture && !command->draw) {
			diag("--output: found %s, but %s has no picture, expected a table (.txt .csv .md .json)",
				settings->output[i], command->name);
			return -1;
		}
		has_picture |= is_picture;
	}
	if (settings->size.width > 0 && !has_picture)
		return complain("found --size, but no picture (--output FILE.png, .svg or .pdf)");
	if (command->check && command->check(settings) != 0)
		return -1;
	return has_picture && plot_check(error) != 0 ? complain(error) : 0;
}

static int parse_arguments(int count, char **arguments, struct settings *settings)
{
	const char *const name = count > 1 ? arguments[1] : "";
	const bool is_version = strcmp(name, "-V") == 0 || strcmp(name, "--version") == 0;
	if (is_version || strcmp(name, "-h") == 0 || strcmp(name, "--help") == 0)
		return print_information(NULL, is_version);
	settings->command = find_command(name);
	if (!settings->command) {
		diag("found %s%s%s, expected a subcommand such as accuracy or timeline (see ssreport --help)",
			count > 1 ? "'" : "", count > 1 ? name : "no subcommand", count > 1 ? "'" : "");
		return -1;
	}
	settings->output = calloc((size_t)count, sizeof *settings->output);
	if (!settings->output)
		return complain_about_memory();
	struct tool_options parse = {
		.option = options, .count = OPTIONS, .program = "ssreport", .words = count - 1, .word = arguments + 1};
	const int result = parse_options(settings, &parse);
	return result == GO_ON ? check(settings) : result;
}

/* ---- Output ----------------------------------------------------------------------------------------------------------- */

/* An output must not be one of the files that are read. 0, or -1 after a message. */
static int check_outputs(const struct settings *settings)
{
	struct stat output;
	for (size_t i = 0; i < settings->outputs; i++)
		if (stat(settings->output[i], &output) == 0 && report_input_has(&settings->input, &output)) {
			diag("--output: found %s, which is one of the files to read", settings->output[i]);
			return -1;
		}
	return 0;
}

static enum report_format table_format(const struct settings *settings, const char *path)
{
	static const struct {
		const char *ending;
		enum report_format format;
	} endings[] = {{".csv", REPORT_CSV}, {".md", REPORT_MARKDOWN}, {".json", REPORT_JSON}};
	const char *const ending = path ? strrchr(path, '.') : NULL;
	if (settings->format != FORMAT_UNSET)
		return (enum report_format)settings->format;
	for (size_t i = 0; ending && i < LENGTH(endings); i++)
		if (strcmp(ending, endings[i].ending) == 0)
			return endings[i].format;
	return REPORT_TEXT;
}

/* To a file, or to standard output where path is NULL. */
static int write_table(const struct report *report, const char *path)
{
	FILE *const to = path ? fopen(path, "we") : stdout;
	const char *const name = path ? path : "standard output";
	int error = 0;
	if (!to) {
		diag("can't write %s: %s", name, strerror(errno));
		return -1;
	}
	errno = 0;
	if (report_table_write(report->table, table_format(report->settings, path), to) != 0 || fflush(to) != 0 || ferror(to))
		error = errno ? errno : EIO;
	if (path && fclose(to) != 0 && error == 0)
		error = errno;
	if (error == 0)
		return 0;
	if (path)
		half_file_empty(path);
	diag("can't write %s: %s", name, strerror(error));
	return -1;
}

static int write_picture(const struct report *report, const char *path)
{
	const struct command *const command = report->settings->command;
	char error[PLOT_ERROR_MAX];
	int result = -1;
	struct report_size size = report->settings->size;
	const size_t most = command->most * (size_t)report->settings->columns;
	if (most && report->count > most) {
		diag("found %zu logs for one picture, expected at most %zu", report->count, most);
		return -1;
	}
	if (size.width <= 0)
		size = command->size(report);
	struct plot *const plot = plot_new((enum plot_format)plot_format_of(path), size.width, size.height);
	if (!plot || command->draw(report, plot, &size) != 0)
		complain_about_memory();
	else if (plot_draw(plot, path, error) != 0)
		diag("%s: %s", path, error);
	else
		result = 0;
	plot_free(plot);
	return result;
}

static int write_outputs(const struct report *report)
{
	const struct settings *const settings = report->settings;
	if (settings->outputs == 0)
		return write_table(report, NULL);
	for (size_t i = 0; i < settings->outputs; i++) {
		const char *const path = settings->output[i];
		if ((plot_format_of(path) >= 0 ? write_picture(report, path) : write_table(report, path)) != 0)
			return -1;
	}
	return 0;
}

/* ---- Work ------------------------------------------------------------------------------------------------------------- */

/* People need the name of the file only where several logs have one label. */
static bool needs_files(const struct report_input *input)
{
	for (size_t i = 0; i < input->runs; i++) {
		if (input->run[i].logs > 1)
			return true;
		for (size_t other = 0; other < i; other++)
			if (strcmp(input->run[i].label, input->run[other].label) == 0)
				return true;
	}
	return false;
}

static int make_report(struct report *report)
{
	const struct settings *const settings = report->settings;
	const struct command *const command = settings->command;
	struct report_column column[TABLE_COLUMNS_MAX];
	int result = -1;
	memcpy(column, command->column, command->columns * sizeof *column);
	for (size_t i = 0; i < command->columns; i++)
		if (strcmp(column[i].name, "file") == 0 && !needs_files(&settings->input))
			column[i].title = NULL;
	report->table = report_table_new(column, command->columns);
	if (!report->table)
		return complain_about_memory();
	if (command->make(report) == 0) {
		show_labels(report);
		result = write_outputs(report);
	}
	for (size_t i = 0; i < report->count; i++) {
		report_windows_free(&report->series[i].windows);
		report_windows_free(&report->series[i].throughput);
	}
	free(report->series);
	report_matrix_free(&report->matrix);
	report_table_free(report->table);
	return result;
}

static int ssreport(struct settings *settings)
{
	char error[CSV_ERROR_MAX];
	struct report report = {.settings = settings};
	settings->input.logs_only = settings->command->bit == ACCURACY;
	if (check_outputs(settings) != 0)
		return EXIT_TROUBLE;
	if (settings->command->bit & OF_RUNS && report_input_read(&settings->input, error) != 0) {
		diag("%s", error);
		return EXIT_TROUBLE;
	}
	return make_report(&report) == 0 ? 0 : EXIT_TROUBLE;
}

int main(int count, char **arguments)
{
	struct settings settings = {.format = FORMAT_UNSET,
		.window_ns = UNSET,
		.interval_ns = UNSET,
		.settle_ns = UNSET,
		.skip_edges_ns = UNSET,
		.edge = NAN,
		.columns = 1,
		.range = {NAN, NAN}};
	int status = EXIT_TROUBLE;
	diag_name("ssreport");
	const int result = parse_arguments(count, arguments, &settings);
	if (result == DONE)
		status = 0;
	else if (result == GO_ON)
		status = ssreport(&settings);
	report_input_free(&settings.input);
	free(settings.output);
	return status;
}
