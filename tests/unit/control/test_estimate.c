/* SPDX-License-Identifier: MIT */
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

#include "base/units.h"
#include "control/estimate.h"

/* ---- A source, a clock and a target that the test sets ---------------------------------------------------------------- */

static struct {
	struct sst_reading next; /* what is read next; counter 0 is the work in ns */
	int reads;
	int error; /* the read fails with it */
	int64_t interval_ns;
	double processors_seen; /* that interval() was asked for */
	int64_t clock_ns, cpu_ns, cost_ns;
	int64_t stop_ns; /* one reading takes so much longer, without processor time */
	double target;
	int64_t from_ns, to_ns; /* that the target was asked for */
	void (*while_reading)(void), (*while_asked)(void);
} fake;

static int fake_read(void *state, const struct sst_env *env, struct sst_reading *now)
{
	(void)state;
	(void)env;
	fake.reads++;
	fake.clock_ns += fake.cost_ns + fake.stop_ns;
	fake.cpu_ns += fake.cost_ns;
	fake.stop_ns = 0;
	if (fake.while_reading)
		fake.while_reading();
	if (fake.error) {
		errno = fake.error;
		return -1;
	}
	*now = fake.next;
	return 0;
}

static bool fake_sample(
	const void *state, const struct sst_reading *before, const struct sst_reading *now, struct sst_sample *sample)
{
	(void)state;
	if (now->counter[0] < before->counter[0] || now->when_ns <= before->when_ns)
		return false;
	sample->work = (double)(now->counter[0] - before->counter[0]) / 1e9;
	sample->capacity = (double)(now->when_ns - before->when_ns) / 1e9 * now->processors;
	return true;
}

static double fake_estimate(const void *state, double load, const struct sst_sample *sample)
{
	(void)state;
	return sst_filter(load, sample, 0.4); /* δ = 400 ms of processor-time */
}

static int64_t fake_interval(const void *state, double processors)
{
	(void)state;
	fake.processors_seen = processors;
	if (fake.while_asked)
		fake.while_asked();
	return fake.interval_ns;
}

static int64_t fake_clock(void *context)
{
	assert_ptr_equal(context, &fake);
	return fake.clock_ns;
}

static int64_t fake_cpu_clock(void *context)
{
	assert_ptr_equal(context, &fake);
	return fake.cpu_ns;
}

static double fake_target(void *context, int64_t from_ns, int64_t to_ns)
{
	assert_ptr_equal(context, &fake);
	fake.from_ns = from_ns;
	fake.to_ns = to_ns;
	return fake.target;
}

static const struct sst_feedback feedback = {
	SST_BASE(feedback, SST_FEEDBACK, .name = "fake"),
	.read = fake_read,
	.sample = fake_sample,
	.estimate = fake_estimate,
	.interval = fake_interval,
};

static struct shared *shared;
static struct estimator one, two;

static int share(unsigned executors)
{
	const size_t none[KINDS] = {0};
	size_t offset[KINDS];
	const size_t size = shared_layout(executors, none, offset);
	shared = aligned_alloc(128, size);
	if (!shared)
		return -1;
	memset(shared, 0, size);
	shared_init(shared, executors, size, offset);
	return 0;
}

static int enter(void **state)
{
	(void)state;
	if (share(2) != 0)
		return -1;
	memset(&fake, 0, sizeof fake);
	fake.next.processors = 2;
	fake.interval_ns = 80 * NS_PER_MS;
	one = (struct estimator){.feedback = &feedback,
		.shared = shared,
		.owner = 1,
		.clock = fake_clock,
		.cpu_clock = fake_cpu_clock,
		.context = &fake};
	two = one;
	two.owner = 2;
	return 0;
}

static int leave(void **state)
{
	(void)state;
	assert_int_equal(atomic_load(&shared->sampler.claim), 0); /* nobody keeps the place */
	free(shared);
	return 0;
}

static bool is(double found, double expected)
{
	if (fabs(found - expected) < 1e-12)
		return true;
	fprintf(stderr, "found %.17g, expected %.17g\n", found, expected);
	return false;
}

/* The source says at `ms` that `worked_ms` have been worked in all. */
static void set(int64_t ms, uint64_t worked_ms)
{
	fake.next.when_ns = ms * NS_PER_MS;
	fake.next.counter[0] = worked_ms * (uint64_t)NS_PER_MS;
}

