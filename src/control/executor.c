/* SPDX-License-Identifier: MIT */
#include "control/executor.h"

#include <math.h>

#include "base/units.h"

/* Away from its home processor for so long: what stood still goes on after 100 or 200 ms. */
#define AWAY_NS (300 * NS_PER_MS)
/* How long the master may take to end a run whose guardian was killed. */
#define ALONE_NS (3 * NS_PER_S)
/*
 * The least time from one start of a workload to the next. What fails at once again and again must not keep the machine busy with starting
 * it, nor may what does next to nothing: the load that is measured would be that of starts. What works is started again soon, because the
 * gap would show in the load.
 */
#define RESPAWN_LEAST_NS (100 * NS_PER_MS)
#define RESPAWN_MOST_NS NS_PER_S
/* Who lives so long is past its difficulties. */
#define WELL_NS NS_PER_S
/* What fails so soon after its first stop may have failed because of it. */
#define AT_STOP_NS (20 * NS_PER_MS)
/* A start takes a millisecond or two. */
#define WORK_NS (10 * NS_PER_MS)
/* Answers of a dithering module that lie in the past are taken at once, this many in a row. */
#define ANSWERS_AT_ONCE 8

static int64_t clock_of(const struct executor *executor)
{
	return executor->loop.estimator.clock(executor->loop.estimator.context);
}

void executor_init(struct executor *executor, struct run *run, unsigned index, const struct executor_hands *hands, void *context)
{
	*executor = (struct executor){
		.hands = hands,
		.context = context,
		.run = run,
		.slot = &run->shared->slot[index],
		.loop = {.module = run->module, .shared = run->shared, .index = index, .estimator = {.owner = index + 1}},
		.record = {.load = __builtin_nan("")},
		.overdue = {.shared = run->shared, .index = index},
	};
}

static void arm(struct executor *executor, int64_t when_ns)
{
	executor->wake_ns = when_ns > 0 ? when_ns : 1;
}

static void disarm(struct executor *executor)
{
	executor->wake_ns = 0;
}

static int64_t hold(struct executor *executor, const struct executor_hold *how)
{
	if (how->run && executor->stopped && executor->has_run) {
		executor->resumptions++;
		executor->resumed_ns = how->now_ns;
	}
	executor->has_run = executor->has_run || how->run;
	executor->stopped = !how->run;
	executor->limit = how->limit;
	return executor->hands->hold(executor->context, how);
}

static void publish(struct executor *executor)
{
	latch_write(&executor->slot->record, &executor->record, LATCH_SIZE(struct slot_record));
}

/* Outside the loop: before it, or while paused. */
static void record_state(struct executor *executor, double duty, bool running, int64_t now_ns)
{
	slot_record_advance(&executor->record, now_ns);
	executor->record.duty = duty;
	executor->record.running = running;
	executor->record.at_bound = BOUND_FREE;
	publish(executor);
}

/* Of a workload that is held, or paused. That belongs to no row: time counts again from the next change on. */
static void record_standing(struct executor *executor, int64_t now_ns)
{
	record_state(executor, 0, false, now_ns);
	executor->record.since_ns = 0;
	publish(executor);
}

static void run_free(struct executor *executor, int64_t now_ns)
{
	hold(executor, &(struct executor_hold){.run = true, .now_ns = now_ns});
	record_state(executor, 1, true, now_ns);
}

/* A free workload is in no ring. */
static void set_live(const struct executor *executor, bool live)
{
	if (!executor->slot->free)
		shared_set_live(executor->run->shared, executor->loop.index, live);
}

/* ---- What was used ---------------------------------------------------------------------------------------------------- */

static int64_t used(const struct executor *executor, bool living)
{
	return executor->hands->used(executor->context, living);
}

/* Control has begun: what was used by now was before it. What was held until then has used nothing. */
static void note_beginning(struct executor *executor)
{
	const struct config *config = executor->run->config;
	const bool has_run =
		run_warmup(executor->run) || config->start_at_ns || config->start_interval_ns || executor->is_attached;
	if (executor->has_begun || clock_of(executor) < run_origin(executor->run))
		return;
	executor->has_begun = true;
	atomic_store(&executor->slot->cpu_before_ns, has_run ? used(executor, true) : 0);
}

