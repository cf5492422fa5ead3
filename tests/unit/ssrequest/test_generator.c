/* SPDX-License-Identifier: MIT */
/*
 * The generator against a server in virtual time. The server that stands still for one second in ten is the question that a generator
 * which waits for answers gets wrong: what it then didn't ask, nobody waited for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/splitmix.h"
#include "base/units.h"
#include "ssrequest/generator.h"

#define REQUESTS_MAX 20000
#define LIMIT_MAX 1000
#define SERVICE_NS NS_PER_MS

enum fate { FATE_NONE, FATE_ANSWERED, FATE_DROPPED, FATE_GIVEN_UP };

/* What became of each request. */
static struct {
	enum fate fate;
	int64_t planned_ns, arrival_ns, end_ns;
} record[REQUESTS_MAX];

static struct world {
	struct schedule schedule;
	struct generator *generator;
	struct generator_settings settings;
	int64_t (*answer)(int64_t arrival_ns); /* when the server answers; INT64_MAX: never */
	size_t requests;
	unsigned most; /* unanswered */
	int64_t answer_ns[LIMIT_MAX];
	struct request request[LIMIT_MAX];
} world;

static void note(const struct request *request, enum fate fate, int64_t end_ns)
{
	assert_true(request->number < REQUESTS_MAX);
	assert_int_equal(record[request->number].fate, FATE_NONE);
	record[request->number].fate = fate;
	record[request->number].planned_ns = request->planned_ns;
	record[request->number].arrival_ns = request->arrival_ns;
	record[request->number].end_ns = end_ns;
	world.requests++;
}

/* Serves what there is to do now. True when it is all over. */
static bool act(int64_t now_ns, int64_t *until_ns)
{
	for (;;) {
		const struct generator_action action = generator_next(world.generator, now_ns);
		switch (action.act) {
		case GENERATOR_SEND:
			assert_int_equal(world.answer_ns[action.slot], INT64_MIN);
			assert_true(action.request.arrival_ns <= now_ns);
			world.request[action.slot] = action.request;
			world.answer_ns[action.slot] = world.answer(action.request.arrival_ns);
			break;
		case GENERATOR_DROP:
			note(&action.request, FATE_DROPPED, action.request.arrival_ns);
			break;
		case GENERATOR_GIVE_UP:
			world.answer_ns[action.slot] = INT64_MIN;
			note(&action.request, FATE_GIVEN_UP, now_ns);
			break;
		case GENERATOR_SLEEP:
			assert_true(action.until_ns > now_ns);
			*until_ns = action.until_ns;
			if (generator_unanswered(world.generator) > world.most)
				world.most = generator_unanswered(world.generator);
			return false;
		case GENERATOR_END:
			return true;
		}
	}
}

/* The slot of the request that is answered first; LIMIT_MAX: there is none. */
static unsigned next_answer(void)
{
	unsigned first = LIMIT_MAX;
	for (unsigned i = 0; i < world.settings.limit; i++)
		if (world.answer_ns[i] != INT64_MIN && (first == LIMIT_MAX || world.answer_ns[i] < world.answer_ns[first]))
			first = i;
	return first;
}

static void run(const struct schedule_settings *schedule, const struct generator_settings *settings,
	int64_t (*answer)(int64_t arrival_ns), int64_t late_ns)
{
	int64_t now_ns = 0, until_ns = 0;
	uint64_t random = 7;
	for (size_t i = 0; i < REQUESTS_MAX; i++)
		record[i].fate = FATE_NONE;
	world = (struct world){.settings = *settings, .answer = answer};
	for (size_t i = 0; i < LIMIT_MAX; i++)
		world.answer_ns[i] = INT64_MIN;
	schedule_init(&world.schedule, schedule);
	world.generator = generator_new(settings, &world.schedule);
	assert_non_null(world.generator);
	while (!act(now_ns, &until_ns)) {
		unsigned first = next_answer();
		const int64_t event_ns =
			first < LIMIT_MAX && world.answer_ns[first] < until_ns ? world.answer_ns[first] : until_ns;
		assert_true(event_ns != INT64_MAX);
		const int64_t served_ns = event_ns + (late_ns ? (int64_t)(splitmix_next(&random) % (uint64_t)late_ns) : 0);
		now_ns = served_ns > now_ns ? served_ns : now_ns;
		for (; first < LIMIT_MAX && world.answer_ns[first] <= now_ns; first = next_answer()) {
			const int64_t answer_ns = world.answer_ns[first];
			world.answer_ns[first] = INT64_MIN;
			note(&world.request[first], FATE_ANSWERED, answer_ns);
			generator_answered(world.generator, first, answer_ns);
		}
	}
	generator_free(world.generator);
}