static struct estimate_record get(struct estimator *estimator, int64_t now_ms)
{
	struct estimate_record record;
	assert_int_equal(estimate_get(estimator, now_ms * NS_PER_MS, &record), 0);
	return record;
}

/* ---- Tests ------------------------------------------------------------------------------------------------------------ */

static void the_filter_weighs_by_length(void **state)
{
	(void)state;
	/* Paper, equations 1 and 2: a sample as long as δ/P of wall time (capacity δ) weighs as much as the past. */
	const struct sst_sample equal = {.work = 0.4, .capacity = 0.4};
	assert_true(is(sst_filter(0.2, &equal, 0.4), 0.6));           /* (0.2 + 1) / 2 */
	const struct sst_sample third = {.work = 0, .capacity = 0.2}; /* ω = 1 − 0.4/0.6 = 1/3 */
	assert_true(is(sst_filter(0.9, &third, 0.4), 0.6));
	const struct sst_sample long_one = {.work = 1.2, .capacity = 1.2}; /* ω = 1 − 0.4/1.6 = 3/4 */
	assert_true(is(sst_filter(0, &long_one, 0.4), 0.75));
	assert_true(is(sst_filter(NAN, &third, 0.4), 0)); /* no past */
}

static void the_first_reading_gives_no_load(void **state)
{
	(void)state;
	set(1000, 500);
	const struct estimate_record record = get(&one, 1000);
	assert_int_equal(fake.reads, 1);
	assert_true(isnan(record.load));
	assert_int_equal(record.samples, 1);
	assert_true(record.work == 0 && record.capacity == 0 && record.owed == 0);
	assert_int_equal(record.last.when_ns, 1000 * NS_PER_MS);
}

static void samples_add_up_by_hand(void **state)
{
	(void)state;
	set(1000, 0);
	get(&one, 1000);
	/* 200 ms on two processors: capacity 0.4 = δ; worked 0.3: load 0.75, and no past. */
	set(1200, 300);
	struct estimate_record record = get(&two, 1200);
	assert_true(is(record.load, 0.75));
	assert_true(is(record.work, 0.3) && is(record.capacity, 0.4));
	/* 100 ms: capacity 0.2, worked 0.05: 0.25; ω = 1/3: 0.75·2/3 + 0.25/3. */
	set(1300, 350);
	record = get(&one, 1300);
	assert_true(is(record.load, 0.75 * 2 / 3 + 0.25 / 3));
	assert_true(is(record.work, 0.35) && is(record.capacity, 0.6));
	assert_int_equal(record.samples, 3);
	/* Both see the same. */
	const struct estimate_record other = get(&two, 1301);
	assert_memory_equal(&record, &other, sizeof record);
	assert_int_equal(fake.reads, 3);
}

static void nobody_samples_before_the_interval_is_over(void **state)
{
	(void)state;
	set(1000, 0);
	get(&one, 1000);
	set(1079, 10);
	get(&one, 1079);
	get(&two, 1079);
	assert_int_equal(fake.reads, 1);
	assert_true(fake.processors_seen == 2); /* the module is told how many there are */
	set(1080, 10);
	get(&two, 1080);
	assert_int_equal(fake.reads, 2);
	get(&one, 1080); /* the other one uses what is there */
	assert_int_equal(fake.reads, 2);
	/* It counts from the reading and not from when somebody asked. */
	set(1105, 20);
	get(&one, 1160);
	assert_int_equal(fake.reads, 3);
	get(&one, 1184);
	assert_int_equal(fake.reads, 3);
	get(&one, 1185);
	assert_int_equal(fake.reads, 4);
}

static void expensive_readings_are_seldom(void **state)
{
	(void)state;
	fake.cost_ns = NS_PER_MS;
	atomic_store(&shared->last_reading_ns, 2 * NS_PER_MS);
	set(1000, 0);
	get(&one, 1000);
	assert_int_equal(atomic_load(&shared->reading_ns), NS_PER_MS);
	set(1099, 0);
	get(&one, 1099);
	assert_int_equal(fake.reads, 1); /* 100 × 1 ms is more than the module's 80 */
	fake.cost_ns = 0;
	set(1100, 0);
	get(&one, 1100);
	assert_int_equal(fake.reads, 2);
	assert_int_equal(atomic_load(&shared->reading_ns), 875 * NS_PER_US); /* (7 × 1 + 0) / 8: forgotten slowly, … */
	set(1188, 0);
	get(&one, 1187);
	assert_int_equal(fake.reads, 2);
	fake.cost_ns = 990 * NS_PER_US;
	atomic_store(&shared->last_reading_ns, fake.cost_ns);
	get(&one, 1188);
	assert_int_equal(fake.reads, 3);
	assert_int_equal(atomic_load(&shared->reading_ns), 990 * NS_PER_US); /* … and learnt at once */
}

