/* SPDX-License-Identifier: MIT */
/* For tests of logs: a file of their own, what it holds, and a disk that is full. */
#ifndef LOG_TEST_H
#define LOG_TEST_H

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/test_log.XXXXXX";

static inline int create_file(void **state)
{
	(void)state;
	strcpy(strrchr(path, '.'), ".XXXXXX");
	const int file = mkstemp(path);
	return file < 0 ? -1 : close(file);
}

static inline int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

/* What each line ends with that has a time: seconds since 1970, of 10 digits, with 6 decimals. */
#define WALL ",1767225600.000000"

/* Takes the wall clock out of all lines but the first, and of no half line. */
static inline void drop_wall_clock(char *text)
{
	char *to = strchr(text, '\n');
	if (!to)
		return;
	for (const char *line = ++to; *line;) {
		const char *const end = strchr(line, '\n');
		const char *wall = end ? end : strchr(line, '\0');
		const char *const next = end ? end + 1 : wall;
		while (end && *wall != ',')
			wall--;
		assert_true(!end || wall + 1 == end || (end - wall == (ptrdiff_t)strlen(WALL) && wall[11] == '.'));
		memmove(to, line, (size_t)(wall - line));
		to += wall - line;
		if (end)
			*to++ = '\n';
		line = next;
	}
	*to = '\0';
}

/* The file's whole text without the wall clock, valid until the next call. */
static inline const char *text_of(const char *name)
{
	static char text[4096];
	const int file = open(name, O_RDONLY);
	assert_true(file >= 0);
	const ssize_t length = read(file, text, sizeof text - 1);
	assert_true(length >= 0);
	close(file);
	text[length] = '\0';
	drop_wall_clock(text);
	return text;
}

static inline void limit_file_size(rlim_t size)
{
	struct rlimit limit;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = size;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

#endif
