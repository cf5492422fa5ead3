/* SPDX-License-Identifier: MIT */
#include "report/histogram.h"

#include <math.h>
#include <stdlib.h>

#include "report/picture.h"

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

#define HEIGHT_CM 4.6 /* of the graph */
#define FILLED 0.45   /* so that what is behind can be seen */

/* One series has no legend. */
static size_t make_entries(const struct report_histogram *histogram, struct report_entry entry[static REPORT_HISTOGRAM_MOST])
{
	for (size_t i = 0; i < histogram->count; i++)
		entry[i] = (struct report_entry){.label = histogram->label[i], .sample = {.style = i + 1, .has_line = true}};
	return histogram->count > 1 ? histogram->count : 0;
}

struct report_size report_picture_size_histogram(const struct report_histogram *histogram)
{
	struct report_entry entry[REPORT_HISTOGRAM_MOST];
	return report_graph_size(entry, make_entries(histogram, entry), REPORT_COLUMN_CM, HEIGHT_CM);
}

static void write_bins(FILE *to, const struct report_histogram *histogram, size_t series)
{
	const struct report_bins *const bins = &histogram->bins;
	fprintf(to, "$bin%zu << END\n", series);
	for (size_t i = 0; i < bins->count; i++)
		if (histogram->in[series][i] > 0)
			fprintf(to, "%.9g %.9g %zu\n", report_bins_edge(bins, i), report_bins_edge(bins, i + 1),
				histogram->in[series][i]);
	fputs("END\n", to);
}

int report_picture_histogram(
	struct plot *plot, const struct report_histogram *histogram, const struct report_size *size, const char *name)
{
	FILE *const to = plot_script(plot);
	struct report_entry entry[REPORT_HISTOGRAM_MOST];
	const size_t entries = make_entries(histogram, entry);
	const struct report_bins *const bins = &histogram->bins;
	if (report_graph_begin(plot, entry, entries, size, "values in the bin") != 0 ||
		report_axis_text(plot, REPORT_AXIS_X, size, name) != 0)
		return -1;
	fprintf(to, "set xrange [%.9g:%.9g]\nset yrange [0:*]\n", bins->start - bins->width / 2,
		report_bins_edge(bins, bins->count) + bins->width / 2);
	for (size_t i = 0; i < histogram->count; i++)
		write_bins(to, histogram, i);
	for (size_t i = 0; i < histogram->count; i++)
		fprintf(to,
			"%s$bin%zu using (($1+$2)/2):($3/2.0):1:2:(0):3 with boxxyerror fillstyle transparent solid %g border ls "
			"%zu lw %g",
			i > 0 ? ", " : "plot ", i, FILLED, i + 1, REPORT_LINE_THIN);
	fputc('\n', to);
	return 0;
}
