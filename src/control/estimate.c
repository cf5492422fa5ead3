/* SPDX-License-Identifier: MIT */
#include "control/estimate.h"

#include <math.h>

#include "base/units.h"

/* Readings may take this part of one processor's time. */
#define COST_FACTOR 100
#define COST_LIMIT_NS NS_PER_S

static void load_record(const struct shared *shared, struct estimate_record *record)
{
	latch_read(&shared->estimate, record, LATCH_SIZE(struct estimate_record));
}

static int64_t interval(const struct estimator *estimator, const struct estimate_record *record)
{
	const int64_t least = estimator->feedback->interval(estimator->state, record->last.processors);
	return least < COST_FACTOR * record->cost_ns ? COST_FACTOR * record->cost_ns : least;
}

static bool is_due(const struct estimator *estimator, const struct estimate_record *record, int64_t now_ns)
{
	return record->samples == 0 || now_ns - record->last.when_ns >= interval(estimator, record);
}

static int take_sample(struct estimator *estimator, struct estimate_record *record)
{
	struct sst_reading now = {0};
	struct sst_sample sample;
	const int64_t before = estimator->clock(estimator->context);
	if (estimator->feedback->read(estimator->state, estimator->env, &now) != 0)
		return -1;
	int64_t cost = estimator->clock(estimator->context) - before;
	if (cost > COST_LIMIT_NS / COST_FACTOR)
		cost = COST_LIMIT_NS / COST_FACTOR;
	record->cost_ns = record->samples ? (7 * record->cost_ns + cost) / 8 : cost;
	const bool joined = record->samples && record->last.when_ns >= atomic_load(&estimator->shared->break_ns);
	if (joined && estimator->feedback->sample(estimator->state, &record->last, &now, &sample)) {
		record->load = estimator->feedback->estimate(estimator->state, record->load, &sample);
		record->work += sample.work;
		record->capacity += sample.capacity;
		const double target =
			estimator->target ? estimator->target(estimator->context, record->last.when_ns, now.when_ns) : NAN;
		if (!isnan(target))
			record->owed += target * sample.capacity - sample.work;
	}
	record->last = now;
	record->samples++;
	return 0;
}

int estimate_get(struct estimator *estimator, int64_t now_ns, struct estimate_record *record)
{
	struct shared *shared = estimator->shared;
	uint32_t nobody = 0;
	int result = 0;
	load_record(shared, record);
	if (!is_due(estimator, record, now_ns) || !atomic_compare_exchange_strong(&shared->sampler, &nobody, estimator->owner))
		return 0;
	/* Somebody may have finished between the look and the claim. */
	load_record(shared, record);
	if (is_due(estimator, record, now_ns)) {
		result = take_sample(estimator, record);
		if (result == 0)
			latch_write(&shared->estimate, record, LATCH_SIZE(struct estimate_record));
	}
	atomic_store(&shared->sampler, 0);
	return result;
}

int64_t estimate_age(struct shared *shared, int64_t now_ns)
{
	struct estimate_record record;
	load_record(shared, &record);
	return now_ns - record.last.when_ns;
}

void estimate_break(struct shared *shared, int64_t now_ns)
{
	int64_t before = atomic_load(&shared->break_ns);
	while (before < now_ns && !atomic_compare_exchange_weak(&shared->break_ns, &before, now_ns))
		;
}

void estimate_release(struct shared *shared, uint32_t owner)
{
	atomic_compare_exchange_strong(&shared->sampler, &owner, 0);
}
