/* SPDX-License-Identifier: MIT */
#include "record/tally.h"

#include <math.h>

/* Free workloads that there are not make none of the load. */
static void add_bound(struct tally_bound *bound, const struct record *record, double share)
{
	if (share <= 0 || isnan(record->others))
		return;
	const double weight_ns = share * (double)record->length_ns;
	bound->weight_ns += weight_ns;
	bound->load += weight_ns * record->load;
	bound->free += weight_ns * (isnan(record->free) ? 0 : record->free);
	bound->others += weight_ns * record->others;
}

void tally_add(struct tally *tally, const struct record *record, int64_t origin_ns)
{
	const double error = fabs(record->load - record->target);
	if (!tally->samples++ || error > fabs(tally->worst_load - tally->worst_target)) {
		tally->worst_target = record->target;
		tally->worst_load = record->load;
		tally->worst_s = (double)(record->end_ns - origin_ns) / 1e9;
	}
	tally->highest_target = fmax(tally->highest_target, record->target);
	tally->length_ns += (double)record->length_ns;
	tally->alive_ns += record->alive * (double)record->length_ns;
	if (!isnan(record->free)) {
		tally->free_samples++;
		tally->free_work += record->free * record->machine.capacity;
		tally->free_capacity += record->machine.capacity;
		tally->free_most = fmax(tally->free_most, record->free);
	}
	add_bound(&tally->saturated, record, record->saturated);
	add_bound(&tally->starved, record, record->starved);
}

double tally_worst_error_pp(const struct tally *tally)
{
	return tally->samples ? 100 * (tally->worst_load - tally->worst_target) : NAN;
}

double tally_free_mean(const struct tally *tally)
{
	return tally->free_samples ? tally->free_work / tally->free_capacity : NAN;
}

double tally_free_most(const struct tally *tally)
{
	return tally->free_samples ? tally->free_most : NAN;
}

double tally_alive(const struct tally *tally)
{
	return tally->samples ? tally->alive_ns / tally->length_ns : NAN;
}

struct tally_bound tally_bound_mean(const struct tally_bound *sums)
{
	const double weight_ns = sums->weight_ns;
	if (weight_ns <= 0)
		return (struct tally_bound){0};
	return (struct tally_bound){weight_ns, sums->load / weight_ns, sums->free / weight_ns, sums->others / weight_ns};
}
