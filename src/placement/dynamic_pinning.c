/* SPDX-License-Identifier: MIT */
#include "placement/dynamic_pinning.h"

#include <math.h>
#include <stddef.h>

#include "placement/pinning.h"

/* As the option table fills it: choices are indices into `schemes`. */
struct settings {
	int below, above;
	double threshold, hysteresis;
	int64_t dwell_ns;
};

static const char *const schemes[] = {"neutral", "per-chip", "per-core", "per-thread", "packed", "spread", NULL};

static const struct sst_option options[] = {
	{.name = "below",
		.type = SST_CHOICE,
		.offset = offsetof(struct settings, below),
		.initial = "per-thread",
		.choices = schemes,
		.help = "scheme at low load"},
	{.name = "above",
		.type = SST_CHOICE,
		.offset = offsetof(struct settings, above),
		.initial = "per-chip",
		.choices = schemes,
		.help = "scheme at high load"},
	{.name = "threshold",
		.type = SST_LOAD,
		.offset = offsetof(struct settings, threshold),
		.initial = "50%",
		.help = "load between the two"},
	{.name = "hysteresis",
		.type = SST_LOAD,
		.offset = offsetof(struct settings, hysteresis),
		.initial = "5%",
		.help = "so far beyond the threshold they change"},
	{.name = "dwell",
		.type = SST_TIME,
		.offset = offsetof(struct settings, dwell_ns),
		.initial = "5s",
		.least = "0",
		.most = "1d",
		.help = "least time between two changes"},
	{0},
};

int dynamic_pinning_parse(const char *text, struct dynamic_pinning *dynamic, char error[static OPTION_ERROR_MAX])
{
	struct settings settings;
	struct option_memory memory = {0};
	const int result = option_parse(options, text, &settings, &memory, error);
	option_free(&memory);
	if (result != 0)
		return -1;
	*dynamic = (struct dynamic_pinning){
		.below = pinning_find(schemes[settings.below]),
		.above = pinning_find(schemes[settings.above]),
		.threshold = settings.threshold,
		.hysteresis = settings.hysteresis,
		.dwell_ns = settings.dwell_ns,
	};
	if (dynamic->below == dynamic->above) {
		snprintf(error, OPTION_ERROR_MAX, "below and above are both %s: expected two schemes",
			pinning_name(dynamic->below));
		return -1;
	}
	if (dynamic->threshold - dynamic->hysteresis > 0 && dynamic->threshold + dynamic->hysteresis < 1)
		return 0;
	snprintf(error, OPTION_ERROR_MAX,
		"threshold %g with hysteresis %g can't be passed both ways: expected what stays between 0 and 1",
		dynamic->threshold, dynamic->hysteresis);
	return -1;
}

void dynamic_pinning_print(const struct dynamic_pinning *dynamic, FILE *to)
{
	const struct settings settings = {
		.below = (int)dynamic->below - PIN_NEUTRAL,
		.above = (int)dynamic->above - PIN_NEUTRAL,
		.threshold = dynamic->threshold,
		.hysteresis = dynamic->hysteresis,
		.dwell_ns = dynamic->dwell_ns,
	};
	option_print(options, &settings, to);
}

bool dynamic_pinning_step(struct pinning_course *course, double load, int64_t now_ns)
{
	const struct dynamic_pinning *const settings = course->settings;
	if (isnan(load) || now_ns - course->since_ns < settings->dwell_ns)
		return false;
	if (course->is_above ? load >= settings->threshold - settings->hysteresis
			     : load <= settings->threshold + settings->hysteresis)
		return false;
	course->is_above = !course->is_above;
	course->since_ns = now_ns;
	return true;
}

enum pinning dynamic_pinning_scheme(const struct pinning_course *course)
{
	return course->is_above ? course->settings->above : course->settings->below;
}
