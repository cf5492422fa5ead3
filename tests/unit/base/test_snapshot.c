/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/latch.h"

#define WRITERS 3

struct record {
	uint64_t word[LATCH_WORDS];
};

static struct snapshot snapshot;
static struct snapshot_page page[WRITERS];

static int clear(void **state)
{
	(void)state;
	memset(&snapshot, 0, sizeof snapshot);
	memset(page, 0, sizeof page);
	return 0;
}

static struct record all(uint64_t value)
{
	struct record record;
	for (size_t i = 0; i < LATCH_WORDS; i++)
		record.word[i] = value;
	return record;
}

static uint64_t read_snapshot(struct record *record)
{
	return snapshot_read(&snapshot, page, record, LATCH_SIZE(struct record));
}

static bool post(uint32_t writer, uint64_t read, uint64_t value)
{
	const struct record record = all(value);
	return snapshot_post(&snapshot, page, writer, read, &record, LATCH_SIZE(struct record));
}

static void expect(uint64_t value)
{
	const struct record expected = all(value);
	struct record record = all(99);
	read_snapshot(&record);
	assert_memory_equal(&record, &expected, sizeof record);
}

static void a_new_one_reads_zero(void **state)
{
	(void)state;
	expect(0);
}

static void the_last_record_is_read_whoever_wrote_it(void **state)
{
	(void)state;
	static const uint32_t turns[] = {0, 0, 1, 1, 1, 2, 0, 1, 2, 2, 0};
	for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
		struct record ignored;
		assert_true(post(turns[i], read_snapshot(&ignored), i + 1));
		expect(i + 1);
	}
}

static void who_is_late_changes_nothing(void **state)
{
	(void)state;
	struct record ignored;
	for (uint32_t other = 1; other < WRITERS; other++) {
		const uint64_t seen = read_snapshot(&ignored);
		assert_true(post(other, seen, 10 + other));
		assert_false(post(0, seen, 42));
		expect(10 + other);
	}
}

/* One who is stopped in the middle of its writing has touched nothing that is read, whenever it goes on. */
static void what_is_half_written_is_never_seen(void **state)
{
	(void)state;
	struct record ignored;
	for (uint64_t round = 1; round < 9; round++) {
		const uint64_t seen = read_snapshot(&ignored);
		const unsigned at = snapshot_writer(seen) == 0 && !(seen & 1);
		for (size_t i = 0; i < LATCH_WORDS / 2; i++)
			atomic_store(&page[0].copy[at][i], UINT64_MAX);
		expect(round - 1);
		assert_true(post(round % WRITERS, seen, round));
		expect(round);
	}
}

#define POSTS 60000

static void *post_many(void *context)
{
	const uint32_t writer = *(const uint32_t *)context;
	struct record record;
	for (bool more = true; more;) {
		const uint64_t seen = read_snapshot(&record);
		more = record.word[0] < POSTS;
		if (more)
			post(writer, seen, record.word[0] + 1);
	}
	return NULL;
}

static void *read_until_the_last(void *context)
{
	bool *const good = context;
	*good = true;
	for (uint64_t last = 0; last < POSTS && *good;) {
		struct record record;
		read_snapshot(&record);
		*good = record.word[0] >= last;
		for (size_t i = 1; i < LATCH_WORDS; i++)
			*good = *good && record.word[i] == record.word[0];
		last = record.word[0];
	}
	return NULL;
}

static void readers_see_whole_records_of_all_writers(void **state)
{
	(void)state;
	uint32_t number[WRITERS] = {0, 1, 2};
	pthread_t writer[WRITERS];
	pthread_t reader;
	bool good = false;
	assert_int_equal(pthread_create(&reader, NULL, read_until_the_last, &good), 0);
	for (int i = 0; i < WRITERS; i++)
		assert_int_equal(pthread_create(&writer[i], NULL, post_many, &number[i]), 0);
	for (int i = 0; i < WRITERS; i++)
		assert_int_equal(pthread_join(writer[i], NULL), 0);
	assert_int_equal(pthread_join(reader, NULL), 0);
	assert_true(good);
	expect(POSTS);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup(function, clear)
	const struct CMUnitTest tests[] = {
		TEST(a_new_one_reads_zero),
		TEST(the_last_record_is_read_whoever_wrote_it),
		TEST(who_is_late_changes_nothing),
		TEST(what_is_half_written_is_never_seen),
		TEST(readers_see_whole_records_of_all_writers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
