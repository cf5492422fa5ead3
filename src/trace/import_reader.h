/* SPDX-License-Identifier: MIT */
/* What the readers of foreign formats share: the text, its rows, and where samples go. */
#ifndef TRACE_IMPORT_READER_H
#define TRACE_IMPORT_READER_H

#include "trace/import_rules.h"
#include "trace/import_series.h"
#include "trace/input.h"

#define IMPORT_FIELDS_MAX 512
/* What some programs write before the text, to say that it is UTF-8. */
#define IMPORT_BOM "\xef\xbb\xbf"
/* Longest line in bytes. */
#define IMPORT_LINE_MAX ((size_t)1 << 20)

struct import_field {
	const char *text; /* not NUL-terminated */
	size_t length;
};

/* A file that is being read: a stretch of it, and the current line's fields in it. */
struct import_text {
	struct input *input;
	char *buffer;
	size_t size, begin, end; /* bytes begin…end are not used up */
	bool is_at_end;
	uint64_t line; /* the current one, from 1 */
	struct import_field whole;
	struct import_field field[IMPORT_FIELDS_MAX];
	size_t fields;
	/* Of JSON, where lines say too little: sets line and column, the byte in it from 1. NULL elsewhere. */
	void (*place)(void *placer);
	void *placer;
	size_t column;
};

struct import;

/* What a format doesn't have, and options can't ask for. */
enum import_lack {
	IMPORT_LACKS_MACHINES = 1,
	IMPORT_LACKS_CPUS = 2,
	IMPORT_LACKS_COLUMNS = 4, /* to be chosen, or in another unit */
	IMPORT_LACKS_TABLE = 8,   /* of rows with a time each */
};
#define IMPORT_LACKS_CHOICE (IMPORT_LACKS_COLUMNS | IMPORT_LACKS_TABLE)

struct import_format {
	const char *name;
	enum import_stamp stamp;
	int64_t step_ns; /* how often its machines are sampled; 0: nothing is known of that */
	enum import_merge merge;
	bool (*fits)(const char *start, size_t length);
	/* Reads all of the file. 0, or -1 after import_refuse. */
	int (*read)(struct import *import);
	const void *table; /* the reader's own */
	unsigned lacks;    /* enum import_lack */
};

struct import {
	const struct import_rules *rules;
	const struct import_format *format;
	const char *path;
	const char *name; /* for messages */
	bool is_later;    /* there was a file before it */
	bool is_several;  /* there is another file, before it or behind */
	struct import_text text;
	struct import_series series;
	struct import_counts counts;
	void *kept; /* by the reader, from file to file; freed with keep_free */
	void (*kept_free)(void *kept);
	char *error; /* IMPORT_ERROR_MAX */
};

/* All formats in the order in which they are looked for. */
extern const struct import_format import_delimited[], import_csv, import_sadf, import_sadf_json, import_mpstat, import_prometheus,
	import_collectd;
extern const size_t import_delimited_count;

/* Makes the message "FILE: …". Returns -1. */
int import_refuse(struct import *import, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The current line can't be read: it is counted and left out (0) or, where that is not wanted, refused (-1). */
int import_wrong(struct import *import, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Goes to the next line. 1, 0 at the end of the file, or -1 after import_refuse. A line that is too long is refused. */
int import_next_line(struct import *import);

/* Splits it; '\t' and ' ' as delimiter mean any number of blanks. Blanks around a field and quotes that enclose it are taken off. */
void import_split(struct import_text *text, char delimiter);

/* What is in the buffer, and more once that is used up: length bytes, 0 at the end of the file, or -1 after import_refuse. */
ssize_t import_next_block(struct import *import, const char **block);

/* Tries to have so many bytes in the buffer. 0, or -1 after import_refuse. */
int import_fill(struct import *import, size_t least);

bool import_is(const struct import_field *field, const char *text);

/* Some of a field for a message. Returns text. */
#define IMPORT_SHOWN_MAX 48
const char *import_show(const struct import_field *field, char text[static IMPORT_SHOWN_MAX]);

/* False when it is none. NaN for an empty field. */
bool import_number(const struct import_field *field, double *value);

/*
 * A moment: a number, in seconds unless its size says milli-, micro- or nanoseconds, or a date and time (ISO 8601, or with UTC behind it).
 * Without a zone it is taken as UTC, and *is_zoned false. False when it is neither.
 */
bool import_time(const struct import_field *field, int64_t *ns, bool *is_zoned);

/* A number in seconds as ns; false when it is beyond the calendar. */
bool import_seconds(double seconds, int64_t *ns);

/* Where in its interval a sample's time stands: as wanted, or as the format has it. */
enum import_stamp import_stamp_of(const struct import *import);

/* Takes a sample. 0, or -1 after import_refuse. */
int import_add(struct import *import, const struct import_sample *sample);

/* What a file begins with, up to a line's end, split into its fields' number; helpers of `fits`. */
bool import_begins(const char *start, size_t length, const char *text);
bool import_contains(const char *start, size_t length, const char *text);
/* With an object or an array, as JSON. */
bool import_json_begins(const char *start, size_t length);

#endif
