/* SPDX-License-Identifier: MIT */
#include "control/estimate.h"

#include <errno.h>
#include <math.h>

/*
 * Readings may take this part of one processor's time, unless one of them takes more than COST_LIMIT_NS. On a large machine they take
 * long, and there they may have that part once for each so many executors and processors.
 */
#define COST_FACTOR 100
#define EXECUTORS_EACH 20
#define PROCESSORS_EACH 4
#define COST_LIMIT_NS (100 * NS_PER_MS)
/* A reading that takes longer than this would be seen in the lateness of an edge. */
#define DEAR_NS NS_PER_MS
/* A reading may take so many times its processor time before others take over. */
#define PATIENCE 4

static int64_t cost_of(const struct estimator *estimator)
{
	return atomic_load_explicit(&estimator->shared->reading_ns, memory_order_relaxed);
}

static int64_t interval(const struct estimator *estimator, const struct estimate_record *record)
{
	const int64_t least = estimator->feedback->interval(estimator->state, record->last.processors);
	const int64_t cost = cost_of(estimator) < COST_LIMIT_NS ? cost_of(estimator) : COST_LIMIT_NS;
	if (least >= COST_FACTOR * cost)
		return least;
	const double shares =
		fmax(1, fmin(estimator->shared->workloads / (double)EXECUTORS_EACH, record->last.processors / PROCESSORS_EACH));
	const int64_t dear = (int64_t)((double)(COST_FACTOR * cost) / shares);
	return least < dear ? dear : least;
}

static bool is_due(const struct estimator *estimator, const struct estimate_record *record, int64_t now_ns)
{
	return record->samples == 0 || now_ns - record->last.when_ns >= interval(estimator, record);
}

static int64_t claim_limit(const struct estimator *estimator)
{
	const int64_t limit = PATIENCE * cost_of(estimator);
	return limit < LEASE_LIMIT_NS ? LEASE_LIMIT_NS : limit;
}

/*
 * A single reading may cost far more than others: the first one, or one in which a hypervisor took the processor away. So what two in a
 * row cost at least is learnt, at once, and forgotten slowly. Those that are dropped count.
 */
static void learn_cost(struct shared *shared, int64_t cost_ns)
{
	const int64_t known_ns = atomic_load_explicit(&shared->reading_ns, memory_order_relaxed);
	const int64_t before_ns = atomic_exchange_explicit(&shared->last_reading_ns, cost_ns, memory_order_relaxed);
	const int64_t least_ns = before_ns < cost_ns ? before_ns : cost_ns;
	atomic_store_explicit(
		&shared->reading_ns, least_ns > known_ns ? least_ns : (7 * known_ns + least_ns) / 8, memory_order_relaxed);
}

/*
 * The time of a reading is taken before its counters. One who was stopped in between reads again, so that they belong together, as long
 * as nobody has taken over.
 */
static int read_source(struct estimator *estimator, uint64_t claim, struct sst_reading *now)
{
	for (bool again = false;; again = true) {
		const int64_t before = estimator->clock(estimator->context);
		const int64_t cpu_before = estimator->cpu_clock(estimator->context);
		const int result = estimator->feedback->read(estimator->state, estimator->env, now);
		const int64_t after = estimator->clock(estimator->context);
		if (result != 0)
			return -1;
		learn_cost(estimator->shared, estimator->cpu_clock(estimator->context) - cpu_before);
		if (after - before > ESTIMATE_STANDSTILL_NS && lease_holds(&estimator->shared->sampler, claim))
			estimate_break(estimator->shared, after);
		if (again || after - before <= claim_limit(estimator) || !lease_holds(&estimator->shared->sampler, claim))
			return 0;
	}
}

/* What was worked before control, or while the trace left it free, is nobody's error. */
static void add(
	const struct estimator *estimator, struct estimate_record *record, int64_t now_ns, const struct sst_sample *sample)
{
	const bool has_target = estimator->target;
	const double target = has_target ? estimator->target(estimator->context, record->last.when_ns, now_ns) : NAN;
	if (has_target && isnan(target))
		return;
	record->work += sample->work;
	record->capacity += sample->capacity;
	if (has_target)
		record->owed += target * sample->capacity - sample->work;
}

static int take_sample(struct estimator *estimator, uint64_t claim, struct estimate_record *record)
{
	struct sst_reading now = {0};
	struct sst_sample sample;
	if (read_source(estimator, claim, &now) != 0)
		return -1;
	const bool joined = record->samples && record->last.when_ns >= atomic_load(&estimator->shared->break_ns);
	if (joined && estimator->feedback->sample(estimator->state, &record->last, &now, &sample)) {
		record->load = estimator->feedback->estimate(estimator->state, record->load, &sample);
		record->known_ns = now.when_ns;
		add(estimator, record, now.when_ns, &sample);
	}
	if (!joined)
		record->known_ns = now.when_ns;
	record->last = now;
	record->samples++;
	return 0;
}

/* One who was stopped meanwhile, so that another took over, drops what it has and goes on with what is there. */
static int sample(struct estimator *estimator, int64_t now_ns, struct estimate_record *record)
{
	struct shared *shared = estimator->shared;
	struct estimate_record next;
	int result = 0;
	const uint64_t claim = lease_take(&shared->sampler, estimator->owner, now_ns, claim_limit(estimator));
	if (!claim)
		return 0;
	/* Somebody may have finished between the look and the claim. */
	const uint64_t read = shared_read_estimate(shared, &next);
	if (is_due(estimator, &next, now_ns)) {
		result = take_sample(estimator, claim, &next);
		if (result == 0 && lease_holds(&shared->sampler, claim))
			shared_post_estimate(shared, estimator->owner, read, &next);
	}
	lease_give(&shared->sampler, claim);
	const int saved = errno;
	shared_read_estimate(shared, record);
	errno = saved;
	return result;
}

int estimate_get(struct estimator *estimator, int64_t now_ns, struct estimate_record *record)
{
	shared_read_estimate(estimator->shared, record);
	if (cost_of(estimator) > DEAR_NS || !is_due(estimator, record, now_ns))
		return 0;
	return sample(estimator, now_ns, record);
}

int estimate_catch_up(struct estimator *estimator, int64_t now_ns, int64_t until_ns)
{
	struct estimate_record record;
	if (cost_of(estimator) <= DEAR_NS)
		return 0;
	shared_read_estimate(estimator->shared, &record);
	const int64_t spare = until_ns - now_ns < cost_of(estimator) ? interval(estimator, &record) : 0;
	if (!is_due(estimator, &record, now_ns - spare))
		return 0;
	return sample(estimator, now_ns, &record);
}

bool estimate_is_unknown(const struct estimator *estimator, const struct estimate_record *record, int64_t now_ns)
{
	const bool has_failed = record->last.when_ns > record->known_ns;
	const bool is_old = now_ns - record->last.when_ns > ESTIMATE_UNKNOWN_NS + 2 * interval(estimator, record) &&
			    now_ns - atomic_load(&estimator->shared->break_ns) > ESTIMATE_UNKNOWN_NS;
	return has_failed || is_old;
}

int64_t estimate_age(struct shared *shared, int64_t now_ns)
{
	struct estimate_record record;
	shared_read_estimate(shared, &record);
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
	lease_free(&shared->sampler, owner);
}
