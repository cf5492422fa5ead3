/* SPDX-License-Identifier: MIT */
#include "control/loop.h"

#include <math.h>
#include <stdlib.h>

/* So many times as much is given at once, and not only when the period in force is over. */
#define MUCH_MORE 2
/* Longer than what a source takes to notice that it can't be believed. */
#define USUAL_NS (2 * NS_PER_S)
/* Moments at which the target is looked at between two samples. */
#define TARGET_POINTS 8
/* Edges over which their time is smoothed, and how much longer than usual one counts at most. */
#define EDGE_MEMORY 8
#define EDGE_OUTLIER 4

/* Of the time between two samples, for the work that is owed. */
static double mean_target(void *context, int64_t from_ns, int64_t to_ns)
{
	const struct loop *loop = context;
	const struct module *trace = &loop->module[SST_TRACE];
	const double step = (double)(to_ns - from_ns) / TARGET_POINTS;
	double sum = 0;
	if (from_ns < loop->origin_ns)
		return NAN;
	for (int i = 0; i < TARGET_POINTS; i++)
		sum += trace->trace->target(trace->state, from_ns + (int64_t)((i + 0.5) * step) - loop->origin_ns);
	return sum / TARGET_POINTS; /* NaN if one of them was */
}

int loop_init(struct loop *loop, const struct sst_env *feedback)
{
	const struct module *control = &loop->module[SST_CONTROL];
	loop->estimator.feedback = loop->module[SST_FEEDBACK].feedback;
	loop->estimator.state = loop->module[SST_FEEDBACK].state;
	loop->estimator.env = feedback;
	loop->estimator.shared = loop->shared;
	loop->estimator.target = mean_target;
	loop->estimator.context = loop;
	loop->kappa = control->control->peers ? control->control->peers(control->state) : 0;
	if (loop->kappa > loop->shared->workloads - 1)
		loop->kappa = loop->shared->workloads - 1;
	loop->peer = calloc(loop->kappa + 1, sizeof *loop->peer);
	loop->peer_output = calloc(loop->kappa + 1, sizeof *loop->peer_output);
	if (!loop->peer || !loop->peer_output) {
		loop_free(loop);
		return -1;
	}
	return 0;
}

void loop_free(struct loop *loop)
{
	free(loop->peer);
	free(loop->peer_output);
	loop->peer = NULL;
	loop->peer_output = NULL;
}

/* Finds rank, number of live executors and ring neighbours; only after somebody came or went. */
static void find_place(struct loop *loop)
{
	const struct shared *shared = loop->shared;
	const uint32_t generation = atomic_load(&shared->generation);
	if (loop->placed && generation == loop->generation)
		return;
	loop->placed = true;
	loop->generation = generation;
	loop->live = shared_count_live(shared, loop->index, &loop->rank);
	loop->peers = shared_neighbours(shared, loop->index, loop->kappa, loop->peer);
}

static unsigned gather_peers(struct loop *loop)
{
	unsigned count = 0;
	for (unsigned i = 0; i < loop->peers; i++) {
		const struct slot *slot = &loop->shared->slot[loop->peer[i]];
		if (atomic_load_explicit(&slot->has_published, memory_order_acquire))
			loop->peer_output[count++] = atomic_load_explicit(&slot->published, memory_order_relaxed);
	}
	return count;
}

static double clamp(double value)
{
	return value >= 0 ? value <= 1 ? value : 1 : 0; /* NaN becomes 0 */
}

/* Whether the workload's bandwidth is limited, and it has no edges. */
static bool is_limited(const struct loop *loop)
{
	return actuator_of(loop->module[KIND_ACTUATOR].base) == ACTUATOR_QUOTA;
}

static const struct actuator_settings *settings(const struct loop *loop)
{
	return loop->module[KIND_ACTUATOR].state;
}

/* ACTUATOR_QUOTA: as many processors as a duty cycle of 1 gives. */
static double width_of(const struct loop *loop, double processors)
{
	const double most = processors > 0 ? processors : 1;
	return loop->width > 0 && loop->width < most ? loop->width : most;
}

/* Likewise: how long an answer is in force. */
static int64_t lag_of(const struct loop *loop)
{
	const int64_t interval = settings(loop)->interval_ns;
	return loop->limit.quota_ns && loop->limit.period_ns > interval ? loop->limit.period_ns : interval;
}

static void note_not_a_number(const struct loop *loop, enum sst_kind kind)
{
	atomic_fetch_or_explicit(&loop->shared->not_a_number, 1U << kind, memory_order_relaxed);
}

