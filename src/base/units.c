/* SPDX-License-Identifier: MIT */
/*
 * One grammar each for times and loads, so that the command line, module options and traces can't disagree. Numbers are
 * scanned as decimal digits first and converted with strtod/strtoll in the C locale's notation (no program here sets LC_NUMERIC),
 * which keeps NaN, infinities, hexadecimal and leading blanks out.
 *
 * Times are computed exactly: whole digits and decimals are taken as integers, so that 0.1s is 100,000,000 ns and not a neighbour.
 */
#include "base/units.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	int64_t ns;
} time_units[] = {
	/* Longest first, so that `min` and `ms` are not taken for `m`. */
	{"min", 60 * NS_PER_S},
	{"ns", 1},
	{"us", NS_PER_US},
	{"ms", NS_PER_MS},
	{"n", 1},
	{"u", NS_PER_US},
	{"m", NS_PER_MS},
	{"s", NS_PER_S},
	{"M", 60 * NS_PER_S},
	{"h", 3600 * NS_PER_S},
	{"d", 86400 * NS_PER_S},
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t digits(const char *text, size_t length, size_t at)
{
	while (at < length && is_digit(text[at]))
		at++;
	return at;
}

/* End of an unsigned decimal number (12, 1.5, .5, 1.) that starts at `at`, or `at` itself when there is none. */
static size_t decimal(const char *text, size_t length, size_t at)
{
	const size_t whole = digits(text, length, at);
	size_t end = whole;
	if (end < length && text[end] == '.')
		end = digits(text, length, end + 1);
	const bool has_digit = whole > at || end > whole + 1;
	return has_digit ? end : at;
}

/* As decimal(), with an optional exponent. */
static size_t scientific(const char *text, size_t length, size_t at)
{
	const size_t end = decimal(text, length, at);
	if (end == at || end == length || (text[end] != 'e' && text[end] != 'E'))
		return end;
	size_t exponent = end + 1;
	if (exponent < length && (text[exponent] == '-' || text[exponent] == '+'))
		exponent++;
	const size_t last = digits(text, length, exponent);
	return last > exponent ? last : end;
}

static int stopped(size_t *stop, size_t at, int error)
{
	if (stop)
		*stop = at;
	errno = error;
	return -1;
}

/* number × unit in ns, exact up to the unit's last digit, then rounded half up. False when it exceeds int64_t. */
static bool scale(const char *number, size_t length, int64_t unit, int64_t *ns)
{
	int64_t whole = 0;
	size_t at = 0;
	for (; at < length && is_digit(number[at]); at++)
		if (__builtin_mul_overflow(whole, 10, &whole) || __builtin_add_overflow(whole, number[at] - '0', &whole))
			return false;
	if (__builtin_mul_overflow(whole, unit, &whole))
		return false;
	if (at < length) {
		/* Decimals beyond 10^-18 of the largest unit are far below a nanosecond. */
		__int128 part = 0;
		__int128 divisor = 1;
		for (at++; at < length && divisor < (__int128)1000000000000000000; at++) {
			part = part * 10 + (number[at] - '0');
			divisor *= 10;
		}
		const __int128 rounded = (part * unit * 2 + divisor) / (divisor * 2);
		if (__builtin_add_overflow(whole, (int64_t)rounded, &whole))
			return false;
	}
	*ns = whole;
	return true;
}

int units_parse_time(const char *text, size_t length, int64_t *ns, size_t *stop)
{
	int64_t total = 0;
	size_t at = 0;
	if (length == 0)
		return stopped(stop, 0, EINVAL);
	while (at < length) {
		const size_t start = at;
		const size_t end = decimal(text, length, start);
		if (end == start)
			return stopped(stop, start, EINVAL);
		int64_t unit = 0;
		for (size_t i = 0; i < sizeof time_units / sizeof *time_units && !unit; i++) {
			const size_t n = strlen(time_units[i].name);
			if (length - end >= n && memcmp(text + end, time_units[i].name, n) == 0) {
				unit = time_units[i].ns;
				at = end + n;
			}
		}
		if (!unit) {
			/* Only a number that stands alone may do without a unit. */
			if (start != 0 || end != length)
				return stopped(stop, end, EINVAL);
			unit = NS_PER_S;
			at = end;
		}
		int64_t part;
		if (!scale(text + start, end - start, unit, &part) || __builtin_add_overflow(total, part, &total))
			return stopped(stop, start, ERANGE);
	}
	if (stop)
		*stop = length;
	*ns = total;
	return 0;
}

/* Converts the bytes between two offsets, known to be a number. */
static double convert(const char *text, size_t start, size_t end)
{
	char small[64];
	const size_t length = end - start;
	if (length < sizeof small) {
		memcpy(small, text + start, length);
		small[length] = '\0';
		return strtod(small, NULL);
	}
	char *copy = strndup(text + start, length);
	if (!copy)
		return HUGE_VAL; /* the callers refuse it as out of range */
	const double value = strtod(copy, NULL);
	free(copy);
	return value;
}

int units_parse_load(const char *text, size_t length, double *load, size_t *stop)
{
	size_t at = scientific(text, length, 0);
	if (at == 0)
		return stopped(stop, 0, EINVAL);
	double value = convert(text, 0, at);
	if (at < length && text[at] == '/') {
		const size_t start = at + 1;
		const size_t end = decimal(text, length, start);
		if (end == start)
			return stopped(stop, start, EINVAL);
		const double divisor = convert(text, start, end);
		if (divisor == 0 || !isfinite(divisor))
			return stopped(stop, start, ERANGE);
		value /= divisor;
		at = end;
	} else if (at < length && text[at] == '%') {
		value /= 100;
		at++;
	}
	if (at != length)
		return stopped(stop, at, EINVAL);
	if (!(value >= 0 && value <= 1))
		return stopped(stop, 0, ERANGE);
	if (stop)
		*stop = length;
	*load = value;
	return 0;
}

int units_parse_real(const char *text, size_t length, double *value, size_t *stop)
{
	size_t at = 0;
	if (length > 0 && (text[0] == '-' || text[0] == '+'))
		at++;
	const size_t end = scientific(text, length, at);
	if (end == at || end != length)
		return stopped(stop, end, EINVAL);
	const double number = convert(text, 0, length);
	if (!isfinite(number))
		return stopped(stop, 0, ERANGE);
	if (stop)
		*stop = length;
	*value = number;
	return 0;
}

int units_parse_int(const char *text, size_t length, int64_t *value, size_t *stop)
{
	size_t at = 0;
	const bool negative = length > 0 && text[0] == '-';
	if (length > 0 && (text[0] == '-' || text[0] == '+'))
		at++;
	const size_t end = digits(text, length, at);
	if (end == at || end != length)
		return stopped(stop, end, EINVAL);
	int64_t number = 0;
	for (; at < length; at++) {
		const int digit = text[at] - '0';
		if (__builtin_mul_overflow(number, 10, &number) ||
			__builtin_add_overflow(number, negative ? -digit : digit, &number))
			return stopped(stop, 0, ERANGE);
	}
	if (stop)
		*stop = length;
	*value = number;
	return 0;
}

bool units_lacks_percent(const char *text)
{
	double number;
	return units_parse_real(text, strlen(text), &number, NULL) == 0 && number > 1 && number <= 100;
}

/* From here on a whole number of small units is hard to read. */
#define LONG_NUMBER 100000

char *units_print_time(int64_t ns, char text[static UNITS_TEXT_MAX])
{
	/* No single letter but those that mean the same everywhere: `m` is a minute to many. */
	static const struct {
		const char *name;
		int64_t ns;
	} printed[] = {{"d", 86400 * NS_PER_S}, {"h", 3600 * NS_PER_S}, {"min", 60 * NS_PER_S}, {"s", NS_PER_S},
		{"ms", NS_PER_MS}, {"us", NS_PER_US}, {"ns", 1}};
	enum { SECONDS = 3 };
	size_t i = ns ? 0 : SECONDS;
	while (ns % printed[i].ns != 0)
		i++;
	if (ns / printed[i].ns < LONG_NUMBER || i <= SECONDS) {
		snprintf(text, UNITS_TEXT_MAX, "%lld%s", (long long)(ns / printed[i].ns), printed[i].name);
		return text;
	}
	/* Nobody reads 59583333334ns: it is 59.583333334s. */
	while (i > SECONDS && ns >= printed[i - 1].ns)
		i--;
	const int64_t whole = ns / printed[i].ns, part = ns % printed[i].ns * NS_PER_S / printed[i].ns;
	int end = snprintf(text, UNITS_TEXT_MAX, "%lld.%09lld", (long long)whole, (long long)part);
	while (text[end - 1] == '0')
		end--;
	snprintf(text + end, UNITS_TEXT_MAX - (size_t)end, "%s", printed[i].name);
	return text;
}

char *units_print_real(double value, char text[static UNITS_TEXT_MAX])
{
	for (int precision = 1; precision <= 17; precision++) {
		snprintf(text, UNITS_TEXT_MAX, "%.*g", precision, value);
		if (strtod(text, NULL) == value)
			break;
	}
	/* 720 and not 7.2e+02. */
	if (fabs(value) < 1e15 && strstr(text, "e+"))
		snprintf(text, UNITS_TEXT_MAX, "%.0f", value);
	return text;
}

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
