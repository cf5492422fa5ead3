/* SPDX-License-Identifier: MIT */
#include "ssreport/command.h"

const struct command *const commands[COMMANDS_MAX] = {
	&command_accuracy,
	&command_repeats,
	&command_timeline,
	&command_throughput,
	&command_curve,
	&command_boxes,
	&command_events,
	&command_interference,
	&command_overall,
	&command_efficiency,
	&command_ratio,
	&command_heatmap,
	&command_histogram,
	&command_means,
	&command_compare,
	&command_model,
	&command_fleet,
	&command_latency,
	NULL,
};
