/* SPDX-License-Identifier: MIT */
/* JSON that is read as it comes: whatever its length, only the path to the current value is kept. */
#ifndef TRACE_IMPORT_JSON_H
#define TRACE_IMPORT_JSON_H

#include "trace/import_reader.h"

/*
 * What a reader is told; 0, or -1 after import_refuse. A path has the names of members with points between them, and [] for an element
 * of an array: data.result[].values[][]. It is valid during the call.
 */
struct import_json_events {
	/* A string without its quotes and escapes, a number as it is written, or true, false or null. */
	int (*value)(void *reader, const char *path, const struct import_field *text);
	/* The end of an object or an array. */
	int (*end)(void *reader, const char *path);
};

/*
 * Reads all of the file, which may have several documents one after another. Broken JSON is refused with its place. During a call, import_wrong
 * tells the place. 0, or -1 after import_refuse.
 */
int import_json_read(struct import *import, const struct import_json_events *events, void *reader);

#endif