/* What comes now is the grace period. Without a beginning, all of it was before. */
static void note_end(struct executor *executor, bool living)
{
	if (executor->has_ended)
		return;
	const int64_t used_ns = used(executor, living);
	executor->has_ended = true;
	atomic_store(&executor->slot->cpu_until_ns, used_ns);
	if (!executor->has_begun)
		atomic_store(&executor->slot->cpu_before_ns, used_ns);
	executor->has_begun = true;
}

/* ---- Edges ------------------------------------------------------------------------------------------------------------ */

static void carry_out(struct executor *executor, const struct loop_answer *answer, int64_t now_ns)
{
	const bool changes = answer->run == executor->stopped;
	const int64_t took_ns = hold(executor,
		&(struct executor_hold){.run = answer->run, .again = !answer->free, .limit = answer->limit, .now_ns = now_ns});
	if (changes)
		loop_learn_edge(&executor->loop, took_ns);
	if (!answer->free)
		slot_count_lateness(executor->slot, clock_of(executor) - executor->due_ns);
}

static void take_edges(struct executor *executor)
{
	const int64_t origin = run_origin(executor->run);
	for (int i = 0;; i++) {
		struct loop_answer answer;
		executor->loop.width = executor->hands->width(executor->context);
		const int64_t now = clock_of(executor);
		loop_step(&executor->loop, now, executor->due_ns, origin, &answer);
		carry_out(executor, &answer, now);
		loop_publish(&executor->loop, now, &answer, &executor->record);
		executor->due_ns = answer.until_ns;
		if (answer.until_ns > now || i == ANSWERS_AT_ONCE) {
			arm(executor, answer.until_ns > now ? answer.until_ns : now + NS_PER_MS);
			loop_settle(&executor->loop, now, &answer);
			if (executor->hands->settle)
				executor->hands->settle(executor->context, answer.until_ns);
			return;
		}
	}
}

static void fetch_late(struct executor *executor)
{
	for (struct slot *late; (late = overdue_find(&executor->overdue, clock_of(executor)));)
		executor->hands->fetch(executor->context, late);
}

/* A free workload has no edges: one look at the clock when the others' control begins. */
static void await_beginning(struct executor *executor)
{
	note_beginning(executor);
	if (!executor->has_begun)
		arm(executor, run_origin(executor->run));
}

/* ---- Orders ----------------------------------------------------------------------------------------------------------- */

/* Leaves the hold, or a pause: free until control begins. */
static void begin(struct executor *executor)
{
	const int64_t now = clock_of(executor);
	const int64_t origin = run_origin(executor->run);
	executor->started = true;
	executor->paused = false;
	if (executor->waiting)
		return; /* the start of the workload comes back to this */
	if (executor->slot->free) {
		run_free(executor, now);
		disarm(executor);
		await_beginning(executor);
	} else if (now < origin) {
		run_free(executor, now);
		executor->due_ns = origin;
		arm(executor, origin);
	} else {
		executor->due_ns = now;
		executor->loop.running = !executor->stopped;
		take_edges(executor);
		note_beginning(executor);
	}
}

static void pause_workload(struct executor *executor)
{
	const int64_t now = clock_of(executor);
	executor->paused = true;
	executor->due_ns = 0;
	disarm(executor);
	hold(executor, &(struct executor_hold){.limit = executor->limit, .now_ns = now});
	record_standing(executor, now);
}

static void begin_termination(struct executor *executor)
{
	const int64_t now = clock_of(executor);
	executor->terminating = true;
	executor->due_ns = 0;
	note_end(executor, true);
	executor->hands->end(executor->context, EXECUTOR_TERMINATES);
	executor->stopped = false;
	if (executor->record.alive)
		record_state(executor, 1, true, now);
	arm(executor, now + executor->run->config->grace_ns);
}

bool executor_has_outlived(const struct executor *executor)
{
	return executor->alone_ns && clock_of(executor) >= executor->alone_ns;
}

/* The run is over, and no order has come: the master stands still. So it does when the guardian is gone and it doesn't end the run. */
static bool is_over(const struct executor *executor)
{
	return executor_has_outlived(executor) ||
	       (heartbeat_is_over(executor->run->heartbeat, clock_of(executor)) && !atomic_load(&executor->run->shared->paused));
}

