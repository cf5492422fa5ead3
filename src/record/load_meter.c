/* SPDX-License-Identifier: MIT */
#include "record/load_meter.h"

#include <math.h>

double load_meter_add(struct load_meter *meter, const struct sst_sample *sample, double limit)
{
	if (!sample) {
		meter->carried = 0;
		return NAN;
	}
	meter->work += sample->work;
	meter->capacity += sample->capacity;
	const double work = sample->work + meter->carried;
	const double shown = fmin(fmax(work, 0), sample->capacity);
	meter->carried = fmin(fmax(work - shown, -limit), limit);
	return shown / sample->capacity;
}

double load_meter_mean(const struct load_meter *meter)
{
	return meter->capacity > 0 ? fmin(fmax(meter->work / meter->capacity, 0), 1) : NAN;
}

/* What the units can make of an interval: two of the idle columns, and two of what ended in the workloads, in CPU-seconds. */
#define UNITS_S 0.04

void others_start(struct others *others, double ours_s)
{
	others->before_s = ours_s;
}

double others_end(struct others *others, const struct sst_sample *machine, double ours_s)
{
	const double ours = ours_s - others->before_s;
	const bool is_known = machine->capacity > 0 && !isnan(ours);
	others->last = (struct sst_sample){machine->work - ours, machine->capacity};
	others->shown = load_meter_add(&others->meter, is_known ? &others->last : NULL, UNITS_S);
	return others->shown;
}

void others_count(const struct others *others, struct others_sums *sums)
{
	if (isnan(others->shown))
		return;
	sums->total.work += others->last.work;
	sums->total.capacity += others->last.capacity;
	sums->most = fmax(sums->most, others->shown);
	sums->counted++;
}

double others_mean(const struct others_sums *sums)
{
	return sums->counted ? fmin(fmax(sums->total.work / sums->total.capacity, 0), 1) : NAN;
}

double others_most(const struct others_sums *sums)
{
	return sums->counted ? sums->most : NAN;
}
