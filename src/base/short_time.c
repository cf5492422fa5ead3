/* SPDX-License-Identifier: MIT */
#include "base/short_time.h"

#include <stdio.h>

/* Nobody writes a minute with more decimals than this. */
#define LEAST_MISREAD_NS (NS_PER_MS / 100)

bool short_time(int64_t ns, char text[static SHORT_TIME_MAX])
{
	char time[UNITS_TEXT_MAX];
	char readings[128] = "";
	const double number = (double)ns / (double)NS_PER_MS;
	if (ns <= 0 || ns >= SHORT_TIME_NS)
		return false;
	if (ns == NS_PER_MS)
		snprintf(readings, sizeof readings, ": 1m is one millisecond; a minute is 1M or 1min");
	else if (ns >= LEAST_MISREAD_NS)
		snprintf(readings, sizeof readings, ": %gm is %g milliseconds; %g minutes are %gM or %gmin", number, number,
			number, number, number);
	snprintf(text, SHORT_TIME_MAX, "%s is shorter than one sample (500 ms)%s", units_print_time(ns, time), readings);
	return true;
}
