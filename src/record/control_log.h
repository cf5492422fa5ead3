/* SPDX-License-Identifier: MIT */
/* The control log: CSV, whole rows only: `time_s,monotonic_s,target,load,estimate,duty,runnable,others`, and columns as below. */
#ifndef RECORD_CONTROL_LOG_H
#define RECORD_CONTROL_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "meters/power.h"
#include "record/counted.h"
#include "record/recorder.h"

struct control_log;

/* Those that not every log has. */
struct control_log_columns {
	bool free;
	bool power;
	const struct watch *watch; /* `watches` of them; the caller's */
	unsigned watches;
	const struct counted *counted;       /* events of the workloads; NULL: none; the caller's */
	const struct linux_power_zone *zone; /* `zones` of power; the names are needed by control_log_open alone */
	size_t zones;
	unsigned workloads; /* so many of duty cycles */
	bool pinning;
	bool unit;  /* "core", where the load is of cores */
	bool trace; /* where in its recording the trace is */
	bool wall;  /* the last one: the wall clock at the end of the row */
};

/*
 * Writes the header to a file that was opened for it, and owns the descriptor from now on; -1 is one whose opening has failed. With
 * `never_waits`, for a process that supervises, rows for which a pipe, socket or terminal has no room are lost: control_log_add fails with
 * EAGAIN. NULL with errno; then the descriptor is closed.
 */
struct control_log *control_log_open(int file, const struct control_log_columns *columns, bool never_waits);

/*
 * Adds a row; time_s counts from origin_ns. What can't be written whole is taken back where the file allows it. Where rows before it could
 * not be written, a row with an empty load comes first, which ends where this one begins. 0, or -1 with errno; the log may be used on.
 */
int control_log_add(struct control_log *log, const struct record *record, int64_t origin_ns);

/* What is wrong when one of these has failed with this errno. */
const char *control_log_error(int error);

/* Time of the run that is in no row, since rows could not be written; of it, what comes behind the last row. */
struct control_log_loss {
	int64_t ns, at_end_ns;
};

/* The same for people, behind the name of the log. */
#define CONTROL_LOG_LOSS_MAX 128
const char *control_log_describe(const struct control_log_loss *loss, char text[static CONTROL_LOG_LOSS_MAX]);

/*
 * Where the last rows are missing, tries once more to write one that marks them. 0, or -1 with errno when what was written may not have
 * arrived (EAGAIN: half of the last row waited for a reader that took nothing for 0.7 s). *loss, where not NULL, is told in any case. Accepts NULL.
 */
int control_log_close(struct control_log *log, struct control_log_loss *loss);

#endif
