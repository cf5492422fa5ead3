/* SPDX-License-Identifier: MIT */
#include "ssrequest/response_times.h"

#include <math.h>

#include "base/units.h"

/* Times below this have a bin each; above, a bin's number is the power of two, and the ten bits behind the first. */
#define EXACT_BELOW RESPONSE_TIMES_BINS

static unsigned bin_of(uint64_t time_ns)
{
	if (time_ns < EXACT_BELOW)
		return (unsigned)time_ns;
	const unsigned power = 63u - (unsigned)__builtin_clzll(time_ns) - 10u;
	return (power + 1) * RESPONSE_TIMES_BINS + (unsigned)(time_ns >> power) - RESPONSE_TIMES_BINS;
}

/* The time that stands for all of the bin. */
static double middle_ns(unsigned bin)
{
	if (bin < EXACT_BELOW)
		return bin;
	const unsigned power = bin / RESPONSE_TIMES_BINS - 1;
	const double first = ldexp((double)(bin % RESPONSE_TIMES_BINS + RESPONSE_TIMES_BINS), (int)power);
	return first + (ldexp(1, (int)power) - 1) / 2;
}

void response_times_add(struct response_times *times, int64_t time_ns)
{
	if (time_ns < 0)
		time_ns = 0;
	if (times->count == 0 || time_ns < times->least_ns)
		times->least_ns = time_ns;
	if (time_ns > times->most_ns)
		times->most_ns = time_ns;
	times->count++;
	times->sum_ns += (long double)time_ns;
	times->bin[bin_of((uint64_t)time_ns)]++;
}

double response_times_mean_s(const struct response_times *times)
{
	return times->count ? (double)(times->sum_ns / (long double)times->count / NS_PER_S) : NAN;
}

double response_times_most_s(const struct response_times *times)
{
	return times->count ? (double)times->most_ns / (double)NS_PER_S : NAN;
}

double response_times_quantile_s(const struct response_times *times, double share)
{
	if (!times->count)
		return NAN;
	/* 0.999 times 1,000 is a little more than 999. */
	const double place = ceil(share * (double)times->count * (1 - 1e-12));
	const uint64_t rank = place < 1 ? 1 : (uint64_t)place;
	uint64_t below = 0;
	unsigned bin = 0;
	while (below + times->bin[bin] < rank)
		below += times->bin[bin++];
	const double time_ns = fmin(fmax(middle_ns(bin), (double)times->least_ns), (double)times->most_ns);
	return time_ns / (double)NS_PER_S;
}
