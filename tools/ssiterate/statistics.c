/* SPDX-License-Identifier: MIT */
#include "ssiterate/statistics.h"

#include <math.h>
#include <stdlib.h>

#include "base/units.h"

void statistics_free(struct statistics *statistics)
{
	free(statistics->time_s);
	*statistics = (struct statistics){0};
}

static int keep(struct statistics *statistics, double time_s)
{
	if (statistics->kept == statistics->room) {
		const size_t room = statistics->room ? 2 * statistics->room : 256;
		double *const grown = reallocarray(statistics->time_s, room, sizeof *grown);
		if (!grown)
			return -1;
		statistics->time_s = grown;
		statistics->room = room;
	}
	statistics->time_s[statistics->kept++] = time_s;
	return 0;
}

int statistics_add(struct statistics *statistics, int64_t time_ns)
{
	const double time_s = (double)time_ns / (double)NS_PER_S;
	const double over_s = time_s - statistics->mean_s;
	statistics->min_s = statistics->count > 0 ? fmin(statistics->min_s, time_s) : time_s;
	statistics->max_s = fmax(statistics->max_s, time_s);
	statistics->mean_s += over_s / (double)++statistics->count;
	statistics->squares += over_s * (time_s - statistics->mean_s);
	if (!statistics->keeps || keep(statistics, time_s) == 0)
		return 0;
	statistics->keeps = false;
	return -1;
}

double statistics_deviation(const struct statistics *statistics)
{
	return sqrt(statistics->squares / (double)(statistics->count - 1));
}

static int by_value(const void *one, const void *other)
{
	const double a = *(const double *)one, b = *(const double *)other;
	return (a > b) - (a < b);
}

double statistics_median(struct statistics *statistics)
{
	const size_t count = statistics->kept;
	if (count == 0)
		return NAN;
	qsort(statistics->time_s, count, sizeof *statistics->time_s, by_value);
	return (statistics->time_s[(count - 1) / 2] + statistics->time_s[count / 2]) / 2;
}
