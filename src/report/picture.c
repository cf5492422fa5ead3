/* SPDX-License-Identifier: MIT */
#include "report/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/regression.h"

#define COLUMN_CM 8.5
#define PANEL_CM 2.5  /* height of a panel among others, */
#define SINGLE_CM 3.9 /* or alone */
#define LINES_CM 4.6  /* and of the graph of another picture */
#define RIGHT_AXIS_CM 1.35
#define GAP_CM 0.35  /* between panels, */
#define NAME_CM 0.45 /* and above each of them that has a name */
#define PANEL_LEFT_CM 1.15
#define BAND_CM 0.16  /* that shows the target */
#define LINE_CM 0.035 /* a line in the legend */
/* A line of more points is drawn thin. */
#define DENSE 500

#define COLOR_BAND "#c8c8c8"
#define COLOR_LOAD "#0072b2"
#define COLOR_THROUGHPUT "#d55e00"

/* ---- Ranges ----------------------------------------------------------------------------------------------------------- */

static void widen(struct report_point *range, const struct report_windows *windows)
{
	if (windows->count == 0)
		return;
	range->x = fmin(range->x, windows->item[0].start);
	range->y = fmax(range->y, windows->item[windows->count - 1].end);
}

/* First and last moment of all windows, as x and y. */
static struct report_point find_range(const struct report_series *series, size_t count)
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

/* The unit that gives the throughput of these series numbers of a few digits. */
static struct report_unit find_rate(const struct report_series *series, size_t count)
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

/* ---- Timeline --------------------------------------------------------------------------------------------------------- */

/* What a timeline shows, beside the load. */
struct shown {
	bool target, throughput, names;
};

static struct shown find_shown(const struct report_series *series, size_t count)
{
	struct shown shown = {0};
	for (size_t i = 0; i < count; i++) {
		shown.target |= series[i].log->target != NULL;
		shown.throughput |= series[i].throughput.count > 0;
		shown.names |= series[i].label != NULL;
	}
	return shown;
}

static double name_cm(const struct shown *shown)
{
	return shown->names ? NAME_CM : 0;
}

struct report_size report_picture_size_timeline(const struct report_series *series, size_t count, size_t columns)
{
	const struct shown shown = find_shown(series, count);
	const size_t rows = (count + columns - 1) / columns;
	const double panels = rows > 1 ? (double)rows * (PANEL_CM + GAP_CM) - GAP_CM : SINGLE_CM;
	return (struct report_size){COLUMN_CM * (double)columns,
		report_legend_height(1) + panels + (double)rows * name_cm(&shown) + REPORT_BOTTOM_CM};
}

/* A target that stays the same is drawn from edge to edge, one that changes from row to row through the middles of the rows. */
static int add_target(struct report_points *points, const struct report_log *log, double from, double unit)
{
	bool is_first = true;
	for (size_t i = 0; log->target && i < log->count; i++) {
		const double start = report_log_start(log, i);
		const double target = 100 * log->target[i];
		if (start + log->time[i] < 2 * from)
			continue;
		/* The row before, which is not shown, may have had this target already: it ends a moment after control begins. */
		const bool as_before = !is_first && log->target[i] == log->target[i - 1];
		const bool as_after = i + 1 < log->count && log->target[i] == log->target[i + 1];
		is_first = false;
		if (isnan(target)) {
			if (points->count > 0 && report_points_add(points, start * unit, NAN) != 0)
				return -1;
		} else if (as_before && as_after) {
			continue;
		} else if (as_before || as_after) {
			if (report_points_add(points, (as_after ? start : log->time[i]) * unit, target) != 0)
				return -1;
		} else if (report_points_add(points, (start + log->time[i]) / 2 * unit, target) != 0) {
			return -1;
		}
	}
	return 0;
}

static int add_load(struct report_points *points, const struct report_windows *windows, double unit)
{
	for (size_t i = 0; i < windows->count; i++) {
		const struct report_window *const window = &windows->item[i];
		if (report_points_add(points, (window->start + window->end) / 2 * unit, 100 * window->load) != 0)
			return -1;
	}
	return 0;
}

/* Throughput as steps from edge to edge. */
static int add_throughput(struct report_points *points, const struct report_windows *windows, double unit, double rate)
{
	for (size_t i = 0; i < windows->count; i++) {
		const struct report_window *const window = &windows->item[i];
		if (report_points_add(points, window->start * unit, rate * window->throughput) != 0 ||
			report_points_add(points, window->end * unit, rate * window->throughput) != 0)
			return -1;
	}
	return 0;
}

/* Where a panel is, and how its units look on paper. */
struct panel {
	size_t number;
	double from; /* seconds */
	struct report_unit time, rate;
	double cm_per_x, cm_per_y;
	double left, right;             /* where its graph begins, and where the next column does: cm from the left edge */
	bool is_first, is_last;         /* of its row */
	const struct report_size *size; /* of the picture */
};

