/* SPDX-License-Identifier: MIT */
/* A trace in memory: its records. */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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
