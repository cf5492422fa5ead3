/* SPDX-License-Identifier: MIT */
/* Box plots: how long iterations took, a box for each label. */
#ifndef REPORT_PICTURE_BOXES_H
#define REPORT_PICTURE_BOXES_H

#include "report/boxes.h"
#include "report/draw.h"

/*
 * As wide as the labels need, and the script of a picture of a size. `name` is that of the horizontal axis, or NULL. Where each label ends in a
 * number (report_place_of), that is the place of its box on an axis that has a name; without a name a box stands at the load, if that of
 * all is known. The boxes of each series are of a colour, and those of one place beside one another. Else boxes stand side by side, above their
 * labels. 0, or -1 with errno.
 */
struct report_size report_picture_size_boxes(const struct report_boxes *boxes, const char *name);
int report_picture_boxes(struct plot *plot, const struct report_boxes *boxes, const struct report_size *size, const char *name);

#endif
