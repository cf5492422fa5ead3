/* SPDX-License-Identifier: MIT */
/*
 * Any text is a moment or refused. A time of day is one within the week that comes. What is taken is the same moment when it is
 * written as seconds since 1970. The first byte chooses a time zone.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/instant.h"
#include "base/units.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NOW (INT64_C(1795197600) * NS_PER_S)

static void check(bool condition)
{
	if (!condition)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const zones[] = {"UTC0", "CET-1CEST,M3.5.0,M10.5.0/3", "NNN+11:30", "AAA-14BBB,0/0,J365/23"};
	char again[64];
	int64_t when_ns;
	int64_t same_ns;
	if (size == 0)
		return 0;
	setenv("TZ", zones[data[0] % 4], 1);
	tzset();
	char *text = strndup((const char *)data + 1, size - 1);
	check(text);
	if (instant_parse(text, NOW, &when_ns) == 0) {
		check(when_ns >= 0);
		if (!strchr(text, 'T') && *text != '@')
			check(when_ns > NOW && when_ns < NOW + 9 * 86400 * NS_PER_S);
		snprintf(again, sizeof again, "@%" PRId64 ".%09" PRId64, when_ns / NS_PER_S, when_ns % NS_PER_S);
		check(instant_parse(again, NOW, &same_ns) == 0 && same_ns == when_ns);
	} else {
		check(errno == EINVAL || errno == ERANGE);
	}
	free(text);
	return 0;
}
