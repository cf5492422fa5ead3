/* SPDX-License-Identifier: MIT */
/* Heat maps: a table as a picture, each cell with its text on a colour that its number has. The larger, the darker. */
#ifndef REPORT_HEAT_H
#define REPORT_HEAT_H

#include "report/draw.h"
#include "report/matrix.h"
#include "report/plot.h"

/* The numbers that have the lightest and the darkest colour; what lies beyond has one of these. */
struct report_heat_range {
	double low, high;
};

/* The colour of a number in this range, as 0xRRGGBB. */
unsigned report_heat_color(double number, const struct report_heat_range *range);

/* Those of a table, without rows and columns of some names. */
struct report_heat_range report_heat_range(const struct report_matrix *matrix, const char *const *outlier, size_t outliers);

/* As large as the texts need. */
struct report_size report_heat_size(const struct report_matrix *matrix);

/* Writes the script of a picture of this size. 0, or -1 with errno. */
int report_heat_draw(struct plot *plot, const struct report_matrix *matrix, const struct report_heat_range *range,
	const struct report_size *size);

#endif