/*
 * Writes the data block of a band along the points: a rectangle around each piece of the line, longer by half the band's width
 * where the line goes on. (Thick lines would do the same, but cairo draws a wedge at the end of some of them.)
 */
static void write_band(FILE *to, const struct panel *panel, struct report_points *points)
{
	report_points_thin_out(points);
	fprintf(to, "$target%zu << END\n", panel->number);
	for (size_t i = 1; i < points->count; i++) {
		const struct report_point *const a = &points->item[i - 1];
		const struct report_point *const b = &points->item[i];
		const double x = (b->x - a->x) * panel->cm_per_x;
		const double y = (b->y - a->y) * panel->cm_per_y;
		const double length = hypot(x, y);
		if (!(length > 0))
			continue;
		const bool is_joined = i > 1 && isfinite(points->item[i - 2].y);
		const bool goes_on = i + 1 < points->count && isfinite(points->item[i + 1].y);
		const double along_x = x / length * BAND_CM / 2 / panel->cm_per_x;
		const double along_y = y / length * BAND_CM / 2 / panel->cm_per_y;
		const double across_x = -y / length * BAND_CM / 2 / panel->cm_per_x;
		const double across_y = x / length * BAND_CM / 2 / panel->cm_per_y;
		const struct report_point start = {a->x - (is_joined ? along_x : 0), a->y - (is_joined ? along_y : 0)};
		const struct report_point end = {b->x + (goes_on ? along_x : 0), b->y + (goes_on ? along_y : 0)};
		fprintf(to, "%.9g %.9g\n%.9g %.9g\n%.9g %.9g\n%.9g %.9g\n\n", start.x + across_x, start.y + across_y,
			end.x + across_x, end.y + across_y, end.x - across_x, end.y - across_y, start.x - across_x,
			start.y - across_y);
	}
	fprintf(to, "END\n");
	points->count = 0;
}

static int write_panel(struct plot *plot, const struct report_series *series, const struct panel *panel)
{
	FILE *const to = plot_script(plot);
	const bool has_throughput = series->throughput.count > 0;
	struct report_points points = {0};
	double most = 1e-9;
	int result = -1;
	if (add_target(&points, series->log, panel->from, panel->time.factor) != 0)
		goto out;
	const bool has_target = points.count > 1;
	write_band(to, panel, &points);
	if (add_load(&points, &series->windows, panel->time.factor) != 0)
		goto out;
	const double line = points.count > DENSE ? REPORT_LINE_THIN : REPORT_LINE;
	report_points_write(&points, to, "load", panel->number);
	if (add_throughput(&points, &series->throughput, panel->time.factor, panel->rate.factor) != 0)
		goto out;
	for (size_t i = 0; i < points.count; i++)
		most = fmax(most, points.item[i].y);
	report_points_write(&points, to, "throughput", panel->number);
	const struct report_size room = {.width = panel->right, .height = panel->size->height};
	if (report_graph_name(plot, series->label, &room, panel->left) != 0)
		goto out;
	report_axis_name(plot, REPORT_AXIS_LEFT, panel->size, panel->is_first ? "CPU load (%)" : NULL);
	report_axis_name(plot, REPORT_AXIS_RIGHT, panel->size, has_throughput && panel->is_last ? panel->rate.name : NULL);
	if (has_throughput)
		fprintf(to, "set border 11\nset y2tics\nset y2range [0:%.9g]\n", 1.1 * most);
	else
		fprintf(to, "set border 3\nunset y2tics\n");
	fputs("plot ", to);
	if (has_target)
		fprintf(to, "$target%zu using 1:2 with filledcurves closed fc rgb '" COLOR_BAND "' fs solid 1 noborder, ",
			panel->number);
	fprintf(to, "$load%zu using 1:2 with lines lw %g lc rgb '" COLOR_LOAD "'", panel->number, line);
	if (has_throughput)
		fprintf(to, ", $throughput%zu using 1:2 axes x1y2 with lines lw %g lc rgb '" COLOR_THROUGHPUT "'", panel->number,
			REPORT_LINE);
	fputc('\n', to);
	result = 0;
out:
	report_points_free(&points);
	return result;
}

