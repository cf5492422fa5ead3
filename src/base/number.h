/* SPDX-License-Identifier: MIT */
/* The one notation of numbers in /proc and /sys that all parsers share. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Reads decimal digits at *at and moves *at behind them; false, and nothing moved, when there are none or the value exceeds 64 bits. */
static inline bool linux_number(const char **at, const char *end, uint64_t *value)
{
	const char *p = *at;
	uint64_t sum = 0;
	for (; p < end && *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(sum, 10, &sum) || __builtin_add_overflow(sum, (uint64_t)(*p - '0'), &sum))
			return false;
	if (p == *at)
		return false;
	*at = p;
	*value = sum;
	return true;
}

#endif
