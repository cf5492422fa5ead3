/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "base/instant.h"
#include "base/units.h"

/* 2026-11-20T18:00:00Z */
#define NOW (INT64_C(1795197600) * NS_PER_S)

static void in_zone(const char *zone)
{
	assert_int_equal(setenv("TZ", zone, 1), 0);
	tzset();
}

static void take(const char *text, int64_t now_ns, int64_t seconds, int64_t ns)
{
	int64_t when_ns = -1;
	if (instant_parse(text, now_ns, &when_ns) != 0)
		fail_msg("'%s' is refused", text);
	if (when_ns != seconds * NS_PER_S + ns)
		fail_msg("'%s' is %lld, expected %lld", text, (long long)when_ns, (long long)(seconds * NS_PER_S + ns));
}

static void refuse(const char *text, int error)
{
	int64_t when_ns = -1;
	errno = 0;
	if (instant_parse(text, NOW, &when_ns) != -1 || errno != error)
		fail_msg("'%s': errno %d, expected %d", text, errno, error);
}

static void seconds_since_1970(void **state)
{
	(void)state;
	in_zone("CET-1CEST,M3.5.0,M10.5.0/3");
	take("@0", NOW, 0, 0);
	take("@1795197600", NOW, 1795197600, 0);
	take("@1795197600.25", NOW, 1795197600, 250000000);
	take("@1.0000000019", NOW, 1, 1); /* what is less than a nanosecond is nothing */
	static const char *const bad[] = {"@", "@x", "@1x", "@-1", "@.5", "@1.", "@1.5.5", "@ 1", "@1 ", "@1e9"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		refuse(bad[i], EINVAL);
	refuse("@99999999999", ERANGE);
	refuse("@99999999999999999999999999", ERANGE);
}

static void dates(void **state)
{
	(void)state;
	in_zone("CET-1CEST,M3.5.0,M10.5.0/3");
	take("2026-11-20T18:00:00Z", NOW, 1795197600, 0);
	take("2026-11-20T19:00:00", NOW, 1795197600, 0);
	take("2024-02-29T00:00:00Z", NOW, 1709164800, 0); /* the past is told apart by the caller */
	in_zone("UTC0");
	take("2026-11-20T18:00:00", NOW, 1795197600, 0);
	static const char *const bad[] = {"2026-02-29T00:00:00", "2026-13-01T00:00:00", "2026-00-01T00:00:00",
		"2026-11-31T00:00:00", "2026-11-20T24:00:00", "2026-11-20T18:60:00", "2026-11-20T18:00:60", "2026-11-20T18:00",
		"2026-11-20T18", "2026-11-20T", "T18:00:00", "2026-11-20 18:00:00", "2026-11-20", "26-11-20T18:00:00",
		"2026-11-20T18:00:00z", "2026-11-20T18:00:00ZZ", "2026-11-20T18:00:00+01:00", "2026-1-20T18:00:00", ""};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		refuse(bad[i], EINVAL);
	refuse("9999-01-01T00:00:00", ERANGE);
	refuse("1969-01-01T00:00:00", ERANGE);
}

static void times_of_day_are_the_next_ones(void **state)
{
	(void)state;
	in_zone("UTC0");
	take("18:01", NOW, 1795197660, 0);
	take("18:00:01", NOW, 1795197601, 0);
	take("18:00", NOW, 1795197600 + 86400, 0); /* that is now */
	take("17:59:59", NOW, 1795197600 + 86400 - 1, 0);
	take("00:00", NOW, 1795197600 + 6 * 3600, 0);
	static const char *const bad[] = {"24:00", "23:60", "23:59:60", "1:00", "01:0", "0100", "01:00:", "01:00:0",
		"01:00:00:00", "01:00pm", " 01:00", "-1:00", ":"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		refuse(bad[i], EINVAL);
	in_zone("CET-1CEST,M3.5.0,M10.5.0/3");
	take("18:00", NOW, 1795197600 + 82800, 0); /* it is 19:00 there */
	take("19:01", NOW, 1795197660, 0);
}

/* Clocks are put forward on 28 March 2027 at 2:00, and back on 31 October at 3:00. */
static void changes_of_the_clock(void **state)
{
	(void)state;
	in_zone("CET-1CEST,M3.5.0,M10.5.0/3");
	refuse("2027-03-28T02:30:00", EINVAL);
	take("2027-03-28T03:30:00", NOW, 1806197400, 0);
	const int64_t evening_before = INT64_C(1806174000);      /* 27 March, 20:00 local */
	take("02:30", evening_before * NS_PER_S, 1806280200, 0); /* there is none that night, but in the next */
	take("03:30", evening_before * NS_PER_S, 1806197400, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seconds_since_1970),
		cmocka_unit_test(dates),
		cmocka_unit_test(times_of_day_are_the_next_ones),
		cmocka_unit_test(changes_of_the_clock),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
