/* SPDX-License-Identifier: MIT */
#include "report/latency_picture.h"

#include <errno.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

#include "report/picture.h"

#define GRAPH_CM 5.2
#define LOWER_CM 2.0 /* the graph of the load */
#define GAP_CM 0.35
#define MS 1e3
/* Stretches of time in a timeline, with so many requests each where that leaves enough of them; and points of a tail. */
#define STRETCHES_LEAST 30
#define STRETCHES_MOST 300
#define REQUESTS_EACH 200
#define TAIL_POINTS 400
/* A legend of more rows is larger than what it explains. */
#define TAILS_MOST 8
#define LABEL_MAX 32

/* What a curve and a timeline show, and in which style of the plot. */
static const enum report_latency_figure curves[] = {
	REPORT_LATENCY_P50, REPORT_LATENCY_P90, REPORT_LATENCY_P99, REPORT_LATENCY_P999};
#define CURVES (sizeof curves / sizeof *curves)

static const char load_name[] = "CPU load (%)";
static const char time_name[] = "response time (ms)";

static int begin(struct plot *plot, const struct report_entry *entry, size_t count, const struct report_size *size, const char *x,
	const char *y)
{
	fprintf(plot_script(plot), "set logscale y\nset errorbars 0\n");
	report_axis_name(plot, REPORT_AXIS_X, size, x);
	return report_graph_begin(plot, entry, count, size, y);
}

/* ---- Against the load --------------------------------------------------------------------------------------------------- */

static size_t curve_entries(struct report_entry entry[static CURVES + 1], const struct report_latency_view *view)
{
	for (size_t i = 0; i < CURVES; i++)
		entry[i] = (struct report_entry){
			.label = report_latency_name(curves[i]), .sample = {.style = i + 1, .point = 0.9, .has_line = true}};
	entry[CURVES] = (struct report_entry){
		.label = view->limits ? "limit" : NULL, .sample = {.color = REPORT_TARGET_COLOR, .height_cm = REPORT_TARGET_CM}};
	return CURVES + 1;
}

static bool has_loads(const struct report_latency_view *view)
{
	for (size_t i = 1; i < view->rows; i++)
		if (!isnan(view->row[i].load))
			return true;
	return false;
}

/* The rows in the order of their places on the axis: `order`, which is the caller's, has room for all. */
static void sort_rows(const struct report_latency_view *view, bool is_of_load, double *place, size_t *order)
{
	for (size_t i = 0; i < view->rows; i++)
		place[i] = is_of_load ? 100 * view->row[i].load : view->row[i].rate;
	gsl_sort_index(order, place, 1, view->rows);
}

static void write_curve(FILE *to, size_t number, const struct report_latency_view *view, const double *place, const size_t *order)
{
	fprintf(to, "$curve%zu << END\n", number);
	for (size_t i = 0; i < view->rows; i++) {
		const struct report_latency_row *const row = &view->row[order[i]];
		const enum report_latency_figure figure = curves[number];
		if (order[i] > 0 && isfinite(place[order[i]]) && row->value[figure] > 0)
			fprintf(to, "%.9g %.9g %.9g %.9g\n", place[order[i]], MS * row->value[figure],
				MS * fmax(row->low[figure], 1e-9), MS * fmin(row->high[figure], row->value[REPORT_LATENCY_MAX]));
	}
	fprintf(to, "END\n");
}

