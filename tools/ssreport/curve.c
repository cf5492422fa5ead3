/* SPDX-License-Identifier: MIT */
/* Throughput against load. */
#include <math.h>
#include <string.h>

#include "base/diag.h"
#include "ssreport/parts.h"

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
	return add_series(report, label);
}

static int curve_of_log(struct report *report, const struct report_run *run, const struct report_log *log)
{
	const struct settings *const settings = report->settings;
	const struct report_windows_rules rules = {.kind = settings->interval_ns == UNSET ? REPORT_STEPS : REPORT_INTERVALS,
		.length = settings_interval(settings),
		.edge = settings_edge(settings),
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
	if (!series || append_windows(&series->windows, &windows) != 0)
		result = -1;
	else
		result = add_windows(report, run->label, log->name, &windows);
	report_windows_free(&windows);
	return result;
}

static int make_curve(struct report *report)
{
	const struct report_input *const input = &report->settings->input;
	for (size_t i = 0; i < input->runs; i++)
		if (check_iterations(&input->run[i]) != 0 || for_each_log(report, &input->run[i], curve_of_log) != 0)
			return -1;
	return 0;
}

static int draw_curve(const struct report *report, struct plot *plot, const struct report_size *size)
{
	return report_picture_curve(plot, report->series, report->count, size, report->settings->interval_ns != UNSET);
}

const struct command command_curve = {
	.bit = CURVE,
	.name = "curve",
	.argument = "LOG|ITERATIONS",
	.summary = "throughput against load",
	COLUMNS(window_columns),
	.check = check_curve,
	.make = make_curve,
	.size = size_lines,
	.draw = draw_curve,
};
