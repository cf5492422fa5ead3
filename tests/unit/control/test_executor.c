/* SPDX-License-Identifier: MIT */
/*
 * The executor in a world that is a few lines long: scripts of what happens, and what the executor is to do about it. After each one
 * the run is ended, and nothing may be left of the workload, or it runs, if it was there before.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/splitmix.h"
#include "base/units.h"
#include "control/executor.h"
#include "unit/control/executor_sequences.h"
#include "unit/control/uneven_modules.h"

#define ZERO (1000 * NS_PER_S)
#define GRACE_MS 500

/* What there is beside the executor. */
static struct {
	int64_t now_ns;
	bool there, stands;          /* the workload */
	bool stubborn;               /* it ignores SIGTERM */
	bool refuses;                /* it can't be started again */
	int64_t ended_ns, living_ns; /* processor time of those that ended, and of those that live */
	int64_t limit_ns;
	bool gone, away;
	int fetched;
	char did[4096];
} world;

/* ---- The world -------------------------------------------------------------------------------------------------------- */

static struct config config;
static struct run run;
static struct executor executor;

static int64_t now_ms(void)
{
	return (world.now_ns - ZERO) / NS_PER_MS;
}

static void note(const char *what)
{
	const size_t length = strlen(world.did);
	snprintf(world.did + length, sizeof world.did - length, "%s%d:%s", length ? " " : "", (int)now_ms(), what);
}

static int64_t read_clock(void *context)
{
	assert_ptr_equal(context, &executor.loop);
	/* The source is read at that moment, too. */
	read_ns = world.now_ns;
	return world.now_ns;
}

static int64_t hold(void *context, const struct executor_hold *how)
{
	assert_ptr_equal(context, &world);
	assert_int_equal(how->now_ns, world.now_ns);
	/* Whatever else happens, nothing runs in a pause. */
	assert_false(how->run && executor.paused);
	assert_false(executor.terminating);
	if (how->limit.quota_ns != world.limit_ns)
		note(how->limit.quota_ns ? "limit" : "unlimit");
	world.limit_ns = how->limit.quota_ns;
	/* What is to be done again isn't told apart where nothing is done. */
	if (!how->run || how->again || world.stands)
		note(!how->run ? "stop" : how->again ? "go!" : "go");
	world.stands = !how->run;
	return NS_PER_US;
}

static double find_width(void *context)
{
	(void)context;
	return UNEVEN_WIDTH;
}

static void fetch(void *context, struct slot *late)
{
	(void)context;
	assert_ptr_equal(late, &run.shared->slot[1]);
	world.fetched++;
	note("fetch");
}

static void move(void *context, bool to_home_cpu)
{
	(void)context;
	world.away = !to_home_cpu;
	note(to_home_cpu ? "home" : "away");
}

static int64_t find_used(void *context, bool living)
{
	(void)context;
	return world.ended_ns + (living || executor.is_attached ? world.living_ns : 0);
}

static void vanish(void)
{
	world.there = world.stands = false;
	world.ended_ns += world.living_ns;
	world.living_ns = 0;
}

static void end(void *context, enum executor_end how)
{
	(void)context;
	note((const char *const[]){"TERM", "KILL", "LET GO"}[how]);
	assert_int_equal(how == EXECUTOR_LETS_GO, executor.is_attached);
	world.stands = false;
	world.limit_ns = 0;
	if (how == EXECUTOR_KILLS || (how == EXECUTOR_TERMINATES && !world.stubborn))
		vanish();
}

static int start_again(void *context)
{
	(void)context;
	assert_false(world.there || executor.paused || executor.terminating);
	note(world.refuses ? "refused" : "start");
	world.there = !world.refuses;
	world.limit_ns = 0;
	return world.refuses ? -1 : 0;
}

static const struct executor_hands hands = {
	.hold = hold,
	.width = find_width,
	.fetch = fetch,
	.move = move,
	.used = find_used,
	.end = end,
	.start = start_again,
};

/* ---- A run ------------------------------------------------------------------------------------------------------------ */

