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

struct record {
	uint64_t word[LATCH_WORDS];
};

static struct latch latch;

static struct record all(uint64_t value)
{
	struct record record;
	for (size_t i = 0; i < LATCH_WORDS; i++)
		record.word[i] = value;
	return record;
}

static int clear(void **state)
{
	(void)state;
	memset(&latch, 0, sizeof latch);
	return 0;
}

static void a_new_one_reads_zero(void **state)
{
	(void)state;
	struct record record = all(7);
	const struct record zero = all(0);
	latch_read(&latch, &record, LATCH_SIZE(struct record));
	assert_memory_equal(&record, &zero, sizeof record);
}

static void the_last_record_is_read(void **state)
{
	(void)state;
	for (uint64_t value = 1; value < 10; value++) {
		const struct record written = all(value);
		struct record record = all(0);
		latch_write(&latch, &written, LATCH_SIZE(struct record));
		latch_read(&latch, &record, LATCH_SIZE(struct record));
		assert_memory_equal(&record, &written, sizeof record);
	}
}

static void records_may_be_small(void **state)
{
	(void)state;
	const struct {
		double a;
		int64_t b;
	} written = {0.25, -3};
	struct {
		double a;
		int64_t b;
		uint64_t beyond;
	} record = {0, 0, 42};
	assert_int_equal(LATCH_SIZE(__typeof__(written)), 2);
	latch_write(&latch, &written, 2);
	latch_read(&latch, &record, 2);
	assert_true(record.a == 0.25);
	assert_int_equal(record.b, -3);
	assert_int_equal(record.beyond, 42);
}

/* A writer that died half-way has touched the copy that nobody reads. */
static void a_record_written_halfway_is_never_seen(void **state)
{
	(void)state;
	for (uint64_t writes = 0; writes < 4; writes++) {
		const struct record whole = all(writes);
		struct record record = all(99);
		if (writes)
			latch_write(&latch, &whole, LATCH_SIZE(struct record));
		const uint32_t sequence = atomic_load(&latch.sequence);
		for (size_t i = 0; i < LATCH_WORDS / 2; i++)
			atomic_store(&latch.copy[(sequence + 1) & 1][i], UINT64_MAX);
		latch_read(&latch, &record, LATCH_SIZE(struct record));
		assert_memory_equal(&record, &whole, sizeof record);
		/* The next writer overwrites what the dead one left. */
		const struct record next = all(writes + 100);
		latch_write(&latch, &next, LATCH_SIZE(struct record));
		latch_read(&latch, &record, LATCH_SIZE(struct record));
		assert_memory_equal(&record, &next, sizeof record);
	}
}

static void the_sequence_may_wrap(void **state)
{
	(void)state;
	atomic_store(&latch.sequence, UINT32_MAX - 1);
	for (uint64_t value = 1; value < 6; value++) {
		const struct record written = all(value);
		struct record record = all(0);
		latch_write(&latch, &written, LATCH_SIZE(struct record));
		latch_read(&latch, &record, LATCH_SIZE(struct record));
		assert_memory_equal(&record, &written, sizeof record);
	}
	assert_int_equal(atomic_load(&latch.sequence), 3);
}

#define WRITES 200000

static void *write_many(void *context)
{
	(void)context;
	for (uint64_t value = 1; value <= WRITES; value++) {
		const struct record record = all(value);
		latch_write(&latch, &record, LATCH_SIZE(struct record));
	}
	return NULL;
}

/* Whole records, and never an older one after a newer one. */
static void *read_until_the_last(void *context)
{
	bool *good = context;
	*good = true;
	for (uint64_t last = 0; last < WRITES && *good;) {
		struct record record;
		latch_read(&latch, &record, LATCH_SIZE(struct record));
		*good = record.word[0] >= last;
		for (size_t i = 1; i < LATCH_WORDS; i++)
			*good = *good && record.word[i] == record.word[0];
		last = record.word[0];
	}
	return NULL;
}

static void readers_see_whole_records_only(void **state)
{
	(void)state;
	pthread_t writer;
	pthread_t reader[2];
	bool good[2];
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&reader[i], NULL, read_until_the_last, &good[i]), 0);
	assert_int_equal(pthread_create(&writer, NULL, write_many, NULL), 0);
	assert_int_equal(pthread_join(writer, NULL), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pthread_join(reader[i], NULL), 0);
		assert_true(good[i]);
	}
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup(function, clear)
	const struct CMUnitTest tests[] = {
		TEST(a_new_one_reads_zero),
		TEST(the_last_record_is_read),
		TEST(records_may_be_small),
		TEST(a_record_written_halfway_is_never_seen),
		TEST(the_sequence_may_wrap),
		TEST(readers_see_whole_records_only),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
