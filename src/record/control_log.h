/* SPDX-License-Identifier: MIT */
/* The control log: `time_s,monotonic_s,target,load,estimate,duty,runnable,others[,power_w][,duty_00,…]`, CSV, whole rows only. */
#ifndef RECORD_CONTROL_LOG_H
#define RECORD_CONTROL_LOG_H

#include "record/recorder.h"

struct control_log;

/*
 * Creates or empties the file and writes the header; `power` adds the column power_w, workloads > 0 that many duty columns. NULL with
 * errno.
 */
struct control_log *control_log_open(const char *path, bool power, unsigned workloads);
/* The same with a last column for the pinning of the row. */
struct control_log *control_log_open_with_pinning(const char *path, bool power, unsigned workloads);

/*
 * Adds a row; time_s counts from origin_ns. What can't be written whole is taken back where the file allows it. 0, or -1 with
 * errno; the log may be used on.
 */
int control_log_add(struct control_log *log, const struct record *record, int64_t origin_ns);

/* 0, or -1 with errno when what was written may not have arrived. Accepts NULL. */
int control_log_close(struct control_log *log);

#endif
