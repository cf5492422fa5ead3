/* SPDX-License-Identifier: MIT */
/* The runs of a report and the files that they are made of. */
#ifndef REPORT_RUNS_H
#define REPORT_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/clocks.h"
#include "report/iterations.h"
#include "report/log.h"

/* The file whose clock is that of a run. */
struct report_reference {
	const char *name; /* NULL: none yet */
	struct report_clock clock;
	double offset; /* of --offset */
	double row;    /* length of its rows */
};

struct report_run {
	char *label;            /* never NULL after report_input_read */
	bool is_labelled;       /* by the user */
	size_t group;           /* which --label, from 1; 0: none of them */
	struct report_log *log; /* `logs` of them, in the order of the command line */
	size_t logs;
	struct report_iterations iterations;
	size_t iteration_files;
	struct report_reference reference;
};

/* By how much the times of files are to be moved, as the user knows it. */
struct report_offset {
	const char *name; /* `length` bytes: a label, whose iterations are moved, or a file or a pattern of files */
	size_t length;
	double seconds;
};

/* A file as the command line names it. */
struct report_word {
	const char *text;  /* the whole word */
	const char *path;  /* the file in it */
	const char *label; /* of --label, or NULL */
	size_t group;      /* which --label, from 1; 0: none */
	/* After reading, of files of iterations: */
	bool is_iterations;
	bool is_loose; /* without a label: it is not clear yet to which run it belongs */
	size_t run;    /* index, where it is clear */
	struct report_iterations iterations;
};

/* Start with {0}; free with report_input_free. */
struct report_input {
	struct report_run *run;
	size_t runs;
	struct report_word *word;
	size_t words;
	const char *label; /* of the files that follow, or NULL */
	size_t groups;     /* labels so far */
	const char *empty; /* a label that no file followed before the next one, or NULL */
	bool is_used;      /* a file followed the last label */
	/* Set by the caller: */
	bool logs_only; /* iteration files are passed over */
	enum report_join join;
	struct report_offset *offset; /* `offsets` of them, the caller's */
	size_t offsets;
	bool has_warned; /* of clocks */
};

/* Another run, which owns the label. NULL with errno (also for a label that is NULL). */
struct report_run *report_runs_add(struct report_input *input, char *label);

/* A file's name without folders (where that is asked for) and without .csv; to be freed. */
char *report_runs_name(const char *path, bool is_short);

#endif
