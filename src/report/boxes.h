/* SPDX-License-Identifier: MIT */
/* How long iterations took, by the labels of their runs, or any other values by label, and where a label stands on an axis. */
#ifndef REPORT_BOXES_H
#define REPORT_BOXES_H

#include <stdbool.h>
#include <stddef.h>

#include "report/draw.h"
#include "report/input.h"
#include "report/values.h"

struct report_times {
	const char *label;            /* that of a run */
	struct report_values seconds; /* sorted; or what the column has */
	/* Mean load of the machine from the first of them to the last; NaN where the log of one of the runs doesn't tell it. */
	double load;
	double load_s; /* how long that was */
};

struct report_boxes {
	struct report_times *item; /* `count`, in the order in which labels first appeared; owned, and the values in it */
	size_t count;
	const char *column; /* what values are of that are no durations; NULL: durations */
};

/*
 * Takes the iterations of all runs; those of one label go together. Of a run with a control log, iterations that began in the warm-up
 * are left out, unless `with_warmup`. 0, or -1 with a message. Free in both cases.
 */
int report_boxes_make(
	struct report_boxes *boxes, const struct report_input *input, bool with_warmup, char error[static CSV_ERROR_MAX]);
void report_boxes_free(struct report_boxes *boxes);

/* A label that ends in a number: NUMBER or SERIES/NUMBER, perhaps with a % behind it. */
struct report_place {
	const char *series; /* `length` characters at the beginning of the label; 0: none */
	size_t length;
	double number;
};
/* Whether the label is one. */
bool report_place_of(const char *label, struct report_place *place);

/* Whether the number at the end of the label, taken for a load in per cent or as a fraction, is far from the load that there was. */
#define REPORT_FAR 0.02
bool report_boxes_mislead(const struct report_times *times);

/* Box plots: a box for each label. */

/*
 * As wide as the labels need, and the script of a picture of a size. `name` is that of the horizontal axis, or NULL. Where each label ends in a
 * number (report_place_of), that is the place of its box on an axis that has a name; without a name a box stands at the load, if that of
 * all is known. The boxes of each series are of a colour, and those of one place beside one another. Else boxes stand side by side, above their
 * labels. 0, or -1 with errno.
 */
struct report_size report_picture_size_boxes(const struct report_boxes *boxes, const char *name);
int report_picture_boxes(struct plot *plot, const struct report_boxes *boxes, const struct report_size *size, const char *name);

#endif
