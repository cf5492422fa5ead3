/* SPDX-License-Identifier: MIT */
/* Iterations per second over time. */
#include "base/diag.h"
#include "ssreport/parts.h"

static int throughput_of(struct report *report, const struct report_run *run, const struct report_log *log)
{
	const struct report_windows_rules rules = windows_rules(report->settings);
	struct report_series *const series = add_series(report, run->label);
	if (!series || make_windows(&series->windows, run, log, &rules) != 0)
		return -1;
	return add_windows(report, run->label, log ? log->name : NULL, &series->windows);
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

static int draw_throughput(const struct report *report, struct plot *plot, const struct report_size *size)
{
	return report_picture_throughput(plot, report->series, report->count, size, report->settings->per_step);
}

const struct command command_throughput = {
	.bit = THROUGHPUT,
	.name = "throughput",
	.argument = "ITERATIONS|LOG",
	.summary = "iterations per second in each interval or step",
	COLUMNS(window_columns),
	.check = check_windows,
	.make = make_throughput,
	.size = size_lines,
	.draw = draw_throughput,
};
