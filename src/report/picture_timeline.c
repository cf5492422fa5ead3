/* SPDX-License-Identifier: MIT */
/* The timeline: a panel per series, each with the target, the load, the throughput and the power. */
#include <math.h>

#include "base/units.h"
#include "report/picture.h"

/* ---- Power ------------------------------------------------------------------------------------------------------------ */

/*
 * gnuplot has two vertical axes, for load and throughput. So watts are drawn on that of the load, from 0 to 100, and their axis, the same in all
 * panels, is made of lines and labels.
 */
/* Numbers of an axis, at most. */
#define NUMBERS_MAX 6
/* What stays free above the largest value, at least. */
#define ROOM 1.02
#define TIC_CM 0.08
#define NUMBER_CM 0.12 /* from the axis to its numbers */
/* Of arrows and labels; below those of legends. */
#define FIRST_TAG 51
#define COLOR_POWER "#009e73"
#define COLOR_POWER_MEAN "#004d39"

/* From 0 to `most`, with a number at each multiple of `step`. 0: no series has any power. */
struct power_axis {
	double most, step;
};

static struct power_axis make_power_axis(const struct report_series *series, size_t count)
{
	static const double steps[] = {1, 2, 2.5, 5};
	double most = 0;
	for (size_t i = 0; i < count; i++)
		for (size_t at = 0; at < series[i].windows.count; at++)
			if (series[i].windows.item[at].power > most)
				most = series[i].windows.item[at].power;
	if (!(most > 0) || !isfinite(most))
		return (struct power_axis){0};
	const double magnitude = pow(10, floor(log10(most * ROOM / (NUMBERS_MAX - 1))));
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		const double step = steps[i] * magnitude;
		const double numbers = ceil(most * ROOM / step);
		if (numbers < NUMBERS_MAX)
			return (struct power_axis){.most = numbers * step, .step = step};
	}
	const double step = 10 * magnitude;
	return (struct power_axis){.most = ceil(most * ROOM / step) * step, .step = step};
}

/*
 * Writes the axis of the graph that comes next, so many cm (and the width of the graph) right of its left edge, or takes it away.
 * Each graph's is in the place of the one before.
 */
static void write_power_axis(
	struct plot *plot, const struct power_axis *axis, const struct report_size *graph, double beyond_cm, bool is_shown)
{
	FILE *const to = plot_script(plot);
	const double x = 1 + beyond_cm / graph->width;
	const int numbers = (int)lround(axis->most / axis->step);
	for (int i = 0; i <= NUMBERS_MAX + 1; i++)
		fprintf(to, "unset arrow %d\nunset label %d\n", FIRST_TAG + i, FIRST_TAG + i);
	if (!is_shown)
		return;
	fprintf(to, "set arrow %d from graph %.4f,0 to graph %.4f,1 nohead lw 0.7 lc rgb 'black'\n", FIRST_TAG + NUMBERS_MAX, x,
		x);
	for (int i = 0; i <= numbers; i++) {
		const double y = (double)i / numbers;
		fprintf(to, "set arrow %d from graph %.4f,%.4f to graph %.4f,%.4f nohead lw 0.7 lc rgb 'black'\n", FIRST_TAG + i,
			x - TIC_CM / graph->width, y, x, y);
		fprintf(to, "set label %d '%g' at graph %.4f,%.4f left\n", FIRST_TAG + i, i * axis->step,
			x + NUMBER_CM / graph->width, y);
	}
}

/*
 * Writes the data blocks `$power` and `$powermean` of a panel: watts in per cent of the axis over time, multiplied by `unit`; and the
 * means of steps, a line from edge to edge of each. 0, or -1 with errno; *has_any: there is something to draw.
 */
