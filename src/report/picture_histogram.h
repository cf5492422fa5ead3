/* SPDX-License-Identifier: MIT */
/* Histograms: a bar for each bin, and those of a second series over it. */
#ifndef REPORT_PICTURE_HISTOGRAM_H
#define REPORT_PICTURE_HISTOGRAM_H

#include "report/draw.h"
#include "report/histogram.h"

struct report_size report_picture_size_histogram(const struct report_histogram *histogram);

/* Writes the script of a picture of this size; `name` is that of the axis of values. 0, or -1 with errno. */
int report_picture_histogram(
	struct plot *plot, const struct report_histogram *histogram, const struct report_size *size, const char *name);

#endif
