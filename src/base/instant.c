/* SPDX-License-Identifier: MIT */
#include "base/instant.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "base/units.h"

/* Beyond the year 2200 nanoseconds would not fit. */
#define SECONDS_LIMIT INT64_C(7258118400)
#define DAYS_AHEAD 7

/* So many digits, as a number. */
static bool digits(const char **at, unsigned count, int *value)
{
	*value = 0;
	for (; count; count--, (*at)++) {
		if (**at < '0' || **at > '9')
			return false;
		*value = *value * 10 + (**at - '0');
	}
	return true;
}

static bool character(const char **at, char expected)
{
	if (**at != expected)
		return false;
	(*at)++;
	return true;
}

/* HH:MM, and :SS where it is there. */
static bool clock_time(const char **at, bool seconds, struct tm *time)
{
	if (!digits(at, 2, &time->tm_hour) || !character(at, ':') || !digits(at, 2, &time->tm_min))
		return false;
	if (**at == ':' || seconds)
		return character(at, ':') && digits(at, 2, &time->tm_sec);
	return true;
}

/* Times that are skipped when clocks are put forward come back as others. */
static int to_ns(const struct tm *wanted, bool utc, int64_t *when_ns)
{
	struct tm time = *wanted;
	time.tm_isdst = -1;
	const time_t seconds = utc ? timegm(&time) : mktime(&time);
	if (time.tm_mday != wanted->tm_mday || time.tm_mon != wanted->tm_mon || time.tm_hour != wanted->tm_hour ||
		time.tm_min != wanted->tm_min || time.tm_sec != wanted->tm_sec)
		return fail(EINVAL);
	if (seconds < 0 || seconds > SECONDS_LIMIT)
		return fail(ERANGE);
	*when_ns = seconds * NS_PER_S;
	return 0;
}

/* .DECIMALS of a second; -1 when there are none behind the point. */
static int64_t decimals(const char **at)
{
	int64_t part = 0;
	int64_t unit = NS_PER_S;
	const char *const first = ++*at;
	for (; **at >= '0' && **at <= '9'; (*at)++) {
		unit /= 10;
		part += unit * (**at - '0');
	}
	return *at == first ? -1 : part;
}

/* @SECONDS, with decimals. */
static int since_epoch(const char *text, int64_t *when_ns)
{
	int64_t seconds = 0;
	int64_t part = 0;
	const char *at = text;
	for (; *at >= '0' && *at <= '9'; at++) {
		seconds = seconds * 10 + (*at - '0');
		if (seconds > SECONDS_LIMIT)
			return fail(ERANGE);
	}
	if (at == text)
		return fail(EINVAL);
	if (*at == '.' && (part = decimals(&at)) < 0)
		return fail(EINVAL);
	*when_ns = seconds * NS_PER_S + part;
	return *at ? fail(EINVAL) : 0;
}

/* Today or, when that has passed, on the next day that has such a time. */
static int next_at(const struct tm *wanted, int64_t now_ns, int64_t *when_ns)
{
	const time_t now = (time_t)(now_ns / NS_PER_S);
	struct tm today;
	if (wanted->tm_hour > 23 || wanted->tm_min > 59 || wanted->tm_sec > 59 || !localtime_r(&now, &today))
		return fail(EINVAL);
	for (int days = 0; days < DAYS_AHEAD; days++) {
		/* Noon is there on every day; it says which one that is. */
		struct tm day = today;
		day.tm_mday += days;
		day.tm_hour = 12;
		day.tm_min = day.tm_sec = 0;
		day.tm_isdst = -1;
		if (mktime(&day) == (time_t)-1)
			return fail(ERANGE);
		day.tm_hour = wanted->tm_hour;
		day.tm_min = wanted->tm_min;
		day.tm_sec = wanted->tm_sec;
		if (to_ns(&day, false, when_ns) == 0 && *when_ns > now_ns)
			return 0;
	}
	return fail(EINVAL);
}

/* YYYY-MM-DD and the T behind it. */
static bool date(const char **at, struct tm *time)
{
	if (!digits(at, 4, &time->tm_year) || !character(at, '-') || !digits(at, 2, &time->tm_mon) || !character(at, '-') ||
		!digits(at, 2, &time->tm_mday))
		return false;
	time->tm_year -= 1900;
	time->tm_mon--;
	return character(at, 'T');
}

int instant_parse(const char *text, int64_t now_ns, int64_t *when_ns)
{
	struct tm time = {0};
	const char *at = text;
	if (character(&at, '@'))
		return since_epoch(at, when_ns);
	if (strchr(text, 'T')) {
		if (!date(&at, &time) || !clock_time(&at, true, &time))
			return fail(EINVAL);
		const bool utc = character(&at, 'Z');
		return *at ? fail(EINVAL) : to_ns(&time, utc, when_ns);
	}
	if (!clock_time(&at, false, &time) || *at)
		return fail(EINVAL);
	return next_at(&time, now_ns, when_ns);
}
