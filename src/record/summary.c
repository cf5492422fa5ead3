/* SPDX-License-Identifier: MIT */
#include "record/summary.h"

#include <math.h>

/* What the start of a process may take. */
#define START_S 0.02

/* The bucket's upper end below which this part of all edges lies. */
static double percentile(const uint64_t count[static LATENESS_BUCKETS], uint64_t total, double part)
{
	uint64_t below = 0;
	for (unsigned bucket = 0; total && bucket < LATENESS_BUCKETS; bucket++) {
		below += count[bucket];
		if ((double)below >= part * (double)total)
			return lateness_bound_us(bucket);
	}
	return 0;
}

static void collect_lateness(struct summary *summary, const struct shared *shared)
{
	uint64_t count[LATENESS_BUCKETS] = {0};
	summary->edges = 0;
	for (unsigned i = 0; i < shared->workloads; i++)
		for (unsigned bucket = 0; bucket < LATENESS_BUCKETS; bucket++)
			count[bucket] += atomic_load(&shared->slot[i].lateness[bucket]);
	for (unsigned bucket = 0; bucket < LATENESS_BUCKETS; bucket++)
		summary->edges += count[bucket];
	summary->lateness_50_us = percentile(count, summary->edges, 0.5);
	summary->lateness_90_us = percentile(count, summary->edges, 0.9);
	summary->lateness_99_us = percentile(count, summary->edges, 0.99);
}

/* Counters that were read at different moments may disagree by their unit. */
struct summary_time summary_time_of(const struct slot *slot)
{
	const double total = (double)atomic_load(&slot->workload_cpu_ns) / 1e9;
	const double until = fmin((double)atomic_load(&slot->cpu_until_ns) / 1e9, total);
	const double before = fmin((double)atomic_load(&slot->cpu_before_ns) / 1e9, until);
	return (struct summary_time){before, until - before, total - until};
}

double summary_there(const struct summary *summary)
{
	const double alive = tally_alive(&summary->tally);
	return alive > 0 ? alive : 1;
}

static void add_time(struct summary_time *sum, const struct slot *slot)
{
	const struct summary_time time = summary_time_of(slot);
	sum->before += time.before;
	sum->control += time.control;
	sum->after += time.after;
}

void summary_collect(struct summary *summary, const struct shared *shared)
{
	double control = 0;
	double saturated = 0;
	double starved = 0;
	unsigned controlled = 0;
	for (unsigned i = 0; i < shared->workloads; i++) {
		struct slot_record record;
		latch_read(&shared->slot[i].record, &record, LATCH_SIZE(struct slot_record));
		controlled += !shared->slot[i].free;
		add_time(shared->slot[i].free ? &summary->free_cpu : &summary->controlled_cpu, &shared->slot[i]);
		control += record.control_ns;
		saturated += record.saturated_ns;
		starved += record.starved_ns;
		summary->executors_cpu_s += (double)atomic_load(&shared->slot[i].executor_cpu_ns) / 1e9;
		summary->lost += atomic_load(&shared->slot[i].lost);
		summary->respawns += atomic_load(&shared->slot[i].respawns);
	}
	summary->controlled_s = controlled ? control / controlled / 1e9 : 0;
	summary->saturated = control > 0 ? saturated / control : 0;
	summary->starved = control > 0 ? starved / control : 0;
	collect_lateness(summary, shared);
}

/* False when fewer than two can be compared. */
static bool compare_group(const struct shared *shared, unsigned group, struct summary_equal *equal)
{
	double total = 0;
	*equal = (struct summary_equal){.group = group, .least_s = INFINITY};
	for (unsigned i = 0; i < shared->workloads; i++) {
		const struct slot *slot = &shared->slot[i];
		if (slot->group != group)
			continue;
		equal->asked++;
		if (atomic_load(&slot->ended) || atomic_load(&slot->respawns) || atomic_load(&slot->lost) ||
			atomic_load(&slot->start_stage))
			continue;
		const double cpu_s = (double)atomic_load(&slot->workload_cpu_ns) / 1e9;
		equal->instances++;
		equal->least_s = fmin(equal->least_s, cpu_s);
		equal->most_s = fmax(equal->most_s, cpu_s);
		total += cpu_s;
	}
	equal->spread = (equal->most_s - equal->least_s) * equal->instances / total;
	return equal->instances > 1 && equal->most_s >= START_S;
}

static unsigned count_groups(const struct shared *shared)
{
	unsigned groups = 0;
	for (unsigned i = 0; i < shared->workloads; i++)
		if (shared->slot[i].group != SHARED_UNLIKE && shared->slot[i].group >= groups)
			groups = shared->slot[i].group + 1;
	return groups;
}

bool summary_next_equal(const struct shared *shared, unsigned group, struct summary_equal *equal)
{
	const unsigned groups = count_groups(shared);
	while (group < groups && !compare_group(shared, group, equal))
		group++;
	return group < groups;
}
