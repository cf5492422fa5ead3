/* SPDX-License-Identifier: MIT */
#include "record/recorder.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

/* The target's mean over an interval is taken from this many moments of it. */
#define TARGET_POINTS 100

int recorder_init(struct recorder *recorder, const struct run *run, int64_t interval_ns, bool instances)
{
	*recorder = (struct recorder){.run = run, .interval_ns = interval_ns};
	if (!instances)
		return 0;
	recorder->duty_ns = calloc(run->config->workloads, sizeof *recorder->duty_ns);
	recorder->duties = calloc(run->config->workloads, sizeof *recorder->duties);
	return recorder->duty_ns && recorder->duties ? 0 : -1;
}

void recorder_free(struct recorder *recorder)
{
	free(recorder->duty_ns);
	free(recorder->duties);
	recorder->duty_ns = recorder->duties = NULL;
}

/* Integrals of all workloads that are controlled, up to now_ns; `each`, where not NULL, receives the ∫ duty dt of each, also of free ones. */
static struct recorder_sums sum_slots(const struct run *run, int64_t now_ns, double *each)
{
	struct recorder_sums sums = {0};
	for (unsigned i = 0; i < run->config->workloads; i++) {
		struct slot_record record;
		latch_read(&run->shared->slot[i].record, &record, LATCH_SIZE(struct slot_record));
		/* It may be further by now. Shares of a row that are more than all would be cut off, and missing in the next one. */
		slot_record_move(&record, now_ns);
		if (each)
			each[i] = record.duty_ns;
		if (run->shared->slot[i].free)
			continue;
		sums.duty_ns += record.duty_ns;
		sums.running_ns += record.running_ns;
		sums.load_ns += record.load_ns;
		sums.loaded_ns += record.loaded_ns;
		sums.alive_ns += record.alive_ns;
		sums.saturated_ns += record.saturated_ns;
		sums.starved_ns += record.starved_ns;
	}
	return sums;
}

void recorder_start(struct recorder *recorder, const struct sst_reading *reading, int64_t next_ns)
{
	recorder->reading = *reading;
	recorder->start_ns = reading->when_ns;
	recorder->next_ns = next_ns ? next_ns : reading->when_ns + recorder->interval_ns;
	recorder->sums = sum_slots(recorder->run, reading->when_ns, recorder->duty_ns);
}

static double mean_target(const struct recorder *recorder, int64_t end_ns, bool *partly_free)
{
	const struct module *trace = &recorder->run->module[SST_TRACE];
	const int64_t origin = atomic_load(&recorder->run->shared->origin_ns);
	const double step = (double)(end_ns - recorder->start_ns) / TARGET_POINTS;
	double sum = 0;
	int points = 0;
	for (int i = 0; i < TARGET_POINTS; i++) {
		const int64_t since = recorder->start_ns + (int64_t)((i + 0.5) * step) - origin;
		const double target = since < 0 ? NAN : trace->trace->target(trace->state, since);
		if (!isnan(target)) {
			sum += target;
			points++;
		}
	}
	*partly_free = points < TARGET_POINTS;
	return points ? sum / points : NAN;
}

static double trace_position(const struct recorder *recorder, int64_t end_ns)
{
	const struct module *const trace = &recorder->run->module[SST_TRACE];
	const int64_t since_ns = end_ns - atomic_load(&recorder->run->shared->origin_ns);
	return trace->trace->position && since_ns > 0 ? trace->trace->position(trace->state, since_ns) : NAN;
}

/* An executor that says late that it stopped takes back what was reckoned for the interval before; NaN stays. */
static double hold(double value, double most)
{
	return value < 0 ? 0 : value > most ? most : value;
}

