/* SPDX-License-Identifier: MIT */
#include "ssreport/parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"

int complain(const char *error)
{
	diag("%s", error);
	return -1;
}

int complain_about_memory(void)
{
	return complain(strerror(errno));
}

const enum column window_columns[WINDOW_COLUMNS] = {COLUMN_LABEL, COLUMN_FILE, COLUMN_START, COLUMN_END, COLUMN_TARGET,
	COLUMN_LOAD, COLUMN_ITERATIONS, COLUMN_THROUGHPUT, COLUMN_POWER};

const enum column event_columns[EVENT_COLUMNS] = {COLUMN_LABEL, COLUMN_FILE, COLUMN_START, COLUMN_END, COLUMN_TARGET, COLUMN_LOAD,
	COLUMN_THROUGHPUT, COLUMN_EVENT, COLUMN_PER_SECOND, COLUMN_PER_ITERATION};

int check_windows(const struct settings *settings)
{
	if (settings->per_step && settings->interval_ns != UNSET)
		return complain("found --per-step and --interval, expected one of them");
	if (!settings->per_step && !isnan(settings->edge))
		return complain("found --edge without --per-step");
	return 0;
}

struct report_windows_rules windows_rules(const struct settings *settings)
{
	return (struct report_windows_rules){.kind = settings->per_step ? REPORT_STEPS : REPORT_INTERVALS,
		.length = settings_interval(settings),
		.edge = settings_edge(settings),
		.with_warmup = settings->with_warmup};
}

struct row row_of_window(const char *label, const char *file, const struct report_window *window)
{
	return (struct row){{
		[COLUMN_LABEL].text = label,
		[COLUMN_FILE].text = file,
		[COLUMN_START].number = window->start,
		[COLUMN_END].number = window->end,
		[COLUMN_TARGET].number = window->target,
		[COLUMN_LOAD].number = window->load,
		[COLUMN_ITERATIONS].number = window->iterations,
		[COLUMN_THROUGHPUT].number = window->throughput,
		[COLUMN_POWER].number = window->power,
	}};
}

int add_row(struct report *report, const struct row *row)
{
	const struct command *const command = report->settings->command;
	union report_cell cells[COLUMN_COUNT];
	for (size_t i = 0; i < command->columns; i++)
		cells[i] = row->cell[command->column[i]];
	return report_table_add(report->table, cells) == 0 ? 0 : complain_about_memory();
}

int add_windows(struct report *report, const char *label, const char *file, const struct report_windows *windows)
{
	for (size_t i = 0; i < windows->count; i++) {
		const struct row row = row_of_window(label, file, &windows->item[i]);
		if (add_row(report, &row) != 0)
			return -1;
	}
	return 0;
}

int append_windows(struct report_windows *to, const struct report_windows *from)
{
	struct report_window *const larger = realloc(to->item, (to->count + from->count + 1) * sizeof *larger);
	if (!larger)
		return complain_about_memory();
	memcpy(larger + to->count, from->item, from->count * sizeof *larger);
	to->item = larger;
	to->count += from->count;
	return 0;
}

int check_outliers(const struct report *report)
{
	for (size_t i = 0; i < report->settings->outliers; i++) {
		if (report_matrix_has(&report->matrix, report->settings->outlier[i]))
			continue;
		diag("--outlier: found no row or column '%s'", report->settings->outlier[i]);
		return -1;
	}
	return 0;
}

int check_iterations(const struct report_run *run)
{
	if (run->iteration_files > 0)
		return 0;
	diag("%s: found a log, but no iterations", run->label);
	return -1;
}

int check_window(const struct settings *settings, const struct report_log *log)
{
	const double window = settings_seconds(settings->window_ns, 0);
	/* Rows are a few per cent longer or shorter than they should be. */
	if (window == 0 || window >= 0.9 * log->interval)
		return 0;
	diag("%s: found rows of %.3f s, expected --window to be at least as long", log->name, log->interval);
	return -1;
}

