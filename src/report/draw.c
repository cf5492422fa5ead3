/* SPDX-License-Identifier: MIT */
#include "report/draw.h"

#include <math.h>
#include <stdlib.h>

#include "report/table.h"

/*
 * A column of a paper has some 1000 pixels. Of a line with more points than that, each piece is drawn by its least and largest
 * value.
 */
#define PIECES 1500

#define SAMPLE_CM 0.6  /* length of a legend's sample, */
#define SPACE_CM 0.12  /* from it to the label, */
#define BETWEEN_CM 0.4 /* from the label to the next sample */
#define ROW_CM 0.37
#define CHARACTER_CM 0.16 /* width of a character, a little more than the mean */
#define EDGE_CM 0.1       /* what stays free at the picture's edges */
#define NAME_EDGE_CM 0.28 /* from an edge to the middle of an axis' name */

/* Labels that are in use. Those of a legend begin at the last one. */
enum { LABEL_GRAPH = 1, LABEL_AXIS, LABEL_LEGEND = 101 };

/* ---- Points ----------------------------------------------------------------------------------------------------------- */

int report_points_add(struct report_points *points, double x, double y)
{
	if (points->count == points->capacity) {
		const size_t capacity = points->capacity ? 2 * points->capacity : 256;
		struct report_point *const larger = realloc(points->item, capacity * sizeof *larger);
		if (!larger)
			return -1;
		points->item = larger;
		points->capacity = capacity;
	}
	points->item[points->count++] = (struct report_point){x, y};
	return 0;
}

static void put(struct report_point *to, size_t *count, const struct report_point *from)
{
	to[(*count)++] = *from;
}

void report_points_thin_out(struct report_points *points)
{
	if (points->count <= 2 * (size_t)PIECES)
		return;
	const double start = points->item[0].x;
	const double width = (points->item[points->count - 1].x - start) / PIECES;
	size_t kept = 0;
	for (size_t i = 0; i < points->count;) {
		const double place = floor((points->item[i].x - start) / width);
		struct report_point least = points->item[i];
		struct report_point most = least;
		bool is_interrupted = isnan(least.y);
		for (i++; i < points->count && floor((points->item[i].x - start) / width) <= place; i++) {
			const struct report_point *const point = &points->item[i];
			is_interrupted |= isnan(point->y);
			if (point->y < least.y || isnan(least.y))
				least = *point;
			if (point->y > most.y || isnan(most.y))
				most = *point;
		}
		/* A piece that is interrupted keeps one point, and the gap. */
		const bool least_first = least.x <= most.x;
		put(points->item, &kept, is_interrupted ? &most : least_first ? &least : &most);
		if (is_interrupted && !isnan(most.y))
			points->item[kept++] = (struct report_point){most.x, NAN};
		else if (!is_interrupted && least.y != most.y)
			put(points->item, &kept, least_first ? &most : &least);
	}
	points->count = kept;
}

void report_points_write(struct report_points *points, FILE *to, const char *name, size_t number)
{
	report_points_thin_out(points);
	fprintf(to, "$%s%zu << END\n", name, number);
	for (size_t i = 0; i < points->count; i++) {
		if (isfinite(points->item[i].y))
			fprintf(to, "%.9g %.9g\n", points->item[i].x, points->item[i].y);
		else
			fputc('\n', to);
	}
	fprintf(to, "END\n");
	points->count = 0;
}

void report_points_free(struct report_points *points)
{
	free(points->item);
	*points = (struct report_points){0};
}

/* ---- Units ------------------------------------------------------------------------------------------------------------ */

struct report_unit report_time_unit(double span)
{
	if (span >= 3 * 3600)
		return (struct report_unit){1.0 / 3600, "h"};
	if (span >= 20 * 60)
		return (struct report_unit){1.0 / 60, "min"};
	return (struct report_unit){1, "s"};
}

struct report_unit report_rate_unit(double most)
{
	if (most >= 1000)
		return (struct report_unit){0.001, "1000 iterations/s"};
	if (most >= 0.2 || most <= 0)
		return (struct report_unit){1, "iterations/s"};
	return most >= 0.2 / 60 ? (struct report_unit){60, "iterations/min"} : (struct report_unit){3600, "iterations/h"};
}

struct report_unit report_duration_unit(double most)
{
	if (most >= 1 || most <= 0)
		return (struct report_unit){1, "s"};
	return most >= 1e-3 ? (struct report_unit){1e3, "ms"} : (struct report_unit){1e6, "\xc2\xb5s"};
}

