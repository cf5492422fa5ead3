/* SPDX-License-Identifier: MIT */
/* What several subcommands do. */
#ifndef SSREPORT_PARTS_H
#define SSREPORT_PARTS_H

#include "report/colocation.h"
#include "report/window.h"
#include "ssreport/command.h"

/* Say what is wrong; -1. */
int complain(const char *error);
int complain_about_memory(void);

/* Cells of a row by enum column; those that the subcommand has no column for are passed over. */
struct row {
	union report_cell cell[COLUMN_COUNT];
};

#define WINDOW_COLUMNS 9
extern const enum column window_columns[WINDOW_COLUMNS];
#define EVENT_COLUMNS 10
extern const enum column event_columns[EVENT_COLUMNS];

/* Intervals, or steps with --per-step: as command.check, and what they are. */
int check_windows(const struct settings *settings);
struct report_windows_rules windows_rules(const struct settings *settings);

/* A row with what a window has; the file may be NULL. */
struct row row_of_window(const char *label, const char *file, const struct report_window *window);

/* These return 0, or -1 after a message. */
int add_row(struct report *report, const struct row *row);
int add_windows(struct report *report, const char *label, const char *file, const struct report_windows *windows);
int append_windows(struct report_windows *to, const struct report_windows *from);
/* Those that --outlier names are in the matrix. */
int check_outliers(const struct report *report);
int check_iterations(const struct report_run *run);
/* A window isn't shorter than a row. */
int check_window(const struct settings *settings, const struct report_log *log);
/* As report_accuracy, for the options; NULL after a message also where there is no sample. To be freed. */
struct report_accuracy *measure_accuracy(
	const struct settings *settings, const struct report_log *log, bool per_target, size_t *count);
/* As report_windows_make. */
int make_windows(struct report_windows *windows, const struct report_run *run, const struct report_log *log,
	const struct report_windows_rules *rules);
/* Calls `from` with the steps of all runs. */
int make_colocation(struct report *report, int (*from)(struct report *report, const struct report_colocation *colocation));
/* Calls `make` for each log of a run; one without any is refused. */
int for_each_log(struct report *report, const struct report_run *run,
	int (*make)(struct report *report, const struct report_run *run, const struct report_log *log));

/* Frees a text with the report; the text, or NULL with errno, when it is freed at once. */
const char *report_keep(struct report *report, char *text);

/* Begins the table anew with so many columns, report->column, which are still to be set. 0, or -1 after a message. */
int own_columns(struct report *report, size_t count);

/* Another one for the picture, which belongs to the report. NULL after a message. */
struct report_series *add_series(struct report *report, const char *label);

/* As command.size and command.draw. */
struct report_size size_lines(const struct report *report);
struct report_size size_matrix(const struct report *report);
int draw_matrix(const struct report *report, struct plot *plot, const struct report_size *size);

/* People see no mean of a few samples in these columns; that of some is of those without bursts. 0, or -1 after a message. */
int hide_few(struct report *report, const char *const *names, size_t count, const char *less);

#endif
