/* SPDX-License-Identifier: MIT */
/*
 * Where the live line stands. On a terminal it has the last row to itself, so that nothing that workloads write there runs into it. Where
 * the user insists on one and there is no such terminal it is written over itself, by carriage returns alone.
 */
#ifndef SUPERVISE_LIVE_LINE_H
#define SUPERVISE_LIVE_LINE_H

#include <stdbool.h>
#include <sys/types.h>

#include "config/config.h"
#include "record/progress.h"
#include "self/terminal.h"

struct live_line {
	bool last_row; /* may be shown in the last row, */
	bool in_place; /* or else written over itself */
	int kept;      /* eventfd: not 0 while the terminal's last row is ours; the guardian gives it back when we can't */
	pid_t group;   /* process group that is to be in the foreground */
	bool drawn;    /* it is there now, in the last row, */
	struct terminal_size size; /* of a terminal of this size */
	unsigned draws;            /* since when it was there */
	unsigned width;            /* … in place: columns to write over */
};

/* `group` is that of the process that the user started. */
void live_line_init(struct live_line *line, const struct config *config, int kept, pid_t group);

/* Draws it where it belongs now: the terminal may have changed its size, or belong to somebody else. */
void live_line_draw(struct live_line *line, const struct progress *progress);

/* Leaves the terminal as it was, until it is drawn again. */
void live_line_remove(struct live_line *line);

/* For the guardian, when the master may not have been able to: waits up to a second for the terminal. */
void live_line_give_back(int kept);

#endif
