/* SPDX-License-Identifier: MIT */
#include "report/fleet.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/matrix.h"
#include "report/picture.h"
#include "report/table.h"

/* A picture has not many more pixels to the side. */
#define BINS_USUAL 300
#define BINS_MOST 100000
/* What may be lost of a time by adding up its parts. */
#define ROUNDING 1e-9

static int add_log(struct report_fleet *fleet, const char *label, const struct report_log *log, char error[static CSV_ERROR_MAX])
{
	if (!log->target || !log->monotonic)
		return csv_fail(error, "%.300s:1: found no column %s, expected a control log (showstopper -o)", log->name,
			log->target ? LOG_MONOTONIC : LOG_TARGET);
	struct report_fleet_node *const larger = realloc(fleet->node, (fleet->count + 1) * sizeof *larger);
	if (!larger)
		return csv_fail(error, "%s", strerror(errno));
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
	return csv_fail(error, "found no control log, expected one for each node");
}

/* All of them have a wall clock, or none. */
static int join(struct report_fleet *fleet, char error[static CSV_ERROR_MAX])
{
	double first = INFINITY;
	fleet->knows_wall = fleet->node[0].log->clock.is_known;
	for (size_t i = 0; i < fleet->count; i++) {
		struct report_fleet_node *const node = &fleet->node[i];
		if (node->log->clock.is_known != fleet->knows_wall)
			return csv_fail(error,
				"%.200s tells the wall clock (%s), %.200s doesn't; expected all or none of them to do so",
				fleet->knows_wall ? fleet->node[0].log->name : node->log->name, LOG_WALL,
				fleet->knows_wall ? node->log->name : fleet->node[0].log->name);
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
	if (!(bins >= 1 && bins <= BINS_MOST))
		return csv_fail(error, "found %.0f s from the first start to the last end, expected at most %d bins of %g s",
			fleet->end, BINS_MOST, fleet->bin);
	fleet->bins = (size_t)bins;
	fleet->load = calloc(fleet->count * fleet->bins, sizeof *fleet->load);
	fleet->target = calloc(fleet->count * fleet->bins, sizeof *fleet->target);
	fleet->all_load = calloc(fleet->bins, sizeof *fleet->all_load);
	fleet->all_target = calloc(fleet->bins, sizeof *fleet->all_target);
	fleet->present = calloc(fleet->bins, sizeof *fleet->present);
	const bool is_there = fleet->load && fleet->target && fleet->all_load && fleet->all_target && fleet->present;
	return is_there ? 0 : csv_fail(error, "%s", strerror(errno));
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

#define WIDTH_CM 15.0
#define NAMES_MOST 40 /* rows of which each has its name */
#define ROW_CM 0.45
#define MAP_LEAST_CM 2.0
#define MAP_MOST_CM 14.0
#define LINES_CM 4.0 /* height of the lower graph */
#define GAP_CM 0.5
#define BOX_CM 1.9 /* right of the map: the scale of colours */
#define CHARACTER_CM 0.155
#define NAME_MOST_CM 5.0
#define PATCH_CM 0.16 /* a colour in the legend */
#define COLOR_UNKNOWN 0xdddddd
#define COLOR_STOPS 8 /* of the scale of colours, between two of which they change evenly */
#define CELLS_MOST 16000
#define PIXELS 400 /* about so many to a side of an image */
#define OVERLAP_CM 0.04

/* The share of the room that a node has in the map, so that a fleet of any size fits. */
static double map_cm(size_t nodes)
{
	return fmin(fmax((double)nodes * ROW_CM, MAP_LEAST_CM), MAP_MOST_CM);
}

static double top_cm(void)
{
	return report_legend_height(1);
}

struct report_size report_picture_size_fleet(const struct report_fleet *fleet)
{
	return (struct report_size){
		.width = WIDTH_CM, .height = top_cm() + map_cm(fleet->count) + GAP_CM + LINES_CM + REPORT_BOTTOM_CM};
}

/* Room for the names of nodes, or for their numbers. */
static double names_cm(const struct report_fleet *fleet)
{
	double most = REPORT_LEFT_CM;
	for (size_t i = 0; fleet->count <= NAMES_MOST && i < fleet->count; i++) {
		char *const clean = report_text_clean(fleet->node[i].label);
		if (clean)
			most = fmax(most, ((double)report_text_width(clean) + 3) * CHARACTER_CM);
		free(clean);
	}
	return fmin(most, NAME_MOST_CM);
}

static int write_names(struct plot *plot, const struct report_fleet *fleet, double room)
{
	FILE *const to = plot_script(plot);
	if (fleet->count > NAMES_MOST) {
		fputs("set ytics auto\n", to);
		return 0;
	}
	fputs("set ytics (", to);
	for (size_t i = 0; i < fleet->count; i++) {
		if (plot_quote_short(plot, fleet->node[i].label, (size_t)(room / CHARACTER_CM) - 2) != 0)
			return -1;
		fprintf(to, " %zu%s", i + 1, i + 1 < fleet->count ? "," : "");
	}
	fputs(")\n", to);
	return 0;
}

static unsigned color_of(double load)
{
	static const struct report_heat_range range = {0, 1};
	return isfinite(load) ? report_heat_color(load, &range) : COLOR_UNKNOWN;
}

/*
 * Each cell as a rectangle, those of one colour beside each other as one. A viewer blends the edges of rectangles that touch with what is
 * behind them, which shows as lines between them. So each goes on a little below its neighbours that come later, at its right and in the
 * next row.
 */
static void write_cells(FILE *to, const struct report_fleet *fleet, double factor, const struct report_size *graph)
{
	const double width = fleet->bin * factor;
	const double end = (double)fleet->bins * width;
	const double beyond = OVERLAP_CM / graph->width * end;
	const double below = OVERLAP_CM / graph->height * (double)fleet->count;
	fputs("$map << END\n", to);
	for (size_t i = 0; i < fleet->count; i++) {
		const double *const load = &fleet->load[i * fleet->bins];
		const double bottom = fmin((double)i + 1.5 + below, (double)fleet->count + 0.5);
		for (size_t bin = 0, first = 0; bin < fleet->bins; first = bin) {
			do
				bin++;
			while (bin < fleet->bins && color_of(load[bin]) == color_of(load[first]));
			fprintf(to, "%.9g %zu %.9g %.9g %zu.5 %.9g %u\n", (double)first * width, i + 1, (double)first * width,
				fmin((double)bin * width + beyond, end), i, bottom, color_of(load[first]));
		}
	}
	fputs("END\nplot $map using 1:2:3:4:5:6:7 with boxxyerror fillstyle solid 1 noborder linecolor rgb variable, "
	      "NaN with lines palette\n",
		to);
}

/*
 * Where rectangles would make a large picture, the pixels of an image. Viewers blur the edges of pixels, so that a cell has as many of
 * them as it needs.
 */
static void write_pixels(FILE *to, const struct report_fleet *fleet, double factor)
{
	const size_t across = fleet->bins < PIXELS ? PIXELS / fleet->bins : 1;
	const size_t down = fleet->count < PIXELS ? PIXELS / fleet->count : 1;
	const double width = fleet->bin * factor / (double)across;
	fputs("$map << END\n", to);
	for (size_t y = 0; y < fleet->count * down; y++) {
		const double *const load = &fleet->load[y / down * fleet->bins];
		for (size_t x = 0; x < fleet->bins * across; x++) {
			fprintf(to, "%.9g %.9g ", ((double)x + 0.5) * width, 0.5 + ((double)y + 0.5) / (double)down);
			if (isfinite(load[x / across]))
				fprintf(to, "%.4g\n", 100 * load[x / across]);
			else
				fputs("NaN\n", to);
		}
		fputc('\n', to);
	}
	fputs("END\nplot $map using 1:2:3 with image\n", to);
}

/* What is not known, as after the end of a node that died, is grey. */
static int write_map(struct plot *plot, const struct report_fleet *fleet, const struct report_unit *time, double left,
	const struct report_size *graph)
{
	FILE *const to = plot_script(plot);
	fprintf(to,
		"set object 1 rectangle from graph 0,0 to graph 1,1 behind fillcolor rgb '#%06x' fillstyle solid noborder\n"
		"set yrange [%zu.5:0.5]\nset cbrange [0:100]\nset cbtics 0,25,100\nset format x ''\nunset grid\nset palette "
		"defined (",
		COLOR_UNKNOWN, fleet->count);
	for (int i = 0; i <= COLOR_STOPS; i++)
		fprintf(to, "%s%d '#%06x'", i > 0 ? ", " : "", i, color_of((double)i / COLOR_STOPS));
	fputs(")\n", to);
	if (write_names(plot, fleet, left) != 0)
		return -1;
	if (fleet->count * fleet->bins > CELLS_MOST)
		write_pixels(to, fleet, time->factor);
	else
		write_cells(to, fleet, time->factor, graph);
	fputs("unset object 1\nunset colorbox\n", to);
	return 0;
}

static int write_line(struct plot *plot, const struct report_fleet *fleet, const double *value, const char *name, double factor)
{
	const struct report_windows windows = {.item = calloc(fleet->bins, sizeof *windows.item), .count = fleet->bins};
	struct report_points points = {0};
	if (!windows.item)
		return -1;
	for (size_t bin = 0; bin < fleet->bins; bin++)
		windows.item[bin] = (struct report_window){
			.start = (double)bin * fleet->bin, .end = (double)(bin + 1) * fleet->bin, .load = value[bin]};
	const int result = report_picture_add_means(&points, &windows, report_picture_load, factor, 100);
	if (result == 0)
		report_points_write(&points, plot_script(plot), name, 1);
	report_points_free(&points);
	free(windows.item);
	return result;
}

static int write_lines(struct plot *plot, const struct report_fleet *fleet, const struct report_unit *time)
{
	FILE *const to = plot_script(plot);
	if (write_line(plot, fleet, fleet->all_target, "target", time->factor) != 0 ||
		write_line(plot, fleet, fleet->all_load, "load", time->factor) != 0)
		return -1;
	fprintf(to,
		"set yrange [0:100]\nset ytics 0,20,100\nset format x '%%g'\nset grid ytics back ls 100\n"
		"plot $load1 using 1:2 with lines lw %g lc rgb '" REPORT_LOAD_COLOR
		"', $target1 using 1:2 with lines lw %g lc rgb '" REPORT_TARGET_COLOR "'\n",
		REPORT_LOAD_LINE, REPORT_LINE_THIN);
	return 0;
}

int report_picture_fleet(struct plot *plot, const struct report_fleet *fleet, const struct report_size *size)
{
	FILE *const to = plot_script(plot);
	const struct report_unit time = report_time_unit(fleet->end);
	const double left = names_cm(fleet) + 0.4;
	const double rest = size->height - top_cm() - GAP_CM - REPORT_BOTTOM_CM;
	const double lines = fmin(LINES_CM, rest / 2);
	const struct report_margins map = {
		.left = left, .right = BOX_CM, .top = top_cm(), .bottom = GAP_CM + lines + REPORT_BOTTOM_CM};
	const struct report_margins below = {
		.left = left, .right = BOX_CM, .top = size->height - lines - REPORT_BOTTOM_CM, .bottom = REPORT_BOTTOM_CM};
	const struct report_size graph = {size->width - map.left - map.right, size->height - map.top - map.bottom};
	char unknown[sizeof "#rrggbb"];
	const struct report_entry entries[] = {
		{"target of all", {.color = REPORT_TARGET_COLOR, .height_cm = REPORT_TARGET_CM}},
		{"load of all", {.color = REPORT_LOAD_COLOR, .height_cm = REPORT_LOAD_CM}},
		{"not known", {.color = unknown, .height_cm = PATCH_CM}},
	};
	char name[32];
	snprintf(unknown, sizeof unknown, "#%06x", COLOR_UNKNOWN);
	report_frame_begin(plot);
	fprintf(to, "set xrange [0:%.9g]\nset border 3\nset multiplot\n", (double)fleet->bins * fleet->bin * time.factor);
	if (report_legend_write(plot, entries, sizeof entries / sizeof *entries, size, left, size->width - BOX_CM) != 0)
		return -1;
	report_margins_write(plot, &map, size);
	fprintf(to, "set colorbox user origin screen %.4f, screen %.4f size screen %.4f, screen %.4f\n",
		1 - (BOX_CM - 0.25) / size->width, map.bottom / size->height, 0.3 / size->width, graph.height / size->height);
	report_axis_name(plot, REPORT_AXIS_LEFT, size, fleet->count > NAMES_MOST ? "node" : NULL);
	report_axis_name(plot, REPORT_AXIS_RIGHT, size, "CPU load (%)");
	if (write_map(plot, fleet, &time, left, &graph) != 0)
		return -1;
	fputs("unset label\n", to);
	report_margins_write(plot, &below, size);
	snprintf(name, sizeof name, "time (%s)", time.name);
	report_axis_name(plot, REPORT_AXIS_X, size, name);
	report_axis_name(plot, REPORT_AXIS_LEFT, size, "CPU load of all (%)");
	if (write_lines(plot, fleet, &time) != 0)
		return -1;
	fputs("unset multiplot\n", to);
	return 0;
}
