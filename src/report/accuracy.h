/* SPDX-License-Identifier: MIT */
/* Which samples of a log count for its accuracy, and the accuracy at each level of the target. */
#ifndef REPORT_ACCURACY_H
#define REPORT_ACCURACY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/accuracy.h"
#include "report/log.h"

/* Times in seconds. A row is left out when its middle lies in a stretch that is. */
struct report_accuracy_rules {
	double window;     /* length of a sample; 0: a row of the log is one */
	double settle;     /* left out after control begins, also after a free stretch */
	double skip_edges; /* left out after each jump of the target */
	double burst;      /* a row in which the background load is above this, 0 to 1, is one of a burst */
	double calm;       /* what follows a burst for so long is not calm either */
};

struct report_accuracy {
	double target;  /* the level; NaN for all samples together */
	double seconds; /* length of the samples */
	struct accuracy accuracy;
	/*
	 * Of them, the samples without a burst: each of their rows is calm, and the background load is known in it. Meaningless where
	 * knows_background is false: where the log doesn't have it, or in no row.
	 */
	bool knows_background;
	struct accuracy calm;
};

/*
 * The accuracy of a log with targets: of all samples, and, with `levels`, behind that of the samples at each target that lasted
 * (report_log_steps), sorted by it. Samples are those after the warm-up whose load and target are known, but not a row beside a
 * free one, of which a part may have been free, and nothing of half the sample's length or less. With a window, the rows whose
 * middle lies in it are one sample, weighted by their lengths. Returns an array to be freed, of `count`, or NULL with errno.
 */
struct report_accuracy *report_accuracy(
	const struct report_log *log, const struct report_accuracy_rules *rules, int levels, size_t *count);

#endif
