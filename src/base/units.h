/* SPDX-License-Identifier: MIT */
/* The notations of times and loads (showstopper(1), NOTATION), shared by every program. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NS_PER_US INT64_C(1000)
#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S INT64_C(1000000000)

/* What the parsers below expect, for messages. */
#define UNITS_TIME_EXPECTED "a time such as 107ms, 0.5s or 1min30s"
#define UNITS_LOAD_EXPECTED "a load from 0 to 1, such as 1/3, 0.25 or 25%"

/*
 * Each parser reads the `length` bytes at `text` whole, stores the value and returns 0, or returns -1 with errno EINVAL (malformed) or
 * ERANGE (too large for the type, or a load outside 0..1) and leaves *value alone. `stop`, where not NULL, receives the
 * offset of the first byte that can't be part of the notation (or length).
 */
int units_parse_time(const char *text, size_t length, int64_t *ns, size_t *stop);
int units_parse_load(const char *text, size_t length, double *load, size_t *stop);
/* Decimal number: sign, digits, point, exponent; no NaN, infinity or hexadecimal. */
int units_parse_real(const char *text, size_t length, double *value, size_t *stop);
/* Whether it is a number above 1, up to 100: a load in per cent whose sign was forgotten. */
bool units_lacks_percent(const char *text);
int units_parse_int(const char *text, size_t length, int64_t *value, size_t *stop);

/* Longest text that the printers below make, with its NUL. */
#define UNITS_TEXT_MAX 40

/* Prints the exact time in the largest unit that is one (107ms, 90s, 2min), or with decimals (59.583333334s); parses back to the same. Returns text. */
char *units_print_time(int64_t ns, char text[static UNITS_TEXT_MAX]);
/* Prints the shortest decimal number that reads back as the same double. Returns text. */
char *units_print_real(double value, char text[static UNITS_TEXT_MAX]);

/* Times that are too short to measure a load in, most of which were meant to be minutes. */

/* One sample of accuracy. */
#define SHORT_TIME_NS (500 * NS_PER_MS)
#define SHORT_TIME_MAX 256

/*
 * Whether a time other than zero is shorter than one sample. If so, `text` becomes what is to be said of it:
 * `1ms is shorter than one sample (500 ms): 1m is one millisecond; a minute is 1M or 1min`.
 */
bool short_time(int64_t ns, char text[static SHORT_TIME_MAX]);

/* The one notation of numbers in /proc and /sys that all parsers share. */

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
