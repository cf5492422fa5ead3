/* SPDX-License-Identifier: MIT */
#include "report/picture_histogram.h"

#include "report/picture_parts.h"

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
	const size_t rows = report_legend_rows(entry, make_entries(histogram, entry), REPORT_COLUMN_CM);
	return (struct report_size){REPORT_COLUMN_CM, report_legend_height(rows) + HEIGHT_CM + REPORT_BOTTOM_CM};
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
	const struct report_margins margins = {.left = REPORT_LEFT_CM,
		.right = REPORT_RIGHT_CM,
		.top = report_legend_height(report_legend_rows(entry, entries, size->width)),
		.bottom = REPORT_BOTTOM_CM};
	report_frame_begin(plot);
	report_margins_write(plot, &margins, size);
	fprintf(to, "set border 3\nset xrange [%.9g:%.9g]\nset yrange [0:*]\n", bins->start - bins->width / 2,
		report_bins_edge(bins, bins->count) + bins->width / 2);
	report_axis_name(plot, REPORT_AXIS_LEFT, size, "values in the bin");
	if (report_axis_text(plot, REPORT_AXIS_X, size, name) != 0)
		return -1;
	if (report_legend_write(plot, entry, entries, size, margins.left, size->width - margins.right) != 0)
		return -1;
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