static const struct schedule_settings hundred_a_second = {
	.constant = 100, .arrivals = ARRIVALS_EVEN, .length_ns = 100 * NS_PER_S, .most = UINT64_MAX};

/* As many at a time as there are, each in a millisecond; but of ten seconds it stands still for one, until GO_ON_NS. */
#define GO_ON_NS (9995 * NS_PER_MS)

static int64_t stands_still(int64_t arrival_ns)
{
	const int64_t in_ten_ns = arrival_ns % (10 * NS_PER_S);
	const bool stands = in_ten_ns >= GO_ON_NS - NS_PER_S && in_ten_ns < GO_ON_NS;
	return SERVICE_NS + (stands ? arrival_ns - in_ten_ns + GO_ON_NS : arrival_ns);
}

static int64_t never(int64_t arrival_ns)
{
	(void)arrival_ns;
	return INT64_MAX;
}

static int64_t after_a_second(int64_t arrival_ns)
{
	return arrival_ns + NS_PER_S;
}

static int compare(const void *a, const void *b)
{
	const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
	return (left > right) - (left < right);
}

/* Of 1,000 in ten seconds, 900 take a millisecond, and one each 6, 16, …, 996 ms. */
static void expect_stand_still(int64_t rounding_ns)
{
	static int64_t response[REQUESTS_MAX];
	assert_int_equal(world.requests, 10000);
	for (size_t i = 0; i < 10000; i++) {
		assert_int_equal(record[i].fate, FATE_ANSWERED);
		response[i] = record[i].end_ns - record[i].planned_ns;
	}
	qsort(response, 10000, sizeof *response, compare);
	for (size_t i = 0; i < 10000; i++) {
		const int64_t exact_ns = i < 9000 ? SERVICE_NS : (int64_t)(6 + (i - 9000) / 10 * 10) * NS_PER_MS;
		assert_true(llabs(response[i] - exact_ns) <= rounding_ns);
	}
}

static void a_server_that_stands_still_hides_nothing(void **state)
{
	(void)state;
	run(&hundred_a_second, &(struct generator_settings){.limit = 200, .timeout_ns = 10 * NS_PER_S}, stands_still, 0);
	expect_stand_still(2);
	assert_int_equal(world.most, 100);
	for (size_t i = 0; i < 10000; i++)
		assert_int_equal(record[i].arrival_ns, record[i].planned_ns);
}

/* With half of the room: the others arrive when it goes on, and wait a millisecond more; they are still planned for when they were. */
static void what_is_postponed_is_still_planned_for_then(void **state)
{
	(void)state;
	run(&hundred_a_second, &(struct generator_settings){.limit = 50, .timeout_ns = 10 * NS_PER_S}, stands_still, 0);
	assert_int_equal(world.requests, 10000);
	assert_int_equal(world.most, 50);
	for (size_t i = 0; i < 10000; i++) {
		const int64_t in_ten_ns = (int64_t)(i % 1000) * 10 * NS_PER_MS;
		const int64_t go_on_ns = (int64_t)(i / 1000) * 10 * NS_PER_S + GO_ON_NS + SERVICE_NS;
		const bool waits = in_ten_ns >= 9500 * NS_PER_MS;
		assert_true(llabs(record[i].planned_ns - (int64_t)i * 10 * NS_PER_MS) <= 1);
		assert_int_equal(record[i].fate, FATE_ANSWERED);
		assert_true(llabs(record[i].arrival_ns - (waits ? go_on_ns : record[i].planned_ns)) <= 1);
		assert_true(!waits || llabs(record[i].end_ns - (go_on_ns + SERVICE_NS)) <= 1);
	}
}

