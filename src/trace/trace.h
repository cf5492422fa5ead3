/* SPDX-License-Identifier: MIT */
/* A trace in memory: its records. */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct trace_record {
	int64_t ns;  /* from 0, not below that of the record before */
	double load; /* 0 to 1, or NaN: free */
};

enum trace_interpolation { TRACE_LINEAR, TRACE_STEP };

/* Zero is an empty trace. Freed by trace_free, also after an error. */
struct trace {
	enum trace_interpolation interpolation;
	size_t count;                       /* at least 1 once loaded */
	const struct trace_record *records; /* read-only once loaded, and shared with the children of the process */
	void *mapping;                      /* what the records lie in */
	size_t mapped;                      /* bytes of it */
};

/*
 * Adds a record to a trace that is being built. The record must be in order and in range; nobody checks. Returns 0, or -1
 * with errno.
 */
int trace_append(struct trace *trace, const struct trace_record *record);

/* Memory for at least `count` records, shared with children to come; those that are there stay. 0, or -1 with errno. */
int trace_reserve(struct trace *trace, size_t count);

void trace_free(struct trace *trace);

/* A file that a trace is read from, and the message about what is wrong with it. */

/* Longest message, with its NUL. */
#define TRACE_ERROR_MAX 768

/* Who hears of it when what is no regular file keeps its reader waiting for a second. */
struct trace_wait {
	void (*say)(void *context, const char *name); /* called once */
	void *context;
	int64_t until_ns; /* CLOCK_MONOTONIC; 0: it has been said */
};

/* What has been read of a file already. */
struct trace_ahead {
	const char *text;
	size_t length;
};

struct trace_source {
	int file;
	struct trace_ahead *ahead; /* goes before the rest; NULL: nothing */
	const char *name;
	struct trace_wait *wait; /* NULL: nobody */
	bool regular;
	uint64_t size; /* of a regular file, from where it stood */
	off_t start;   /* where it stood */
	char *error;   /* TRACE_ERROR_MAX bytes */
};

/* Writes the message, the name first. Returns -1. */
int trace_source_refuse(const struct trace_source *source, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* As read(2), but waits for data where the file would not, and goes on after signals. */
ssize_t trace_source_read(const struct trace_source *source, void *buffer, size_t size);

/* Reads until the buffer is full or the file ends. Returns the bytes read, or -1 with errno. */
ssize_t trace_source_fill(const struct trace_source *source, void *buffer, size_t size);

/* Loads a trace of either form, told by its first byte. */

/* A compiled trace of up to so many bytes is copied into memory; a larger one is mapped from its file. See trace_read. */
#define TRACE_COPY_MAX ((size_t)256 << 20)

/*
 * Loads the trace in a file, a FIFO too, and checks all of it. Returns 0, or -1 with a message
 * that names the file and says what was found and what was expected; then the trace is empty. `wait`, of which the caller has set who hears
 * of a wait, may be NULL.
 */
int trace_load(struct trace *trace, const char *path, struct trace_wait *wait, char error[static TRACE_ERROR_MAX]);

/*
 * As trace_load without `wait`, from where the open file stands to its end; a pipe will do. `name` is for messages.
 *
 * A compiled trace of at most copy_max bytes, and every text, is copied into shared memory: whoever changes or truncates the
 * file later does not disturb this process or its children. A larger one in a regular file is mapped from it (after the
 * check), so it must be left alone as long as the trace is used: a program that reads the missing part of a truncated file
 * is killed by SIGBUS.
 */
int trace_read(struct trace *trace, int file, const char *name, size_t copy_max, char error[static TRACE_ERROR_MAX]);

/* The same behind what has been read of the file already, which may not be a regular one then; `ahead` may be NULL. */
int trace_read_behind(struct trace *trace, int file, const char *name, struct trace_ahead *ahead, size_t copy_max,
	char error[static TRACE_ERROR_MAX]);

/*
 * The text form of a trace: parser and canonical printer.
 *
 *	# comment                   anything from a # to the end of the line; blank lines are skipped
 *	interpolate linear|step     once at most, before the first record; linear when absent
 *	TIME LOAD                   times (units.h) don't decrease
 *	+TIME LOAD                  TIME after the record before it, or after 0
 *	TIME free                   uncontrolled until the next record
 *
 * Lines end with LF or CRLF; the last one may lack its end. Words are separated by blanks and tabs.
 */

/* Longest line in bytes, without its end. */
#define TRACE_TEXT_LINE_MAX 4096
#define TRACE_TEXT_ERROR_MAX 384

struct trace_text {
	struct trace *trace;              /* receives the records */
	uint64_t line;                    /* the one being read, from 1 */
	size_t column;                    /* of the error, in bytes from 1 */
	char error[TRACE_TEXT_ERROR_MAX]; /* what was found and what was expected */
	/* The rest is the parser's own. */
	bool interpolation_given;
	size_t held; /* bytes of a line whose end has not been fed yet */
	char hold[TRACE_TEXT_LINE_MAX + 1];
};

/* Starts parsing into a trace, which must be empty and is the caller's to free. */
void trace_text_begin(struct trace_text *parser, struct trace *trace);

/*
 * Takes the next piece of the text, of any size. Returns 0; or -1 with errno EINVAL, and line, column and error set, when
 * the text is wrong; or -1 with another errno (ENOMEM). After an error the parser must be fed no more.
 */
int trace_text_feed(struct trace_text *parser, const char *text, size_t length);

/* The text has ended. Returns as trace_text_feed; a text without a record is wrong. */
int trace_text_end(struct trace_text *parser);

/*
 * Prints the canonical text: nanoseconds, loads as %.17g, `interpolate step` first where it applies. Parsing it gives the same
 * trace, and printing that the same text. Returns 0, or -1 with errno when the stream failed.
 */
int trace_text_print(const struct trace *trace, FILE *to);

/*
 * The compiled form of a trace, little-endian throughout:
 *
 *	offset     bytes
 *	0          8      magic: 89 53 53 54 0d 0a 1a 0a
 *	8          4      format version, 1
 *	12         4      flags: bit 0 set when loads are held (step), clear when they are interpolated; the others are 0
 *	16         8      n, the number of records, at least 1
 *	24         16 n   records: int64 nanoseconds, double load (NaN for free)
 *	24 + 16 n  4      CRC-32 (that of zlib) of everything before it
 *
 * The magic starts with a byte that no text has and holds both kinds of line end, so that a file that went through a text
 * filter is found out.
 */

#define TRACE_BINARY_HEADER_SIZE 24

/* The first byte of a compiled trace, and of no text. */
#define TRACE_BINARY_FIRST 0x89

/*
 * Reads the rest of a compiled trace behind the `got` bytes of its header that have been read, and checks all of it. A regular file
 * of more than copy_max bytes is mapped, another copied. Returns 0, or -1 after trace_source_refuse.
 */
int trace_binary_read(
	struct trace *trace, const struct trace_source *source, const unsigned char *header, size_t got, size_t copy_max);

/* Writes the compiled form. Returns 0 when all of it was written, or -1 with errno. */
int trace_binary_write(const struct trace *trace, int file);

#endif