static void begin(const struct setting *setting)
{
	static struct module modules[KINDS];
	static struct heartbeat heartbeat;
	static const struct sst_env env = {.workloads = 2};
	const size_t none[KINDS] = {0};
	size_t offset[KINDS];
	const size_t size = shared_layout(2, none, offset);
	config = (struct config){.workloads = 2,
		.controlled = 2,
		.grace_ns = GRACE_MS * NS_PER_MS,
		.warmup_ns = setting->warmup_ms * NS_PER_MS,
		.start_interval_ns = setting->staggered,
		.when_one_ends = setting->respawn ? ENDS_RESPAWN : ENDS_CONTINUE};
	memset(&heartbeat, 0, sizeof heartbeat);
	run = (struct run){.config = &config, .heartbeat = &heartbeat, .shared = aligned_alloc(128, (size + 127) / 128 * 128)};
	assert_non_null(run.shared);
	memset(run.shared, 0, size);
	shared_init(run.shared, 2, size, offset);
	shared_set_live(run.shared, 1, true);
	run.shared->slot[0].free = setting->free;
	modules[SST_TRACE].trace = &trace_module;
	modules[SST_FEEDBACK].feedback = &feedback_module;
	modules[SST_CONTROL].control = &control_module;
	modules[SST_SPACE].space = &space_module;
	modules[SST_DITHERING].dithering = &dithering_module;
	modules[KIND_ACTUATOR].base = &actuator_table[setting->quota ? ACTUATOR_QUOTA : ACTUATOR_SIGNALS];
	modules[KIND_ACTUATOR].state = &quota;
	memcpy(run.module, modules, sizeof modules);
	memset(&world, 0, sizeof world);
	world.now_ns = ZERO;
	world.there = true;
	world.stubborn = setting->stubborn;
	edges = 0;
	late_answers = 0;
	leaves_free = false;
	executor_init(&executor, &run, 0, &hands, &world);
	executor.is_attached = setting->attached;
	executor.loop.estimator.clock = executor.loop.estimator.cpu_clock = read_clock;
	assert_int_equal(loop_init(&executor.loop, &env), 0);
	executor_come_up(&executor);
}

/* As the process does that an executor is. */
static void go_round(bool news)
{
	executor_awake(&executor);
	const bool edge_alone = executor_on_time(&executor);
	if (edge_alone && !news)
		return;
	executor_look(&executor);
	const bool gone = !world.there || (executor.is_attached && executor.terminating);
	if (gone && !executor_comes_back(&executor))
		world.gone = true;
}

static void pass(int64_t ms)
{
	const int64_t until_ns = world.now_ns + ms * NS_PER_MS;
	while (!world.gone) {
		const int64_t wake_ns = executor_sleep(&executor);
		if (wake_ns > until_ns)
			break;
		if (wake_ns > world.now_ns)
			world.now_ns = wake_ns;
		go_round(false);
	}
	world.now_ns = until_ns;
}

static int64_t paused_ns;

static void pause_or_resume(bool pause)
{
	if (pause)
		paused_ns = world.now_ns;
	else
		atomic_fetch_add(&run.shared->origin_ns, atomic_load(&run.shared->origin_ns) ? world.now_ns - paused_ns : 0);
	if (!pause && atomic_load(&run.heartbeat->end_ns))
		atomic_fetch_add(&run.heartbeat->end_ns, world.now_ns - paused_ns);
	atomic_store(&run.shared->paused, pause);
}

static void exit_of_first(bool failed)
{
	if (!world.there)
		return;
	vanish();
	executor_first_ended(&executor, failed ? 256 : 0, failed);
}

static void order(enum shared_phase phase)
{
	if (atomic_load(&run.shared->phase) < (int)phase)
		atomic_store(&run.shared->phase, (int)phase);
}

static void set_run(void)
{
	atomic_store(&run.shared->origin_ns, world.now_ns + config.warmup_ns);
	order(SHARED_RUN);
}

static void be_fetched(void)
{
	struct overdue other = {.shared = run.shared, .index = 1};
	executor_sleep(&executor);
	overdue_find(&other, INT64_MAX);
}

static void stand_still(void)
{
	shared_set_live(run.shared, 0, false);
	atomic_store(&executor.slot->stood_still, true);
}

/* What changes the world, and is noticed only later. True when it was this. */
static bool change(const char *word)
{
	int number = 0;
	if (sscanf(word, "+%d", &number) == 1)
		pass(number);
	else if (sscanf(word, "cpu%d", &number) == 1)
		world.living_ns += world.there ? number * NS_PER_MS : 0;
	else if (sscanf(word, "late%d", &number) == 1)
		late_answers = number;
	else if (strcmp(word, "late") == 0)
		overdue_sleep(&run.shared->slot[1], world.now_ns);
	else if (strcmp(word, "refuse") == 0)
		world.refuses = true;
	else if (strcmp(word, "free") == 0 || strcmp(word, "held") == 0)
		leaves_free = *word == 'f';
	else
		return false;
	return true;
}