void recorder_end(struct recorder *recorder, const struct sst_reading *reading, struct record *record)
{
	const struct module *feedback = &recorder->run->module[SST_FEEDBACK];
	const struct recorder_sums before = recorder->sums;
	double *each = NULL;
	if (recorder->duty_ns) {
		each = recorder->duties;
		for (unsigned i = 0; i < recorder->run->config->workloads; i++)
			each[i] = recorder->duty_ns[i];
	}
	const struct recorder_sums now = sum_slots(recorder->run, reading->when_ns, recorder->duty_ns);
	*record = (struct record){.end_ns = reading->when_ns,
		.length_ns = reading->when_ns - recorder->start_ns,
		.others = NAN,
		.free = NAN,
		.power_w = NAN,
		.duties = each};
	const double length = (double)record->length_ns;
	const double all = length * recorder->run->config->controlled;
	const double most = run_most_load(recorder->run);
	record->target = mean_target(recorder, reading->when_ns, &record->partly_free);
	record->trace_s = trace_position(recorder, reading->when_ns);
	record->load = NAN;
	if (feedback->feedback->sample(feedback->state, &recorder->reading, reading, &record->machine))
		record->load = hold(record->machine.work / record->machine.capacity, most);
	else
		record->machine = (struct sst_sample){0};
	record->estimate = hold((now.load_ns - before.load_ns) / (now.loaded_ns - before.loaded_ns), most);
	record->duty = hold((now.duty_ns - before.duty_ns) / (now.alive_ns - before.alive_ns), 1);
	record->runnable = hold((now.running_ns - before.running_ns) / length, recorder->run->config->workloads);
	record->alive = hold((now.alive_ns - before.alive_ns) / all, 1);
	record->saturated = hold((now.saturated_ns - before.saturated_ns) / all, 1);
	record->starved = hold((now.starved_ns - before.starved_ns) / all, 1);
	for (unsigned i = 0; each && i < recorder->run->config->workloads; i++)
		each[i] = hold((recorder->duty_ns[i] - each[i]) / length, 1);
}

/* What the units can make of an interval: two of the idle columns, and two of what ended in the workloads, in CPU-seconds. */
#define UNITS_S 0.04

double beside_add(struct beside *beside, double work_s, double capacity_s)
{
	const bool is_known = capacity_s > 0 && !isnan(work_s);
	beside->last = (struct sst_sample){work_s, capacity_s};
	beside->shown = load_meter_add(&beside->meter, is_known ? &beside->last : NULL, UNITS_S);
	return beside->shown;
}

void beside_count(const struct beside *beside, struct beside_sums *sums)
{
	if (isnan(beside->shown))
		return;
	sums->total.work += beside->last.work;
	sums->total.capacity += beside->last.capacity;
	sums->most = fmax(sums->most, beside->shown);
	sums->counted++;
}

double beside_mean(const struct beside_sums *sums)
{
	return sums->counted ? fmin(fmax(sums->total.work / sums->total.capacity, 0), 1) : NAN;
}

double beside_most(const struct beside_sums *sums)
{
	return sums->counted ? sums->most : NAN;
}

bool energy_open(struct energy *energy, const char *root, char error[static LINUX_POWER_ERROR_MAX])
{
	*energy = (struct energy){.power = linux_power_open(root, NULL, error)};
	return energy->power;
}

bool energy_open_zones(struct energy *energy, const char *root, char error[static LINUX_POWER_ERROR_MAX])
{
	const size_t zones = linux_power_zones_open(root, &energy->zone, error);
	energy->zone_w = zones ? calloc(zones, sizeof *energy->zone_w) : NULL;
	if (zones && !energy->zone_w) {
		linux_power_zones_close(energy->zone, zones);
		energy->zone = NULL;
		snprintf(error, LINUX_POWER_ERROR_MAX, "%s", strerror(errno));
		return false;
	}
	energy->zones = zones;
	return zones > 0;
}

static void take_zones(struct energy *energy)
{
	for (size_t i = 0; i < energy->zones; i++)
		energy->zone_w[i] = linux_power_watts(energy->zone[i].power);
}

void energy_close(struct energy *energy)
{
	linux_power_close(energy->power);
	linux_power_zones_close(energy->zone, energy->zones);
	free(energy->zone_w);
	*energy = (struct energy){.joules = energy->joules, .seconds = energy->seconds, .incomplete = energy->incomplete};
}

void energy_start(struct energy *energy)
{
	double ignored;
	if (energy->power)
		linux_power_joules(energy->power, &ignored);
	take_zones(energy);
}

void energy_poll(struct energy *energy)
{
	if (energy->power)
		linux_power_poll(energy->power);
	for (size_t i = 0; i < energy->zones; i++)
		linux_power_poll(energy->zone[i].power);
}

double energy_take(struct energy *energy, bool counts)
{
	double seconds;
	take_zones(energy);
	if (!energy->power)
		return NAN;
	const double joules = linux_power_joules(energy->power, &seconds);
	if (counts && isnan(joules)) {
		energy->incomplete = true;
	} else if (counts) {
		energy->joules += joules;
		energy->seconds += seconds;
	}
	return joules / seconds;
}

double energy_sum(const struct energy *energy)
{
	return energy->incomplete || !(energy->seconds > 0) ? NAN : energy->joules;
}

double energy_mean_power(const struct energy *energy)
{
	return energy->seconds > 0 ? energy->joules / energy->seconds : NAN;
}
