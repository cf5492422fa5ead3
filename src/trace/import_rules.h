/* SPDX-License-Identifier: MIT */
/* What is wanted of recordings that are imported. */
#ifndef TRACE_IMPORT_RULES_H
#define TRACE_IMPORT_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
	enum import_unit unit; /* of csv */
	enum import_stamp stamp;
	char delimiter;      /* 0: found in the first line */
	double capacity;     /* google: what a machine's usage is divided by; 0: not given */
	int64_t step_ns;     /* over which machines are averaged; 0: the format's, else a minute */
	bool smooth;         /* straight lines instead of steps */
	bool strict;         /* whatever would have to be left out, cut or filled is refused */
	const char *ahead;   /* what has been read of the first file already, which is no regular one; NULL: nothing */
	size_t ahead_length; /* at most IMPORT_START_MAX */
	int ahead_file;      /* the descriptor that it was read from; the caller's */
};

#endif
