/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "record/control_log.h"

/* A row of so long, with that target (NaN: free). */
static struct lost_stretch row(int64_t ns, double target)
{
	if (isnan(target))
		return (struct lost_stretch){.ns = ns};
	return (struct lost_stretch){.ns = ns, .target_ns = ns, .target = target * (double)ns};
}

static void what_is_missing_is_marked_by_the_next_row(void **state)
{
	(void)state;
	struct lost_rows rows = {0};
	assert_true(isnan(lost_rows_target(&rows)));
	lost_rows_take(&rows, row(500, 0.5), 60, 0);
	assert_int_equal(rows.missing.ns, 0);
	lost_rows_miss(&rows, row(500, 0.2), 0);
	lost_rows_miss(&rows, row(1500, 0.6), 0);
	lost_rows_miss(&rows, row(100, NAN), 0);
	assert_int_equal(rows.missing.ns, 2100);
	assert_true(fabs(lost_rows_target(&rows) - 0.5) < 1e-12);
	lost_rows_take(&rows, row(500, 0.5), 120, 0);
	assert_int_equal(rows.missing.ns, 0);
	assert_int_equal(rows.lost_ns, 2100);
	lost_rows_miss(&rows, row(100, NAN), 0);
	assert_true(isnan(lost_rows_target(&rows)));
	assert_int_equal(rows.missing.ns, 100);
	assert_int_equal(rows.lost_ns, 2200);
	lost_rows_free(&rows);
}

/* Rows of 10 bytes that wait for a reader. */
static void rows_that_wait_may_be_lost(void **state)
{
	(void)state;
	struct lost_rows rows = {0};
	assert_int_equal(lost_rows_init(&rows, 4), 0);
	lost_rows_take(&rows, row(1, 0.5), 10, 0);
	lost_rows_take(&rows, row(2, 0.5), 10, 5);
	lost_rows_miss(&rows, row(4, 0.5), 5);
	lost_rows_take(&rows, row(8, 0.5), 20, 25); /* with the row that marks the one before */
	lost_rows_miss(&rows, row(16, 0.5), 25);
	assert_int_equal(rows.lost_ns, 20);
	/* The reader takes half a row: the one before it is out. */
	lost_rows_miss(&rows, row(0, NAN), 15);
	lost_rows_drop(&rows);
	assert_int_equal(rows.missing.ns, 4 + 8 + 16);
	assert_int_equal(rows.lost_ns, 4 + 8 + 16);
	assert_true(fabs(lost_rows_target(&rows) - 0.5) < 1e-12);
	lost_rows_free(&rows);
}

/* More of them than there is room for, again and again. */
static void the_ring_goes_round(void **state)
{
	(void)state;
	struct lost_rows rows = {0};
	assert_int_equal(lost_rows_init(&rows, 3), 0);
	for (int i = 0; i < 100; i++) {
		lost_rows_take(&rows, row(1, 0), 10, 10);
		lost_rows_take(&rows, row(1, 0), 10, 20);
		lost_rows_miss(&rows, row(0, NAN), 0);
	}
	assert_int_equal(rows.count, 0);
	for (size_t i = 1; i <= 5; i++)
		lost_rows_take(&rows, row(1, 0), 10, 10 * i);
	lost_rows_drop(&rows);
	assert_int_equal(rows.missing.ns, 3);
	lost_rows_drop(&rows);
	assert_int_equal(rows.lost_ns, 3);
	lost_rows_free(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_missing_is_marked_by_the_next_row),
		cmocka_unit_test(rows_that_wait_may_be_lost),
		cmocka_unit_test(the_ring_goes_round),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