/* One word of a script. */
static void happen(const char *word)
{
	int number = 0;
	if (change(word))
		return;
	if (sscanf(word, "end%d", &number) == 1)
		atomic_store(&run.heartbeat->end_ns, world.now_ns + number * NS_PER_MS);
	else if (strcmp(word, "run") == 0)
		set_run();
	else if (strcmp(word, "pause") == 0 || strcmp(word, "resume") == 0)
		pause_or_resume(*word == 'p');
	else if (strcmp(word, "term") == 0 || strcmp(word, "kill") == 0)
		order(*word == 't' ? SHARED_TERMINATE : SHARED_KILL);
	else if (strcmp(word, "exit") == 0 || strcmp(word, "fail") == 0)
		exit_of_first(*word == 'f');
	else if (strcmp(word, "alone") == 0)
		executor_left_alone(&executor);
	else if (strcmp(word, "still") == 0)
		stand_still();
	else if (strcmp(word, "fetched") == 0)
		be_fetched();
	else
		assert_string_equal(word, "nudge");
	if (!world.gone)
		go_round(true);
}

static void play(const char *script)
{
	char words[512];
	char *rest = words;
	snprintf(words, sizeof words, "%s", script);
	for (const char *word; (word = strsep(&rest, " ")) && !world.gone;)
		if (*word)
			happen(word);
}

/* Nothing of ours is left, nothing is stopped, and nobody counts on it. */
static void finish(void)
{
	struct slot_record record;
	if (!world.gone) {
		pause_or_resume(false);
		order(SHARED_TERMINATE);
		go_round(true);
		pass(GRACE_MS);
		if (!world.gone)
			go_round(true);
	}
	assert_true(world.gone);
	executor_sign_off(&executor);
	assert_true(world.there == (executor.is_attached && world.there));
	assert_false(world.stands);
	assert_false(shared_is_live(run.shared, 0));
	latch_read(&executor.slot->record, &record, LATCH_SIZE(struct slot_record));
	assert_true(record.alive == 0 && record.running == 0 && record.duty == 0 && record.at_bound == 0);
	/* What the summary is made of: in all, and of it before and until the end of control. */
	const int64_t total_ns = atomic_load(&executor.slot->workload_cpu_ns);
	assert_int_equal(total_ns, world.ended_ns + world.living_ns);
	assert_in_range(atomic_load(&executor.slot->cpu_until_ns), atomic_load(&executor.slot->cpu_before_ns), total_ns);
}

static void clean_up(void)
{
	loop_free(&executor.loop);
	free(run.shared);
}

static int64_t rounded_ms(double ns)
{
	return (int64_t)(ns / 1e6 + 0.5);
}

/* ---- Sequences -------------------------------------------------------------------------------------------------------- */

static bool check(const struct sequence *sequence)
{
	struct slot_record record;
	begin(&sequence->setting);
	play(sequence->script);
	latch_read(&executor.slot->record, &record, LATCH_SIZE(struct slot_record));
	slot_record_advance(&record, world.now_ns);
	const int64_t alive_ms = rounded_ms(record.alive_ns), running_ms = rounded_ms(record.running_ns);
	const bool is_right =
		strcmp(world.did, sequence->actions) == 0 && alive_ms == sequence->alive_ms && running_ms == sequence->running_ms;
	if (!is_right)
		fprintf(stderr, "%s: %s\n  found    \"%s\", %d, %d\n  expected \"%s\", %d, %d\n", sequence->name,
			sequence->script, world.did, (int)alive_ms, (int)running_ms, sequence->actions, sequence->alive_ms,
			sequence->running_ms);
	finish();
	clean_up();
	return is_right;
}

static void orders_and_ends_in_any_order(void **state)
{
	(void)state;
	bool all = true;
	for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
		all = check(&sequences[i]) && all;
	assert_true(all);
}

