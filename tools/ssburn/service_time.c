/* SPDX-License-Identifier: MIT */
#include "ssburn/service_time.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/units.h"

static const struct {
	const char *name, *parameter; /* NULL: has none */
	double above, most;           /* the parameter */
} shapes[] = {
	[SERVICE_CONSTANT] = {"constant", NULL, 0, 0},
	[SERVICE_EXPONENTIAL] = {"exponential", NULL, 0, 0},
	[SERVICE_LOGNORMAL] = {"lognormal", ":sigma=", 0, 10},
	[SERVICE_PARETO] = {"pareto", ":shape=", 1, 1000},
};

/* What stands behind a prefix, or NULL where the text begins otherwise. */
static const char *behind(const char *text, const char *prefix)
{
	const size_t length = strlen(prefix);
	return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

int service_time_parse(const char *text, struct service_time *time)
{
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		const char *at = behind(text, shapes[i].name);
		double parameter = 0;
		if (at && shapes[i].parameter) {
			at = behind(at, shapes[i].parameter);
			if (!at || units_parse_real(at, strlen(at), &parameter, NULL) != 0 || !(parameter > shapes[i].above) ||
				parameter > shapes[i].most)
				return -1;
		} else if (!at || *at) {
			continue;
		}
		time->shape = (enum service_shape)i;
		time->parameter = parameter;
		return 0;
	}
	return -1;
}

/* Of the standard normal distribution: Abramowitz and Stegun 26.2.23, and Halley's steps from there to all digits. */
static double normal_quantile(double share)
{
	const double tail = fmin(share, 1 - share);
	const double t = sqrt(-2 * log(tail));
	double x = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
	for (int step = 0; step < 2; step++) {
		const double over = (erfc(x / M_SQRT2) / 2 - tail) * sqrt(2 * M_PI) * exp(x * x / 2);
		x += over / (1 - x * over / 2);
	}
	return share < 0.5 ? -x : x;
}

/* Of the distribution whose mean is 1. */
static double relative(const struct service_time *time, double share)
{
	const double parameter = time->parameter;
	switch (time->shape) {
	case SERVICE_EXPONENTIAL:
		return -log1p(-share);
	case SERVICE_LOGNORMAL:
		return exp(parameter * normal_quantile(share) - parameter * parameter / 2);
	case SERVICE_PARETO:
		return (parameter - 1) / parameter * exp(-log1p(-share) / parameter);
	case SERVICE_CONSTANT:
		break;
	}
	return 1;
}

int64_t service_time_quantile(const struct service_time *time, double share)
{
	const double ns = (double)time->mean_ns * relative(time, share);
	return ns < (double)SERVICE_TIME_MOST_NS ? (int64_t)llround(ns) : SERVICE_TIME_MOST_NS;
}

int64_t service_time_draw(const struct service_time *time, uint64_t random)
{
	return service_time_quantile(time, ((double)(random >> 12) + 0.5) * 0x1p-52);
}
