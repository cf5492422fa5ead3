/* SPDX-License-Identifier: MIT */
/* Times that are too short to measure a load in, most of which were meant to be minutes. */
#ifndef BASE_SHORT_TIME_H
#define BASE_SHORT_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/units.h"

/* One sample of accuracy. */
#define SHORT_TIME_NS (500 * NS_PER_MS)
#define SHORT_TIME_MAX 256

/*
 * Whether a time other than zero is shorter than one sample. If so, `text` becomes what is to be said of it:
 * `1ms is shorter than one sample (500 ms): 1m is one millisecond; a minute is 1M or 1min`.
 */
bool short_time(int64_t ns, char text[static SHORT_TIME_MAX]);

#endif
