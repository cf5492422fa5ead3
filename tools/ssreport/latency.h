/* SPDX-License-Identifier: MIT */
/* What ssreport latency reads, and what it makes of that. */
#ifndef SSREPORT_LATENCY_H
#define SSREPORT_LATENCY_H

#include "report/latency.h"
#include "report/log.h"
#include "ssreport/command.h"

/* What is read and made; the rows are the report's. */
struct latency {
	struct report *report;
	const struct settings *settings;
	struct report_requests requests;
	struct report_log log; /* where settings->log */
	double shift;          /* what is added to moments of requests to make them times of the log */
	bool has_wall;         /* times of requests are since 1970 */
	bool lacks_schedule;   /* … nor when they were due, in one file at least */
	bool lacks_moments;    /* … are not known */
	bool lacks_status;     /* how requests ended isn't, either */
	struct report_latency_row *row;
	size_t rows;
};

/* Reads the files that settings name. 0, or -1 after a message. */
int latency_read(struct latency *latency);

/* Times of requests as seconds since control began, or since the first request; and back. */
double latency_time(const struct latency *latency, double moment);
double latency_moment(const struct latency *latency, double time);

#endif