static int write_power(struct plot *plot, const struct report_series *series, const struct power_axis *axis, double unit,
	size_t number, bool *has_any)
{
	struct report_points points = {0};
	int result = report_picture_add_means(&points, &series->windows, report_picture_power, unit, 100 / axis->most);
	*has_any = points.count > 0;
	if (result == 0)
		report_points_write(&points, plot_script(plot), "power", number);
	for (size_t i = 0; result == 0 && i < series->steps.count; i++) {
		const struct report_window *const step = &series->steps.item[i];
		const double mean = 100 * step->power / axis->most;
		if (report_points_add(&points, step->start * unit, mean) != 0 ||
			report_points_add(&points, step->end * unit, mean) != 0 ||
			report_points_add(&points, step->end * unit, NAN) != 0)
			result = -1;
	}
	if (result == 0)
		report_points_write(&points, plot_script(plot), "powermean", number);
	report_points_free(&points);
	return result;
}

/* ---- What is shown ---------------------------------------------------------------------------------------------------- */

#define PANEL_CM 2.5  /* height of a panel among others, */
#define SINGLE_CM 3.9 /* or alone */
#define GAP_CM 0.35   /* between panels, */
#define NAME_CM 0.45  /* and above each of them that has a name */
#define PANEL_LEFT_CM 1.15
#define LINE_CM 0.035 /* a line in the legend */
/* A line of more points is drawn thin. */
#define DENSE 500

#define COLOR_THROUGHPUT "#d55e00"

/* What a timeline shows, beside the load. */
struct shown {
	bool target, load, throughput, names, steps;
	double length; /* of what target, load and power are means of, in seconds; 0: rows */
	struct power_axis power;
};

static bool has_target(const struct report_windows *windows)
{
	for (size_t i = 0; i < windows->count; i++)
		if (isfinite(windows->item[i].target))
			return true;
	return false;
}

static struct shown find_shown(const struct report_series *series, size_t count)
{
	struct shown shown = {.power = make_power_axis(series, count)};
	for (size_t i = 0; i < count; i++) {
		shown.target |= has_target(&series[i].windows);
		shown.load |= !series[i].trace;
		shown.throughput |= series[i].throughput.count > 0;
		shown.names |= series[i].label != NULL;
		shown.steps |= series[i].steps.count > 0;
		if (!series[i].trace || i == 0)
			shown.length = series[i].length;
	}
	return shown;
}

static double name_cm(const struct shown *shown)
{
	return shown->names ? NAME_CM : 0;
}

#define ENTRIES 5
#define ENTRY_MAX 64
struct legend {
	struct report_entry entry[ENTRIES];
	char mean[ENTRIES][ENTRY_MAX]; /* labels that say of what it is a mean */
};

static void add_mean(struct legend *legend, size_t entry, const char *label, double length, struct report_sample sample)
{
	const struct report_unit unit = report_duration_unit(length);
	legend->entry[entry] = (struct report_entry){label, sample};
	if (!label || length <= 0)
		return;
	snprintf(legend->mean[entry], ENTRY_MAX, "%s, mean of %g %s", label, length * unit.factor, unit.name);
	legend->entry[entry].label = legend->mean[entry];
}

static void make_legend(struct legend *legend, const struct shown *shown)
{
	const bool has_power = shown->power.most > 0;
	*legend = (struct legend){0};
	add_mean(legend, 0, shown->target ? "target" : NULL, shown->length,
		(struct report_sample){.color = REPORT_TARGET_COLOR, .height_cm = REPORT_TARGET_CM});
	add_mean(legend, 1, shown->load ? "load" : NULL, shown->length,
		(struct report_sample){.color = REPORT_LOAD_COLOR, .height_cm = REPORT_LOAD_CM});
	legend->entry[2] =
		(struct report_entry){shown->throughput ? "throughput" : NULL, {.color = COLOR_THROUGHPUT, .height_cm = LINE_CM}};
	add_mean(legend, 3, has_power ? "power" : NULL, shown->length,
		(struct report_sample){.color = COLOR_POWER, .height_cm = LINE_CM});
	legend->entry[4] = (struct report_entry){
		has_power && shown->steps ? "its mean in a step" : NULL, {.color = COLOR_POWER_MEAN, .height_cm = 2 * LINE_CM}};
}

