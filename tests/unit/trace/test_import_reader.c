/* SPDX-License-Identifier: MIT */
/* Fields of files that are imported: what is a number, a moment, and neither. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"
#include "trace/import_reader.h"

static struct import_field field_of(const char *text)
{
	return (struct import_field){.text = text, .length = strlen(text)};
}

static void a_number_is_all_of_its_field(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		double value;
	} right[] = {{"0", 0}, {"12.5", 12.5}, {"-3", -3}, {"0.1234567890123456789", 0.1234567890123456789}, {"1e3", 1000}};
	static const char *const wrong[] = {
		"x", "1x", "1,5", "1 ", "nan", "inf", "0x10", "1e999", "-", ".", "12345678901234567890x"};
	double value;
	for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
		const struct import_field field = field_of(right[i].text);
		assert_true(import_number(&field, &value));
		assert_true(value == right[i].value);
	}
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		const struct import_field field = field_of(wrong[i]);
		assert_false(import_number(&field, &value));
	}
	/* No more than the field. */
	const struct import_field part = {.text = "125", .length = 2};
	assert_true(import_number(&part, &value));
	assert_true(value == 12);
	const struct import_field empty = {.text = "1", .length = 0};
	assert_true(import_number(&empty, &value));
	assert_true(isnan(value));
}

static void a_moment_has_any_unit_or_a_date(void **state)
{
	(void)state;
	static const char *const same[] = {"1767225600", "1767225600.000", "1767225600000", "1767225600000000",
		"1767225600000000000", "2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00"};
	static const char *const wrong[] = {"", "x", "soon", "2026-13-01T00:00:00Z", "nan"};
	int64_t ns;
	bool is_zoned;
	for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
		const struct import_field field = field_of(same[i]);
		assert_true(import_time(&field, &ns, &is_zoned));
		assert_int_equal(ns, 1767225600 * NS_PER_S);
		assert_true(is_zoned);
	}
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		const struct import_field field = field_of(wrong[i]);
		assert_false(import_time(&field, &ns, &is_zoned));
	}
	const struct import_field local = field_of("2026-01-01T00:00:00");
	assert_true(import_time(&local, &ns, &is_zoned));
	assert_int_equal(ns, 1767225600 * NS_PER_S);
	assert_false(is_zoned);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_number_is_all_of_its_field),
		cmocka_unit_test(a_moment_has_any_unit_or_a_date),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
