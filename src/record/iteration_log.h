/* SPDX-License-Identifier: MIT */
/*
 * Iteration records: which piece of work a workload did from when to when. CSV with a header, one record a line, lines in the
 * order in which the iterations ended. Readers and writers agree through this header. status is 0, or that of a command that failed.
 * time_unix_s is end_s on the wall clock.
 *
 * A record without an iteration says that others are missing, which could not be written: from start_s, when the first of them began, to
 * end_s, when the last one ended.
 */
#ifndef RECORD_ITERATION_LOG_H
#define RECORD_ITERATION_LOG_H

#include <stdbool.h>
#include <stdint.h>

#define ITERATION_LOG_HEADER "instance,iteration,start_s,end_s,status,time_unix_s"
/* Longest line, with its newline and a NUL. */
#define ITERATION_LOG_LINE_MAX 160
/* As the number of an iteration: the record says what is missing. */
#define ITERATION_LOG_MISSING UINT64_MAX

struct iteration_record {
	unsigned instance;        /* of the workload, from 0 */
	uint64_t iteration;       /* from 0, in the order of their starts; or ITERATION_LOG_MISSING */
	int64_t start_ns, end_ns; /* CLOCK_MONOTONIC, from 0 */
	int status;               /* 0: it succeeded */
};

/* Not for use by two threads at once. */
struct iteration_log {
	int file;                        /* descriptor, or -1 */
	bool cut;                        /* half a line went out and can't be taken back: nothing more is written */
	uint64_t lost;                   /* records that could not be written */
	bool is_missing;                 /* some of them since the last one that could, … */
	struct iteration_record missing; /* … and what is to be written of them */
};

/*
 * Creates the file, or empties the one there is, and writes the header. Returns 0, or -1 with errno; then there is nothing to
 * close.
 */
int iteration_log_open(struct iteration_log *log, const char *path);

/*
 * Writes one record, with one system call, so that whole lines are in the file whenever it is looked at; before it one of those that are
 * missing. Returns 0, or -1 with errno: then this record is lost, the lines before it are intact, and the next one may be tried.
 */
int iteration_log_write(struct iteration_log *log, const struct iteration_record *record);

/*
 * Where the last records are missing, tries to write that. Returns 0, or -1 with errno when the file system reported trouble only now. A log that is not
 * open is left alone.
 */
int iteration_log_close(struct iteration_log *log);

/*
 * The record as a line with its newline, with the wall clock so far from CLOCK_MONOTONIC (clock_unix_offset); returns its length
 * without the NUL.
 */
int iteration_log_format(const struct iteration_record *record, int64_t unix_offset_ns, char line[static ITERATION_LOG_LINE_MAX]);

#endif
