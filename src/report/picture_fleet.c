/* SPDX-License-Identifier: MIT */
#include "report/picture_fleet.h"

#include <math.h>
#include <stdlib.h>

#include "report/text.h"

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
#define COLOR_LOAD "#0072b2"
#define COLOR_BAND "#c8c8c8"
#define BAND_WIDTH 7
#define BAND_CM 0.16
#define LINE_CM 0.05

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
		char *const shown = report_text_shorten(fleet->node[i].label, (size_t)(room / CHARACTER_CM) - 2);
		const int result = shown ? plot_quote(plot, shown) : -1;
		free(shown);
		if (result != 0)
			return -1;
		fprintf(to, " %zu%s", i + 1, i + 1 < fleet->count ? "," : "");
	}
	fputs(")\n", to);
	return 0;
}

/* What is not known, as after the end of a node that died, stays grey. */
static int write_map(struct plot *plot, const struct report_fleet *fleet, const struct report_unit *time, double left)
{
	FILE *const to = plot_script(plot);
	fputs("$map << END\n", to);
	for (size_t i = 0; i < fleet->count; i++) {
		for (size_t bin = 0; bin < fleet->bins; bin++) {
			const double load = fleet->load[i * fleet->bins + bin];
			if (isfinite(load))
				fprintf(to, "%.9g %zu %.4g\n", ((double)bin + 0.5) * fleet->bin * time->factor, i + 1,
					100 * load);
			else
				fprintf(to, "%.9g %zu NaN\n", ((double)bin + 0.5) * fleet->bin * time->factor, i + 1);
		}
		fputc('\n', to);
	}
	fprintf(to,
		"END\nset object 1 rectangle from graph 0,0 to graph 1,1 behind fillcolor rgb '#dddddd' fillstyle solid "
		"noborder\n"
		"set yrange [%zu.5:0.5]\nset cbrange [0:100]\nset cbtics 0,25,100\nset format x ''\nunset grid\n"
		"set palette defined (0 '#f7fbff', 25 '#c6dbef', 50 '#6baed6', 75 '#2171b5', 100 '#08306b')\n",
		fleet->count);
	if (write_names(plot, fleet, left) != 0)
		return -1;
	/* Each cell as a rectangle would make a large picture of many. */
	fprintf(to, "plot $map using 1:2:3 with image%s\nunset object 1\nunset colorbox\n",
		fleet->count > NAMES_MOST ? "" : " pixels");
	return 0;
}

static int write_line(struct plot *plot, const struct report_fleet *fleet, const double *value, const char *name, double factor)
{
	struct report_points points = {0};
	int result = 0;
	for (size_t bin = 0; result == 0 && bin < fleet->bins; bin++)
		result = report_points_add(&points, ((double)bin + 0.5) * fleet->bin * factor, 100 * value[bin]);
	if (result == 0)
		report_points_write(&points, plot_script(plot), name, 1);
	report_points_free(&points);
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
		"plot $target1 using 1:2 with lines lw %d lc rgb '" COLOR_BAND
		"', $load1 using 1:2 with lines lw %g lc rgb '" COLOR_LOAD "'\n",
		BAND_WIDTH, REPORT_LINE);
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
	const struct report_entry entries[] = {
		{"target of all", {.color = COLOR_BAND, .height_cm = BAND_CM}},
		{"load of all", {.color = COLOR_LOAD, .height_cm = LINE_CM}},
		{"not known", {.color = "#dddddd", .height_cm = BAND_CM}},
	};
	char name[32];
	report_frame_begin(plot);
	fprintf(to, "set xrange [0:%.9g]\nset border 3\nset multiplot\n", (double)fleet->bins * fleet->bin * time.factor);
	if (report_legend_write(plot, entries, sizeof entries / sizeof *entries, size, left, size->width - BOX_CM) != 0)
		return -1;
	report_margins_write(plot, &map, size);
	fprintf(to, "set colorbox user origin screen %.4f, screen %.4f size screen %.4f, screen %.4f\n",
		1 - (BOX_CM - 0.25) / size->width, map.bottom / size->height, 0.3 / size->width,
		(size->height - map.top - map.bottom) / size->height);
	report_axis_name(plot, REPORT_AXIS_LEFT, size, fleet->count > NAMES_MOST ? "node" : NULL);
	report_axis_name(plot, REPORT_AXIS_RIGHT, size, "CPU load (%)");
	if (write_map(plot, fleet, &time, left) != 0)
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