/* ---- Legend ----------------------------------------------------------------------------------------------------------- */

/* One row in which each entry has the room that it needs, or several rows of columns of one width. */
struct grid {
	size_t entries, columns, rows;
	size_t characters; /* room for a label */
	double column_cm;  /* 0: one row, with columns of their own */
	double width_cm;
};

/* What a label of so many characters needs, with its sample and the distance to the next one. */
static double entry_cm(size_t characters)
{
	return SAMPLE_CM + SPACE_CM + (double)characters * CHARACTER_CM + BETWEEN_CM;
}

static struct grid make_grid(const struct report_entry *entry, size_t count, double width)
{
	const double most = (width - SAMPLE_CM - SPACE_CM - 2 * EDGE_CM) / CHARACTER_CM;
	const double available = width - 2 * EDGE_CM + BETWEEN_CM;
	struct grid grid = {.characters = 1};
	double natural = 0;
	for (size_t i = 0; i < count; i++) {
		if (!entry[i].label)
			continue;
		const size_t characters = report_text_width(entry[i].label);
		grid.entries++;
		natural += entry_cm(characters);
		if (characters > grid.characters)
			grid.characters = characters;
	}
	if (grid.entries == 0)
		return grid;
	if ((double)grid.characters > most)
		grid.characters = most > 1 ? (size_t)most : 1;
	if (natural <= available) {
		grid.columns = grid.entries;
		grid.width_cm = natural - BETWEEN_CM;
	} else {
		const double columns = available / entry_cm(grid.characters);
		grid.column_cm = entry_cm(grid.characters);
		grid.columns = columns > 1 ? (size_t)columns : 1;
		if (grid.columns > grid.entries)
			grid.columns = grid.entries;
		grid.width_cm = (double)grid.columns * grid.column_cm - BETWEEN_CM;
	}
	grid.rows = (grid.entries + grid.columns - 1) / grid.columns;
	return grid;
}

size_t report_legend_rows(const struct report_entry *entry, size_t count, double width)
{
	return make_grid(entry, count, width).rows;
}

double report_legend_height(size_t rows)
{
	return rows > 0 ? (double)rows * ROW_CM + 0.28 : REPORT_TOP_CM;
}

static void write_sample(
	struct plot *plot, const struct report_sample *sample, size_t number, const struct report_size *size, double x, double y)
{
	FILE *const to = plot_script(plot);
	const double left = x / size->width;
	const double right = (x + SAMPLE_CM) / size->width;
	if (sample->height_cm > 0)
		fprintf(to,
			"set object %zu rectangle from screen %.4f,%.4f to screen %.4f,%.4f fc rgb '%s' fs solid 1 noborder\n",
			number, left, (y - sample->height_cm / 2) / size->height, right,
			(y + sample->height_cm / 2) / size->height, sample->color);
	if (sample->has_line)
		fprintf(to, "set arrow %zu from screen %.4f,%.4f to screen %.4f,%.4f nohead ls %zu lw %g\n", number, left,
			y / size->height, right, y / size->height, sample->style, REPORT_LINE);
}

int report_legend_write(struct plot *plot, const struct report_entry *entry, size_t count, const struct report_size *size,
	double left, double right)
{
	FILE *const to = plot_script(plot);
	const struct grid grid = make_grid(entry, count, size->width);
	double start = (left + right - grid.width_cm) / 2;
	double natural = 0;
	size_t place = 0;
	if (start + grid.width_cm > size->width - EDGE_CM)
		start = size->width - EDGE_CM - grid.width_cm;
	if (start < EDGE_CM)
		start = EDGE_CM;
	for (size_t i = 0; i < count; i++) {
		if (!entry[i].label)
			continue;
		const double x = start + (grid.column_cm > 0 ? (double)(place % grid.columns) * grid.column_cm : natural);
		const size_t row = place / grid.columns;
		const double y = size->height - EDGE_CM - ((double)row + 0.5) * ROW_CM;
		natural += entry_cm(report_text_width(entry[i].label));
		const size_t number = LABEL_LEGEND + 2 * place++;
		write_sample(plot, &entry[i].sample, number, size, x, y);
		fprintf(to, "set label %zu ", number);
		if (plot_quote_short(plot, entry[i].label, grid.characters) != 0)
			return -1;
		fprintf(to, " at screen %.4f,%.4f left\n", (x + SAMPLE_CM + SPACE_CM) / size->width, y / size->height);
		if (entry[i].sample.point > 0)
			fprintf(to, "set label %zu '' at screen %.4f,%.4f point ls %zu ps %g\n", number + 1,
				(x + SAMPLE_CM / 2) / size->width, y / size->height, entry[i].sample.style,
				plot_point_size(plot, entry[i].sample.point));
	}
	return 0;
}

