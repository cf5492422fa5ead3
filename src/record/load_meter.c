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

void background_start(struct background *background, double usage_s)
{
	background->before_s = usage_s;
}

double background_end(struct background *background, const struct sst_sample *machine, double usage_s)
{
	const double usage = usage_s - background->before_s;
	const bool is_known = machine->capacity > 0 && !isnan(usage);
	background->last = (struct sst_sample){machine->work - usage, machine->capacity};
	background->shown = load_meter_add(&background->meter, is_known ? &background->last : NULL, UNITS_S);
	return background->shown;
}

void background_count(const struct background *background, struct background_sums *sums)
{
	if (isnan(background->shown))
		return;
	sums->total.work += background->last.work;
	sums->total.capacity += background->last.capacity;
	sums->most = fmax(sums->most, background->shown);
	sums->counted++;
}

double background_mean(const struct background_sums *sums)
{
	return sums->counted ? fmin(fmax(sums->total.work / sums->total.capacity, 0), 1) : NAN;
}

double background_most(const struct background_sums *sums)
{
	return sums->counted ? sums->most : NAN;
}