static void or_dropped(void **state)
{
	(void)state;
	run(&hundred_a_second, &(struct generator_settings){.limit = 50, .timeout_ns = 10 * NS_PER_S, .drops = true},
		stands_still, 0);
	for (size_t i = 0; i < 10000; i++) {
		const bool is_full = i % 1000 >= 950;
		assert_int_equal(record[i].fate, is_full ? FATE_DROPPED : FATE_ANSWERED);
		assert_int_equal(record[i].arrival_ns, record[i].planned_ns);
	}
}

/* Times of requests are theirs, however late the generator is served. */
static void a_late_generator_changes_nothing(void **state)
{
	(void)state;
	run(&hundred_a_second, &(struct generator_settings){.limit = 200, .timeout_ns = 10 * NS_PER_S}, stands_still,
		30 * NS_PER_MS);
	expect_stand_still(2);
	run(&hundred_a_second, &(struct generator_settings){.limit = 50, .timeout_ns = 10 * NS_PER_S, .drops = true},
		stands_still, 5 * NS_PER_MS);
	for (size_t i = 0; i < 10000; i++)
		assert_int_equal(record[i].fate, i % 1000 >= 950 ? FATE_DROPPED : FATE_ANSWERED);
}

/* As in the paper: 200 of them wait, the next one is generated when one of these has been there for ten seconds. */
static void a_dead_server_gets_as_many_as_are_given_up(void **state)
{
	(void)state;
	run(&hundred_a_second, &(struct generator_settings){.limit = 200, .timeout_ns = 10 * NS_PER_S}, never, 0);
	assert_int_equal(world.most, 200);
	size_t given_up = 0;
	for (size_t i = 0; i < 10000; i++) {
		assert_int_equal(record[i].fate, i < 2000 ? FATE_GIVEN_UP : FATE_DROPPED);
		given_up += record[i].fate == FATE_GIVEN_UP;
		if (i >= 2000)
			continue;
		const int64_t arrival_ns = (int64_t)(i / 200) * 10 * NS_PER_S + (int64_t)(i % 200) * 10 * NS_PER_MS;
		assert_int_equal(record[i].arrival_ns, arrival_ns);
		assert_int_equal(record[i].end_ns, arrival_ns + 10 * NS_PER_S);
	}
	assert_int_equal(given_up, 2000);
}

/* A second each for five at a time: five a second are answered, of which each waits longer than the one before. */
static void an_overloaded_server_answers_what_it_can(void **state)
{
	(void)state;
	const struct schedule_settings ten = {
		.constant = 10, .arrivals = ARRIVALS_EVEN, .length_ns = 20 * NS_PER_S, .most = UINT64_MAX};
	run(&ten, &(struct generator_settings){.limit = 5, .timeout_ns = 10 * NS_PER_S}, after_a_second, 0);
	assert_int_equal(world.requests, 200);
	for (size_t i = 0; i < 100; i++) {
		assert_int_equal(record[i].fate, FATE_ANSWERED);
		assert_true(
			llabs(record[i].arrival_ns - ((int64_t)(i / 5) * NS_PER_S + (int64_t)(i % 5) * 100 * NS_PER_MS)) <= 1);
	}
	for (size_t i = 100; i < 200; i++)
		assert_int_equal(record[i].fate, FATE_DROPPED);
}

/* One that is served late, step by step: what it says of moments that have passed is what it would have said then. */

#define AT_MS(ms) ((ms)*NS_PER_MS)

static void expect(struct generator *generator, int64_t now_ms, enum generator_act act, int64_t ms)
{
	const struct generator_action action = generator_next(generator, AT_MS(now_ms));
	assert_int_equal(action.act, act);
	const int64_t found_ns = act == GENERATOR_SLEEP ? action.until_ns : action.request.arrival_ns;
	if (llabs(found_ns - AT_MS(ms)) > 1)
		fail_msg("at %lld ms: %lld ns, expected %lld ms", (long long)now_ms, (long long)found_ns, (long long)ms);
}

