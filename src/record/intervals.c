/* SPDX-License-Identifier: MIT */
#include "record/intervals.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "record/summary.h"

/* A shorter row would say nothing: two units of the kernel's counters. */
#define PAUSED_ROW_LEAST_NS (20 * NS_PER_MS)
/* Who ends an interval so late stood still, and with him all that are stopped together, such as a run by a debugger. */
#define LATE_NS NS_PER_S

int intervals_init(struct intervals *intervals, const struct run *run, int64_t row_ns, bool instances)
{
	intervals->run = run;
	intervals->usage_s = intervals->free_s = intervals->others_s = NAN;
	if (recorder_init(&intervals->logged.recorder, run, row_ns, instances) != 0)
		return -1;
	return recorder_init(&intervals->sampled.recorder, run, SUMMARY_SAMPLE_NS, false);
}

void intervals_free(struct intervals *intervals)
{
	recorder_free(&intervals->logged.recorder);
	recorder_free(&intervals->sampled.recorder);
}

/* An interval ends where control begins, so that no row is half warm-up. */
static int64_t end_of(const struct intervals *intervals, int64_t interval_ns, int64_t start_ns)
{
	const int64_t from = run_origin(intervals->run);
	if (start_ns + NS_PER_MS < from)
		return start_ns + interval_ns < from ? start_ns + interval_ns : from;
	/* A reading that was late shortens the next interval: ends stay on the grid. */
	const int64_t passed = (start_ns - from + interval_ns / 4) / interval_ns;
	return from + (passed + 1) * interval_ns;
}

/* Processor time of the run and of what is watched. */
static double known_s(const struct intervals *intervals)
{
	double sum_s = intervals->usage_s;
	for (unsigned i = 0; i < intervals->watches; i++)
		sum_s += intervals->watched_s[i];
	return sum_s;
}

static void end_watched(const struct intervals *intervals, struct interval *interval, struct record *record)
{
	const double capacity = intervals->processors > 0 ? intervals->processors * (double)record->length_ns / (double)NS_PER_S
							  : record->machine.capacity;
	for (unsigned i = 0; i < intervals->watches; i++) {
		const double work_s = intervals->watched_s[i] - interval->watched_s[i];
		interval->shown[i] = beside_add(&interval->watched[i], work_s, capacity);
		record->watched_all += interval->shown[i];
	}
	record->watched = interval->shown;
}

static void end_others(const struct intervals *intervals, struct interval *interval, struct record *record)
{
	const double rest_s = record->machine.work - (known_s(intervals) - interval->known_s);
	const double work_s = isnan(intervals->others_s) ? rest_s : intervals->others_s - interval->others_s;
	record->others = beside_add(&interval->others, work_s, record->machine.capacity);
}

static void start(struct intervals *intervals, struct interval *interval, const struct sst_reading *reading)
{
	struct recorder *const recorder = &interval->recorder;
	recorder_start(recorder, reading, end_of(intervals, recorder->interval_ns, reading->when_ns));
	interval->free_s = intervals->free_s;
	interval->known_s = known_s(intervals);
	interval->others_s = intervals->others_s;
	memcpy(interval->watched_s, intervals->watched_s, sizeof interval->watched_s);
}

void intervals_start(struct intervals *intervals, const struct sst_reading *reading)
{
	start(intervals, &intervals->logged, reading);
	start(intervals, &intervals->sampled, reading);
}

static void end(struct intervals *intervals, struct interval *interval, const struct sst_reading *reading, struct record *record)
{
	recorder_end(&interval->recorder, reading, record);
	end_others(intervals, interval, record);
	end_watched(intervals, interval, record);
	const double free_s = intervals->free_s - interval->free_s;
	if (record->machine.capacity > 0 && !isnan(free_s))
		record->free = fmin(free_s / record->machine.capacity, run_most_load(intervals->run));
}

int64_t intervals_next(const struct intervals *intervals)
{
	const int64_t row = intervals->logged.recorder.next_ns;
	const int64_t sample = intervals->sampled.recorder.next_ns;
	return row < sample ? row : sample;
}

int64_t intervals_read(const struct intervals *intervals)
{
	const int64_t row = intervals->logged.recorder.start_ns;
	const int64_t sample = intervals->sampled.recorder.start_ns;
	return row > sample ? row : sample;
}

