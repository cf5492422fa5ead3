/* SPDX-License-Identifier: MIT */
#include "report/fleet.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A picture has not many more pixels to the side. */
#define BINS_USUAL 300
#define BINS_MOST 100000
/* What may be lost of a time by adding up its parts. */
#define ROUNDING 1e-9

static int no_memory(char error[static CSV_ERROR_MAX])
{
	snprintf(error, CSV_ERROR_MAX, "%s", strerror(errno));
	return -1;
}

static int add_log(struct report_fleet *fleet, const char *label, const struct report_log *log, char error[static CSV_ERROR_MAX])
{
	if (!log->target || !log->monotonic) {
		snprintf(error, CSV_ERROR_MAX, "%.300s:1: found no column %s, expected a control log (showstopper -o)", log->name,
			log->target ? LOG_MONOTONIC : LOG_TARGET);
		return -1;
	}
	struct report_fleet_node *const larger = realloc(fleet->node, (fleet->count + 1) * sizeof *larger);
	if (!larger)
		return no_memory(error);
	fleet->node = larger;
	larger[fleet->count++] = (struct report_fleet_node){.label = label, .log = log};
	return 0;
}

static int add_logs(struct report_fleet *fleet, const struct report_input *input, char error[static CSV_ERROR_MAX])
{
	for (size_t run = 0; run < input->runs; run++)
		for (size_t log = 0; log < input->run[run].logs; log++)
			if (add_log(fleet, input->run[run].label, &input->run[run].log[log], error) != 0)
				return -1;
	if (fleet->count > 0)
		return 0;
	snprintf(error, CSV_ERROR_MAX, "found no control log, expected one for each node");
	return -1;
}

/* All of them have a wall clock, or none. */
static int join(struct report_fleet *fleet, char error[static CSV_ERROR_MAX])
{
	double first = INFINITY;
	fleet->knows_wall = fleet->node[0].log->clock.is_known;
	for (size_t i = 0; i < fleet->count; i++) {
		struct report_fleet_node *const node = &fleet->node[i];
		if (node->log->clock.is_known != fleet->knows_wall) {
			snprintf(error, CSV_ERROR_MAX,
				"%.200s tells the wall clock (%s), %.200s doesn't; expected all or none of them to do so",
				fleet->knows_wall ? fleet->node[0].log->name : node->log->name, LOG_WALL,
				fleet->knows_wall ? node->log->name : fleet->node[0].log->name);
			return -1;
		}
		node->shift = fleet->knows_wall ? node->log->clock.usual : -report_log_monotonic(node->log, 0);
		first = fmin(first, report_log_monotonic(node->log, 0) + node->shift);
	}
	for (size_t i = 0; i < fleet->count; i++) {
		struct report_fleet_node *const node = &fleet->node[i];
		node->shift -= first;
		node->start = report_log_monotonic(node->log, 0) + node->shift;
		node->end = node->log->monotonic[node->log->count - 1] + node->shift;
		fleet->end = fmax(fleet->end, node->end);
	}
	return 0;
}

static int make_bins(struct report_fleet *fleet, double bin, char error[static CSV_ERROR_MAX])
{
	double row = 0;
	for (size_t i = 0; i < fleet->count; i++)
		row = fmax(row, fleet->node[i].log->interval);
	fleet->bin = bin > 0 ? bin : fmax(row, fleet->end / BINS_USUAL);
	/* What is less than half a bin at the end is no bin: not all nodes would have a part in it. */
	const double bins = fmax(floor(fleet->end / fleet->bin + 0.5), 1);
	if (!(bins >= 1 && bins <= BINS_MOST)) {
		snprintf(error, CSV_ERROR_MAX,
			"found %.0f s from the first start to the last end, expected at most %d bins of %g s", fleet->end,
			BINS_MOST, fleet->bin);
		return -1;
	}
	fleet->bins = (size_t)bins;
	fleet->load = calloc(fleet->count * fleet->bins, sizeof *fleet->load);
	fleet->target = calloc(fleet->count * fleet->bins, sizeof *fleet->target);
	fleet->all_load = calloc(fleet->bins, sizeof *fleet->all_load);
	fleet->all_target = calloc(fleet->bins, sizeof *fleet->all_target);
	fleet->present = calloc(fleet->bins, sizeof *fleet->present);
	const bool is_there = fleet->load && fleet->target && fleet->all_load && fleet->all_target && fleet->present;
	return is_there ? 0 : no_memory(error);
}