/* When the next reading is due after one that took a millisecond, in ms. */
static int due_after(unsigned executors, double processors)
{
	free(shared);
	assert_int_equal(share(executors), 0);
	one.shared = shared;
	fake.cost_ns = NS_PER_MS;
	fake.interval_ns = NS_PER_MS;
	fake.next.processors = processors;
	atomic_store(&shared->last_reading_ns, NS_PER_MS);
	set(1000, 0);
	get(&one, 1000);
	const int before = fake.reads;
	for (int ms = 1; ms < 200; ms++) {
		set(1000 + ms, 0);
		get(&one, 1000 + ms);
		if (fake.reads > before)
			return ms;
	}
	return -1;
}

/* More than a hundredth of a processor: a twentieth of that for each executor, but a quarter of it for each processor at most. */
static void large_machines_read_more(void **state)
{
	(void)state;
	assert_int_equal(due_after(20, 1000), 100);
	assert_int_equal(due_after(80, 1000), 25);
	assert_int_equal(due_after(1000, 8), 50);
	assert_int_equal(due_after(1000, 2), 100);
	assert_int_equal(due_after(1, 1000), 100);
}

/* A hypervisor took the processor away in the midst of one, or it was the first. The others are as cheap as they were. */
static void a_single_dear_reading_is_no_rule(void **state)
{
	(void)state;
	fake.cost_ns = 50 * NS_PER_MS;
	set(1000, 0);
	get(&one, 1000);
	fake.cost_ns = 0;
	for (int ms = 1100; ms <= 1300; ms += 100) {
		set(ms, 0);
		get(&one, ms);
	}
	assert_int_equal(fake.reads, 4);
	fake.cost_ns = 50 * NS_PER_MS; /* two in a row are one */
	set(1400, 0);
	get(&one, 1400);
	assert_true(atomic_load(&shared->reading_ns) < NS_PER_MS);
	set(1500, 0);
	get(&one, 1500);
	assert_int_equal(atomic_load(&shared->reading_ns), 50 * NS_PER_MS);
}

/* One that takes 30 ms is left out of edges, and taken after them, by somebody who has the time. */
static void dear_readings_wait_until_nothing_waits_for_them(void **state)
{
	(void)state;
	fake.cost_ns = 30 * NS_PER_MS;
	atomic_store(&shared->last_reading_ns, fake.cost_ns);
	set(1000, 0);
	get(&one, 1000);
	set(9000, 100);
	assert_int_equal(get(&one, 9000).samples, 1);
	assert_int_equal(fake.reads, 1);
	assert_int_equal(estimate_catch_up(&one, 3999 * NS_PER_MS, 9999 * NS_PER_MS), 0); /* not due: 100 × 30 ms */
	assert_int_equal(estimate_catch_up(&one, 4000 * NS_PER_MS, 4029 * NS_PER_MS), 0); /* its edge would be late */
	assert_int_equal(fake.reads, 1);
	set(4000, 100);
	assert_int_equal(estimate_catch_up(&two, 4000 * NS_PER_MS, 4030 * NS_PER_MS), 0);
	assert_int_equal(fake.reads, 2);
	assert_int_equal(get(&one, 4000).samples, 2);
	/* Nobody had the time for too long: then somebody is late. */
	assert_int_equal(estimate_catch_up(&one, 9999 * NS_PER_MS, 10000 * NS_PER_MS), 0);
	assert_int_equal(fake.reads, 2);
	assert_int_equal(estimate_catch_up(&one, 10000 * NS_PER_MS, 10001 * NS_PER_MS), 0);
	assert_int_equal(fake.reads, 3);
	/* Cheap ones are none of its business. */
	atomic_store(&shared->reading_ns, NS_PER_MS);
	assert_int_equal(estimate_catch_up(&one, 90000 * NS_PER_MS, 99000 * NS_PER_MS), 0);
	assert_int_equal(fake.reads, 3);
}