int report_picture_timeline(
	struct plot *plot, const struct report_series *series, size_t count, size_t columns, const struct report_size *size)
{
	FILE *const to = plot_script(plot);
	const struct report_point range = find_range(series, count);
	const struct report_unit time = report_time_unit(range.y - range.x);
	const struct shown shown = find_shown(series, count);
	const struct report_entry entries[] = {
		{shown.target ? "target" : NULL, {.color = COLOR_BAND, .height_cm = BAND_CM}},
		{"load", {.color = COLOR_LOAD, .height_cm = LINE_CM}},
		{shown.throughput ? "throughput" : NULL, {.color = COLOR_THROUGHPUT, .height_cm = LINE_CM}},
	};
	const double right = shown.throughput ? RIGHT_AXIS_CM : REPORT_RIGHT_CM;
	const double column = size->width / (double)columns;
	const double width = column - PANEL_LEFT_CM - right;
	const size_t rows = (count + columns - 1) / columns;
	const double gap = GAP_CM + name_cm(&shown);
	const double top = report_legend_height(1) + name_cm(&shown);
	const double height = (size->height - top - REPORT_BOTTOM_CM - (double)(rows - 1) * gap) / (double)rows;
	char name[32];
	report_frame_begin(plot);
	fprintf(to, "set xrange [%.9g:%.9g]\nset yrange [0:100]\nset ytics 0,20,100\nset multiplot\n", range.x * time.factor,
		range.y * time.factor);
	if (report_legend_write(plot, entries, sizeof entries / sizeof *entries, size, PANEL_LEFT_CM, size->width - right) != 0)
		return -1;
	snprintf(name, sizeof name, "time (%s)", time.name);
	for (size_t i = 0; i < count; i++) {
		const size_t row = i / columns;
		const double upper = top + (double)row * (height + gap);
		const double left = (double)(i % columns) * column + PANEL_LEFT_CM;
		const struct report_margins margins = {
			.left = left, .right = size->width - left - width, .top = upper, .bottom = size->height - upper - height};
		const struct panel panel = {.number = i,
			.from = series[i].windows.item[0].start,
			.time = time,
			.rate = find_rate(series, count),
			.cm_per_x = width / (range.y - range.x) / time.factor,
			.cm_per_y = height / 100,
			.left = left,
			.right = (double)(i % columns + 1) * column,
			.is_first = i % columns == 0,
			.is_last = i % columns + 1 == columns,
			.size = size};
		/* The last one of its column has the numbers of the axis, the last row its name. */
		const bool is_lowest = i + columns >= count;
		report_margins_write(plot, &margins, size);
		report_axis_name(plot, REPORT_AXIS_X, size, row + 1 == rows ? name : NULL);
		fprintf(to, "set format x '%s'\n", is_lowest ? "%g" : "");
		if (write_panel(plot, &series[i], &panel) != 0)
			return -1;
		if (i == 0)
			fprintf(to, "unset object\nunset arrow\nunset label\n");
	}
	fprintf(to, "unset multiplot\n");
	return 0;
}

/* ---- Pictures of lines ------------------------------------------------------------------------------------------------ */

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
	const size_t rows = entry ? report_legend_rows(entry, count, COLUMN_CM) : 0;
	free(entry);
	return (struct report_size){COLUMN_CM, report_legend_height(rows) + LINES_CM + REPORT_BOTTOM_CM};
}

