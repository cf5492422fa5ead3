/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"
#include "processes/look_budget.h"

#define NOW (1000 * NS_PER_S)

static void without_a_budget_anything_goes(void **state)
{
	(void)state;
	look_budget_pay(NULL, NS_PER_S, NOW);
	assert_true(look_budget_grants(NULL, LOOK_AGAIN, NOW));
}

static void what_is_spent_comes_back(void **state)
{
	(void)state;
	struct look_budget budget = {0};
	assert_true(look_budget_grants(&budget, LOOK_AGAIN, NOW));
	look_budget_pay(&budget, 25 * NS_PER_MS, NOW); /* half of the 50 ms that are saved at most */
	assert_true(look_budget_grants(&budget, LOOK_AGAIN, NOW));
	look_budget_pay(&budget, 1, NOW);
	assert_false(look_budget_grants(&budget, LOOK_AGAIN, NOW));
	assert_true(look_budget_grants(&budget, LOOK_FORKS, NOW));
	look_budget_pay(&budget, 25 * NS_PER_MS, NOW);
	assert_false(look_budget_grants(&budget, LOOK_FORKS, NOW));
	assert_false(look_budget_grants(&budget, LOOK_OVERDUE, NOW));
	/* A look that nothing could wait for makes debts: 100 ms more are back in two seconds. */
	look_budget_pay(&budget, 100 * NS_PER_MS, NOW);
	assert_false(look_budget_grants(&budget, LOOK_OVERDUE, NOW + 2 * NS_PER_S));
	assert_true(look_budget_grants(&budget, LOOK_OVERDUE, NOW + 2 * NS_PER_S + LOOK_SHARE));
	assert_false(look_budget_grants(&budget, LOOK_FORKS, NOW + 2 * NS_PER_S + LOOK_SHARE));
	assert_true(look_budget_grants(&budget, LOOK_FORKS, NOW + 9 * NS_PER_S / 4 + LOOK_SHARE));
	assert_true(look_budget_grants(&budget, LOOK_AGAIN, NOW + 5 * NS_PER_S / 2 + LOOK_SHARE));
}

/* 128 executors that all want to look a thousand times a second, at 0.1 ms each, for ten seconds. */
static void all_together_take_five_per_cent_of_a_processor(void **state)
{
	(void)state;
	struct look_budget budget = {0};
	int64_t spent = 0;
	for (int64_t ms = 0; ms < 10000; ms++)
		for (int i = 0; i < 128; i++)
			if (look_budget_grants(&budget, i % 2 ? LOOK_FORKS : LOOK_AGAIN, NOW + ms * NS_PER_MS)) {
				look_budget_pay(&budget, 100 * NS_PER_US, NOW + ms * NS_PER_MS);
				spent += 100 * NS_PER_US;
			}
	assert_true(spent > 490 * NS_PER_MS);
	assert_true(spent < 550 * NS_PER_MS); /* with what was saved before */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_budget_anything_goes),
		cmocka_unit_test(what_is_spent_comes_back),
		cmocka_unit_test(all_together_take_five_per_cent_of_a_processor),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