static void the_dearest_readings_are_taken_all_the_same(void **state)
{
	(void)state;
	fake.cost_ns = 60 * NS_PER_S;
	atomic_store(&shared->last_reading_ns, fake.cost_ns);
	set(1000, 0);
	get(&one, 1000);
	const int reads = fake.reads;
	assert_int_equal(estimate_catch_up(&one, 10999 * NS_PER_MS, 99000 * NS_PER_MS), 0);
	assert_int_equal(fake.reads, reads);
	assert_int_equal(estimate_catch_up(&one, 11000 * NS_PER_MS, 99000 * NS_PER_MS), 0);
	assert_true(fake.reads > reads);
}

static void a_wait_is_no_cost(void **state)
{
	(void)state;
	set(1000, 0);
	get(&one, 1000);
	fake.stop_ns = 100 * NS_PER_MS; /* it lost its processor */
	set(1100, 0);
	get(&one, 1100);
	assert_int_equal(fake.reads, 2);
	set(1180, 0);
	get(&one, 1180);
	assert_int_equal(fake.reads, 3);
}

static struct estimate_record seen_by_two;

static void two_asks(void)
{
	fake.while_reading = NULL;
	assert_int_equal(estimate_get(&two, 5000 * NS_PER_MS, &seen_by_two), 0);
}

static void two_estimators_take_one_sample(void **state)
{
	(void)state;
	set(1000, 0);
	get(&one, 1000);
	set(1200, 100);
	get(&one, 1200);
	set(5000, 200);
	fake.while_reading = two_asks; /* while the first one is at it */
	const struct estimate_record record = get(&one, 5000);
	assert_int_equal(fake.reads, 3);
	assert_int_equal(record.samples, 3);
	assert_int_equal(seen_by_two.samples, 2); /* the other one didn't wait: it has what was there */
	assert_true(is(seen_by_two.load, 0.25));
}

static void somebody_finishes(void)
{
	/* Between one's look and its claim two takes the sample. */
	fake.while_asked = NULL;
	get(&two, 1200);
}

static void a_claim_that_came_too_late_takes_no_second_sample(void **state)
{
	(void)state;
	set(1000, 0);
	get(&one, 1000);
	set(1200, 100);
	fake.while_asked = somebody_finishes;
	const struct estimate_record record = get(&one, 1200);
	assert_int_equal(fake.reads, 2);
	assert_int_equal(record.samples, 2);
	assert_true(is(record.load, 0.25));
}

static void a_dead_sampler_is_released(void **state)
{
	(void)state;
	set(1000, 0);
	get(&one, 1000);
	const uint64_t claim = lease_take(&shared->sampler, 2, 1190 * NS_PER_MS, LEASE_LIMIT_NS); /* where the second one died */
	set(1200, 100);
	get(&one, 1200);
	assert_int_equal(fake.reads, 1);
	estimate_release(shared, 3); /* somebody else's death changes nothing */
	assert_true(lease_holds(&shared->sampler, claim));
	estimate_release(shared, 2);
	get(&one, 1200);
	assert_int_equal(fake.reads, 2);
	estimate_release(shared, 2); /* of one that was at nothing */
	assert_int_equal(atomic_load(&shared->sampler.claim), 0);
}

/* ---- One who is stopped by somebody in the middle of it --------------------------------------------------------------- */

static struct estimate_record published;

/* The second one goes on while the first stands still from 1200 ms on. */
static void two_takes_over(void)
{
	fake.while_reading = NULL;
	assert_int_equal(get(&two, 1449).samples, 2); /* not yet */
	assert_int_equal(fake.reads, 3);
	set(1450, 200);
	published = get(&two, 1450);
	assert_int_equal(fake.reads, 4);
	assert_int_equal(published.samples, 3);
	set(1550, 250);
	published = get(&two, 1550);
	assert_int_equal(published.samples, 4);
	set(1200, 260); /* what the first one brings back: a time that has nothing to do with its counters */
}