/* A failure right after the first stop may come from it: EINTR. The stop before the run is none, and later failures have other causes. */
static void a_failure_at_the_first_stop_is_noted(void **state)
{
	(void)state;
	static const struct {
		const char *script;
		bool noted;
	} cases[] = {
		{"+50 run +20 fail", false},
		{"+50 run +60 fail", false}, /* stopped: by something else */
		{"+50 run +100 fail", true},
		{"+50 run +100 exit", false},
		{"+50 run +125 fail", false},
		{"+50 run +230 fail", false},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		begin(&(struct setting){0});
		play(cases[i].script);
		assert_int_equal(atomic_load(&executor.slot->failed_at_stop), cases[i].noted);
		finish();
		clean_up();
	}
}

/* ---- What was used ---------------------------------------------------------------------------------------------------- */

static void the_time_before_and_after_control_is_told_apart(void **state)
{
	(void)state;
	static const struct {
		struct setting setting;
		const char *script;
		int before_ms, until_ms, total_ms;
	} cases[] = {
		{{0}, "+10 run cpu7 +50 cpu30 term cpu5 +1", 0, 37, 37},
		{{.stubborn = true}, "+10 run cpu7 +50 cpu30 term cpu5 +500", 0, 37, 42},
		{{.stubborn = true}, "+10 run cpu7 +50 kill", 0, 7, 7},
		{{.warmup_ms = 70}, "run cpu11 +60 cpu2 +50 cpu30 term", 13, 43, 43},
		/* What ended before control began has used nothing under control. */
		{{.warmup_ms = 70}, "run cpu11 +60 exit", 11, 11, 11},
		{{.warmup_ms = 70}, "run cpu11 +60 term", 11, 11, 11},
		{{.free = true, .warmup_ms = 70}, "run cpu11 +60 cpu2 +50 cpu30 term", 13, 43, 43},
		{{.staggered = true}, "cpu11 +60 run cpu2 +50 cpu30 term", 11, 43, 43},
		{{.attached = true}, "cpu11 +60 run cpu2 +50 cpu30 exit", 11, 43, 43},
		{{.respawn = true}, "run +60 cpu4 exit +50 cpu6 term", 0, 10, 10},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		begin(&cases[i].setting);
		play(cases[i].script);
		finish();
		const struct slot *const slot = executor.slot;
		const int found[] = {(int)(slot->cpu_before_ns / NS_PER_MS), (int)(slot->cpu_until_ns / NS_PER_MS),
			(int)(slot->workload_cpu_ns / NS_PER_MS)};
		if (found[0] != cases[i].before_ms || found[1] != cases[i].until_ms || found[2] != cases[i].total_ms)
			fail_msg("%s: found %d, %d, %d", cases[i].script, found[0], found[1], found[2]);
		clean_up();
	}
}

static void failures_are_counted_until_the_end(void **state)
{
	(void)state;
	static const struct {
		struct setting setting;
		const char *script;
		unsigned failures, respawns;
		bool ended;
	} cases[] = {
		{{0}, "run +10 exit", 0, 0, true},
		{{0}, "run +10 fail", 1, 0, true},
		{{.respawn = true}, "run +10 fail +100 exit +300 fail +500", 2, 3, true},
		{{.stubborn = true}, "run +10 term fail +10", 0, 0, false},
		{{0}, "run end10 +1009 fail", 1, 0, true},
		{{0}, "run +5", 0, 0, false},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		begin(&cases[i].setting);
		play(cases[i].script);
		assert_int_equal(atomic_load(&executor.slot->failures), cases[i].failures);
		assert_int_equal(atomic_load(&executor.slot->respawns), cases[i].respawns);
		assert_int_equal(atomic_load(&executor.slot->ended), cases[i].ended);
		assert_int_equal(atomic_load(&executor.slot->failure_status), cases[i].failures ? 256 : 0);
		finish();
		clean_up();
	}
}

/* Who is out of control has no estimate that would go on counting, and joins the others when it is back. */
static void who_is_away_estimates_nothing(void **state)
{
	struct slot_record record;
	(void)state;
	begin(&(struct setting){.respawn = true});
	play("run +200 exit +10");
	executor.record.load = 0.5;
	play("exit");
	latch_read(&executor.slot->record, &record, LATCH_SIZE(struct slot_record));
	assert_int_equal(record.alive, 0);
	assert_true(isnan(record.load));
	finish();
	clean_up();
}

