/* SPDX-License-Identifier: MIT */
#include "report/histogram.h"

#include <math.h>
#include <stdlib.h>

#define NICE_BINS 20
#define DECIMALS_MOST 12
/* What computing with binary fractions may put between a value and the edge that it lies on, relative, but no more than that part of a bin. */
#define ON_EDGE 1e-9
#define ON_EDGE_MOST 1e-3

/* The number of the bin of a value that many widths from the start; its upper edge belongs to it. */
static double bin_of(double widths)
{
	const double edge = round(widths);
	const double near = fmin(ON_EDGE * fmax(1, fabs(widths)), ON_EDGE_MOST);
	return (fabs(widths - edge) <= near ? edge : ceil(widths)) - 1;
}

int report_bins_of_width(struct report_bins *bins, double least, double most, double width)
{
	const double first = bin_of(least / width);
	const double count = bin_of(most / width) - first + 1;
	if (!(count <= REPORT_BINS_MOST))
		return -1;
	*bins = (struct report_bins){.start = first * width, .width = width, .count = (size_t)count};
	return 0;
}

int report_bins_of_number(struct report_bins *bins, double least, double most, size_t count)
{
	if (!(most > least))
		return -1;
	*bins = (struct report_bins){.start = least, .width = (most - least) / (double)count, .count = count};
	return 0;
}

double report_bins_nice_width(double least, double most)
{
	static const double steps[] = {1, 2, 5};
	const double span = most > least ? most - least : fabs(most);
	const double wanted = span > 0 ? span / NICE_BINS : 1;
	const double power = pow(10, floor(log10(wanted)));
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		if (wanted <= steps[i] * power * (1 + ON_EDGE))
			return steps[i] * power;
	return 10 * power;
}

double report_bins_edge(const struct report_bins *bins, size_t edge)
{
	return bins->start + (double)edge * bins->width;
}

size_t report_bins_place(const struct report_bins *bins, double value)
{
	const double place = bin_of((value - bins->start) / bins->width);
	return place <= 0 ? 0 : (size_t)fmin(place, (double)bins->count - 1);
}

int report_bins_decimals(const struct report_bins *bins)
{
	const int least = (int)fmax(0, ceil(-log10(bins->width)));
	for (int decimals = least; decimals <= least + 2 && decimals <= DECIMALS_MOST; decimals++) {
		const double power = pow(10, decimals);
		const double width = bins->width * power;
		const double start = bins->start * power;
		if (fabs(width - round(width)) < ON_EDGE * width && fabs(start - round(start)) < ON_EDGE * fmax(1, fabs(start)))
			return decimals;
	}
	return least + 2 < DECIMALS_MOST ? least + 2 : DECIMALS_MOST;
}

int report_histogram_count(struct report_histogram *histogram)
{
	for (size_t series = 0; series < histogram->count; series++) {
		const struct report_values *const values = &histogram->values[series];
		histogram->in[series] = calloc(histogram->bins.count, sizeof *histogram->in[series]);
		if (!histogram->in[series])
			return -1;
		for (size_t i = 0; i < values->count; i++)
			histogram->in[series][report_bins_place(&histogram->bins, values->item[i])]++;
	}
	return 0;
}

void report_histogram_free(struct report_histogram *histogram)
{
	for (size_t series = 0; series < REPORT_HISTOGRAM_MOST; series++) {
		report_values_free(&histogram->values[series]);
		free(histogram->in[series]);
	}
	*histogram = (struct report_histogram){0};
}
