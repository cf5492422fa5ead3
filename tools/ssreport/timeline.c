/* SPDX-License-Identifier: MIT */
/* Target, load, throughput and power over time. */
#include <math.h>

#include "base/diag.h"
#include "ssreport/parts.h"

#define PANELS_MAX 12 /* in a column */

static int timeline_of_log(struct report *report, const struct report_run *run, const struct report_log *log)
{
	const struct settings *const settings = report->settings;
	const bool has_window = settings->window_ns != UNSET;
	const struct report_windows_rules load = {.kind = has_window ? REPORT_INTERVALS : REPORT_ROWS,
		.length = settings_seconds(settings->window_ns, 0),
		.with_warmup = settings->with_warmup};
	const struct report_windows_rules throughput = {
		.kind = REPORT_INTERVALS, .length = settings_interval(settings), .with_warmup = settings->with_warmup};
	const struct report_windows_rules steps = {.kind = REPORT_STEPS, .edge = settings_edge(settings)};
	if (check_window(settings, log) != 0)
		return -1;
	struct report_series *const series = add_series(report, run->label);
	if (!series || make_windows(&series->windows, run, log, &load) != 0)
		return -1;
	series->length = load.length;
	if (run->iteration_files > 0 && make_windows(&series->throughput, run, log, &throughput) != 0)
		return -1;
	if (settings->per_step && make_windows(&series->steps, run, log, &steps) != 0)
		return -1;
	return add_windows(report, run->label, log->name, settings->per_step ? &series->steps : &series->windows);
}

static int timeline_of_trace(struct report *report, const struct report_run *run, const struct report_trace *trace)
{
	const int64_t window_ns = report->settings->window_ns == UNSET ? 0 : report->settings->window_ns;
	if (report->settings->per_step) {
		diag("%s: found a trace, expected a log for --per-step", trace->name);
		return -1;
	}
	struct report_series *const series = add_series(report, run->label);
	if (!series)
		return -1;
	series->trace = &trace->trace;
	series->length = settings_seconds(window_ns, 0);
	if (report_windows_of_trace(&series->windows, &trace->trace, window_ns) != 0)
		return complain_about_memory();
	return add_windows(report, run->label, trace->name, &series->windows);
}

static int timeline_of_run(struct report *report, const struct report_run *run)
{
	for (size_t i = 0; i < run->traces; i++)
		if (timeline_of_trace(report, run, &run->trace[i]) != 0)
			return -1;
	return run->traces > 0 && run->logs == 0 ? 0 : for_each_log(report, run, timeline_of_log);
}

static int check_timeline(const struct settings *settings)
{
	if (settings->recorded.speed > 0 && !settings_want_picture(settings))
		return complain("found --recorded, but no picture (--output FILE.png, .svg or .pdf)");
	return !settings->per_step && !isnan(settings->edge) ? complain("found --edge without --per-step") : 0;
}

static int make_timeline(struct report *report)
{
	const struct report_input *const input = &report->settings->input;
	for (size_t i = 0; i < input->runs; i++)
		if (timeline_of_run(report, &input->run[i]) != 0)
			return -1;
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
	return report_picture_timeline(
		plot, report->series, report->count, panel_columns(report), &report->settings->recorded, size);
}

const struct command command_timeline = {
	.bit = TIMELINE,
	.name = "timeline",
	.argument = "LOG|ITERATIONS|TRACE",
	.summary = "target, load, throughput and power over time",
	COLUMNS(window_columns),
	.check = check_timeline,
	.make = make_timeline,
	.most = PANELS_MAX,
	.size = size_timeline,
	.draw = draw_timeline,
};
