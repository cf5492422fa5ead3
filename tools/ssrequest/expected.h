/* SPDX-License-Identifier: MIT */
/* Which answers are as they should be. */
#ifndef SSREQUEST_EXPECTED_H
#define SSREQUEST_EXPECTED_H

#include <stdbool.h>
#include <stddef.h>

#include "ssrequest/request_log.h"

#define EXPECTED_FORM "statuses such as 200, 200-299,304 or 2xx"
#define EXPECTED_RANGES_MAX 32

/* Zero: every status that means no error. */
struct expected {
	struct {
		long from, to;
	} range[EXPECTED_RANGES_MAX];
	size_t ranges;
};

/* 0, or -1 where the text is no such list. */
int expected_parse(const char *text, struct expected *expected);

/* What became of a request that was answered with this status, of HTTP or of a command; `fits`: everything else is as expected. */
enum request_fate expected_judge(const struct expected *expected, bool is_command, long status, bool fits);

#endif