/* Who has begun to end doesn't go back, whatever a master that goes on again may say. */
static int phase_of(const struct executor *executor)
{
	const int phase = atomic_load(&executor->run->shared->phase);
	return phase < SHARED_TERMINATE && (executor->terminating || is_over(executor)) ? SHARED_TERMINATE : phase;
}

/* Before all workloads are there. With staggered starts those that are run until the last one is. */
static void stay_held(struct executor *executor, bool pause)
{
	if (!executor->run->config->start_interval_ns)
		return;
	if (pause && !executor->paused) {
		pause_workload(executor);
	} else if (!pause && executor->paused) {
		executor->paused = false;
		if (!executor->waiting)
			run_free(executor, clock_of(executor));
	}
}

void executor_look(struct executor *executor)
{
	const int phase = phase_of(executor);
	const bool pause = atomic_load(&executor->run->shared->paused);
	if (phase >= SHARED_TERMINATE && executor->is_attached) {
		executor->terminating = true;
		executor->hands->end(executor->context, EXECUTOR_LETS_GO);
	} else if (phase == SHARED_KILL) {
		note_end(executor, true);
		executor->hands->end(executor->context, EXECUTOR_KILLS);
	} else if (phase == SHARED_TERMINATE) {
		if (!executor->terminating)
			begin_termination(executor);
	} else if (phase == SHARED_HOLD) {
		stay_held(executor, pause);
	} else if (pause && !executor->paused) {
		pause_workload(executor);
	} else if (!pause && (executor->paused || !executor->started)) {
		begin(executor);
	}
}

void executor_left_alone(struct executor *executor)
{
	executor->alone_ns = clock_of(executor) + ALONE_NS;
}

/* ---- Lives of the workload -------------------------------------------------------------------------------------------- */

static void begin_life(struct executor *executor, int64_t now_ns)
{
	executor->started_ns = now_ns;
	executor->cpu_at_start_ns = used(executor, false);
	executor->failures_at_start = atomic_load(&executor->slot->failures);
	executor->has_run = executor->is_attached || executor->run->config->start_interval_ns;
	executor->resumptions = 0;
}

void executor_come_up(struct executor *executor)
{
	const int64_t now = clock_of(executor);
	begin_life(executor, now);
	executor->record.alive = 1;
	if (executor->is_attached || executor->run->config->start_interval_ns) {
		record_state(executor, 1, true, now);
	} else {
		hold(executor, &(struct executor_hold){.now_ns = now});
		record_standing(executor, now);
	}
	set_live(executor, true);
}

void executor_first_ended(struct executor *executor, int wait_status, bool failed)
{
	if (executor->terminating || phase_of(executor) > SHARED_RUN)
		return;
	if (failed) {
		atomic_store(&executor->slot->failure_status, wait_status);
		atomic_fetch_add(&executor->slot->failures, 1);
		atomic_store(&executor->slot->failed_at_stop,
			executor->resumptions == 1 && clock_of(executor) - executor->resumed_ns < AT_STOP_NS);
	}
	atomic_store(&executor->slot->stopped_by, 0);
	atomic_store(&executor->slot->wait_status, wait_status);
	atomic_store(&executor->slot->ended, true);
}

/* Nothing of the workload is left, and it stays out of control until it is started again, if ever. */
static void leave_the_ring(struct executor *executor)
{
	executor->due_ns = 0;
	disarm(executor);
	record_state(executor, 0, false, clock_of(executor));
	executor->record.alive = 0;
	executor->record.load = NAN;
	publish(executor);
	set_live(executor, false);
}

/* False when it can't be started any more. */
static bool start_again(struct executor *executor)
{
	if (executor->hands->start(executor->context) != 0)
		return false;
	const int64_t now = clock_of(executor);
	executor->waiting = false;
	begin_life(executor, now);
	atomic_fetch_add(&executor->slot->respawns, 1);
	if (executor->record.alive) {
		/* It has been away for a moment only: the edge that is due comes as if nothing had happened. */
		hold(executor, &(struct executor_hold){.run = !executor->stopped, .limit = executor->limit, .now_ns = now});
		return true;
	}
	hold(executor, &(struct executor_hold){.now_ns = now});
	record_standing(executor, now);
	executor->record.alive = 1;
	publish(executor);
	set_live(executor, true);
	loop_was_away(&executor->loop);
	if (executor->started && !executor->paused)
		begin(executor);
	else if (executor->run->config->start_interval_ns && !executor->paused)
		run_free(executor, now);
	return true;
}

