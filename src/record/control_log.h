/* SPDX-License-Identifier: MIT */
/* The control log: CSV, whole rows only: `time_s,monotonic_s,target,load,estimate,duty,runnable,others`, and columns as below. */
#ifndef RECORD_CONTROL_LOG_H
#define RECORD_CONTROL_LOG_H

#include "record/recorder.h"

struct control_log;

/* Those that not every log has. */
struct control_log_columns {
	bool free;
	bool power;
	unsigned workloads; /* so many of duty cycles */
	bool pinning;
	bool unit; /* "core", where the load is of cores */
	bool wall; /* the last one: the wall clock at the end of the row */
};

/* Creates or empties the file and writes the header. NULL with errno. */
struct control_log *control_log_open(const char *path, const struct control_log_columns *columns);

/*
 * Adds a row; time_s counts from origin_ns. What can't be written whole is taken back where the file allows it. 0, or -1 with
 * errno; the log may be used on.
 */
int control_log_add(struct control_log *log, const struct record *record, int64_t origin_ns);

/* 0, or -1 with errno when what was written may not have arrived. Accepts NULL. */
int control_log_close(struct control_log *log);

#endif
