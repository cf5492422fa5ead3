/* SPDX-License-Identifier: MIT */
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
#ifndef TRACE_BINARY_H
#define TRACE_BINARY_H

#include <stddef.h>

#include "trace/trace.h"

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
