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
