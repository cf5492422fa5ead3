/* SPDX-License-Identifier: MIT */
#include "base/service_time.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

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

/* Of the distribution whose mean is 1. */
static double relative(const struct service_time *time, double share)
{
	const double parameter = time->parameter;
	switch (time->shape) {
	case SERVICE_EXPONENTIAL:
		return -log1p(-share);
	case SERVICE_LOGNORMAL:
		return exp(parameter * gsl_cdf_ugaussian_Pinv(share) - parameter * parameter / 2);
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
