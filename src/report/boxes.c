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

static int take_run(struct report_boxes *boxes, const struct report_run *run, bool with_warmup, char error[static CSV_ERROR_MAX])
{
	double begin = -INFINITY;
	if (run->iteration_files == 0) {
		snprintf(error, CSV_ERROR_MAX, "%.300s: found a log, but no iterations", run->label);
		return -1;
	}
	if (!with_warmup && find_begin(run, &begin, error) != 0)
		return -1;
	struct report_values *const seconds = &find_times(boxes, run->label)->seconds;
	for (size_t i = 0; i < run->iterations.count; i++) {
		const struct report_iteration *const iteration = &run->iterations.item[i];
		if (iteration->start >= begin && report_values_add(seconds, whole_ns(iteration->end - iteration->start)) != 0)
			return no_memory(error);
	}
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