static int draw_curve(struct plot *plot, const struct report_latency_view *view, const struct report_size *size)
{
	FILE *const to = plot_script(plot);
	struct report_entry entry[CURVES + 1];
	const bool is_of_load = has_loads(view);
	const size_t entries = curve_entries(entry, view);
	double *const place = calloc(view->rows + 1, sizeof *place);
	size_t *const order = calloc(view->rows + 1, sizeof *order);
	int result = place && order ? 0 : -1;
	if (result == 0)
		sort_rows(view, is_of_load, place, order);
	if (is_of_load)
		fputs("set xrange [0:100]\nset xtics 20\n", to);
	else
		fputs("set xrange [0:*]\n", to);
	if (result == 0)
		result = begin(plot, entry, entries, size, is_of_load ? load_name : "requests/s", time_name);
	for (size_t i = 0; result == 0 && i < CURVES; i++)
		write_curve(to, i, view, place, order);
	for (int i = 0; view->limits && i < REPORT_LATENCY_FIGURES; i++)
		if (!isnan(view->limits->most[i]))
			fprintf(to,
				"set arrow %d from graph 0, first %.9g to graph 1, first %.9g nohead lc rgb '" REPORT_TARGET_COLOR
				"' lw %g\nset label %d '%s' at graph 0.01, first %.9g left offset 0,character 0.4\n",
				i + 1, MS * view->limits->most[i], MS * view->limits->most[i], REPORT_LINE_THIN, i + 41,
				report_latency_name((enum report_latency_figure)i), MS * view->limits->most[i]);
	for (size_t i = 0; i < CURVES; i++)
		fprintf(to,
			"%s$curve%zu using 1:2 with lines ls %zu lw %g, $curve%zu using 1:2:3:4 with yerrorbars ls %zu lw %g ps "
			"%g",
			i > 0 ? ", " : "plot ", i, i + 1, REPORT_LINE, i, i + 1, REPORT_LINE_THIN, plot_point_size(plot, 0.9));
	fputc('\n', to);
	free(place);
	free(order);
	return result;
}

/* ---- Over time ------------------------------------------------------------------------------------------------------------ */

static const struct report_entry timeline_entries[] = {
	{"p50", {.style = 1, .has_line = true}},
	{"p99", {.style = 2, .has_line = true}},
	{"maximum", {.style = 3, .has_line = true}},
	{"load", {.color = REPORT_LOAD_COLOR, .height_cm = REPORT_LOAD_CM}},
	{"target", {.color = REPORT_TARGET_COLOR, .height_cm = REPORT_TARGET_CM}},
};
#define TIMES 3

static size_t count_entries(const struct report_latency_view *view)
{
	return !view->log ? TIMES : view->log->target ? TIMES + 2 : TIMES + 1;
}

/* Figures of each stretch of time in which a request began, as lines. */
static int write_times(FILE *to, const struct report_latency_view *view, double factor)
{
	struct report_points points[TIMES] = {{0}};
	const struct report_latency_row *const all = &view->row[0];
	const size_t wanted = (size_t)(all->requests / REQUESTS_EACH);
	const size_t stretches = wanted < STRETCHES_LEAST ? STRETCHES_LEAST : wanted > STRETCHES_MOST ? STRETCHES_MOST : wanted;
	const double length = (all->to - all->from) / (double)stretches;
	int result = 0;
	for (size_t i = 0; result == 0 && i < stretches; i++) {
		const double from = all->from + length * (double)i;
		const double to_moment = all->from + length * (double)(i + 1);
		const double middle = all->start + (all->end - all->start) * ((double)i + 0.5) / (double)stretches;
		struct report_latency_times times;
		result = report_latency_times_collect(view->requests, from, to_moment, &times);
		for (size_t figure = 0; result == 0 && times.total > 0 && figure < TIMES; figure++) {
			static const double share[TIMES] = {0.5, 0.99, 1};
			const double rank = ceil(share[figure] * (double)times.total * (1 - 1e-12));
			result = report_points_add(
				&points[figure], middle * factor, MS * report_latency_times_at(&times, (uint64_t)rank));
		}
		report_latency_times_free(&times);
	}
	for (size_t i = 0; i < TIMES; i++) {
		report_points_write(&points[i], to, "time", i);
		report_points_free(&points[i]);
	}
	return result;
}

static int write_rows(FILE *to, const struct report_log *log, const double *value, const char *name, double factor)
{
	struct report_points points = {0};
	int result = 0;
	for (size_t i = 0; result == 0 && i < log->count; i++) {
		result = report_points_add(&points, report_log_start(log, i) * factor, 100 * value[i]);
		if (result == 0)
			result = report_points_add(&points, log->time[i] * factor, 100 * value[i]);
	}
	report_points_write(&points, to, name, 0);
	report_points_free(&points);
	return result;
}

