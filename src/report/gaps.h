/* SPDX-License-Identifier: MIT */
/*
 * Rows that a log lacks. Where it was written, a row without a load stands for them (control_log.h); where somebody took them out, the next row
 * seems to be much longer than the others.
 */
#ifndef REPORT_GAPS_H
#define REPORT_GAPS_H

#include "report/log.h"

/*
 * Puts a row without a load in front of each row that would have to stand for others, so that none is taken for more than the usual length,
 * and divides one without a load where control begins in it. Once, after reading. 0, or -1 with errno.
 */
int report_gaps_fill(struct report_log *log);

/* After the warm-up, unless there is nothing else. Seconds. */
struct report_gaps {
	double unknown; /* without a load */
	double whole;
};
struct report_gaps report_gaps_measure(const struct report_log *log);

#endif