/* However long its workload may take to end: a master that stands still is to be killed meanwhile. */
static void who_is_left_alone_looks_after_the_master_while_it_ends(void **state)
{
	(void)state;
	begin(&(struct setting){.stubborn = true});
	config.grace_ns = 10 * NS_PER_S;
	play("run +5 alone term");
	assert_true(executor.terminating);
	assert_int_equal(executor_sleep(&executor), ZERO + 3005 * NS_PER_MS);
	play("kill");
	finish();
	clean_up();
}

/* From when the edge was due until it is over. */
static void lateness_is_counted(void **state)
{
	(void)state;
	unsigned late = 0;
	begin(&(struct setting){0});
	play("run");
	world.now_ns = executor_sleep(&executor) + 3 * NS_PER_MS;
	go_round(false);
	for (unsigned i = 0; i < LATENESS_BUCKETS; i++)
		if (lateness_bound_us(i) > 3000 && lateness_bound_us(i) < 4000)
			late += atomic_load(&executor.slot->lateness[i]);
	assert_int_equal(late, 1);
	finish();
	clean_up();
}

/* ---- Anything in any order -------------------------------------------------------------------------------------------- */

#define RUNS 3000
#define EVENTS 40

/* No row may say more than what was: the workload counts at most while it is there, the run has begun, and isn't paused. */
static void whatever_happens_nothing_is_left(void **state)
{
	(void)state;
	static const char *const words[] = {"pause", "resume", "exit", "fail", "cpu20", "alone", "still", "fetched", "late",
		"nudge", "free", "held", "late2", "refuse", "end300", "term", "kill"};
	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		uint64_t random = seed;
		char script[512] = "";
		const uint64_t bits = splitmix_next(&random);
		const struct setting setting = {.respawn = bits & 3,
			.staggered = bits & 4,
			.attached = (bits & 24) == 24,
			.free = bits & 32,
			.quota = bits & 64,
			.stubborn = bits & 128,
			.warmup_ms = bits & 256 ? 170 : 0};
		const bool ends = bits & 512; /* else the rarer words at the end of the list are left out */
		bool has_run = false, is_paused = false;
		double most_ns = 0;
		begin(&setting);
		for (int i = 0; i < EVENTS && !world.gone; i++) {
			char word[16];
			const uint64_t next = splitmix_next(&random);
			const size_t choice = next % (ends ? 17 : 13);
			snprintf(word, sizeof word, "+%d", (int)((next >> 32) % 150));
			if (!has_run && (next >> 20) % 6 == 0)
				snprintf(word, sizeof word, "run");
			else if (i % 2)
				snprintf(word, sizeof word, "%s", words[choice]);
			/* The master pauses and resumes in turn, and nothing that is held. */
			if (*word == 'p' || *word == 'r') {
				has_run = has_run || strcmp(word, "run") == 0;
				if ((strcmp(word, "pause") == 0 && (is_paused || !(has_run || setting.staggered))) ||
					(strcmp(word, "resume") == 0 && !is_paused))
					continue;
				is_paused = *word == 'p' || (is_paused && strcmp(word, "run") == 0);
			}
			snprintf(script + strlen(script), sizeof script - strlen(script), "%s ", word);
			const int64_t before_ns = world.now_ns;
			happen(word);
			if (executor.terminating || (!is_paused && (has_run || setting.staggered || setting.attached)))
				most_ns += (double)(world.now_ns - before_ns);
		}
		struct slot_record record;
		latch_read(&executor.slot->record, &record, LATCH_SIZE(struct slot_record));
		slot_record_advance(&record, world.now_ns);
		if (record.alive_ns > most_ns + 1 || record.running_ns > record.alive_ns + 1 ||
			record.duty_ns > record.alive_ns + 1)
			fail_msg("seed %d: %s: alive %.0f ms of %.0f, running %.0f", (int)seed, script, record.alive_ns / 1e6,
				most_ns / 1e6, record.running_ns / 1e6);
		finish();
		clean_up();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders_and_ends_in_any_order),
		cmocka_unit_test(a_failure_at_the_first_stop_is_noted),
		cmocka_unit_test(the_time_before_and_after_control_is_told_apart),
		cmocka_unit_test(failures_are_counted_until_the_end),
		cmocka_unit_test(who_is_away_estimates_nothing),
		cmocka_unit_test(who_is_left_alone_looks_after_the_master_while_it_ends),
		cmocka_unit_test(lateness_is_counted),
		cmocka_unit_test(whatever_happens_nothing_is_left),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
