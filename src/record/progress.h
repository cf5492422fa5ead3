/* SPDX-License-Identifier: MIT */
/* The live line: what a run is doing now, redrawn in place on a terminal. */
#ifndef RECORD_PROGRESS_H
#define RECORD_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Samples that the sparkline shows at the most. */
#define PROGRESS_HISTORY 64

struct progress {
	int64_t elapsed_ns;               /* since control began; negative in the warm-up */
	int64_t length_ns;                /* of the run; -1: endless */
	double target, load, duty;        /* newest sample, fractions; NaN: none (free: target) */
	const char *note;                 /* why the target is missed, in a few words; NULL or "": it isn't */
	double history[PROGRESS_HISTORY]; /* of the load, oldest first */
	size_t samples;                   /* how many there are */
};

/* Adds a sample to the history. */
void progress_add(struct progress *progress, double target, double load, double duty);

/*
 * Formats the line for a terminal of that many columns: never wider, parts of little use left out first. `unicode` says whether
 * the sparkline may use block characters. Returns line.
 */
#define PROGRESS_LINE_MAX 1024
char *progress_format(const struct progress *progress, unsigned columns, bool unicode, char line[static PROGRESS_LINE_MAX]);

#endif