static double control(struct loop *loop, int64_t now_ns, double target, const struct estimate_record *estimate)
{
	const struct module *module = &loop->module[SST_CONTROL];
	const bool begins = !loop->controlling;
	if (begins) {
		if (module->control->resume)
			module->control->resume(module->state);
		loop->work = estimate->work;
		loop->capacity = estimate->capacity;
		loop->surplus = 0;
	}
	loop->controlling = true;
	/* Without a load the duty cycle stays as it usually was, or is the target: it can't run away, nor stop the workloads for good. */
	const bool is_blind = atomic_load_explicit(&loop->shared->blind, memory_order_relaxed);
	if (is_blind || begins)
		loop->usual = target;
	if (is_blind || estimate->samples == 0 || (!begins && estimate_is_unknown(&loop->estimator, estimate, now_ns)))
		return loop->usual;
	const bool joins = loop->joins;
	loop->joins = false;
	struct sst_control_input in = {
		.now_ns = now_ns,
		.target = target,
		.load = isnan(estimate->load) ? target : estimate->load, /* nothing is known yet: no error */
		.since = {estimate->work - loop->work, estimate->capacity - loop->capacity},
		.total = {estimate->work, estimate->capacity},
		.owed = estimate->owed,
		.ceiling = module_ceiling(&loop->module[SST_FEEDBACK], loop->estimator.env),
		.duty = loop->duty,
		.surplus = loop->surplus,
		.processors = estimate->last.processors,
		.peers = loop->peer_output,
		.peer_count = gather_peers(loop),
		.rank = loop->rank,
		.live = loop->live,
		.joins = joins,
	};
	if (is_limited(loop))
		in.limited = (struct sst_limited){width_of(loop, estimate->last.processors), lag_of(loop)};
	struct sst_control_output out = {0};
	module->control->step(module->state, &in, &out);
	loop->work = estimate->work;
	loop->capacity = estimate->capacity;
	loop->surplus = 0;
	struct slot *slot = &loop->shared->slot[loop->index];
	if (isnan(out.duty))
		note_not_a_number(loop, SST_CONTROL);
	/* NaN would propagate through the averaging of peers. */
	if (!isfinite(out.published))
		out.published = clamp(out.duty);
	atomic_store_explicit(&slot->published, out.published, memory_order_relaxed);
	atomic_store_explicit(&slot->has_published, true, memory_order_release);
	return clamp(out.duty);
}

/* The duty cycle of the last answer has held for so long. */
static void learn_usual(struct loop *loop, int64_t held_ns)
{
	const double part = held_ns > 0 ? 1 - exp(-(double)held_ns / USUAL_NS) : 0;
	loop->usual += part * (loop->duty - loop->usual);
}

/* Adds the time since the last answer; none where the run was paused or the machine stood still meanwhile. */
static void count_time(struct loop *loop, int64_t now_ns)
{
	if (loop->controlling && loop->answered_ns >= atomic_load(&loop->shared->break_ns)) {
		learn_usual(loop, now_ns - loop->answered_ns);
		loop->surplus += (loop->runs - loop->local + loop->duty) * (double)(now_ns - loop->answered_ns) / 1e9;
	}
	loop->answered_ns = now_ns;
}

/*
 * Each change hands out a whole quota. In the middle of a period that is longer than a step, a workload would get one with each step, and
 * many of them never come down to a small load.
 */
static bool is_too_early(const struct loop *loop, const struct bandwidth *wanted, int64_t now_ns)
{
	const struct bandwidth *const last = &loop->limit;
	const double more = (double)wanted->quota_ns * (double)last->period_ns;
	return last->quota_ns && wanted->quota_ns && now_ns - loop->limited_ns < last->period_ns &&
	       more < MUCH_MORE * (double)last->quota_ns * (double)wanted->period_ns;
}

/* What is limited has no edges: it is asked at regular moments, those of the executors spread over the time between. */
static void limit(struct loop *loop, int64_t now_ns, int64_t origin_ns, double processors, struct loop_answer *answer)
{
	const int64_t interval = settings(loop)->interval_ns;
	const int64_t first = origin_ns + (int64_t)((double)interval * loop->rank / loop->live);
	const int64_t since = ((now_ns - first) % interval + interval) % interval;
	const struct bandwidth wanted = actuator_limit(settings(loop), loop->local, width_of(loop, processors));
	if (!is_too_early(loop, &wanted, now_ns)) {
		if (wanted.quota_ns != loop->limit.quota_ns || wanted.period_ns != loop->limit.period_ns)
			loop->limited_ns = now_ns;
		loop->limit = wanted;
		loop->share = loop->local;
	}
	loop->running = true;
	loop->runs = loop->share;
	answer->run = true;
	answer->until_ns = now_ns - since + interval;
	answer->limit = loop->limit;
}

