/* SPDX-License-Identifier: MIT */
/*
 * Traces: the records in memory, the compiled form of a trace, and loading a trace of either form.
 *
 * Compiled form, little-endian throughout:
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
#ifndef TRACE_BINARY_H
#define TRACE_BINARY_H

#include <stddef.h>
#include <stdint.h>

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

/* Longest message of the functions below, with its NUL. */
#define TRACE_ERROR_MAX 768

/* A compiled trace of up to so many bytes is copied into memory; a larger one is mapped from its file. See trace_read. */
#define TRACE_COPY_MAX ((size_t)256 << 20)

/*
 * Loads the trace in a file, compiled or text, told by its first byte, and checks all of it. Returns 0, or -1 with a message
 * that names the file and says what was found and what was expected; then the trace is empty.
 */
int trace_load(struct trace *trace, const char *path, char error[static TRACE_ERROR_MAX]);

/*
 * As trace_load, from where the open file stands to its end; a pipe will do. `name` is for messages.
 *
 * A compiled trace of at most copy_max bytes, and every text, is copied into shared memory: whoever changes or truncates the
 * file later does not disturb this process or its children. A larger one in a regular file is mapped from it (after the
 * check), so it must be left alone as long as the trace is used: a program that reads the missing part of a truncated file
 * is killed by SIGBUS.
 */
int trace_read(struct trace *trace, int file, const char *name, size_t copy_max, char error[static TRACE_ERROR_MAX]);

/* Writes the compiled form. Returns 0 when all of it was written, or -1 with errno. */
int trace_write(const struct trace *trace, int file);

/*
 * Adds a record to a trace that is being built. The record must be in order and in range; nobody checks. Returns 0, or -1
 * with errno.
 */
int trace_append(struct trace *trace, const struct trace_record *record);

void trace_free(struct trace *trace);

#endif
