/* SPDX-License-Identifier: MIT */
#include "record/load_meter.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define LIMIT 0.02

static double add(struct load_meter *meter, double work, double capacity)
{
	const struct sst_sample sample = {.work = work, .capacity = capacity};
	return load_meter_add(meter, &sample, LIMIT);
}

static void plain(void **unused)
{
	(void)unused;
	struct load_meter meter = {0};
	assert_true(isnan(load_meter_mean(&meter)));
	assert_true(add(&meter, 0.25, 1) == 0.25);
	assert_true(add(&meter, 2, 2) == 1);
	assert_true(add(&meter, 0, 1) == 0);
	assert_true(fabs(load_meter_mean(&meter) - 2.25 / 4) < 1e-12);
}

static void noise_is_carried(void **unused)
{
	(void)unused;
	struct load_meter meter = {0};
	/* An idle machine whose counters run 10 ms early and late by turns. */
	double sum = 0;
	for (int i = 0; i < 100; i++) {
		const double load = add(&meter, i % 2 ? 0.01 : -0.01, 1);
		assert_true(load >= 0 && load <= 1);
		sum += load;
	}
	assert_true(fabs(sum) < 1e-9);
	/* The same at full load. */
	meter = (struct load_meter){0};
	sum = 0;
	for (int i = 0; i < 100; i++) {
		const double load = add(&meter, i % 2 ? 0.99 : 1.01, 1);
		assert_true(load >= 0 && load <= 1);
		sum += load;
	}
	assert_true(fabs(sum - 100) < 1e-9);
	assert_true(fabs(load_meter_mean(&meter) - 1) < 1e-12);
}

static void only_noise_is_carried(void **unused)
{
	(void)unused;
	struct load_meter meter = {0};
	for (int i = 0; i < 1000; i++)
		assert_true(add(&meter, -0.01, 1) == 0);
	/* A clock that is off all the time must not eat what comes later. */
	assert_true(fabs(add(&meter, 0.5, 1) - (0.5 - LIMIT)) < 1e-12);
	assert_true(fabs(add(&meter, 0.5, 1) - 0.5) < 1e-12);
	for (int i = 0; i < 1000; i++)
		assert_true(add(&meter, 1.01, 1) == 1);
	assert_true(fabs(add(&meter, 0.5, 1) - (0.5 + LIMIT)) < 1e-12);
}

static void gap(void **unused)
{
	(void)unused;
	struct load_meter meter = {0};
	assert_true(add(&meter, -0.01, 1) == 0);
	assert_true(isnan(load_meter_add(&meter, NULL, LIMIT)));
	assert_true(add(&meter, 0.5, 1) == 0.5);
	assert_true(fabs(load_meter_mean(&meter) - 0.49 / 2) < 1e-12);
}

static void mean_stays_a_load(void **unused)
{
	(void)unused;
	struct load_meter meter = {0};
	add(&meter, -0.3, 1);
	assert_true(load_meter_mean(&meter) == 0);
	add(&meter, 5, 1);
	assert_true(load_meter_mean(&meter) == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain),
		cmocka_unit_test(noise_is_carried),
		cmocka_unit_test(only_noise_is_carried),
		cmocka_unit_test(gap),
		cmocka_unit_test(mean_stays_a_load),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
