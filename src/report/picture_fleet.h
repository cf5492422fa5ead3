/* SPDX-License-Identifier: MIT */
/* A fleet as a picture: above, the load of each node over time as a heat map, below, the load of all against their targets. */
#ifndef REPORT_PICTURE_FLEET_H
#define REPORT_PICTURE_FLEET_H

#include "report/draw.h"
#include "report/fleet.h"

struct report_size report_picture_size_fleet(const struct report_fleet *fleet);

/* Writes the script of a picture of this size. 0, or -1 with errno. */
int report_picture_fleet(struct plot *plot, const struct report_fleet *fleet, const struct report_size *size);

#endif
