/* SPDX-License-Identifier: MIT */
/* The line on a terminal that shows how a run goes, written over itself. */
#ifndef SSREQUEST_PROGRESS_H
#define SSREQUEST_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "ssrequest/outcome.h"

struct progress_line {
	bool is_shown;
	int64_t next_ns;   /* when it is drawn again, since the start; INT64_MAX: never */
	uint64_t requests; /* at the last drawing */
	unsigned width;    /* columns to write over */
};

/* Shown on a terminal, if at all. */
void progress_line_init(struct progress_line *line, bool is_wanted);

/* `length_ns` of the schedule; INT64_MAX: no end. */
void progress_line_draw(
	struct progress_line *line, const struct outcome *outcome, int64_t now_ns, int64_t length_ns, unsigned unanswered);

void progress_line_remove(struct progress_line *line);

#endif
