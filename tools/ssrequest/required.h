/* SPDX-License-Identifier: MIT */
/* What --require asks of a run. */
#ifndef SSREQUEST_REQUIRED_H
#define SSREQUEST_REQUIRED_H

#include <stdbool.h>

#include "ssrequest/outcome.h"

#define REQUIRED_FORM "mean, p50, p90, p95, p99, p99.9 or max=TIME, errors, timeouts or drops=SHARE, with commas between them"

/* At most so much of each; times in seconds, shares from 0 to 1. NaN: whatever it is. */
struct required {
	double most[OUTCOME_FIGURES];
};

void required_init(struct required *required);

/* 0, or -1 after a message that calls the option `source`. */
int required_parse(const char *source, const char *text, struct required *required);

/* Says what was missed; false when something was. What isn't known was missed. */
bool required_is_met(const struct required *required, const struct outcome *outcome);

#endif