static void the_claim_of_one_who_was_stopped_lapses(void **state)
{
	(void)state;
	set(1000, 0);
	get(&two, 1000);
	set(1100, 100);
	get(&one, 1100);
	set(1200, 110);
	fake.while_reading = two_takes_over;
	fake.stop_ns = 400 * NS_PER_MS;
	const struct estimate_record late = get(&one, 1200);
	assert_int_equal(fake.reads, 5);
	/* It has what the other one found, and so has everybody. */
	assert_memory_equal(&late, &published, sizeof late);
	const struct estimate_record record = get(&two, 1551);
	assert_memory_equal(&record, &published, sizeof record);
	set(1650, 350);
	assert_int_equal(get(&one, 1650).samples, 5);
	assert_true(is(get(&two, 1651).work, 0.35));
}

/* Taken over, but not finished: the late one still changes nothing, also when it could. */
static void two_claims(void)
{
	fake.while_reading = NULL;
	assert_true(lease_take(&shared->sampler, 2, 1600 * NS_PER_MS, LEASE_LIMIT_NS) != 0);
}

static void one_who_comes_back_leaves_the_other_one_s_claim(void **state)
{
	(void)state;
	set(1000, 0);
	get(&one, 1000);
	set(1100, 100);
	fake.while_reading = two_claims;
	const struct estimate_record late = get(&one, 1100);
	assert_int_equal(late.samples, 1);
	assert_int_equal(get(&one, 1601).samples, 1);
	assert_int_equal(fake.reads, 2);
	estimate_release(shared, 2);
}

/* It was the only one: no other took over. What it read first doesn't belong together, so it reads again. */
static void one_who_is_alone_reads_again(void **state)
{
	(void)state;
	set(1000, 0);
	get(&one, 1000);
	set(1100, 100);
	fake.stop_ns = 260 * NS_PER_MS;
	assert_int_equal(get(&one, 1100).samples, 2);
	assert_int_equal(fake.reads, 3);
	/* After more than a second, as after a machine that stood still, there is no sample. */
	set(1200, 5000);
	fake.stop_ns = 1001 * NS_PER_MS;
	fake.clock_ns = 1200 * NS_PER_MS;
	const struct estimate_record record = get(&one, 1200);
	assert_int_equal(fake.reads, 5);
	assert_int_equal(record.samples, 3);
	assert_true(is(record.work, 0.1));
	assert_int_equal(atomic_load(&shared->break_ns), 2201 * NS_PER_MS);
}

static void dear_readings_have_more_time(void **state)
{
	(void)state;
	atomic_store(&shared->reading_ns, 100 * NS_PER_MS);
	const uint64_t claim = lease_take(&shared->sampler, 2, 1000 * NS_PER_MS, LEASE_LIMIT_NS);
	estimate_catch_up(&one, 1399 * NS_PER_MS, 9999 * NS_PER_MS);
	assert_int_equal(fake.reads, 0);
	assert_true(lease_holds(&shared->sampler, claim));
	estimate_catch_up(&one, 1400 * NS_PER_MS, 9999 * NS_PER_MS);
	assert_int_equal(fake.reads, 1);
}

static void a_sampler_that_died_while_writing_leaves_the_last_record(void **state)
{
	(void)state;
	set(1000, 0);
	get(&one, 1000);
	set(1200, 100);
	const struct estimate_record whole = get(&one, 1200);
	struct snapshot_page *const page = (struct snapshot_page *)((char *)shared + shared->pages_offset);
	const uint64_t newest = atomic_load(&shared->estimate.newest);
	assert_int_equal(snapshot_writer(newest), 1);
	for (size_t i = 0; i < 5; i++) {
		atomic_store(&page[1].copy[!(newest & 1)][i], UINT64_C(0x4242424242424242));
		atomic_store(&page[2].copy[0][i], UINT64_C(0x4242424242424242));
	}
	const struct estimate_record record = get(&one, 1201);
	assert_memory_equal(&record, &whole, sizeof record);
	set(1400, 200);
	assert_int_equal(get(&two, 1400).samples, 3);
}

static void a_source_that_fails_keeps_the_last_record(void **state)
{
	(void)state;
	struct estimate_record record;
	set(1000, 0);
	get(&one, 1000);
	set(1200, 100);
	get(&one, 1200);
	fake.error = EIO;
	errno = 0;
	assert_int_equal(estimate_get(&one, 1400 * NS_PER_MS, &record), -1);
	assert_int_equal(errno, EIO);
	assert_int_equal(record.samples, 2);
	assert_true(is(record.load, 0.25));
	assert_int_equal(atomic_load(&shared->sampler.claim), 0);
	fake.error = 0;
	set(1600, 500); /* what was missed is part of the next sample: 0.4 of 0.8, ω = 2/3 */
	record = get(&two, 1600);
	assert_true(is(record.load, 0.25 / 3 + 0.5 * 2 / 3));
	assert_true(is(record.capacity, 1.2));
}

