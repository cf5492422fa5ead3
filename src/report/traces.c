/* SPDX-License-Identifier: MIT */
#include "report/traces.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* As much of a file as comments may take before its first record. */
#define START_MAX 65536

static bool begins_like_one(const char *text, size_t length)
{
	static const char word[] = "interpolate";
	const char *at = text;
	const char *const end = text + length;
	if (length > 0 && (unsigned char)*text == TRACE_BINARY_FIRST)
		return true;
	while (at < end && (*at == '#' || isspace((unsigned char)*at))) {
		const char *const newline = *at == '#' ? memchr(at, '\n', (size_t)(end - at)) : at;
		at = newline ? newline + 1 : end;
	}
	const size_t left = (size_t)(end - at);
	return left > 0 && (isdigit((unsigned char)*at) || *at == '+' || *at == '.' ||
				   (left >= strlen(word) && memcmp(at, word, strlen(word)) == 0));
}

bool report_trace_is(const char *path)
{
	struct stat status;
	char start[START_MAX];
	ssize_t got = 0;
	const int file = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : -1;
	if (file < 0)
		return false;
	got = read(file, start, sizeof start);
	close(file);
	return got > 0 && begins_like_one(start, (size_t)got);
}

int report_trace_add(struct report_trace **trace, size_t *count, const char *path, char error[static CSV_ERROR_MAX])
{
	char reason[TRACE_ERROR_MAX];
	struct report_trace *const larger = realloc(*trace, (*count + 1) * sizeof *larger);
	if (!larger)
		return csv_fail(error, "%s", strerror(errno));
	*trace = larger;
	struct report_trace *const added = &larger[(*count)++];
	*added = (struct report_trace){.name = path};
	if (trace_load(&added->trace, path, NULL, reason) != 0)
		return csv_fail(error, "%.*s", CSV_ERROR_MAX - 1, reason);
	if (added->trace.records[added->trace.count - 1].ns == 0)
		return csv_fail(error, "%.300s: found a trace that ends when it begins, expected one with a length", path);
	return 0;
}