/* ---- Frame ------------------------------------------------------------------------------------------------------------ */

void report_frame_begin(struct plot *plot)
{
	fprintf(plot_script(plot), "set border linewidth 0.7\nset tics scale 0.4,0.2 nomirror\nunset key\n"
				   "set style line 100 lc rgb '#e4e4e4' lw 0.6 dt 1\nset grid ytics back ls 100\n");
}

void report_margins_write(struct plot *plot, const struct report_margins *margins, const struct report_size *size)
{
	fprintf(plot_script(plot),
		"set lmargin at screen %.4f\nset rmargin at screen %.4f\nset tmargin at screen %.4f\nset bmargin at screen "
		"%.4f\n",
		margins->left / size->width, 1 - margins->right / size->width, 1 - margins->top / size->height,
		margins->bottom / size->height);
}

/* The name of an axis, but for the text itself: what comes before it and what comes behind it. */
static void begin_axis(FILE *to, enum report_axis axis)
{
	fprintf(to, "set label %d ", LABEL_AXIS + (int)axis);
}

static void end_axis(FILE *to, enum report_axis axis, const struct report_size *size)
{
	const double place = (NAME_EDGE_CM + (axis == REPORT_AXIS_INNER ? REPORT_RIGHT_AXIS_CM : 0)) / size->width;
	if (axis == REPORT_AXIS_X)
		fprintf(to, " at graph 0.5, screen %.4f center\n", NAME_EDGE_CM / size->height);
	else
		fprintf(to, " at screen %.4f, graph 0.5 center rotate by 90\n", axis == REPORT_AXIS_LEFT ? place : 1 - place);
}

void report_axis_name(struct plot *plot, enum report_axis axis, const struct report_size *size, const char *name)
{
	FILE *const to = plot_script(plot);
	if (!name) {
		fprintf(to, "unset label %d\n", LABEL_AXIS + (int)axis);
		return;
	}
	begin_axis(to, axis);
	fprintf(to, "'%s'", name);
	end_axis(to, axis, size);
}

int report_axis_text(struct plot *plot, enum report_axis axis, const struct report_size *size, const char *text)
{
	const double room = (axis == REPORT_AXIS_X ? size->width : size->height) / CHARACTER_CM;
	char *const shown = report_text_shorten(text, room > 1 ? (size_t)room : 1);
	begin_axis(plot_script(plot), axis);
	const int result = shown ? plot_quote(plot, shown) : -1;
	free(shown);
	end_axis(plot_script(plot), axis, size);
	return result;
}

int report_graph_name(struct plot *plot, const char *name, const struct report_size *size, double left)
{
	FILE *const to = plot_script(plot);
	fprintf(to, "unset label %d\n", LABEL_GRAPH);
	if (!name)
		return 0;
	const double room = (size->width - left - EDGE_CM) / CHARACTER_CM;
	char *const text = report_text_shorten(name, room > 1 ? (size_t)room : 1);
	fprintf(to, "set label %d ", LABEL_GRAPH);
	const int result = text ? plot_quote(plot, text) : -1;
	free(text);
	fprintf(to, " at graph 0, graph 1 left offset 0,character 0.65\n");
	return result;
}

struct report_size report_graph_size(const struct report_entry *entry, size_t count, double width, double height)
{
	return (struct report_size){
		width, report_legend_height(report_legend_rows(entry, count, width)) + height + REPORT_BOTTOM_CM};
}

int report_graph_begin(
	struct plot *plot, const struct report_entry *entry, size_t count, const struct report_size *size, const char *name)
{
	const struct report_margins margins = {.left = REPORT_LEFT_CM,
		.right = REPORT_RIGHT_CM,
		.top = report_legend_height(report_legend_rows(entry, count, size->width)),
		.bottom = REPORT_BOTTOM_CM};
	report_frame_begin(plot);
	report_margins_write(plot, &margins, size);
	fputs("set border 3\n", plot_script(plot));
	report_axis_name(plot, REPORT_AXIS_LEFT, size, name);
	return report_legend_write(plot, entry, count, size, margins.left, size->width - margins.right);
}
