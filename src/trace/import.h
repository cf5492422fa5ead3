/* SPDX-License-Identifier: MIT */
/*
 * Traces out of what other programs recorded. A file is read once, from its beginning to its end; each of its samples is the mean load
 * of a machine over an interval.
 */
#ifndef TRACE_IMPORT_H
#define TRACE_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/trace.h"

/* Longest message, with its NUL. */
#define IMPORT_ERROR_MAX 768
/* Longest account of what was found, with its NUL. */
#define IMPORT_NOTES_MAX 1024
/* The first bytes of a file, by which its format is told. */
#define IMPORT_START_MAX 4096

enum import_unit { IMPORT_UNIT_FOUND, IMPORT_FRACTION, IMPORT_PERCENT };

/* Where in its interval a sample's time stands. */
enum import_stamp { IMPORT_STAMP_FOUND, IMPORT_STAMP_START, IMPORT_STAMP_END };

/* What is wanted of the files. Zero is: all as found. Texts are the caller's. */
struct import_rules {
	const char *format;    /* by its name */
	const char *machine;   /* the one that is wanted; NULL: there is only one */
	const char *mean_of;   /* machines, with commas between them, or "all": their mean */
	bool list;             /* the machines are listed, and no trace is made */
	const char *column;    /* of the load, by name or number, where it is another than the format's own */
	const char *time;      /* csv: column of the time, likewise */
	const char *cpu;       /* one processor of the machine; NULL: all */
	enum import_unit unit; /* of csv, and of ratios of prometheus */
	enum import_stamp stamp;
	char delimiter;      /* 0: found in the first line */
	double capacity;     /* google: what a machine's usage is divided by; 0: not given */
	int64_t step_ns;     /* over which machines are averaged; 0: the format's, else a minute */
	bool smooth;         /* straight lines instead of steps */
	bool strict;         /* whatever would have to be left out, cut or filled is refused */
	const char *ahead;   /* what has been read of standard input already */
	size_t ahead_length; /* at most IMPORT_START_MAX */
};

/* The names of the formats, the last one NULL. */
extern const char *const import_format_names[];

/* The format that a file's first bytes are of, NULL when it may be a trace; "csv" is never guessed. `is_compressed`: it has to be imported. */
const char *import_guess(const char *start, size_t length, bool *is_compressed);

/*
 * Reads the files, "-" is standard input, as one recording; the trace must be empty and is the caller's to free. With rules->list, prints
 * a line for each machine instead. `notes`, a line without its end, becomes what there is to be said of what was read, or "". 0, or -1
 * with a message.
 */
int import_read(const struct import_rules *rules, const char *const *path, size_t paths, struct trace *trace, FILE *list,
	char notes[static IMPORT_NOTES_MAX], char error[static IMPORT_ERROR_MAX]);

/* The same for one text in memory. */
int import_read_text(const struct import_rules *rules, const char *text, size_t length, struct trace *trace, FILE *list,
	char notes[static IMPORT_NOTES_MAX], char error[static IMPORT_ERROR_MAX]);

#endif
