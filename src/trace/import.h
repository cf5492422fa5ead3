/* SPDX-License-Identifier: MIT */
/*
 * Traces out of what other programs recorded. A file is read once, from its beginning to its end; each of its samples is the mean load
 * of a machine over an interval.
 */
#ifndef TRACE_IMPORT_H
#define TRACE_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "trace/import_rules.h"
#include "trace/trace.h"

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

/* The same for one text in memory, as if the file of that path held it. */
int import_read_text(const struct import_rules *rules, const char *path, const char *text, size_t length, struct trace *trace,
	FILE *list, char notes[static IMPORT_NOTES_MAX], char error[static IMPORT_ERROR_MAX]);

#endif
