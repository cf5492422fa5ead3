/* SPDX-License-Identifier: MIT */
#include "report/boxes.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/log.h"

static int no_memory(char error[static CSV_ERROR_MAX])
{
	snprintf(error, CSV_ERROR_MAX, "%s", strerror(errno));
	return -1;
}

static struct report_times *find_times(struct report_boxes *boxes, const char *label)
{
	for (size_t i = 0; i < boxes->count; i++)
		if (strcmp(boxes->item[i].label, label) == 0)
			return &boxes->item[i];
	boxes->item[boxes->count].label = label;
	return &boxes->item[boxes->count++];
}

/* The moment at which control began, by the clock of the iterations; -INFINITY where nothing was controlled. */
static int find_begin(const struct report_run *run, double *begin, char error[static CSV_ERROR_MAX])
{
	*begin = -INFINITY;
	for (size_t i = 0; i < run->logs; i++) {
		const struct report_log *const log = &run->log[i];
		if (!log->target || log->warmup == 0)
			continue;
		if (!log->monotonic) {
			snprintf(error, CSV_ERROR_MAX, "%.300s:1: found no column monotonic_s, expected it for the iterations",
				log->name);
			return -1;
		}
		*begin = fmax(*begin, log->monotonic[log->warmup - 1]);
	}
	return 0;
}

/* Records have nanoseconds, which the difference of two large times would miss by a little. */
static double whole_ns(double seconds)
{
	return round(seconds * 1e9) / 1e9;
}

/* The log that tells the load: that of showstopper, where there is one. */
static const struct report_log *find_log(const struct report_run *run)
{
	for (size_t i = 0; i < run->logs; i++)
		if (run->log[i].target)
			return &run->log[i];
	return run->logs > 0 ? &run->log[0] : NULL;
}

/* Times of iterations are those of the run's clock; without it the whole log counts. */
static void add_load(struct report_times *times, const struct report_run *run, const struct report_iteration *span)
{
	const struct report_log *const log = find_log(run);
	double mean = NAN;
	double length = 0;
	if (log) {
		double start = report_log_start(log, log->warmup < log->count ? log->warmup : 0);
		double end = log->time[log->count - 1];
		if (log->monotonic) {
			start = fmax(report_log_start(log, 0), report_log_time(log, span->start));
			end = fmin(end, report_log_time(log, span->end));
		}
		length = end - start;
		mean = length > 0 ? report_log_mean_of(log, log->load, start, end) : NAN;
	}
	times->load = (times->load_s * times->load + length * mean) / (times->load_s + length);
	times->load_s += length;
}

static int take_run(struct report_boxes *boxes, const struct report_run *run, bool with_warmup, char error[static CSV_ERROR_MAX])
{
	double begin = -INFINITY;
	if (run->iteration_files == 0) {
		snprintf(error, CSV_ERROR_MAX, "%.300s: found a log, but no iterations", run->label);
		return -1;
	}
	if (!with_warmup && find_begin(run, &begin, error) != 0)
		return -1;
	struct report_times *const times = find_times(boxes, run->label);
	struct report_iteration span = {INFINITY, -INFINITY};
	for (size_t i = 0; i < run->iterations.count; i++) {
		const struct report_iteration *const iteration = &run->iterations.item[i];
		if (iteration->start < begin)
			continue;
		span.start = fmin(span.start, iteration->start);
		span.end = fmax(span.end, iteration->end);
		if (report_values_add(&times->seconds, whole_ns(iteration->end - iteration->start)) != 0)
			return no_memory(error);
	}
	if (span.start <= span.end)
		add_load(times, run, &span);
	return 0;
}

int report_boxes_make(
	struct report_boxes *boxes, const struct report_input *input, bool with_warmup, char error[static CSV_ERROR_MAX])
{
	*boxes = (struct report_boxes){.item = calloc(input->runs + 1, sizeof *boxes->item)};
	if (!boxes->item)
		return no_memory(error);
	for (size_t i = 0; i < input->runs; i++)
		if (take_run(boxes, &input->run[i], with_warmup, error) != 0)
			return -1;
	for (size_t i = 0; i < boxes->count; i++) {
		if (boxes->item[i].seconds.count == 0) {
			snprintf(error, CSV_ERROR_MAX, "%.300s: found no iteration%s", boxes->item[i].label,
				with_warmup ? "" : " after the warm-up");
			return -1;
		}
		report_values_sort(&boxes->item[i].seconds);
	}
	return 0;
}

void report_boxes_free(struct report_boxes *boxes)
{
	for (size_t i = 0; i < boxes->count; i++)
		report_values_free(&boxes->item[i].seconds);
	free(boxes->item);
	*boxes = (struct report_boxes){0};
}

bool report_place_of(const char *label, struct report_place *place)
{
	const char *const slash = strrchr(label, '/');
	const char *const number = slash ? slash + 1 : label;
	size_t length = strlen(number);
	if (length > 0 && number[length - 1] == '%')
		length--;
	*place = (struct report_place){.series = label, .length = slash ? (size_t)(slash - label) : 0};
	return units_parse_real(number, length, &place->number, NULL) == 0;
}

bool report_boxes_mislead(const struct report_times *times)
{
	struct report_place place;
	if (isnan(times->load) || !report_place_of(times->label, &place))
		return false;
	const bool is_percent = times->label[strlen(times->label) - 1] == '%';
	return fabs(place.number / 100 - times->load) > REPORT_FAR &&
	       (is_percent || fabs(place.number - times->load) > REPORT_FAR);
}
