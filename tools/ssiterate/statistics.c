/* SPDX-License-Identifier: MIT */
#include "ssiterate/statistics.h"

#include <errno.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_sort_double.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "base/units.h"

int statistics_open(struct statistics *statistics, bool keeps)
{
	/* By default a lack of memory ends the program. */
	gsl_set_error_handler_off();
	*statistics = (struct statistics){.all = gsl_rstat_alloc(), .keeps = keeps};
	if (statistics->all)
		return 0;
	errno = ENOMEM;
	return -1;
}

void statistics_free(struct statistics *statistics)
{
	if (statistics->all)
		gsl_rstat_free(statistics->all);
	free(statistics->time_s);
	*statistics = (struct statistics){.all = NULL};
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
	gsl_rstat_add(time_s, statistics->all);
	if (!statistics->keeps || keep(statistics, time_s) == 0)
		return 0;
	statistics->keeps = false;
	return -1;
}

size_t statistics_count(const struct statistics *statistics)
{
	return statistics->all ? gsl_rstat_n(statistics->all) : 0;
}

double statistics_median(struct statistics *statistics)
{
	if (statistics->kept == 0)
		return NAN;
	gsl_sort(statistics->time_s, 1, statistics->kept);
	return gsl_stats_median_from_sorted_data(statistics->time_s, 1, statistics->kept);
}