static void a_pair_without_a_sample_starts_afresh(void **state)
{
	(void)state;
	set(1000, 1000);
	get(&one, 1000);
	set(1200, 1100);
	get(&one, 1200);
	set(1400, 50); /* the counter went back */
	struct estimate_record record = get(&one, 1400);
	assert_true(is(record.load, 0.25));
	assert_true(is(record.capacity, 0.4));
	assert_int_equal(record.samples, 3);
	set(1600, 450); /* against the new one: 0.4 of 0.4 */
	record = get(&one, 1600);
	assert_true(is(record.load, 0.625)); /* (0.25 + 1) / 2 */
	assert_true(is(record.capacity, 0.8));
}

/* A pause of ten seconds: what was done until then stays, what the machine did meanwhile is nobody's, and a sample follows at once. */
static void a_break_is_no_sample(void **state)
{
	(void)state;
	one.target = two.target = fake_target;
	fake.target = 0.5;
	set(1000, 0);
	get(&one, 1000);
	set(1100, 100);
	const struct estimate_record before = get(&one, 1100);
	estimate_break(shared, 11100 * NS_PER_MS);
	estimate_break(shared, 5000 * NS_PER_MS); /* an older one changes nothing */
	set(11100, 10000);
	const struct estimate_record after = get(&two, 11100);
	assert_int_equal(after.samples, before.samples + 1);
	assert_true(is(after.load, before.load));
	assert_true(is(after.work, before.work));
	assert_true(is(after.capacity, before.capacity));
	assert_true(is(after.owed, before.owed));
	set(11200, 10100);
	const struct estimate_record later = get(&one, 11200);
	assert_true(is(later.work, before.work + 0.1));
	assert_true(is(later.capacity, before.capacity + 0.2));
}

static void owed_work_is_the_integral_of_the_target_less_work(void **state)
{
	(void)state;
	one.target = fake_target;
	fake.target = 0.75;
	set(1000, 0);
	get(&one, 1000);
	set(1200, 100); /* 0.75 × 0.4 − 0.1 = 0.2 */
	assert_true(is(get(&one, 1200).owed, 0.2));
	assert_int_equal(fake.from_ns, 1000 * NS_PER_MS);
	assert_int_equal(fake.to_ns, 1200 * NS_PER_MS);
	set(1300, 400); /* 0.2 + 0.75 × 0.2 − 0.3 = 0.05 */
	assert_true(is(get(&one, 1300).owed, 0.05));
	fake.target = NAN; /* free: nothing is asked for */
	set(1400, 500);
	assert_true(is(get(&one, 1400).owed, 0.05));
	fake.target = 0; /* 0.05 − 0.2 = −0.15: worked too much */
	set(1500, 700);
	assert_true(is(get(&one, 1500).owed, -0.15));
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, enter, leave)
	const struct CMUnitTest tests[] = {
		TEST(the_filter_weighs_by_length),
		TEST(the_first_reading_gives_no_load),
		TEST(samples_add_up_by_hand),
		TEST(nobody_samples_before_the_interval_is_over),
		TEST(expensive_readings_are_seldom),
		TEST(large_machines_read_more),
		TEST(a_single_dear_reading_is_no_rule),
		TEST(dear_readings_wait_until_nothing_waits_for_them),
		TEST(the_dearest_readings_are_taken_all_the_same),
		TEST(a_wait_is_no_cost),
		TEST(two_estimators_take_one_sample),
		TEST(a_claim_that_came_too_late_takes_no_second_sample),
		TEST(a_dead_sampler_is_released),
		TEST(the_claim_of_one_who_was_stopped_lapses),
		TEST(one_who_comes_back_leaves_the_other_one_s_claim),
		TEST(one_who_is_alone_reads_again),
		TEST(dear_readings_have_more_time),
		TEST(a_sampler_that_died_while_writing_leaves_the_last_record),
		TEST(a_source_that_fails_keeps_the_last_record),
		TEST(a_pair_without_a_sample_starts_afresh),
		TEST(a_break_is_no_sample),
		TEST(owed_work_is_the_integral_of_the_target_less_work),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
