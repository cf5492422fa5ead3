/* SPDX-License-Identifier: MIT */
/*
 * The record of a run for programs: --export-json and --export-csv. Documented in showstopper-record(5), and in
 * tests/fixtures/export.schema.json.
 */
#ifndef RECORD_EXPORT_H
#define RECORD_EXPORT_H

#include "control/run.h"
#include "record/summary.h"
#include "self/scheduling.h"

/* Changes when a member of the JSON record changes its meaning or goes. */
#define EXPORT_SCHEMA 1

struct export
{
	const struct run *run;
	const struct summary *summary;
	const struct scheduling_grant *grant;
	int64_t trace_length_ns; /* -1: endless */
	int64_t started_s;       /* wall clock, seconds since 1970 */
	int exit_status;         /* what the run is going to exit with; negative: by that signal */
};

/* Each creates or replaces the file; 0, or -1 with errno. */
int export_json(const struct export *export, const char *path);
/* One header row and one row of values. */
int export_csv(const struct export *export, const char *path);

#endif