/* Nobody can say of it what was held. */
static bool has_standstill(const struct intervals *intervals, const struct record *record)
{
	const int64_t start_ns = record->end_ns - record->length_ns;
	return intervals->still || start_ns < intervals->still_until_ns || start_ns < intervals->paused_until_ns;
}

/* Whether it counts. A sample of several intervals is one whose readings failed: it says nothing of the time that is missing. */
static bool count(struct intervals *intervals, const struct record *record)
{
	const int64_t interval_ns = intervals->sampled.recorder.interval_ns;
	struct interval_sums *const sums = &intervals->sums;
	if (isnan(record->target) || record->partly_free || record->length_ns <= interval_ns / 2)
		return false;
	/* Nobody was there to control. */
	if (record->end_ns - record->length_ns < intervals->paused_until_ns)
		return false;
	intervals->under_control_ns += record->length_ns;
	if (isnan(record->load) || has_standstill(intervals, record))
		return false;
	sums->sampled_ns += record->length_ns < 2 * interval_ns ? record->length_ns : interval_ns;
	accuracy_add(&sums->accuracy, record->target, record->load);
	tally_add(&sums->tally, record, run_origin(intervals->run));
	beside_count(&intervals->sampled.others, &sums->others);
	for (unsigned i = 0; i < intervals->watches; i++)
		beside_count(&intervals->sampled.watched[i], &sums->watched[i]);
	return true;
}

static bool is_due(const struct intervals *intervals, const struct interval *interval, int64_t now_ns, enum intervals_until until)
{
	const struct recorder *const recorder = &interval->recorder;
	const int64_t length_ns = now_ns - recorder->start_ns;
	return recorder->next_ns <= now_ns || (until == INTERVALS_END && length_ns >= recorder->interval_ns / 2) ||
	       (until == INTERVALS_PAUSE && interval == &intervals->logged && length_ns >= PAUSED_ROW_LEAST_NS);
}

void intervals_take(struct intervals *intervals, int64_t now_ns, enum intervals_until until)
{
	const struct intervals_owner *const owner = &intervals->owner;
	struct interval *const both[] = {&intervals->logged, &intervals->sampled};
	const bool due[] = {is_due(intervals, both[0], now_ns, until), is_due(intervals, both[1], now_ns, until)};
	struct sst_reading reading;
	bool moved = false;
	if (now_ns - intervals_next(intervals) >= LATE_NS)
		intervals->paused_until_ns = now_ns;
	const bool have = (due[0] || due[1]) && owner->read(owner->context, &reading);
	for (int i = 0; i < 2; i++) {
		struct record record;
		/* Without a reading the interval grows by one. */
		if (due[i] && !have)
			both[i]->recorder.next_ns += both[i]->recorder.interval_ns;
		if (!due[i] || !have)
			continue;
		end(intervals, both[i], &reading, &record);
		if (i == 0) {
			if (has_standstill(intervals, &record))
				record.target = NAN;
			owner->row(owner->context, &record);
		} else {
			const bool counts = count(intervals, &record);
			moved = owner->sample && owner->sample(owner->context, &record, counts);
		}
		start(intervals, both[i], &reading);
	}
	/* A reading of the new processors to begin with. */
	for (int i = 0; moved && i < 2; i++)
		if (due[i] && owner->read(owner->context, &reading))
			start(intervals, both[i], &reading);
}

double intervals_coverage(const struct intervals *intervals, int64_t end_ns)
{
	/* What came behind the last reading is in no row. */
	const int64_t origin = run_origin(intervals->run);
	const int64_t read_ns = intervals_read(intervals);
	const int64_t from = read_ns > origin ? read_ns : origin;
	const int64_t behind_ns = end_ns - from > intervals->sampled.recorder.interval_ns ? end_ns - from : 0;
	const int64_t whole_ns = intervals->under_control_ns + behind_ns;
	return whole_ns > 0 ? (double)intervals->sums.sampled_ns / (double)whole_ns : 1;
}

void intervals_hear(struct intervals *intervals, bool still, bool all_heard, int64_t now_ns)
{
	if (still && !intervals->still)
		intervals->sums = intervals->heard;
	else if (!still && intervals->still)
		intervals->still_until_ns = now_ns;
	intervals->still = still;
	if (all_heard)
		intervals->heard = intervals->sums;
}