/* Slots become free in an order in which one doesn't hear of it: the second was answered, and the first given up before that. */
static void room_counts_from_when_it_was_there(void **state)
{
	(void)state;
	const struct schedule_settings every_150_ms = {.constant = 1 / 0.15, .length_ns = NS_PER_S, .most = UINT64_MAX};
	struct schedule schedule;
	schedule_init(&schedule, &every_150_ms);
	struct generator *const generator =
		generator_new(&(struct generator_settings){.limit = 2, .timeout_ns = AT_MS(200), .drops = true}, &schedule);
	expect(generator, 0, GENERATOR_SEND, 0);
	const struct generator_action second = generator_next(generator, AT_MS(150));
	assert_int_equal(second.act, GENERATOR_SEND);
	generator_answered(generator, second.slot, AT_MS(320));
	expect(generator, 320, GENERATOR_GIVE_UP, 0);
	expect(generator, 320, GENERATOR_SEND, 300);
	generator_free(generator);
}

static const struct schedule_settings ten_in_a_second = {.constant = 10, .length_ns = NS_PER_S, .most = UINT64_MAX};

static void postponed_ones_arrive_when_there_is_room(void **state)
{
	(void)state;
	struct schedule schedule;
	schedule_init(&schedule, &ten_in_a_second);
	struct generator *const generator =
		generator_new(&(struct generator_settings){.limit = 1, .timeout_ns = AT_MS(5000)}, &schedule);
	expect(generator, 0, GENERATOR_SEND, 0);
	/* Until there may be room, or none is needed any more. */
	expect(generator, 130, GENERATOR_SLEEP, 1000);
	generator_answered(generator, 0, AT_MS(150));
	expect(generator, 170, GENERATOR_SEND, 150);
	for (int i = 2; i < 10; i++)
		expect(generator, 1010, GENERATOR_DROP, 1000);
	expect(generator, 1010, GENERATOR_SLEEP, 5150);
	expect(generator, 5160, GENERATOR_GIVE_UP, 150);
	assert_int_equal(generator_next(generator, AT_MS(5160)).act, GENERATOR_END);
	generator_free(generator);
}

/* When the schedule is over by both, it is so by its number. */
static void all_of_a_number_are_waited_for(void **state)
{
	(void)state;
	struct schedule schedule;
	struct schedule_settings settings = ten_in_a_second;
	settings.most = 10;
	schedule_init(&schedule, &settings);
	struct generator *const generator =
		generator_new(&(struct generator_settings){.limit = 1, .timeout_ns = AT_MS(5000)}, &schedule);
	expect(generator, 0, GENERATOR_SEND, 0);
	for (int i = 1; i < 10; i++) {
		expect(generator, i * 300, GENERATOR_SLEEP, 4700 + i * 300);
		generator_answered(generator, 0, AT_MS(i * 300));
		expect(generator, i * 300, GENERATOR_SEND, i * 300);
	}
	generator_free(generator);
}

static void dropped_ones_are_so_when_they_were_planned(void **state)
{
	(void)state;
	struct schedule schedule;
	schedule_init(&schedule, &ten_in_a_second);
	struct generator *const generator =
		generator_new(&(struct generator_settings){.limit = 1, .timeout_ns = AT_MS(5000), .drops = true}, &schedule);
	expect(generator, 0, GENERATOR_SEND, 0);
	expect(generator, 130, GENERATOR_DROP, 100);
	generator_answered(generator, 0, AT_MS(220));
	expect(generator, 230, GENERATOR_DROP, 200);
	expect(generator, 230, GENERATOR_SLEEP, 300);
	expect(generator, 310, GENERATOR_SEND, 300);
	generator_free(generator);
}

/* Nobody is given up for what a caller who was stopped didn't see. */
static void who_stood_still_gives_up_later(void **state)
{
	(void)state;
	struct schedule schedule;
	schedule_init(&schedule, &ten_in_a_second);
	struct generator *const generator =
		generator_new(&(struct generator_settings){.limit = 3, .timeout_ns = AT_MS(300)}, &schedule);
	expect(generator, 0, GENERATOR_SEND, 0);
	/* Stopped until 5 s: two more were due, and the one that is under way was answered. */
	generator_stood_still(generator, AT_MS(5000), AT_MS(4900));
	expect(generator, 5000, GENERATOR_SEND, 100);
	expect(generator, 5000, GENERATOR_SEND, 200);
	generator_answered(generator, 0, AT_MS(5000));
	expect(generator, 5299, GENERATOR_DROP, 1000);
	generator_stop(generator, AT_MS(5299));
	while (generator_stop(generator, AT_MS(5299)).act == GENERATOR_DROP)
		;
	expect(generator, 5299, GENERATOR_SLEEP, 5300);
	expect(generator, 5300, GENERATOR_GIVE_UP, 100);
	expect(generator, 5300, GENERATOR_GIVE_UP, 200);
	assert_int_equal(generator_next(generator, AT_MS(5300)).act, GENERATOR_END);
	generator_free(generator);
}