static int draw_load(
	struct plot *plot, const struct report_log *log, const struct report_size *size, double factor, const char *x)
{
	FILE *const to = plot_script(plot);
	const struct report_margins margins = {.left = REPORT_LEFT_CM,
		.right = REPORT_RIGHT_CM,
		.top = size->height - REPORT_BOTTOM_CM - LOWER_CM,
		.bottom = REPORT_BOTTOM_CM};
	int result = write_rows(to, log, log->load, "load", factor);
	if (result == 0 && log->target)
		result = write_rows(to, log, log->target, "target", factor);
	fputs("unset object\nunset arrow\nunset label\nunset logscale y\nset yrange [0:100]\nset ytics 0,50,100\n"
	      "set format x '%g'\n",
		to);
	report_margins_write(plot, &margins, size);
	report_axis_name(plot, REPORT_AXIS_LEFT, size, "load (%)");
	report_axis_name(plot, REPORT_AXIS_X, size, x);
	fprintf(to, "plot $load0 using 1:2 with lines lw %g lc rgb '" REPORT_LOAD_COLOR "'", REPORT_LOAD_LINE);
	if (log->target)
		fprintf(to, ", $target0 using 1:2 with lines lw %g lc rgb '" REPORT_TARGET_COLOR "'", REPORT_LINE_THIN);
	fputc('\n', to);
	return result;
}

static int draw_timeline(struct plot *plot, const struct report_latency_view *view, const struct report_size *size)
{
	FILE *const to = plot_script(plot);
	const struct report_latency_row *const all = &view->row[0];
	const struct report_unit unit = report_time_unit(all->end - all->start);
	char name[LABEL_MAX];
	snprintf(name, sizeof name, "time (%s)", unit.name);
	fprintf(to, "set xrange [%.9g:%.9g]\nset multiplot\n", all->start * unit.factor, all->end * unit.factor);
	if (begin(plot, timeline_entries, count_entries(view), size, view->log ? NULL : name, time_name) != 0)
		return -1;
	if (view->log) {
		const struct report_margins margins = {.left = REPORT_LEFT_CM,
			.right = REPORT_RIGHT_CM,
			.top = report_legend_height(report_legend_rows(timeline_entries, count_entries(view), size->width)),
			.bottom = REPORT_BOTTOM_CM + LOWER_CM + GAP_CM};
		report_margins_write(plot, &margins, size);
		fputs("set format x ''\n", to);
	}
	int result = write_times(to, view, unit.factor);
	/* Of fewer than 100 requests the p99 is the maximum: both are to be seen. */
	for (size_t i = TIMES; i-- > 0;)
		fprintf(to, "%s$time%zu using 1:2 with lines ls %zu lw %g", i + 1 < TIMES ? ", " : "plot ", i, i + 1,
			i + 1 < TIMES ? REPORT_LINE : 2 * REPORT_LINE);
	fputc('\n', to);
	if (result == 0 && view->log)
		result = draw_load(plot, view->log, size, unit.factor, name);
	fputs("unset multiplot\n", to);
	return result;
}

/* ---- The tail --------------------------------------------------------------------------------------------------------------- */

static size_t tail_rows(const struct report_latency_view *view)
{
	return view->rows > TAILS_MOST ? TAILS_MOST : view->rows;
}

/* Where there are more rows than can be told apart, evenly many of them. */
static const struct report_latency_row *tail_row(const struct report_latency_view *view, size_t at)
{
	const size_t shown = tail_rows(view);
	return &view->row[shown < 2 ? at : at * (view->rows - 1) / (shown - 1)];
}