static double legend_cm(const struct shown *shown, double width)
{
	struct legend legend;
	make_legend(&legend, shown);
	return report_legend_height(report_legend_rows(legend.entry, ENTRIES, width));
}

struct report_size report_picture_size_timeline(const struct report_series *series, size_t count, size_t columns)
{
	const struct shown shown = find_shown(series, count);
	const size_t rows = (count + columns - 1) / columns;
	const double panels = rows > 1 ? (double)rows * (PANEL_CM + GAP_CM) - GAP_CM : SINGLE_CM;
	const double width = REPORT_COLUMN_CM * (double)columns;
	return (struct report_size){width, legend_cm(&shown, width) + panels + (double)rows * name_cm(&shown) + REPORT_BOTTOM_CM};
}

/* Where a panel is, and how its units look on paper. */
struct panel {
	size_t number;
	struct report_unit time, rate;
	double left, right;             /* where its graph begins, and where the next column does: cm from the left edge */
	bool is_first, is_last;         /* of its row */
	const struct report_size *size; /* of the picture, */
	struct report_size graph;       /* and of the graph in it */
	const struct shown *shown;
};

/* Names of the axes, and the one of watts; what is not there takes no room. */
static void write_axes(struct plot *plot, const struct panel *panel, bool has_throughput, bool has_power)
{
	const bool has_two = panel->shown->throughput && panel->shown->power.most > 0;
	const enum report_axis inner = has_two ? REPORT_AXIS_INNER : REPORT_AXIS_RIGHT;
	report_axis_name(plot, REPORT_AXIS_LEFT, panel->size, panel->is_first ? "CPU load (%)" : NULL);
	report_axis_name(plot, REPORT_AXIS_RIGHT, panel->size, has_power && panel->is_last ? "power (W)" : NULL);
	if (has_two || !has_power)
		report_axis_name(plot, inner, panel->size, has_throughput && panel->is_last ? panel->rate.name : NULL);
	if (panel->shown->power.most > 0)
		write_power_axis(plot, &panel->shown->power, &panel->graph, has_two ? REPORT_RIGHT_AXIS_CM : 0, has_power);
}

/* The line of a trace as it is, or of means. 0, or -1 with errno. */
static int add_target(struct report_points *points, const struct report_series *series, double unit)
{
	const struct trace *const trace = series->trace;
	if (!trace || series->length > 0)
		return report_picture_add_means(points, &series->windows, report_picture_target, unit, 100);
	double before = trace->records[0].load;
	int result = report_points_add(points, 0, 100 * before);
	for (size_t i = 0; i < trace->count && result == 0; i++) {
		const struct trace_record *const record = &trace->records[i];
		const double time = (double)record->ns / (double)NS_PER_S * unit;
		/* What a load holds up to, before it jumps. */
		if (trace->interpolation == TRACE_STEP || isnan(record->load))
			result = report_points_add(points, time, 100 * before);
		/* What stands in the last one does not hold for any time. */
		if (result == 0 && (i + 1 < trace->count || trace->interpolation == TRACE_LINEAR))
			result = report_points_add(points, time, 100 * record->load);
		before = record->load;
	}
	report_points_thin_out(points);
	return result;
}

