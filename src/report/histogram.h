/* SPDX-License-Identifier: MIT */
/* How many values lie in each bin, of one list of values or of several. */
#ifndef REPORT_HISTOGRAM_H
#define REPORT_HISTOGRAM_H

#include <stddef.h>

#include "report/draw.h"
#include "report/values.h"

/* Series that lie over one another in a picture can't be told apart when there are more. */
#define REPORT_HISTOGRAM_MOST 2
#define REPORT_BINS_MOST 10000

/* Bins of one width; a value on an edge lies in the bin below it. */
struct report_bins {
	double start, width;
	size_t count;
};

/* The values from least to most, in bins whose edges are multiples of the width. 0, or -1: more than REPORT_BINS_MOST. */
int report_bins_of_width(struct report_bins *bins, double least, double most, double width);
/* So many bins from least to most; the least lies in the first of them. 0, or -1: both are the same. */
int report_bins_of_number(struct report_bins *bins, double least, double most, size_t count);
/* A width that is 1, 2 or 5 times a power of ten, and makes 8 to 21 bins. */
double report_bins_nice_width(double least, double most);

double report_bins_edge(const struct report_bins *bins, size_t edge);
/* The bin of a value between the least and the greatest. */
size_t report_bins_place(const struct report_bins *bins, double value);
/* How many decimals its edges need in a table. */
int report_bins_decimals(const struct report_bins *bins);

struct report_histogram {
	struct report_bins bins;
	char *label[REPORT_HISTOGRAM_MOST]; /* of the series; the caller's */
	struct report_values values[REPORT_HISTOGRAM_MOST];
	size_t *in[REPORT_HISTOGRAM_MOST]; /* a number for each bin */
	size_t count;                      /* of series */
};

/* Counts the values of all series in the bins, which must be there. 0, or -1 with errno. */
int report_histogram_count(struct report_histogram *histogram);
void report_histogram_free(struct report_histogram *histogram);

/* Histograms: a bar for each bin, and those of a second series over it. */

struct report_size report_picture_size_histogram(const struct report_histogram *histogram);

/* Writes the script of a picture of this size; `name` is that of the axis of values. 0, or -1 with errno. */
int report_picture_histogram(
	struct plot *plot, const struct report_histogram *histogram, const struct report_size *size, const char *name);

#endif
