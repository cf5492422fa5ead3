/* SPDX-License-Identifier: MIT */
/* A file that a trace is read from, and the message about what is wrong with it. */
#ifndef TRACE_SOURCE_H
#define TRACE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Longest message, with its NUL. */
#define TRACE_ERROR_MAX 768

/* Who hears of it when what is no regular file keeps its reader waiting for a second. */
struct trace_wait {
	void (*say)(void *context, const char *name); /* called once */
	void *context;
	int64_t until_ns; /* CLOCK_MONOTONIC; 0: it has been said */
};

struct trace_source {
	int file;
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

#endif
