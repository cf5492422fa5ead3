/* SPDX-License-Identifier: MIT */
/* Logs of many machines that ran at the same time. */
#include <math.h>
#include <stdlib.h>

#include "base/diag.h"
#include "report/fleet.h"
#include "ssreport/parts.h"

#define PP 100
#define MS 1000

static const enum column list[] = {COLUMN_LABEL, COLUMN_FILE, COLUMN_LATE, COLUMN_END, COLUMN_SAMPLES, COLUMN_TARGET, COLUMN_LOAD,
	COLUMN_MEAN_ERROR, COLUMN_MSE};

static int add_node(struct report *report, const struct report_fleet_node *node, const char *label, bool knows_start)
{
	const struct row row = {{
		[COLUMN_LABEL].text = label,
		[COLUMN_FILE].text = node->log ? node->log->name : NULL,
		[COLUMN_LATE].number = knows_start ? MS * node->start : NAN,
		[COLUMN_END].number = node->end,
		[COLUMN_SAMPLES].number = (double)node->samples,
		[COLUMN_TARGET].number = node->target,
		[COLUMN_LOAD].number = node->load,
		[COLUMN_MEAN_ERROR].number = PP * node->mean_error,
		[COLUMN_MSE].number = PP * PP * node->mse,
	}};
	return add_row(report, &row);
}

static int make_fleet(struct report *report)
{
	const struct settings *const settings = report->settings;
	char error[CSV_ERROR_MAX];
	report->fleet = calloc(1, sizeof *report->fleet);
	if (!report->fleet)
		return complain_about_memory();
	if (report_fleet_make(report->fleet, &settings->input, settings_seconds(settings->window_ns, 0), error) != 0)
		return complain(error);
	for (size_t i = 0; i < report->fleet->count; i++)
		if (add_node(report, &report->fleet->node[i], report->fleet->node[i].label, report->fleet->knows_wall) != 0)
			return -1;
	return add_node(report, &report->fleet->together, "all together", false);
}

static struct report_size size_fleet(const struct report *report)
{
	return report_picture_size_fleet(report->fleet);
}

static int draw_fleet(const struct report *report, struct plot *plot, const struct report_size *size)
{
	return report_picture_fleet(plot, report->fleet, size);
}

const struct command command_fleet = {
	.bit = FLEET,
	.name = "fleet",
	.argument = "LOG",
	.summary = "load and target of many machines that ran at the same time",
	COLUMNS(list),
	.make = make_fleet,
	.size = size_fleet,
	.draw = draw_fleet,
};
