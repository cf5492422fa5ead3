/* SPDX-License-Identifier: MIT */
/* Events that were counted, per second and per iteration, in each interval or step. */
#include <math.h>

#include "base/diag.h"
#include "ssreport/parts.h"

/* Whether windows are those of this log: of control logs, where the run has any. */
static bool has_windows(const struct report_run *run, const struct report_log *log)
{
	for (size_t i = 0; i < run->logs; i++)
		if (run->log[i].target)
			return log->target;
	return true;
}

/* The mean of an event of another log at the same time. */
static double rate_in(const struct report_log *log, const struct report_log *other, const struct report_event *event,
	const struct report_window *window)
{
	if (log == other)
		return report_log_mean_of(log, event->rate, window->start, window->end);
	const double start = report_log_time(other, report_log_monotonic(log, window->start));
	const double end = report_log_time(other, report_log_monotonic(log, window->end));
	return report_log_mean_of(other, event->rate, start, end);
}

static int add_event(struct report *report, const struct report_run *run, const struct report_log *log,
	const struct report_log *other, const struct report_event *event, const struct report_windows *windows)
{
	for (size_t i = 0; i < windows->count; i++) {
		const struct report_window *const window = &windows->item[i];
		struct row row = row_of_window(run->label, other->name, window);
		const double rate = rate_in(log, other, event, window);
		row.cell[COLUMN_EVENT].text = event->name;
		row.cell[COLUMN_PER_SECOND].number = rate;
		row.cell[COLUMN_PER_ITERATION].number = window->throughput > 0 ? rate / window->throughput : NAN;
		if (add_row(report, &row) != 0)
			return -1;
	}
	return 0;
}

/* The events of all logs of the run in the windows of one of them. */
static int events_of_log(struct report *report, const struct report_run *run, const struct report_log *log)
{
	const struct report_windows_rules rules = windows_rules(report->settings);
	struct report_windows windows = {0};
	if (!has_windows(run, log))
		return 0;
	int result = make_windows(&windows, run, log, &rules);
	for (size_t i = 0; result == 0 && i < run->logs; i++) {
		const struct report_log *const other = &run->log[i];
		const bool may_join = other == log || (log->target && !other->target && log->monotonic && other->monotonic);
		for (size_t event = 0; result == 0 && may_join && event < other->events.count; event++)
			result = add_event(report, run, log, other, &other->events.item[event], &windows);
	}
	report_windows_free(&windows);
	return result;
}

static int make_events(struct report *report)
{
	const struct report_input *const input = &report->settings->input;
	for (size_t i = 0; i < input->runs; i++)
		if (for_each_log(report, &input->run[i], events_of_log) != 0)
			return -1;
	if (report_table_rows(report->table) > 0)
		return 0;
	return complain(
		"found no column EVENT_per_s, expected logs of showstopper --log-counters or cpuload --columns counters=");
}

const struct command command_events = {
	.bit = EVENTS,
	.name = "events",
	.argument = "LOG|ITERATIONS",
	.summary = "counted events per second and per iteration in each interval or step",
	COLUMNS(event_columns),
	.check = check_windows,
	.make = make_events,
};
