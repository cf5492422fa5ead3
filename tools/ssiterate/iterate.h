/* SPDX-License-Identifier: MIT */
/* What ssiterate knows while it runs. */
#ifndef SSITERATE_ITERATE_H
#define SSITERATE_ITERATE_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "processes/descendants.h"
#include "record/iteration_log.h"
#include "self/signals.h"
#include "ssiterate/options.h"
#include "ssiterate/statistics.h"

/* What poll calls writable takes a piece of this size without blocking. */
#define PIECE 4096
/* What is longer of a line is passed through, but not looked at. */
#define LINE_LENGTH_MAX 65536

/* One of the command's two outputs. */
struct stream {
	int from; /* read end of the pipe; -1: not ours, or closed */
	int to;
	const char *name;
	char piece[PIECE]; /* bytes sent…used wait to be written */
	size_t sent, used;
	size_t left; /* bytes that are read at most from now on */
	char *line;  /* LINE_LENGTH_MAX bytes, of which `length` are the beginning of a line */
	size_t length;
};

struct iterate {
	const struct settings *settings;
	struct signals_kept kept; /* for the command */
	int signals;              /* signalfd, or -1 */
	struct iteration_log log;
	bool has_log, is_lossy; /* is_lossy: records or output were lost, and that was said */
	struct statistics statistics;
	FILE *export;              /* of --export-json; NULL: none */
	bool has_run;              /* the command was executed */
	uint64_t finished;         /* iterations */
	_Atomic uint64_t *counter; /* of those that succeeded, for a run that counts them; NULL: none does */
	int64_t deadline_ns;       /* INT64_MAX: none */
	int told_by;               /* the signal that told us to end, or 0 */
	bool is_over;              /* start nothing more: a signal, or -n or --time is reached */

	pid_t command; /* 0: none, or it has ended */
	int wait_status;
	int64_t ended_ns;
	bool is_told;               /* by us, to end */
	int64_t kill_ns;            /* when what was told to end is killed; INT64_MAX: never */
	struct descendants victims; /* that were told too */

	/* --match */
	regex_t end, start;
	bool is_begun;    /* an iteration is under way, */
	int64_t start_ns; /* since then */
	struct stream stream[2];
};

/* The iteration that is under way ends here, with this status of the command. */
void iterate_record(struct iterate *iterate, int64_t start_ns, int64_t end_ns, int status);

/* Whether as many iterations as were asked for are finished. */
bool iterate_is_limited(const struct iterate *iterate);

#endif
