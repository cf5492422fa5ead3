/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/options.h"
#include "placement/pinning.h"

#define EACH(row)                                                                                                                \
	const struct tool_option *row = showstopper_options;                                                                     \
	row < showstopper_options + showstopper_option_count;                                                                    \
	row++

static void each_is_named_once(void **state)
{
	(void)state;
	for (EACH(a))
		for (const struct tool_option *b = showstopper_options; b < a; b++) {
			assert_string_not_equal(a->name, b->name);
			assert_true(!a->letter || a->letter != b->letter);
		}
}

static void what_it_takes_is_complete(void **state)
{
	(void)state;
	for (EACH(row)) {
		const bool is_switch = row->takes == TOOL_FLAG || row->takes == TOOL_CONSTANT || row->takes == TOOL_NOTHING;
		if (is_switch != !row->argument)
			fail_msg("--%s: a name for its value, or none", row->name);
		if ((row->takes == TOOL_CALL) != (row->call != NULL))
			fail_msg("--%s: a function, or none", row->name);
		if (row->takes == TOOL_CHOICE && !row->choices)
			fail_msg("--%s: no choices", row->name);
		if ((row->takes == TOOL_TIME || row->takes == TOOL_COUNT) && row->least >= row->most)
			fail_msg("--%s: no range", row->name);
		const unsigned heading = row->uses & HELP_HEADINGS;
		const bool is_one = heading && !(heading & (heading - 1)) && !(row->uses & ~(heading | OPTION_OF_GROUP));
		if (is_one == (row->takes == TOOL_REMOVED))
			fail_msg("--%s stands under one heading of --help", row->name);
		assert_true(row->help && *row->help);
	}
}

static void ten_are_of_every_day(void **state)
{
	(void)state;
	int count = 0;
	for (EACH(row))
		count += (row->uses & HELP_EVERYDAY) != 0;
	assert_int_equal(count, 10);
}

/* What the messages call a value that must not be empty follows from what completes it. */
static void names_can_be_completed(void **state)
{
	(void)state;
	for (EACH(row)) {
		const enum tool_option_completion expected = row->takes != TOOL_TEXT                 ? row->completion
							     : strcmp(row->argument, "FILE") == 0    ? TOOL_COMPLETE_FILE
							     : strcmp(row->argument, "DIR") == 0     ? TOOL_COMPLETE_FOLDER
							     : strcmp(row->argument, "COMMAND") == 0 ? TOOL_COMPLETE_CHOICES
												     : TOOL_COMPLETE_MODULE;
		if (row->completion != expected)
			fail_msg("--%s: %d completes it, expected %d", row->name, (int)row->completion, (int)expected);
	}
}

static void each_kind_has_a_module_and_its_options(void **state)
{
	(void)state;
	for (int kind = 0; kind < KINDS; kind++) {
		int modules = 0, options = 0;
		for (EACH(row)) {
			if ((int)row->kind != kind)
				continue;
			const size_t module = offsetof(struct config, module) + (size_t)kind * sizeof(const char *);
			const size_t settings = offsetof(struct config, module_options) + (size_t)kind * sizeof(const char *);
			modules += row->completion == TOOL_COMPLETE_MODULE && row->offset == module;
			options += row->completion == TOOL_COMPLETE_MODULE_OPTIONS && row->offset == settings;
		}
		assert_int_equal(modules, 1);
		assert_int_equal(options, 1);
	}
}

static void pins_are_the_schemes(void **state)
{
	(void)state;
	int pins = 0;
	for (; option_pins[pins]; pins++)
		assert_true(strcmp(option_pins[pins], "dynamic") == 0 || (int)pinning_find(option_pins[pins]) == pins + 1);
	assert_int_equal(pins, PIN_SCHEMES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_named_once),
		cmocka_unit_test(what_it_takes_is_complete),
		cmocka_unit_test(ten_are_of_every_day),
		cmocka_unit_test(names_can_be_completed),
		cmocka_unit_test(each_kind_has_a_module_and_its_options),
		cmocka_unit_test(pins_are_the_schemes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
