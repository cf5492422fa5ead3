/* SPDX-License-Identifier: MIT */
/*
 * The summary line of /proc/stat counts all processors that are possible, and the kernel resets, replaces or corrects the
 * idle time of one that goes offline or comes back. So differences of the summary are used only between readings with the same
 * processors, and else those of the processors which were there at both ends.
 */
#include "os/load.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static int by_id(const void *a, const void *b)
{
	const struct linux_stat_cpu *x = a, *y = b;
	return (x->id > y->id) - (x->id < y->id);
}

static bool is_ascending(const struct linux_load_reading *reading)
{
	for (size_t i = 1; i < reading->count; i++)
		if (reading->cpu[i].id <= reading->cpu[i - 1].id)
			return false;
	return true;
}

int linux_load_parse(
	const char *text, size_t length, int64_t when_ns, const struct sst_cpus *subset, struct linux_load_reading *reading)
{
	reading->when_ns = when_ns;
	reading->count = 0;
	if (linux_stat_parse(text, length, subset, &reading->stat) != 0) {
		if (!subset || linux_stat_parse(text, length, NULL, &reading->stat) != 0)
			return -1;
		reading->stat.processors = 0;
		return 0;
	}
	size_t count = linux_stat_parse_cpus(text, length, subset, reading->cpu, reading->room);
	if (count > reading->room) {
		struct linux_stat_cpu *const larger = realloc(reading->cpu, count * sizeof *larger);
		if (!larger)
			return -1;
		reading->cpu = larger;
		reading->room = count;
		count = linux_stat_parse_cpus(text, length, subset, reading->cpu, reading->room);
	}
	reading->count = count;
	if (!is_ascending(reading))
		qsort(reading->cpu, count, sizeof *reading->cpu, by_id);
	return 0;
}

void linux_load_free(struct linux_load_reading *reading)
{
	free(reading->cpu);
	*reading = (struct linux_load_reading){0};
}

static bool sample(const struct linux_stat_times *before, int64_t before_ns, double processors_before,
	const struct linux_stat_times *now, int64_t now_ns, double processors_now, enum linux_load_counters counters, double hz,
	struct sst_sample *result)
{
	const struct sst_reading from = linux_stat_reading(before, processors_before, before_ns);
	const struct sst_reading to = linux_stat_reading(now, processors_now, now_ns);
	return counters == LINUX_LOAD_IDLE ? linux_stat_sample_idle(&from, &to, hz, result)
					   : linux_stat_sample_ticks(&from, &to, hz, result);
}

static bool same_processors(const struct linux_load_reading *before, const struct linux_load_reading *now)
{
	if (before->stat.processors != now->stat.processors || before->count != now->count)
		return false;
	for (size_t i = 0; i < now->count; i++)
		if (before->cpu[i].id != now->cpu[i].id)
			return false;
	return true;
}

static const struct linux_stat_times *find(const struct linux_load_reading *reading, unsigned id)
{
	const struct linux_stat_cpu key = {.id = id};
	const struct linux_stat_cpu *const found =
		reading->count ? bsearch(&key, reading->cpu, reading->count, sizeof key, by_id) : NULL;
	return found ? &found->times : NULL;
}

bool linux_load_has_cpu(const struct linux_load_reading *reading, unsigned id)
{
	return find(reading, id) != NULL;
}

bool linux_load_sample_cpu(const struct linux_load_reading *before, const struct linux_load_reading *now, unsigned id,
	enum linux_load_counters counters, double hz, struct sst_sample *result)
{
	const struct linux_stat_times *const from = find(before, id), *const to = find(now, id);
	return from && to && sample(from, before->when_ns, 1, to, now->when_ns, 1, counters, hz, result);
}

bool linux_load_sample(const struct linux_load_reading *before, const struct linux_load_reading *now,
	enum linux_load_counters counters, double hz, struct sst_sample *result)
{
	if (before->stat.processors == 0 || now->stat.processors == 0)
		return false;
	if (same_processors(before, now) && sample(&before->stat.total, before->when_ns, before->stat.processors,
						    &now->stat.total, now->when_ns, now->stat.processors, counters, hz, result))
		return true;
	struct sst_sample sum = {0}, one;
	for (size_t i = 0; i < now->count; i++) {
		if (linux_load_sample_cpu(before, now, now->cpu[i].id, counters, hz, &one)) {
			sum.work += one.work;
			sum.capacity += one.capacity;
		}
	}
	if (!(sum.capacity > 0))
		return false;
	*result = sum;
	return true;
}

double linux_load_steal(const struct linux_load_reading *before, const struct linux_load_reading *now, double hz)
{
	if (!(before->stat.present & now->stat.present & LINUX_STAT_STEAL) || now->when_ns <= before->when_ns ||
		before->stat.processors == 0 || now->stat.processors == 0)
		return NAN;
	const double seconds = ((double)now->when_ns - (double)before->when_ns) / 1e9;
	if (same_processors(before, now)) {
		if (now->stat.total.steal < before->stat.total.steal)
			return NAN;
		return (double)(now->stat.total.steal - before->stat.total.steal) / hz / (seconds * now->stat.processors);
	}
	double ticks = 0, processors = 0;
	for (size_t i = 0; i < now->count; i++) {
		const struct linux_stat_times *const from = find(before, now->cpu[i].id);
		if (from && now->cpu[i].times.steal >= from->steal) {
			ticks += (double)(now->cpu[i].times.steal - from->steal);
			processors++;
		}
	}
	return processors > 0 ? ticks / hz / (seconds * processors) : NAN;
}
