/* SPDX-License-Identifier: MIT */
#include "base/frequency_wish.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/units.h"

/* Far more than any processor has. */
#define KHZ_MOST 1e9

static const struct {
	const char *name;
	double khz;
} units[] = {{"kHz", 1}, {"MHz", 1e3}, {"GHz", 1e6}};

static int out_of_range(void)
{
	return fail(ERANGE);
}

static int parse_share(const char *text, size_t length, struct frequency_wish *wish)
{
	double percent;
	if (units_parse_real(text, length, &percent, NULL) != 0)
		return -1;
	if (!(percent > 0 && percent <= 100))
		return out_of_range();
	*wish = (struct frequency_wish){.kind = FREQUENCY_SHARE, .share = percent / 100};
	return 0;
}

static int parse_exact(const char *text, size_t length, double unit_khz, struct frequency_wish *wish)
{
	double value;
	if (units_parse_real(text, length, &value, NULL) != 0)
		return -1;
	/* 1.8 GHz is no exact double; to kHz all are rounded. */
	const double khz = round(value * unit_khz);
	if (!(khz >= 1 && khz <= KHZ_MOST))
		return out_of_range();
	*wish = (struct frequency_wish){.kind = FREQUENCY_EXACT, .khz = (uint64_t)khz};
	return 0;
}

int frequency_wish_parse(const char *text, struct frequency_wish *wish)
{
	const size_t length = strlen(text);
	if (strcmp(text, "min") == 0 || strcmp(text, "max") == 0) {
		*wish = (struct frequency_wish){.kind = text[1] == 'i' ? FREQUENCY_MIN : FREQUENCY_MAX};
		return 0;
	}
	if (length > 1 && text[length - 1] == '%')
		return parse_share(text, length - 1, wish);
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		const size_t width = strlen(units[i].name);
		if (length > width && strcasecmp(text + length - width, units[i].name) == 0)
			return parse_exact(text, length - width, units[i].khz, wish);
	}
	/* A bare number could be meant in any of them. */
	return fail(EINVAL);
}

char *frequency_print(uint64_t khz, char text[static FREQUENCY_TEXT_MAX])
{
	if (khz % 1000)
		snprintf(text, FREQUENCY_TEXT_MAX, "%llu.%03lluMHz", (unsigned long long)khz / 1000,
			(unsigned long long)khz % 1000);
	else
		snprintf(text, FREQUENCY_TEXT_MAX, "%lluMHz", (unsigned long long)khz / 1000);
	return text;
}
