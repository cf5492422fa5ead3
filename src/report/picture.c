/* SPDX-License-Identifier: MIT */
#include "report/picture.h"

#include <math.h>
#include <stdlib.h>

#include "report/values.h"
#include "report/window.h"

static void widen(struct report_point *range, const struct report_windows *windows)
{
	if (windows->count == 0)
		return;
	range->x = fmin(range->x, windows->item[0].start);
	range->y = fmax(range->y, windows->item[windows->count - 1].end);
}

struct report_point report_picture_range(const struct report_series *series, size_t count)
{
	struct report_point range = {INFINITY, -INFINITY};
	for (size_t i = 0; i < count; i++) {
		widen(&range, &series[i].windows);
		widen(&range, &series[i].throughput);
	}
	/* Rows begin a few milliseconds before or after control does; the axis should not. */
	if (fabs(range.x) < 0.01 * (range.y - range.x))
		range.x = 0;
	if (!(range.y > range.x))
		range.y = range.x + 1;
	return range;
}

struct report_unit report_picture_rate(const struct report_series *series, size_t count)
{
	double most = 0;
	for (size_t i = 0; i < count; i++) {
		const struct report_windows *const windows =
			series[i].throughput.count > 0 ? &series[i].throughput : &series[i].windows;
		for (size_t at = 0; at < windows->count; at++)
			if (windows->item[at].throughput > most)
				most = windows->item[at].throughput;
	}
	return report_rate_unit(most);
}

double report_picture_load(const struct report_windows *windows, size_t at)
{
	return windows->item[at].load;
}

double report_picture_target(const struct report_windows *windows, size_t at)
{
	const struct report_window *const window = &windows->item[at];
	const bool is_known = !isnan(window->load) || (at > 0 && report_log_is_same(window[-1].target, window->target)) ||
			      (at + 1 < windows->count && report_log_is_same(window->target, window[1].target));
	return is_known ? window->target : NAN;
}

double report_picture_power(const struct report_windows *windows, size_t at)
{
	return windows->item[at].power;
}

int report_picture_add_means(struct report_points *points, const struct report_windows *windows,
	double (*mean)(const struct report_windows *windows, size_t at), double unit, double factor)
{
	bool goes_on = false;
	for (size_t i = 0; i < windows->count; i++) {
		const struct report_window *const window = &windows->item[i];
		const double value = factor * mean(windows, i);
		const double middle = (window->start + window->end) / 2;
		const bool is_known = isfinite(value);
		const bool is_last = i + 1 == windows->count || !isfinite(mean(windows, i + 1));
		if ((is_known && !goes_on && report_points_add(points, window->start * unit, value) != 0) ||
			((is_known || goes_on) && report_points_add(points, middle * unit, is_known ? value : NAN) != 0) ||
			(is_known && is_last && report_points_add(points, window->end * unit, value) != 0))
			return -1;
		goes_on = is_known;
	}
	return 0;
}

int report_picture_add_steps(struct report_points *points, const struct report_windows *windows, double unit, double rate)
{
	for (size_t i = 0; i < windows->count; i++) {
		const struct report_window *const window = &windows->item[i];
		if (report_points_add(points, window->start * unit, rate * window->throughput) != 0 ||
			report_points_add(points, window->end * unit, rate * window->throughput) != 0)
			return -1;
	}
	return 0;
}

/* ---- One graph with a line, or points, per series: over time, or over the load ------------------------------------------ */

#define LINES_CM 4.6 /* height of the graph */

/* The legend's entries, to be freed; NULL with errno. */
static struct report_entry *make_entries(const struct report_series *series, size_t count, double point, bool has_line)
{
	struct report_entry *const entry = calloc(count, sizeof *entry);
	for (size_t i = 0; entry && i < count; i++)
		entry[i] = (struct report_entry){
			.label = series[i].label, .sample = {.style = i % PLOT_STYLES + 1, .point = point, .has_line = has_line}};
	return entry;
}

struct report_size report_picture_size_lines(const struct report_series *series, size_t count)
{
	struct report_entry *const entry = make_entries(series, count, 0, true);
	const struct report_size size = report_graph_size(entry, entry ? count : 0, REPORT_COLUMN_CM, LINES_CM);
	free(entry);
	return size;
}

/* Frame, legend and names of axes. 0, or -1 with errno. */
static int begin_lines(struct plot *plot, const struct report_series *series, size_t count, const struct report_size *size,
	const char *x, const char *y, double point, bool has_line)
{
	struct report_entry *const entry = make_entries(series, count, point, has_line);
	fprintf(plot_script(plot), "set yrange [0:*]\nset errorbars 0\n");
	report_axis_name(plot, REPORT_AXIS_X, size, x);
	const int result = entry ? report_graph_begin(plot, entry, count, size, y) : -1;
	free(entry);
	return result;
}

