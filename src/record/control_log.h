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
 * `never_waits`, for those who supervise, a reader who doesn't read delays nobody: rows wait for him, so many as fit into NONBLOCKING_MAX; for
 * those beyond, control_log_add fails with EAGAIN. NULL with errno; then the descriptor is closed.
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
 * arrived (EAGAIN: rows waited for a reader, who took none for a second). *loss, where not NULL, is told in any case. Accepts NULL.
 */
int control_log_close(struct control_log *log, struct control_log_loss *loss);

/*
 * Which rows of a log did not arrive where it is written: what the row that marks the stretch says of it, and how much it was in the end. A
 * row may have been taken to be written later, and be lost after all.
 */

/* A stretch of the run: of one row, or of several. */
struct lost_stretch {
	int64_t ns;
	int64_t target_ns; /* of it, the time that has a target … */
	double target;     /* … and the sum of that, target times ns */
};

/* A row that has been taken, but may not be out yet. */
struct lost_candidate {
	uint64_t until; /* bytes up to its end */
	struct lost_stretch own, marked;
};

/* Start with {0}, or by lost_rows_init where rows may be written later. */
struct lost_rows {
	struct lost_stretch missing; /* since the last row that was taken: what the next one has to mark */
	int64_t lost_ns;             /* in all, without the candidates */
	uint64_t bytes;              /* taken so far */
	struct lost_candidate *candidate;
	size_t first, count, most; /* a ring */
};

/* So many rows may wait to be written, at most. 0, or -1 with errno ENOMEM. */
int lost_rows_init(struct lost_rows *rows, size_t most);
void lost_rows_free(struct lost_rows *rows);

/* The mean target of what is missing; NaN where there is none. */
double lost_rows_target(const struct lost_rows *rows);

/* A row of so many bytes, with the one that marks what was missing before it, was taken; `kept` bytes of all that was taken are not out yet. */
void lost_rows_take(struct lost_rows *rows, struct lost_stretch own, size_t bytes, size_t kept);

/* A row was not taken; `kept` as above. */
void lost_rows_miss(struct lost_rows *rows, struct lost_stretch own, size_t kept);

/* What is not out as of the last call is lost. */
void lost_rows_drop(struct lost_rows *rows);

#endif
