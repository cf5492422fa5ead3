/* SPDX-License-Identifier: MIT */
/*
 * The files of a report, sorted into runs. A run is what was recorded together: logs and iteration files. Which kind a file is of,
 * its header tells. In a run all times are of one clock, that of its first log, or of its first file where there is none.
 *
 *	--label LABEL FILE…   the files that follow, up to the next --label, are a run
 *	LABEL=FILE            files with the same label are a run
 *	FILE                  a log, or a trace, is a run of its own, labelled by its name. Iteration files belong to the run with a log at
 *	                      that time; without any log they are a run together
 */
#ifndef REPORT_INPUT_H
#define REPORT_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/csv.h"
#include "base/file_uses.h"
#include "report/iterations.h"
#include "report/log.h"
#include "report/meter.h"
#include "report/traces.h"
#include "report/values.h"

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
	struct report_trace *trace; /* `traces` of them, which no log is of */
	size_t traces;
	struct report_iterations iterations;
	size_t iteration_files;
	struct report_reference reference;
};

/* A file of a power meter. */
struct report_power {
	const char *path;
	const char *label; /* `length` bytes: whose logs it is for; NULL: all */
	size_t length;
	struct report_meter meter;
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
	bool logs_only;    /* iteration files are passed over */
	bool takes_traces; /* else a trace is a file that is neither */
	enum report_join join;
	struct report_offset *offset; /* `offsets` of them, the caller's */
	size_t offsets;
	struct report_power *power; /* `powers` of them, the caller's; their meters are the input's */
	size_t powers;
	bool has_warned; /* of clocks */
};

/* A file's name without folders (where that is asked for) and without .csv; to be freed. */
char *report_runs_name(const char *path, bool is_short);

/* Add words of the command line; nothing is read yet. Texts must outlive the input. 0, or -1 with errno. */
void report_input_label(struct report_input *input, const char *label);
int report_input_file(struct report_input *input, const char *word);

/* What LABEL=FILE names, for --power; with room for it in input->power. */
void report_input_power(struct report_input *input, const char *word);

/* A label that no file follows, or NULL. */
const char *report_input_empty_label(const struct report_input *input);
/* Adds all files. */
void report_input_files(const struct report_input *input, struct file_uses *uses);

/* A word of the command line as it was given. */
const char *report_input_text(const struct report_input *input, size_t word);

/* Reads all files. Says on stderr which of them ended in half a line. 0, or -1 with a message. */
int report_input_read(struct report_input *input, char error[static CSV_ERROR_MAX]);
void report_input_free(struct report_input *input);

#endif