struct report_accuracy *measure_accuracy(
	const struct settings *settings, const struct report_log *log, bool per_target, size_t *count)
{
	const struct report_accuracy_rules rules = {.window = settings_seconds(settings->window_ns, 0),
		.settle = settings_seconds(settings->settle_ns, 0),
		.skip_edges = settings_seconds(settings->skip_edges_ns, 0),
		.burst = settings->burst,
		.calm = settings_seconds(settings->calm_ns, 0)};
	if (!log->target) {
		diag("%s:1: found no column target, expected a control log (showstopper -o)", log->name);
		return NULL;
	}
	if (check_window(settings, log) != 0)
		return NULL;
	struct report_accuracy *const accuracy = report_accuracy(log, &rules, per_target, count);
	if (!accuracy) {
		complain_about_memory();
		return NULL;
	}
	if (accuracy[0].accuracy.samples > 0)
		return accuracy;
	diag("%s: found no sample with a load and a target that is not left out", log->name);
	free(accuracy);
	return NULL;
}

int make_windows(struct report_windows *windows, const struct report_run *run, const struct report_log *log,
	const struct report_windows_rules *rules)
{
	char error[CSV_ERROR_MAX];
	return report_windows_make(windows, run, log, rules, error) == 0 ? 0 : complain(error);
}

int make_colocation(struct report *report, int (*from)(struct report *report, const struct report_colocation *colocation))
{
	const struct settings *const settings = report->settings;
	struct report_colocation colocation;
	char error[CSV_ERROR_MAX];
	const int result = report_colocation_make(&colocation, &settings->input, settings_edge(settings), error) == 0
				   ? from(report, &colocation)
				   : complain(error);
	report_colocation_free(&colocation);
	return result;
}

int for_each_log(struct report *report, const struct report_run *run,
	int (*make)(struct report *report, const struct report_run *run, const struct report_log *log))
{
	if (run->logs == 0) {
		diag("%s: found iterations, but no log of the load", run->label);
		return -1;
	}
	for (size_t i = 0; i < run->logs; i++)
		if (make(report, run, &run->log[i]) != 0)
			return -1;
	return 0;
}

int own_columns(struct report *report, size_t count)
{
	report->column = calloc(count, sizeof *report->column);
	report->text = calloc(count, sizeof *report->text);
	struct report_table *const table = report->column && report->text ? report_table_new(report->column, count) : NULL;
	if (!table)
		return complain_about_memory();
	report_table_free(report->table);
	report->table = table;
	return 0;
}

const char *report_keep(struct report *report, char *text)
{
	char **const larger = realloc(report->kept, (report->kept_count + 1) * sizeof *larger);
	if (!larger) {
		free(text);
		return NULL;
	}
	report->kept = larger;
	larger[report->kept_count++] = text;
	return text;
}

struct report_series *add_series(struct report *report, const char *label)
{
	struct report_series *const larger = realloc(report->series, (report->count + 1) * sizeof *larger);
	if (!larger) {
		complain_about_memory();
		return NULL;
	}
	report->series = larger;
	larger[report->count] = (struct report_series){.label = label};
	return &larger[report->count++];
}

struct report_size size_matrix(const struct report *report)
{
	return report_heat_size(&report->matrix);
}

int draw_matrix(const struct report *report, struct plot *plot, const struct report_size *size)
{
	const struct settings *const settings = report->settings;
	const struct report_heat_range range = report_heat_range(&report->matrix, settings->outlier, settings->outliers);
	return report_heat_draw(plot, &report->matrix, isnan(settings->range.low) ? &range : &settings->range, size);
}

struct report_size size_lines(const struct report *report)
{
	return report_picture_size_lines(report->series, report->count);
}

int hide_few(struct report *report, const char *const *names, size_t count, const char *less)
{
	for (size_t i = 0; i < count; i++)
		if (report_table_hide_few(report->table, names[i], "samples", less) != 0)
			return complain_about_memory();
	return 0;
}
