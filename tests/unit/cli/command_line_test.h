/* SPDX-License-Identifier: MIT */
/* For tests of the command line: what a line is taken for, or why it is refused. */
#ifndef COMMAND_LINE_TEST_H
#define COMMAND_LINE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/command_line.h"
#include "said.h"

#define NO_COMMAND "a command is missing: expected one, such as showstopper -l 40% ssburn (--help says more)"
#define NO_COMMAND_BESIDE                                                                                                        \
	"a command is missing: expected one, or, for what is attached alone, none of -n, --free, --cpus, --pin, "                \
	"--part, --bind, --stdout and --stderr"
#define TEST(function) cmocka_unit_test_teardown(function, clean)

static struct config config;
static char text[4096];
static char *words[256];

/* Words are separated by blanks; `_` stands for an empty one. */
static inline int parse(const char *line)
{
	int count = 1;
	config_free(&config);
	words[0] = strcpy(text, "showstopper");
	char *at = text + strlen("showstopper") + 1;
	strcpy(at, line);
	for (char *word; (word = strsep(&at, " "));)
		if (*word)
			words[count++] = strcmp(word, "_") == 0 ? word + 1 : word;
	words[count] = NULL;
	said_begin();
	const int result = config_parse(&config, count, words);
	said_end();
	return result;
}

static inline void take(const char *line)
{
	if (parse(line) != 0)
		fail_msg("'%s': %s", line, said);
	assert_string_equal(said, "");
}

static inline void refuse(const char *line, const char *message)
{
	if (parse(line) == 0)
		fail_msg("'%s' is taken", line);
	assert_string_not_equal(said, "");
	if (message)
		assert_string_equal(said, message);
}

static inline int clean(void **state)
{
	(void)state;
	config_free(&config);
	config_free(&config); /* twice does no harm */
	return 0;
}

#endif
