/* SPDX-License-Identifier: MIT */
#include "report/boxes.h"

#include <errno.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/log.h"
#include "report/picture.h"
#include "report/table.h"

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
		if (!log->monotonic)
			return csv_fail(
				error, "%.300s:1: found no column monotonic_s, expected it for the iterations", log->name);
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
	if (run->iteration_files == 0)
		return csv_fail(error, "%.300s: found a log, but no iterations", run->label);
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
			return csv_fail(error, "%s", strerror(errno));
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
		return csv_fail(error, "%s", strerror(errno));
	for (size_t i = 0; i < input->runs; i++)
		if (take_run(boxes, &input->run[i], with_warmup, error) != 0)
			return -1;
	for (size_t i = 0; i < boxes->count; i++) {
		if (boxes->item[i].seconds.count == 0)
			return csv_fail(error, "%.300s: found no iteration%s", boxes->item[i].label,
				with_warmup ? "" : " after the warm-up");
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

#define HEIGHT_CM 5.5 /* of the graph */
#define BOX_CM 0.5    /* what a box and its distance from the next one need */
#define LABEL_CM 1.4  /* what a label needs */
#define WIDTH_MOST_CM 30.0
#define CHARACTER_CM 0.16
#define GROUP 0.7  /* of the distance between two places: what boxes take */
#define LEAST 0.01 /* of the axis: width of a box */
#define FILLED 0.3
#define POINT 0.35
#define PIXELS 2000 /* outliers that lie on the same of so many rows are one point */

/* The load is that of the machine, 0 to 100 %. */
#define LOAD_DISTANCE 10.0 /* of boxes that are alone in their series */
#define LOAD_CLOSE 2.0     /* boxes that are closer than this may lie over one another */
#define LOAD_ASIDE 1.0     /* how far from its load a box stands at most, where several series stand beside one another */

/* Where boxes stand: at the load, at the number in the label, or side by side above the label. */
enum axis { AXIS_LOAD, AXIS_NUMBER, AXIS_LABEL };

/* Where a box stands, in which colour, and what the legend says. */
struct layout {
	enum axis axis;
	double *at;                 /* `count` of each */
	size_t *series;             /* from 0 */
	struct report_entry *entry; /* of the legend, by series */
	char **name;                /* by series */
	size_t names;
	double low, high, width; /* of the axis; of a box there */
};

static void free_layout(struct layout *layout)
{
	for (size_t i = 0; i < layout->names; i++)
		free(layout->name[i]);
	free(layout->name);
	free(layout->at);
	free(layout->series);
	free(layout->entry);
}

static int find_series(struct layout *layout, const struct report_place *place, size_t *series)
{
	for (*series = 0; *series < layout->names; ++*series)
		if (strncmp(layout->name[*series], place->series, place->length) == 0 && !layout->name[*series][place->length])
			return 0;
	char *const name = strndup(place->series, place->length);
	if (!name)
		return -1;
	layout->entry[*series] = (struct report_entry){
		.label = *name ? name : NULL, .sample = {.style = *series % PLOT_STYLES + 1, .has_line = true}};
	layout->name[layout->names++] = name;
	return 0;
}

/* The least distance between two of these; `alone` where all are the same. Sorts them. */
static double least_distance(double *at, size_t count, double alone)
{
	double least = INFINITY;
	gsl_sort(at, 1, count);
	for (size_t i = 1; i < count; i++)
		if (at[i] > at[i - 1])
			least = fmin(least, at[i] - at[i - 1]);
	return isfinite(least) ? least : alone;
}

/* Boxes of several series at one place stand side by side around it. */
static void place_boxes(struct layout *layout, size_t count, double *sorted)
{
	memcpy(sorted, layout->at, count * sizeof *sorted);
	const double distance = least_distance(sorted, count, 1);
	layout->low = sorted[0] - 0.6 * distance;
	layout->high = sorted[count - 1] + 0.6 * distance;
	const size_t beside = layout->names > 0 ? layout->names : 1;
	layout->width = fmax(GROUP * distance / (double)beside, LEAST * (layout->high - layout->low));
	for (size_t i = 0; i < count; i++)
		layout->at[i] += ((double)layout->series[i] - ((double)beside - 1) / 2) * layout->width;
}

/* No two loads are quite the same, so it is boxes of one series that need room, and those of several are moved a little. */
static void place_at_loads(struct layout *layout, size_t count, double *sorted)
{
	double distance = 100;
	double most = 100;
	for (size_t series = 0; series < layout->names; series++) {
		size_t own = 0;
		for (size_t i = 0; i < count; i++)
			if (layout->series[i] == series)
				sorted[own++] = layout->at[i];
		distance = fmin(distance, fmax(least_distance(sorted, own, LOAD_DISTANCE), LOAD_CLOSE));
		most = fmax(most, sorted[own - 1]);
	}
	const double beside = (double)layout->names;
	const double aside = beside > 1 ? fmin(GROUP * distance / beside, 2 * LOAD_ASIDE / (beside - 1)) : 0;
	layout->low = 0;
	layout->high = most;
	layout->width = fmax(beside > 1 ? aside : GROUP * distance, LEAST * most);
	for (size_t i = 0; i < count; i++)
		layout->at[i] += ((double)layout->series[i] - (beside - 1) / 2) * aside;
}

static enum axis choose_axis(const struct report_boxes *boxes, bool has_name)
{
	struct report_place place;
	bool knows_loads = true;
	for (size_t i = 0; i < boxes->count; i++) {
		if (!report_place_of(boxes->item[i].label, &place))
			return AXIS_LABEL;
		knows_loads &= !isnan(boxes->item[i].load);
	}
	return has_name ? AXIS_NUMBER : knows_loads ? AXIS_LOAD : AXIS_LABEL;
}

/* Free in any case. */
static int make_layout(struct layout *layout, const struct report_boxes *boxes, bool has_name)
{
	struct report_place place;
	*layout = (struct layout){.axis = choose_axis(boxes, has_name),
		.at = calloc(boxes->count, sizeof *layout->at),
		.series = calloc(boxes->count, sizeof *layout->series),
		.entry = calloc(boxes->count, sizeof *layout->entry),
		.name = calloc(boxes->count, sizeof *layout->name)};
	if (!layout->at || !layout->series || !layout->entry || !layout->name)
		return -1;
	double *const sorted = calloc(boxes->count, sizeof *sorted);
	int result = sorted ? 0 : -1;
	for (size_t i = 0; result == 0 && i < boxes->count; i++) {
		layout->at[i] = (double)i;
		if (layout->axis == AXIS_LABEL)
			continue;
		report_place_of(boxes->item[i].label, &place);
		layout->at[i] = layout->axis == AXIS_LOAD ? 100 * boxes->item[i].load : place.number;
		result = find_series(layout, &place, &layout->series[i]);
	}
	if (result == 0)
		(layout->axis == AXIS_LOAD ? place_at_loads : place_boxes)(layout, boxes->count, sorted);
	free(sorted);
	return result;
}

struct report_size report_picture_size_boxes(const struct report_boxes *boxes, const char *name)
{
	struct layout layout;
	const bool is_made = make_layout(&layout, boxes, name) == 0;
	const double needed = (double)boxes->count * (layout.axis == AXIS_LABEL ? LABEL_CM : BOX_CM);
	const double width = fmin(fmax(needed + REPORT_LEFT_CM + REPORT_RIGHT_CM, REPORT_COLUMN_CM), WIDTH_MOST_CM);
	const struct report_size size = report_graph_size(layout.entry, is_made ? layout.names : 0, width, HEIGHT_CM);
	free_layout(&layout);
	return size;
}

/* The range of all values, as x and y; of 0 as well, above. */
static struct report_point range_of(const struct report_boxes *boxes)
{
	struct report_point range = {INFINITY, 0};
	for (size_t i = 0; i < boxes->count; i++) {
		const struct report_values *const seconds = &boxes->item[i].seconds;
		range.x = fmin(range.x, seconds->item[0]);
		range.y = fmax(range.y, seconds->item[seconds->count - 1]);
	}
	return range;
}

static struct report_unit unit_of(const struct report_boxes *boxes)
{
	return boxes->column ? (struct report_unit){.name = "", .factor = 1} : report_duration_unit(range_of(boxes).y);
}

static int write_labels(struct plot *plot, const struct report_boxes *boxes, double room_cm)
{
	FILE *const to = plot_script(plot);
	const double characters = room_cm / CHARACTER_CM - 1;
	fputs("set xtics (", to);
	for (size_t i = 0; i < boxes->count; i++) {
		if (plot_quote_short(plot, boxes->item[i].label, characters > 2 ? (size_t)characters : 2) != 0)
			return -1;
		fprintf(to, " %zu%s", i, i + 1 < boxes->count ? "," : "");
	}
	fputs(")\n", to);
	return 0;
}

static void write_outliers(FILE *to, const double *value, size_t count, double at, double factor, double row)
{
	double before = NAN;
	for (size_t i = 0; i < count; i++) {
		const double place = floor(value[i] / row);
		if (place != before)
			fprintf(to, "%.9g %.9g\n", at, value[i] * factor);
		before = place;
	}
}

/* The boxes of a series and its outliers, as two data blocks; whether there are outliers. */
static bool write_series(FILE *to, const struct report_boxes *boxes, const struct layout *layout, size_t series, double factor)
{
	const struct report_point range = range_of(boxes);
	bool has_outliers = false;
	fprintf(to, "$box%zu << END\n", series);
	for (size_t i = 0; i < boxes->count; i++) {
		if (layout->series[i] != series)
			continue;
		const struct report_box box = report_values_box(&boxes->item[i].seconds);
		has_outliers |= box.below + box.above > 0;
		fprintf(to, "%.9g %.9g %.9g %.9g %.9g %.9g\n", layout->at[i], factor * box.first, factor * box.low,
			factor * box.high, factor * box.third, factor * box.median);
	}
	fprintf(to, "END\n$outlier%zu << END\n", series);
	for (size_t i = 0; i < boxes->count; i++) {
		const struct report_values *const seconds = &boxes->item[i].seconds;
		if (layout->series[i] != series)
			continue;
		const struct report_box box = report_values_box(seconds);
		const double row = (range.y - fmin(range.x, 0)) / PIXELS;
		write_outliers(to, seconds->item, box.below, layout->at[i], factor, row);
		write_outliers(to, seconds->item + seconds->count - box.above, box.above, layout->at[i], factor, row);
	}
	fputs("END\n", to);
	return has_outliers;
}

/* A median is a box without height. */
static void plot_series(struct plot *plot, size_t series, double width, bool has_outliers)
{
	FILE *const to = plot_script(plot);
	const size_t style = series % PLOT_STYLES + 1;
	fprintf(to,
		"%s$box%zu using 1:2:3:4:5:(%.9g) with candlesticks whiskerbars 0.5 ls %zu lw %g fillstyle solid %g border, "
		"$box%zu using 1:6:6:6:6:(%.9g) with candlesticks ls %zu lw %g",
		series > 0 ? ", " : "plot ", series, 0.8 * width, style, REPORT_LINE_THIN, FILLED, series, 0.8 * width, style,
		2 * REPORT_LINE_THIN);
	if (has_outliers)
		fprintf(to, ", $outlier%zu using 1:2 with points ls %zu pt 6 ps %g", series, style, plot_point_size(plot, POINT));
}

static int write_frame(struct plot *plot, const struct report_boxes *boxes, const struct layout *layout,
	const struct report_size *size, const char *name)
{
	FILE *const to = plot_script(plot);
	const struct report_point range = range_of(boxes);
	char axis[64];
	snprintf(axis, sizeof axis, "time of an iteration (%s)", unit_of(boxes).name);
	/* Where all are nearly the same, an axis from 0 on would show nothing of them. */
	fprintf(to, "set boxwidth %.9g\nset xrange [%.9g:%.9g]\nset yrange [%s:*]\n", layout->width, layout->low, layout->high,
		range.x < 0 || range.x > range.y / 2 ? "*" : "0");
	if (name && report_axis_text(plot, REPORT_AXIS_X, size, name) != 0)
		return -1;
	const double graph = size->width - REPORT_LEFT_CM - REPORT_RIGHT_CM;
	if (layout->axis == AXIS_LOAD) {
		fputs("set xtics 20\n", to);
		report_axis_name(plot, REPORT_AXIS_X, size, "CPU load (%)");
	}
	if (layout->axis == AXIS_LABEL && write_labels(plot, boxes, graph / ((double)boxes->count + 0.2)) != 0)
		return -1;
	if (report_graph_begin(plot, layout->entry, layout->names, size, boxes->column ? NULL : axis) != 0)
		return -1;
	return boxes->column ? report_axis_text(plot, REPORT_AXIS_LEFT, size, boxes->column) : 0;
}

int report_picture_boxes(struct plot *plot, const struct report_boxes *boxes, const struct report_size *size, const char *name)
{
	FILE *const to = plot_script(plot);
	const struct report_unit unit = unit_of(boxes);
	struct layout layout;
	int result = make_layout(&layout, boxes, name);
	const size_t series = layout.names > 0 ? layout.names : 1;
	bool *const has_outliers = calloc(series, sizeof *has_outliers);
	if (result != 0 || !has_outliers || write_frame(plot, boxes, &layout, size, name) != 0)
		result = -1;
	for (size_t i = 0; result == 0 && i < series; i++)
		has_outliers[i] = write_series(to, boxes, &layout, i, unit.factor);
	for (size_t i = 0; result == 0 && i < series; i++)
		plot_series(plot, i, layout.width, has_outliers[i]);
	fputc('\n', to);
	free(has_outliers);
	free_layout(&layout);
	return result;
}
