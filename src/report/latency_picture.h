/* SPDX-License-Identifier: MIT */
/* Pictures of response times, as scripts for a plot. */
#ifndef REPORT_LATENCY_PICTURE_H
#define REPORT_LATENCY_PICTURE_H

#include "report/draw.h"
#include "report/latency.h"
#include "report/log.h"

enum report_latency_picture {
	/* Quantiles of all rows but the first against the load, or the rate where no row has a load, with their intervals, and limits as lines. */
	REPORT_LATENCY_CURVE,
	/* The median, the 99th percentile and the greatest response time over time, above target and load where there is a log. */
	REPORT_LATENCY_TIMELINE,
	/* Which share of the requests of a row takes longer than a time; both axes are logarithmic. */
	REPORT_LATENCY_TAIL,
};

struct report_latency_view {
	const struct report_requests *requests;
	const struct report_latency_row *row; /* `rows` of them; the first is all requests */
	size_t rows;
	const struct report_latency_limits *limits; /* or NULL */
	const struct report_log *log;               /* or NULL */
};

struct report_size report_latency_size(enum report_latency_picture picture, const struct report_latency_view *view);
/* 0, or -1 with errno. */
int report_latency_draw(enum report_latency_picture picture, struct plot *plot, const struct report_latency_view *view,
	const struct report_size *size);

#endif