/* A stretch is a point in its middle with a bar from its beginning to its end. */
static void write_stretches(FILE *to, size_t number, const struct report_windows *windows, double unit, double rate)
{
	fprintf(to, "$data%zu << END\n", number);
	for (size_t i = 0; i < windows->count; i++) {
		const struct report_window *const window = &windows->item[i];
		if (isfinite(window->throughput))
			fprintf(to, "%.9g %.9g %.9g %.9g\n", (window->start + window->end) / 2 * unit, rate * window->throughput,
				window->start * unit, window->end * unit);
	}
	fprintf(to, "END\n");
}

/* Values over time, multiplied by `factor`; `y` is the name of their axis. */
static int draw_over_time(struct plot *plot, const struct report_series *series, size_t count, const struct report_size *size,
	bool stretches, double factor, const char *y)
{
	FILE *const to = plot_script(plot);
	const struct report_point range = report_picture_range(series, count);
	const struct report_unit time = report_time_unit(range.y - range.x);
	struct report_points points = {0};
	char name[32];
	snprintf(name, sizeof name, "time (%s)", time.name);
	int result = begin_lines(plot, series, count, size, name, y, stretches ? 0.7 : 0, true);
	fprintf(to, "set xrange [%.9g:%.9g]\n", range.x * time.factor, range.y * time.factor);
	for (size_t i = 0; result == 0 && i < count; i++) {
		if (stretches) {
			write_stretches(to, i, &series[i].windows, time.factor, factor);
		} else {
			result = report_picture_add_steps(&points, &series[i].windows, time.factor, factor);
			report_points_write(&points, to, "data", i);
		}
	}
	report_points_free(&points);
	for (size_t i = 0; i < count; i++) {
		const size_t style = i % PLOT_STYLES + 1;
		fputs(i > 0 ? ", " : "plot ", to);
		if (stretches)
			fprintf(to, "$data%zu using 1:2:3:4 with xerrorbars ls %zu lw %g ps %g", i, style, REPORT_LINE,
				plot_point_size(plot, 0.7));
		else
			fprintf(to, "$data%zu using 1:2 with lines ls %zu lw %g", i, style, REPORT_LINE);
	}
	fputc('\n', to);
	return result;
}

static const char *print_rate(char *name, size_t room, const struct report_unit *rate)
{
	snprintf(name, room, "throughput (%s)", rate->name);
	return name;
}

int report_picture_throughput(
	struct plot *plot, const struct report_series *series, size_t count, const struct report_size *size, bool stretches)
{
	const struct report_unit rate = report_picture_rate(series, count);
	char name[64];
	return draw_over_time(plot, series, count, size, stretches, rate.factor, print_rate(name, sizeof name, &rate));
}

int report_picture_steps(
	struct plot *plot, const struct report_series *series, size_t count, const struct report_size *size, const char *name)
{
	return draw_over_time(plot, series, count, size, true, 1, name);
}

static int begin_over_load(struct plot *plot, const struct report_series *series, size_t count, const struct report_size *size,
	const struct report_unit *rate, double point, bool has_line)
{
	char name[64];
	fprintf(plot_script(plot), "set xrange [0:100]\nset xtics 20\n");
	return begin_lines(plot, series, count, size, "CPU load (%)", print_rate(name, sizeof name, rate), point, has_line);
}

static int add_pairs(struct report_points *points, const struct report_windows *windows, double rate)
{
	for (size_t i = 0; i < windows->count; i++) {
		const struct report_window *const window = &windows->item[i];
		if (isfinite(window->load) && report_points_add(points, 100 * window->load, rate * window->throughput) != 0)
			return -1;
	}
	return 0;
}

/* As write_block, but every point is drawn. */
static void write_pairs(FILE *to, const char *name, size_t number, struct report_points *points)
{
	fprintf(to, "$%s%zu << END\n", name, number);
	for (size_t i = 0; i < points->count; i++)
		fprintf(to, "%.9g %.9g\n", points->item[i].x, points->item[i].y);
	fprintf(to, "END\n");
	points->count = 0;
}

/* Means as a line, and those that have a deviation once more with that; whether there are such. */
static bool write_curve(FILE *to, size_t number, const struct report_curve *curve, double rate)
{
	fprintf(to, "$mean%zu << END\n", number);
	for (size_t i = 0; i < curve->count; i++)
		fprintf(to, "%.9g %.9g\n", 100 * curve->level[i].load, rate * curve->level[i].throughput);
	fprintf(to, "END\n$bar%zu << END\n", number);
	bool has_bars = false;
	for (size_t i = 0; i < curve->count; i++) {
		if (!(curve->level[i].deviation > 0))
			continue;
		has_bars = true;
		fprintf(to, "%.9g %.9g %.9g\n", 100 * curve->level[i].load, rate * curve->level[i].throughput,
			rate * curve->level[i].deviation);
	}
	fprintf(to, "END\n");
	return has_bars;
}

