/* SPDX-License-Identifier: MIT */
/* Box plots: how long iterations took, a box for each label. */
#ifndef REPORT_PICTURE_BOXES_H
#define REPORT_PICTURE_BOXES_H

#include "report/boxes.h"
#include "report/draw.h"

/* As wide as the labels need. */
struct report_size report_picture_size_boxes(const struct report_boxes *boxes);

/*
 * Writes the script of a picture of this size. Where each label ends in a number (report_place_of), its box stands at that place of
 * the axis, those of each series in a colour and beside one another; else boxes stand side by side, above their labels. `name` is
 * that of the axis, or NULL. 0, or -1 with errno.
 */
int report_picture_boxes(struct plot *plot, const struct report_boxes *boxes, const struct report_size *size, const char *name);

#endif