static void fill_node(struct report_fleet *fleet, size_t number)
{
	const struct report_fleet_node *const node = &fleet->node[number];
	for (size_t bin = 0; bin < fleet->bins; bin++) {
		const double from = fmax((double)bin * fleet->bin, node->start) - node->shift;
		const double to = fmin((double)(bin + 1) * fleet->bin, node->end) - node->shift;
		struct report_mean mean = {.load = NAN, .target = NAN};
		/* A node that has less than half of a bin, or rows for less, isn't there in it. */
		if (to - from >= fleet->bin / 2)
			mean = report_log_mean(node->log, report_log_time(node->log, from), report_log_time(node->log, to));
		if (mean.known < fleet->bin / 2 * (1 - ROUNDING))
			mean = (struct report_mean){.load = NAN, .target = NAN};
		fleet->load[number * fleet->bins + bin] = mean.load;
		fleet->target[number * fleet->bins + bin] = mean.target;
		if (isnan(mean.load) || isnan(mean.target))
			continue;
		fleet->all_load[bin] += mean.load;
		fleet->all_target[bin] += mean.target;
		fleet->present[bin]++;
	}
}

/* Means of errors, each by its weight. */
struct sums {
	double weight, load, target, error, square;
	size_t samples;
};

static void add_sample(struct sums *sums, double weight, double load, double target)
{
	if (isnan(load) || isnan(target))
		return;
	sums->weight += weight;
	sums->load += weight * load;
	sums->target += weight * target;
	sums->error += weight * (load - target);
	sums->square += weight * (load - target) * (load - target);
	sums->samples++;
}

static void set_means(struct report_fleet_node *node, const struct sums *sums)
{
	node->load = sums->load / sums->weight;
	node->target = sums->target / sums->weight;
	node->mean_error = sums->error / sums->weight;
	node->mse = sums->square / sums->weight;
	node->samples = sums->samples;
}

static void judge(struct report_fleet *fleet)
{
	struct sums all = {0};
	for (size_t i = 0; i < fleet->count; i++) {
		struct report_fleet_node *const node = &fleet->node[i];
		struct sums own = {0};
		for (size_t row = node->log->warmup; row < node->log->count; row++)
			add_sample(&own, report_log_length(node->log, row), node->log->load[row], node->log->target[row]);
		set_means(node, &own);
	}
	for (size_t bin = 0; bin < fleet->bins; bin++) {
		fleet->all_load[bin] = fleet->present[bin] ? fleet->all_load[bin] / (double)fleet->count : NAN;
		fleet->all_target[bin] = fleet->present[bin] ? fleet->all_target[bin] / (double)fleet->count : NAN;
		add_sample(&all, 1, fleet->all_load[bin], fleet->all_target[bin]);
	}
	set_means(&fleet->together, &all);
	fleet->together.end = fleet->end;
}

int report_fleet_make(struct report_fleet *fleet, const struct report_input *input, double bin, char error[static CSV_ERROR_MAX])
{
	*fleet = (struct report_fleet){0};
	if (add_logs(fleet, input, error) != 0 || join(fleet, error) != 0 || make_bins(fleet, bin, error) != 0)
		return -1;
	for (size_t i = 0; i < fleet->count; i++)
		fill_node(fleet, i);
	judge(fleet);
	return 0;
}

void report_fleet_free(struct report_fleet *fleet)
{
	free(fleet->node);
	free(fleet->load);
	free(fleet->target);
	free(fleet->all_load);
	free(fleet->all_target);
	free(fleet->present);
	*fleet = (struct report_fleet){0};
}