/* Writes a series as data blocks; whether it has bars to be drawn goes to *has_bars. 0, or -1 with errno. */
static int write_curve_of(FILE *to, size_t number, const struct report_series *series, double rate, bool *has_bars)
{
	struct report_points points = {0};
	struct report_curve curve;
	int result = add_pairs(&points, &series->windows, rate);
	write_pairs(to, "pair", number, &points);
	report_points_free(&points);
	if (report_curve_make(&curve, &series->windows) != 0)
		result = -1;
	else
		*has_bars = write_curve(to, number, &curve, rate);
	report_curve_free(&curve);
	return result;
}

int report_picture_curve(
	struct plot *plot, const struct report_series *series, size_t count, const struct report_size *size, bool is_scattered)
{
	FILE *const to = plot_script(plot);
	const struct report_unit rate = report_picture_rate(series, count);
	const double point = is_scattered ? 0.5 : 0.9;
	bool *const has_bars = calloc(count + 1, sizeof *has_bars);
	int result = has_bars ? begin_over_load(plot, series, count, size, &rate, point, !is_scattered) : -1;
	for (size_t i = 0; result == 0 && i < count; i++)
		result = write_curve_of(to, i, &series[i], rate.factor, &has_bars[i]);
	for (size_t i = 0; result == 0 && i < count; i++) {
		const size_t style = i % PLOT_STYLES + 1;
		fputs(i > 0 ? ", " : "plot ", to);
		if (!is_scattered)
			fprintf(to, "$mean%zu using 1:2 with lines ls %zu lw 1.2, ", i, style);
		/* gnuplot's own error bars have a white hole where the mean is. */
		if (!is_scattered && has_bars[i])
			fprintf(to,
				"$bar%zu using 1:($2-$3):(0):(2*$3) with vectors heads size screen 0.01,90 ls %zu dt 1 lw %g, ",
				i, style, REPORT_LINE_THIN);
		fprintf(to, "$pair%zu using 1:2 with points ls %zu ps %g", i, style, plot_point_size(plot, point));
	}
	fputc('\n', to);
	free(has_bars);
	return result;
}

/* The line through the points, from the least load to the greatest. 0, or -1 with errno. */
static int add_line(struct report_points *line, const struct report_points *points)
{
	const struct report_point *const point = points->item;
	struct regression fit;
	double least = INFINITY;
	double most = -INFINITY;
	for (size_t i = 0; i < points->count; i++) {
		least = fmin(least, point[i].x);
		most = fmax(most, point[i].x);
	}
	if (points->count == 0 || regression_fit(&point->x, &point->y, sizeof *point / sizeof(double), points->count, &fit) != 0)
		return 0;
	return report_points_add(line, least, fit.intercept + fit.slope * least) != 0
		       ? -1
		       : report_points_add(line, most, fit.intercept + fit.slope * most);
}

int report_picture_interference(
	struct plot *plot, const struct report_series *series, size_t count, const struct report_size *size)
{
	static const int triangles[] = {11, 9}; /* down, up */
	FILE *const to = plot_script(plot);
	const struct report_unit rate = report_picture_rate(series, count);
	struct report_points points = {0};
	struct report_points line = {0};
	int result = begin_over_load(plot, series, count, size, &rate, 0, true);
	for (size_t i = 0; result == 0 && i < 2 * count; i++) {
		const struct report_windows *const all = &series[i / 2].windows;
		const size_t steps = (all->count + 1) / 2;
		const struct report_windows half = {
			.item = i % 2 == 0 ? all->item : all->item + all->count - steps, .count = steps};
		result = add_pairs(&points, &half, rate.factor);
		if (result == 0)
			result = add_line(&line, &points);
		write_pairs(to, "pair", i, &points);
		write_pairs(to, "line", i, &line);
	}
	report_points_free(&points);
	report_points_free(&line);
	for (size_t i = 0; i < 2 * count; i++) {
		const size_t style = i / 2 % PLOT_STYLES + 1;
		fputs(i > 0 ? ", " : "plot ", to);
		fprintf(to, "$line%zu using 1:2 with lines ls %zu lw 1.2, $pair%zu using 1:2 with points ls %zu pt %d ps %g", i,
			style, i, style, triangles[i % 2], plot_point_size(plot, 0.9));
	}
	fputc('\n', to);
	return result;
}