static void dither(struct loop *loop, int64_t now_ns, int64_t due_ns, int64_t origin_ns, struct loop_answer *answer)
{
	const struct module *dithering = &loop->module[SST_DITHERING];
	const struct sst_dithering_input in = {
		.now_ns = now_ns,
		.due_ns = due_ns,
		.origin_ns = origin_ns,
		.rank = loop->rank,
		.live = loop->live,
		.duty = loop->local,
		.running = loop->running,
		.edge_ns = loop->edge_ns,
	};
	struct sst_dithering_output out = {.run = true, .until_ns = now_ns};
	dithering->dithering->next(dithering->state, &in, &out);
	loop->running = answer->run = out.run;
	loop->runs = out.run;
	answer->until_ns = out.until_ns;
}

void loop_step(struct loop *loop, int64_t now_ns, int64_t due_ns, int64_t origin_ns, struct loop_answer *answer)
{
	const struct module *trace = &loop->module[SST_TRACE];
	const struct module *space = &loop->module[SST_SPACE];
	const double target = trace->trace->target(trace->state, now_ns > origin_ns ? now_ns - origin_ns : 0);
	struct estimate_record estimate;
	loop->origin_ns = origin_ns;
	/* Executors sleep until their edges. When one comes so late, and is the first to, none of them could run. */
	if (now_ns - due_ns > ESTIMATE_STANDSTILL_NS && estimate_age(loop->shared, now_ns) > ESTIMATE_STANDSTILL_NS)
		estimate_break(loop->shared, now_ns);
	count_time(loop, now_ns);
	estimate_get(&loop->estimator, now_ns, &estimate);
	/* The counters' unit can take it a little beyond. */
	if (!isnan(estimate.load))
		estimate.load = fmax(0, fmin(module_most_load(&loop->module[SST_FEEDBACK], loop->estimator.env), estimate.load));
	find_place(loop);
	if (isnan(target)) {
		loop->controlling = loop->joins = false;
		/* What was said before is of no use to peers that begin anew. */
		atomic_store_explicit(&loop->shared->slot[loop->index].has_published, false, memory_order_relaxed);
		loop->running = true;
		loop->limit = (struct bandwidth){0};
		*answer = (struct loop_answer){true, true, now_ns + LOOP_FREE_CHECK_NS, NAN, estimate.load, 1, 1, {0}};
		return;
	}
	/* An edge that ends a free stretch is the first one of a new sequence. */
	const int64_t due = loop->controlling ? due_ns : now_ns;
	loop->duty = control(loop, now_ns, clamp(target), &estimate);
	const double local = space->space->local(space->state, loop->duty, loop->rank, loop->live);
	if (isnan(local))
		note_not_a_number(loop, SST_SPACE);
	loop->local = clamp(local);
	*answer =
		(struct loop_answer){.target = clamp(target), .load = estimate.load, .global = loop->duty, .local = loop->local};
	if (is_limited(loop))
		limit(loop, now_ns, origin_ns, estimate.last.processors, answer);
	else
		dither(loop, now_ns, due, origin_ns, answer);
}

void loop_was_away(struct loop *loop)
{
	loop->joins |= loop->controlling;
	loop->controlling = false;
}

void loop_learn_edge(struct loop *loop, int64_t took_ns)
{
	if (loop->edge_ns == 0)
		loop->edge_ns = took_ns;
	else if (took_ns > EDGE_OUTLIER * loop->edge_ns)
		took_ns = EDGE_OUTLIER * loop->edge_ns;
	loop->edge_ns += (took_ns - loop->edge_ns) / EDGE_MEMORY;
}

void loop_settle(struct loop *loop, int64_t now_ns, const struct loop_answer *answer)
{
	estimate_catch_up(&loop->estimator, now_ns, answer->until_ns);
}

void loop_publish(const struct loop *loop, int64_t now_ns, const struct loop_answer *answer, struct slot_record *record)
{
	/* What held when the machine fell asleep was nobody's doing until it woke. */
	if (record->since_ns < atomic_load(&loop->shared->break_ns))
		record->at_bound = BOUND_FREE;
	struct slot *const slot = &loop->shared->slot[loop->index];
	const bool stands = atomic_load_explicit(&slot->stopped_by, memory_order_relaxed);
	slot_record_advance(record, now_ns);
	record->duty = answer->local;
	record->load = answer->load;
	record->running = answer->run && !stands;
	record->edges++;
	if (answer->free)
		record->at_bound = BOUND_FREE;
	else if (answer->global >= 1 && answer->load < answer->target && !stands)
		record->at_bound = BOUND_SATURATED;
	else if (answer->global <= 0 && answer->load > answer->target)
		record->at_bound = BOUND_STARVED;
	else
		record->at_bound = BOUND_NEITHER;
	latch_write(&slot->record, record, LATCH_SIZE(struct slot_record));
}