/* Frame, legend and names of axes. 0, or -1 with errno. */
static int begin_lines(struct plot *plot, const struct report_entry *entry, size_t count, const struct report_size *size,
	const char *x, const char *y)
{
	FILE *const to = plot_script(plot);
	const struct report_margins margins = {.left = REPORT_LEFT_CM,
		.right = REPORT_RIGHT_CM,
		.top = report_legend_height(report_legend_rows(entry, count, size->width)),
		.bottom = REPORT_BOTTOM_CM};
	report_frame_begin(plot);
	report_margins_write(plot, &margins, size);
	fprintf(to, "set border 3\nset yrange [0:*]\nset errorbars 0\n");
	report_axis_name(plot, REPORT_AXIS_X, size, x);
	report_axis_name(plot, REPORT_AXIS_LEFT, size, y);
	return report_legend_write(plot, entry, count, size, margins.left, size->width - margins.right);
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
	const struct report_point range = find_range(series, count);
	const struct report_unit time = report_time_unit(range.y - range.x);
	struct report_entry *const entry = make_entries(series, count, stretches ? 0.7 : 0, true);
	struct report_points points = {0};
	char name[32];
	snprintf(name, sizeof name, "time (%s)", time.name);
	int result = entry ? begin_lines(plot, entry, count, size, name, y) : -1;
	free(entry);
	fprintf(to, "set xrange [%.9g:%.9g]\n", range.x * time.factor, range.y * time.factor);
	for (size_t i = 0; result == 0 && i < count; i++) {
		if (stretches) {
			write_stretches(to, i, &series[i].windows, time.factor, factor);
		} else {
			result = add_throughput(&points, &series[i].windows, time.factor, factor);
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
	const struct report_unit rate = find_rate(series, count);
	char name[64];
	return draw_over_time(plot, series, count, size, stretches, rate.factor, print_rate(name, sizeof name, &rate));
}

int report_picture_steps(
	struct plot *plot, const struct report_series *series, size_t count, const struct report_size *size, const char *name)
{
	return draw_over_time(plot, series, count, size, true, 1, name);
}

static int compare(const void *a, const void *b)
{
	const struct report_window *const first = a;
	const struct report_window *const second = b;
	const double one = isnan(first->target) ? first->load : first->target;
	const double other = isnan(second->target) ? second->load : second->target;
	return (one > other) - (one < other);
}

static int compare_x(const void *a, const void *b)
{
	const double first = ((const struct report_point *)a)->x;
	const double second = ((const struct report_point *)b)->x;
	return (first > second) - (first < second);
}

/* The means of windows with the same target (which is exact to half a percentage point), in the order of their loads. */
static int add_means(struct report_points *points, const struct report_windows *windows, double rate)
{
	struct report_window *const sorted = malloc((windows->count + 1) * sizeof *sorted);
	int result = -1;
	if (!sorted)
		return -1;
	memcpy(sorted, windows->item, windows->count * sizeof *sorted);
	qsort(sorted, windows->count, sizeof *sorted, compare);
	for (size_t i = 0; i < windows->count;) {
		const size_t first = i;
		double load = 0;
		double throughput = 0;
		do {
			load += sorted[i].load;
			throughput += sorted[i].throughput;
			i++;
		} while (i < windows->count && fabs(sorted[i].target - sorted[first].target) < 0.005);
		const double number = (double)(i - first);
		if (isfinite(load) && isfinite(throughput) &&
			report_points_add(points, 100 * load / number, rate * throughput / number) != 0)
			goto out;
	}
	if (points->count)
		qsort(points->item, points->count, sizeof *points->item, compare_x);
	result = 0;
out:
	free(sorted);
	return result;
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

int report_picture_curve(
	struct plot *plot, const struct report_series *series, size_t count, const struct report_size *size, bool is_scattered)
{
	FILE *const to = plot_script(plot);
	const struct report_unit rate = find_rate(series, count);
	const double point = is_scattered ? 0.5 : 0.9;
	struct report_entry *const entry = make_entries(series, count, point, !is_scattered);
	struct report_points points = {0};
	char name[64];
	int result = entry ? begin_lines(plot, entry, count, size, "CPU load (%)", print_rate(name, sizeof name, &rate)) : -1;
	free(entry);
	fprintf(to, "set xrange [0:100]\nset xtics 20\n");
	for (size_t i = 0; result == 0 && i < count; i++) {
		result = add_pairs(&points, &series[i].windows, rate.factor);
		write_pairs(to, "pair", i, &points);
		if (result == 0)
			result = add_means(&points, &series[i].windows, rate.factor);
		write_pairs(to, "mean", i, &points);
	}
	report_points_free(&points);
	for (size_t i = 0; i < count; i++) {
		const size_t style = i % PLOT_STYLES + 1;
		fputs(i > 0 ? ", " : "plot ", to);
		if (!is_scattered)
			fprintf(to, "$mean%zu using 1:2 with lines ls %zu lw 1.2, ", i, style);
		fprintf(to, "$pair%zu using 1:2 with points ls %zu ps %g", i, style, plot_point_size(plot, point));
	}
	fputc('\n', to);
	return result;
}

/* The line through the points, from the least load to the greatest. 0, or -1 with errno. */
static int add_line(struct report_points *line, const struct report_points *points)
{
	struct regression fit;
	double *const x = calloc(2 * points->count + 1, sizeof *x);
	if (!x)
		return -1;
	double *const y = x + points->count;
	double least = INFINITY;
	double most = -INFINITY;
	for (size_t i = 0; i < points->count; i++) {
		x[i] = points->item[i].x;
		y[i] = points->item[i].y;
		least = fmin(least, x[i]);
		most = fmax(most, x[i]);
	}
	int result = 0;
	if (regression_fit(x, y, points->count, &fit) == 0 &&
		(report_points_add(line, least, fit.intercept + fit.slope * least) != 0 ||
			report_points_add(line, most, fit.intercept + fit.slope * most) != 0))
		result = -1;
	free(x);
	return result;
}

int report_picture_interference(
	struct plot *plot, const struct report_series *series, size_t count, const struct report_size *size)
{
	static const int triangles[] = {11, 9}; /* down, up */
	FILE *const to = plot_script(plot);
	const struct report_unit rate = find_rate(series, count);
	struct report_entry *const entry = make_entries(series, count, 0, true);
	struct report_points points = {0};
	struct report_points line = {0};
	char name[64];
	int result = entry ? begin_lines(plot, entry, count, size, "CPU load (%)", print_rate(name, sizeof name, &rate)) : -1;
	free(entry);
	fprintf(to, "set xrange [0:100]\nset xtics 20\n");
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