static int write_panel(struct plot *plot, const struct report_series *series, const struct panel *panel)
{
	FILE *const to = plot_script(plot);
	const bool has_throughput = series->throughput.count > 0;
	struct report_points points = {0};
	double most = 1e-9;
	int result = -1;
	if (add_target(&points, series, panel->time.factor) != 0)
		goto out;
	const bool has_target = points.count > 0;
	report_points_write(&points, to, "target", panel->number);
	if (report_picture_add_means(&points, &series->windows, report_picture_load, panel->time.factor, 100) != 0)
		goto out;
	const bool is_dense = points.count > DENSE;
	report_points_write(&points, to, "load", panel->number);
	if (report_picture_add_steps(&points, &series->throughput, panel->time.factor, panel->rate.factor) != 0)
		goto out;
	for (size_t i = 0; i < points.count; i++)
		most = fmax(most, points.item[i].y);
	report_points_write(&points, to, "throughput", panel->number);
	const struct report_size room = {.width = panel->right, .height = panel->size->height};
	if (report_graph_name(plot, series->label, &room, panel->left) != 0)
		goto out;
	bool has_power = false;
	if (panel->shown->power.most > 0 &&
		write_power(plot, series, &panel->shown->power, panel->time.factor, panel->number, &has_power) != 0)
		goto out;
	write_axes(plot, panel, has_throughput, has_power);
	if (has_throughput)
		fprintf(to, "set border 11\nset y2tics scale 0.4,0.2\nset y2range [0:%.9g]\n", 1.1 * most);
	else
		fprintf(to, "set border 3\nunset y2tics\n");
	fputs("plot ", to);
	if (!series->trace)
		fprintf(to, "$load%zu using 1:2 with lines lw %g lc rgb '" REPORT_LOAD_COLOR "'", panel->number,
			is_dense ? REPORT_LINE : REPORT_LOAD_LINE);
	else if (!has_target)
		fputs("NaN", to);
	if (has_target)
		fprintf(to, "%s$target%zu using 1:2 with lines lw %g lc rgb '" REPORT_TARGET_COLOR "'", series->trace ? "" : ", ",
			panel->number, REPORT_LINE_THIN);
	if (has_throughput)
		fprintf(to, ", $throughput%zu using 1:2 axes x1y2 with lines lw %g lc rgb '" COLOR_THROUGHPUT "'", panel->number,
			REPORT_LINE);
	if (has_power)
		fprintf(to, ", $power%zu using 1:2 with lines lw %g lc rgb '" COLOR_POWER "'", panel->number,
			is_dense || series->steps.count > 0 ? REPORT_LINE_THIN : REPORT_LINE);
	if (has_power && series->steps.count > 0)
		fprintf(to, ", $powermean%zu using 1:2 with lines lw %g lc rgb '" COLOR_POWER_MEAN "'", panel->number,
			2 * REPORT_LINE);
	fputc('\n', to);
	result = 0;
out:
	report_points_free(&points);
	return result;
}

/* The panels of a timeline, which all have one size; cm. */
struct grid {
	size_t rows, columns;
	double column, width, height; /* of a column with its axes, and of a graph */
	double top, gap, right;       /* above the first row, between rows, and right of a graph */
	const struct report_size *size;
};

static double right_cm(const struct shown *shown)
{
	const int axes = shown->throughput + (shown->power.most > 0);
	return axes > 0 ? axes * REPORT_RIGHT_AXIS_CM : REPORT_RIGHT_CM;
}

static struct grid make_grid(const struct shown *shown, size_t count, size_t columns, const struct report_size *size)
{
	struct grid grid = {.rows = (count + columns - 1) / columns,
		.columns = columns,
		.column = size->width / (double)columns,
		.top = legend_cm(shown, size->width) + name_cm(shown),
		.gap = GAP_CM + name_cm(shown),
		.right = right_cm(shown),
		.size = size};
	grid.width = grid.column - PANEL_LEFT_CM - grid.right;
	grid.height = (size->height - grid.top - REPORT_BOTTOM_CM - (double)(grid.rows - 1) * grid.gap) / (double)grid.rows;
	return grid;
}

static struct report_margins panel_margins(const struct grid *grid, size_t number)
{
	const size_t row = number / grid->columns;
	const size_t column = number % grid->columns;
	const double upper = grid->top + (double)row * (grid->height + grid->gap);
	const double left = (double)column * grid->column + PANEL_LEFT_CM;
	return (struct report_margins){.left = left,
		.right = grid->size->width - left - grid->width,
		.top = upper,
		.bottom = grid->size->height - upper - grid->height};
}