static size_t tail_entries(struct report_entry entry[static TAILS_MOST], char label[static TAILS_MOST][LABEL_MAX],
	const struct report_latency_view *view)
{
	for (size_t i = 0; i < tail_rows(view); i++) {
		const struct report_latency_row *const row = tail_row(view, i);
		if (i == 0)
			snprintf(label[i], LABEL_MAX, "all");
		else if (!isnan(row->load))
			snprintf(label[i], LABEL_MAX, "load %.1f %%", 100 * row->load);
		else
			snprintf(label[i], LABEL_MAX, "%.4g requests/s", row->rate);
		entry[i] = (struct report_entry){.label = label[i], .sample = {.style = i + 1, .has_line = true}};
	}
	return tail_rows(view);
}

/* From the first to the last of the sorted times, closer to one another the farther they are in the tail. */
static int write_tail(FILE *to, size_t number, const struct report_latency_times *times)
{
	struct report_points points = {0};
	int result = 0;
	uint64_t before = times->total + 1;
	for (size_t i = 0; result == 0 && times->total > 0 && i <= TAIL_POINTS; i++) {
		/* So many take at least as long. */
		const uint64_t left = (uint64_t)llround(pow((double)times->total, 1 - (double)i / TAIL_POINTS));
		if (left != before)
			result = report_points_add(&points,
				MS * fmax(report_latency_times_at(times, times->total - left + 1), 1e-9),
				100 * (double)left / (double)times->total);
		before = left;
	}
	report_points_write(&points, to, "tail", number);
	report_points_free(&points);
	return result;
}

static int draw_tail(struct plot *plot, const struct report_latency_view *view, const struct report_size *size)
{
	FILE *const to = plot_script(plot);
	struct report_entry entry[TAILS_MOST];
	char label[TAILS_MOST][LABEL_MAX];
	const size_t count = tail_entries(entry, label, view);
	fputs("set logscale x\nset yrange [*:100]\nset format y '%g'\n", to);
	int result = begin(plot, entry, count, size, time_name, "take at least as long (%)");
	/* The last number of the axis is a long one. */
	const struct report_margins margins = {.left = REPORT_LEFT_CM,
		.right = 2 * REPORT_RIGHT_CM,
		.top = report_legend_height(report_legend_rows(entry, count, size->width)),
		.bottom = REPORT_BOTTOM_CM};
	report_margins_write(plot, &margins, size);
	for (size_t i = 0; result == 0 && i < count; i++) {
		const struct report_latency_row *const row = tail_row(view, i);
		struct report_latency_times times;
		result = report_latency_times_collect(view->requests, row->from, row->to, &times);
		if (result == 0)
			result = write_tail(to, i, &times);
		report_latency_times_free(&times);
	}
	for (size_t i = 0; i < count; i++)
		fprintf(to, "%s$tail%zu using 1:2 with lines ls %zu lw %g", i > 0 ? ", " : "plot ", i, i + 1, REPORT_LINE);
	fputc('\n', to);
	return result;
}

/* ---- All of them ------------------------------------------------------------------------------------------------------------ */

struct report_size report_latency_size(enum report_latency_picture picture, const struct report_latency_view *view)
{
	struct report_entry entry[TAILS_MOST > CURVES ? TAILS_MOST : CURVES + 1];
	char label[TAILS_MOST][LABEL_MAX];
	if (picture == REPORT_LATENCY_CURVE)
		return report_graph_size(entry, curve_entries(entry, view), REPORT_COLUMN_CM, GRAPH_CM);
	if (picture == REPORT_LATENCY_TAIL)
		return report_graph_size(entry, tail_entries(entry, label, view), REPORT_COLUMN_CM, GRAPH_CM);
	return report_graph_size(
		timeline_entries, count_entries(view), REPORT_COLUMN_CM, GRAPH_CM + (view->log ? LOWER_CM + GAP_CM : 0));
}

int report_latency_draw(enum report_latency_picture picture, struct plot *plot, const struct report_latency_view *view,
	const struct report_size *size)
{
	if (picture == REPORT_LATENCY_CURVE)
		return draw_curve(plot, view, size);
	return picture == REPORT_LATENCY_TAIL ? draw_tail(plot, view, size) : draw_timeline(plot, view, size);
}