/* A server that sends without an end can't be waited for without one by being taken for a pause. */
static void who_stands_still_again_and_again_gives_up(void **state)
{
	(void)state;
	struct schedule schedule;
	schedule_init(&schedule,
		&(struct schedule_settings){.constant = 1, .arrivals = ARRIVALS_EVEN, .length_ns = INT64_MAX, .most = 1});
	struct generator *const generator =
		generator_new(&(struct generator_settings){.limit = 1, .timeout_ns = AT_MS(300)}, &schedule);
	expect(generator, 0, GENERATOR_SEND, 0);
	/* Each 200 ms, half of them: 300 ms awake in 600, and as many again. */
	for (int now = 200; now < 1200; now += 200) {
		generator_stood_still(generator, AT_MS(now), AT_MS(100));
		assert_int_equal(generator_next(generator, AT_MS(now)).act, GENERATOR_SLEEP);
	}
	generator_stood_still(generator, AT_MS(1200), AT_MS(100));
	expect(generator, 1200, GENERATOR_GIVE_UP, 0);
	generator_free(generator);
}

static void stopping_ends_it(void **state)
{
	(void)state;
	struct schedule schedule;
	schedule_init(&schedule, &hundred_a_second);
	struct generator *const generator =
		generator_new(&(struct generator_settings){.limit = 2, .timeout_ns = NS_PER_S}, &schedule);
	struct generator_action action = generator_next(generator, 0);
	assert_int_equal(action.act, GENERATOR_SEND);
	/* Those for 10 ms … 50 ms, though there is room for one. */
	for (uint64_t i = 1; i <= 5; i++) {
		const struct generator_action dropped = generator_stop(generator, 50 * NS_PER_MS);
		assert_int_equal(dropped.act, GENERATOR_DROP);
		assert_int_equal(dropped.request.number, i);
		assert_int_equal(dropped.request.arrival_ns, 50 * NS_PER_MS);
	}
	assert_int_equal(generator_stop(generator, 50 * NS_PER_MS).act, GENERATOR_END);
	assert_int_equal(generator_stop(generator, 50 * NS_PER_MS).act, GENERATOR_END);
	assert_int_equal(generator_next(generator, 500 * NS_PER_MS).act, GENERATOR_SLEEP);
	generator_answered(generator, action.slot, 600 * NS_PER_MS);
	/* Twice is once. */
	generator_answered(generator, action.slot, 600 * NS_PER_MS);
	assert_int_equal(generator_unanswered(generator), 0);
	action = generator_next(generator, 700 * NS_PER_MS);
	assert_int_equal(action.act, GENERATOR_END);
	generator_free(generator);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_server_that_stands_still_hides_nothing),
		cmocka_unit_test(what_is_postponed_is_still_planned_for_then),
		cmocka_unit_test(or_dropped),
		cmocka_unit_test(a_late_generator_changes_nothing),
		cmocka_unit_test(a_dead_server_gets_as_many_as_are_given_up),
		cmocka_unit_test(an_overloaded_server_answers_what_it_can),
		cmocka_unit_test(room_counts_from_when_it_was_there),
		cmocka_unit_test(postponed_ones_arrive_when_there_is_room),
		cmocka_unit_test(all_of_a_number_are_waited_for),
		cmocka_unit_test(dropped_ones_are_so_when_they_were_planned),
		cmocka_unit_test(who_stood_still_gives_up_later),
		cmocka_unit_test(who_stands_still_again_and_again_gives_up),
		cmocka_unit_test(stopping_ends_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
