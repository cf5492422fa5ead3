/* SPDX-License-Identifier: MIT */
/* How files of a run come together: their clocks, and iterations that have no label. */
#ifndef REPORT_JOIN_H
#define REPORT_JOIN_H

#include "base/csv.h"
#include "report/runs.h"

/*
 * Joins the files that were read: makes all times of a run those of one clock, finds the runs of iterations without a label, and
 * puts all iterations into their runs. 0, or -1 with a message.
 */
int report_join_files(struct report_input *input, char error[static CSV_ERROR_MAX]);

#endif