static int write_legend(struct plot *plot, const struct shown *shown, const struct grid *grid)
{
	struct legend legend;
	make_legend(&legend, shown);
	return report_legend_write(plot, legend.entry, ENTRIES, grid->size, PANEL_LEFT_CM, grid->size->width - grid->right);
}

/* ---- The recorded time of day ----------------------------------------------------------------------------------------- */

#define DAY 86400
#define CLOCK_NUMBERS_MAX 6

/* The numbers of an axis from x to y, in seconds of the run: times of day, as far apart as there is room for, or none of them. */
static void write_clock(
	FILE *to, const struct report_recorded *recorded, const struct report_point *range, double unit, bool has_numbers)
{
	static const int steps[] = {1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, DAY};
	const double first = recorded->start + range->x * recorded->speed;
	const double last = recorded->start + range->y * recorded->speed;
	double step = steps[0];
	for (size_t i = 1; i < sizeof steps / sizeof *steps && (last - first) / step > CLOCK_NUMBERS_MAX; i++)
		step = steps[i];
	while ((last - first) / step > CLOCK_NUMBERS_MAX)
		step *= 2;
	fputs("set xtics (", to);
	const double begin = ceil(first / step) * step;
	for (int i = 0; begin + i * step <= last; i++) {
		const double at = begin + i * step;
		const int second = (int)(at - DAY * floor(at / DAY));
		fputs(i == 0 ? "'" : ", '", to);
		/* The last one would reach over the edge of the picture. */
		const bool has_room = has_numbers && last - at > 0.04 * (last - first);
		if (has_room)
			fprintf(to, "%02d:%02d", second / 3600, second / 60 % 60);
		if (has_room && step < 60)
			fprintf(to, ":%02d", second % 60);
		fprintf(to, "' %.9g", (at - recorded->start) / recorded->speed * unit);
	}
	fputs(")\n", to);
}

int report_picture_timeline(struct plot *plot, const struct report_series *series, size_t count, size_t columns,
	const struct report_recorded *recorded, const struct report_size *size)
{
	FILE *const to = plot_script(plot);
	const struct report_point range = report_picture_range(series, count);
	const struct report_unit time = report_time_unit(range.y - range.x);
	const struct shown shown = find_shown(series, count);
	const struct grid grid = make_grid(&shown, count, columns, size);
	char name[32];
	report_frame_begin(plot);
	fprintf(to, "set xrange [%.9g:%.9g]\nset yrange [0:100]\nset ytics 0,20,100\nset multiplot\n", range.x * time.factor,
		range.y * time.factor);
	if (write_legend(plot, &shown, &grid) != 0)
		return -1;
	if (recorded->speed > 0)
		snprintf(name, sizeof name, "recorded time");
	else
		snprintf(name, sizeof name, "time (%s)", time.name);
	for (size_t i = 0; i < count; i++) {
		const struct report_margins margins = panel_margins(&grid, i);
		const struct panel panel = {.number = i,
			.time = time,
			.rate = report_picture_rate(series, count),
			.left = margins.left,
			.right = (double)(i % columns + 1) * grid.column,
			.is_first = i % columns == 0,
			.is_last = i % columns + 1 == columns,
			.size = size,
			.graph = {grid.width, grid.height},
			.shown = &shown};
		/* The last one of its column has the numbers of the axis, the last row its name. */
		const bool is_lowest = i + columns >= count;
		report_margins_write(plot, &margins, size);
		report_axis_name(plot, REPORT_AXIS_X, size, i / columns + 1 == grid.rows ? name : NULL);
		fprintf(to, "set format x '%s'\n", is_lowest ? "%g" : "");
		if (recorded->speed > 0)
			write_clock(to, recorded, &range, time.factor, is_lowest);
		if (write_panel(plot, &series[i], &panel) != 0)
			return -1;
		if (i == 0)
			fprintf(to, "unset object\nunset arrow\nunset label\n");
	}
	fprintf(to, "unset multiplot\n");
	return 0;
}