/* After the life that is over now. */
static int64_t respawn_delay(const struct executor *executor, int64_t now_ns)
{
	const bool failed = atomic_load(&executor->slot->failures) != executor->failures_at_start;
	const bool worked = !failed && used(executor, false) - executor->cpu_at_start_ns >= WORK_NS;
	if (worked || now_ns - executor->started_ns >= WELL_NS || executor->delay_ns < RESPAWN_LEAST_NS)
		return RESPAWN_LEAST_NS;
	return executor->delay_ns < RESPAWN_MOST_NS / 2 ? 2 * executor->delay_ns : RESPAWN_MOST_NS;
}

bool executor_comes_back(struct executor *executor)
{
	if (executor->run->config->when_one_ends != ENDS_RESPAWN || executor->is_attached || executor->terminating ||
		phase_of(executor) > SHARED_RUN)
		return false;
	const int64_t now = clock_of(executor);
	if (!executor->waiting) {
		executor->delay_ns = respawn_delay(executor, now);
		executor->respawn_ns = executor->started_ns + executor->delay_ns;
		executor->waiting = true;
	}
	const bool due = now >= executor->respawn_ns;
	if (due && !executor->paused)
		return start_again(executor);
	if (executor->record.alive)
		leave_the_ring(executor);
	if (!due && !executor->paused)
		arm(executor, executor->respawn_ns);
	return true;
}

void executor_sign_off(struct executor *executor)
{
	leave_the_ring(executor);
	note_end(executor, false);
	atomic_store(&executor->slot->workload_cpu_ns, used(executor, false));
}

/* ---- Time ------------------------------------------------------------------------------------------------------------- */

/* While paused, or ending, nobody asks for the end. */
int64_t executor_sleep(struct executor *executor)
{
	const int64_t end_ns = atomic_load(&executor->run->heartbeat->end_ns);
	int64_t wake = executor->wake_ns ? executor->wake_ns : INT64_MAX;
	if (executor->alone_ns && executor->alone_ns < wake)
		wake = executor->alone_ns;
	if (end_ns && !executor->terminating && !executor->paused && end_ns + HEARTBEAT_EXECUTORS_NS < wake)
		wake = end_ns + HEARTBEAT_EXECUTORS_NS;
	if (executor->due_ns && !executor->terminating)
		overdue_sleep(executor->slot, executor->wake_ns);
	return wake;
}

/* Whoever was fetched goes back after a while. */
static void look_after_home_cpu(struct executor *executor, bool fetched)
{
	const int64_t now = clock_of(executor);
	if (!fetched && (!executor->fetched_ns || now - executor->fetched_ns <= AWAY_NS))
		return;
	executor->fetched_ns = fetched ? now : 0;
	executor->hands->move(executor->context, !fetched);
}

/* The master has missed it, as it stood still. That was no control. */
static void rejoin(struct executor *executor)
{
	executor->record.at_bound = BOUND_FREE;
	loop_was_away(&executor->loop);
	if (executor->record.since_ns)
		slot_record_advance(&executor->record, clock_of(executor));
	publish(executor);
	if (executor->record.alive)
		set_live(executor, true);
}

void executor_awake(struct executor *executor)
{
	struct slot *const slot = executor->slot;
	look_after_home_cpu(executor, overdue_wake(slot));
	atomic_fetch_add_explicit(&slot->rounds, 1, memory_order_relaxed);
	if (atomic_exchange_explicit(&slot->stood_still, false, memory_order_relaxed))
		rejoin(executor);
}

bool executor_on_time(struct executor *executor)
{
	if (!executor->wake_ns || clock_of(executor) < executor->wake_ns)
		return false;
	if (executor->terminating) {
		disarm(executor);
		executor->hands->end(executor->context, EXECUTOR_KILLS);
	} else if (executor->due_ns) {
		take_edges(executor);
		note_beginning(executor);
		fetch_late(executor);
		return !executor->is_attached && !is_over(executor);
	} else {
		disarm(executor);
		if (executor->slot->free && executor->started && !executor->paused)
			await_beginning(executor);
	}
	return false;
}
