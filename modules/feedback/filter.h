/* SPDX-License-Identifier: MIT */
/* What feedback modules share that filter their samples as the paper does: two options, and the hooks that follow from them. */
#ifndef FEEDBACK_FILTER_H
#define FEEDBACK_FILTER_H

#include "base/units.h"
#include "showstopper/module.h"

/* The state of such a module begins with this. */
struct filter {
	int64_t base_ns, share_ns; /* processor-time */
};

/* Members of the rows of its table of options, the help last: a text behind them goes on with it. */
#define FILTER_BASE                                                                                                              \
	.name = "base", .type = SST_TIME, .offset = offsetof(struct filter, base_ns), .initial = "333m", .least = "1m",          \
	.most = "1h", .help = "base period of the filter, in processor-time (delta)"
#define FILTER_SHARE                                                                                                             \
	.name = "share", .type = SST_TIME, .offset = offsetof(struct filter, share_ns), .initial = "40m", .least = "1m",         \
	.most = "1h", .help = FILTER_SHARE_HELP
#define FILTER_SHARE_HELP "executors use one another's samples up to this age, in processor-time"

/* As sst_feedback.estimate. */
static inline double filter_estimate(const void *state, double load, const struct sst_sample *sample)
{
	const struct filter *filter = state;
	return sst_filter(load, sample, (double)filter->base_ns / (double)NS_PER_S);
}

/* As sst_feedback.interval, for counters with this unit in ns: below it a sample would be noise. */
static inline int64_t filter_interval(const struct filter *filter, double processors, int64_t unit_ns)
{
	const int64_t share = (int64_t)((double)filter->share_ns / processors);
	return share > unit_ns ? share : unit_ns;
}

/* As sst_feedback.sample, for a source that counts the ns worked in counter[0]. */
static inline bool filter_sample_ns(
	const void *state, const struct sst_reading *before, const struct sst_reading *now, struct sst_sample *sample)
{
	(void)state;
	return sst_sample_ns(before, now, sample);
}

#endif
