/* SPDX-License-Identifier: MIT */
/*
 * What the pictures of a report are made of: lines of points as data blocks of gnuplot, units of axes, and a frame with legend
 * and names of axes, all at places given in cm. (gnuplot would put them elsewhere with each of its terminals, and leaves out
 * legends that it finds too large.)
 */
#ifndef REPORT_DRAW_H
#define REPORT_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/plot.h"

/* ---- Points ----------------------------------------------------------------------------------------------------------- */

struct report_point {
	double x, y; /* y NaN: the line is interrupted */
};

/* A list of points, x not decreasing. Start with {0}. */
struct report_points {
	struct report_point *item;
	size_t count, capacity;
};

/* 0, or -1 with errno. */
int report_points_add(struct report_points *points, double x, double y);
void report_points_free(struct report_points *points);

/* Takes points out of a long line in such a way that it looks the same in a picture of some 1000 pixels. */
void report_points_thin_out(struct report_points *points);

/* Writes the points as the data block `$NAMEnumber`, an empty line where the line is interrupted, and empties the list. */
void report_points_write(struct report_points *points, FILE *to, const char *name, size_t number);

/* ---- Units ------------------------------------------------------------------------------------------------------------ */

struct report_unit {
	double factor; /* that values are multiplied by */
	const char *name;
};

/* For an axis that spans so many seconds. */
struct report_unit report_time_unit(double span);
/* For an axis on which this is the largest number of iterations per second. */
struct report_unit report_rate_unit(double most);

/* For durations of which this is the longest, in seconds. */
struct report_unit report_duration_unit(double most);

/* ---- Frame ------------------------------------------------------------------------------------------------------------ */

struct report_size {
	double width, height; /* of the picture, in cm */
};

/* Widths of lines, in half points. */
#define REPORT_LINE 1.6
#define REPORT_LINE_THIN 0.9

/* How a legend shows what a label stands for. */
struct report_sample {
	const char *color; /* NULL: that of the style */
	size_t style;      /* of the plot, from 1; 0: none */
	double height_cm;  /* of a bar in the colour */
	double point;      /* size of a point in the style, 0: none */
	bool has_line;     /* in the style */
};

struct report_entry {
	const char *label; /* NULL: not in the legend */
	struct report_sample sample;
};

/* Rows that the legend of these entries needs in a picture of this width. */
size_t report_legend_rows(const struct report_entry *entry, size_t count, double width);
/* Height of a legend of so many rows, with its distance from what is below. */
double report_legend_height(size_t rows);

/*
 * Writes the legend at the top of the picture, above the stretch from left to right (cm from the left edge). 0, or -1 with errno.
 */
int report_legend_write(struct plot *plot, const struct report_entry *entry, size_t count, const struct report_size *size,
	double left, double right);

/* Margins in cm: where a graph lies in the picture. */
struct report_margins {
	double left, right, top, bottom;
};

#define REPORT_LEFT_CM 1.3        /* margin with an axis whose numbers have up to 4 characters */
#define REPORT_RIGHT_CM 0.35      /* margin without an axis */
#define REPORT_RIGHT_AXIS_CM 1.35 /* what an axis at the right takes */
#define REPORT_TOP_CM 0.2         /* margin without a legend */
#define REPORT_BOTTOM_CM 0.95     /* margin with an axis */

/* Style of axes and grid. */
void report_frame_begin(struct plot *plot);
void report_margins_write(struct plot *plot, const struct report_margins *margins, const struct report_size *size);

/* Names of axes of the graph that comes next. The text is ours: no quotes. NULL takes a name away. */
enum report_axis { REPORT_AXIS_X, REPORT_AXIS_LEFT, REPORT_AXIS_RIGHT, REPORT_AXIS_INNER /* the first of two at the right */ };
void report_axis_name(struct plot *plot, enum report_axis axis, const struct report_size *size, const char *name);
/* The same for a text of the user's. 0, or -1 with errno. */
int report_axis_text(struct plot *plot, enum report_axis axis, const struct report_size *size, const char *text);

/* A picture of this width with a legend, and below it one graph of this height. */
struct report_size report_graph_size(const struct report_entry *entry, size_t count, double width, double height);
/* Writes the frame of such a graph, with axes at the left and below; `name` is that of the left one. 0, or -1 with errno. */
int report_graph_begin(
	struct plot *plot, const struct report_entry *entry, size_t count, const struct report_size *size, const char *name);

/* The user's text above the graph that comes next, at its left; NULL takes it away. 0, or -1 with errno. */
int report_graph_name(struct plot *plot, const char *name, const struct report_size *size, double left);

#endif
