/* SPDX-License-Identifier: MIT */
#include "ssrequest/targets.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/splitmix.h"
#include "base/units.h"
#include "ssrequest/request_log.h"

#define WORD_ENDS " \t\r\n"
/* What some editors begin a file of UTF-8 with. */
#define MARK "\xef\xbb\xbf"
#define WEIGHT_MOST 1e9
/* So that which URL it is and when it is planned have nothing to do with each other. */
#define STREAM UINT64_C(0x55524c73)

static int fail_memory(char error[static TARGETS_ERROR_MAX])
{
	snprintf(error, TARGETS_ERROR_MAX, "%s", strerror(errno));
	return -1;
}

static bool is_url(const char *text)
{
	const size_t scheme = strncasecmp(text, "http://", 7) == 0 ? 7 : strncasecmp(text, "https://", 8) == 0 ? 8 : 0;
	if (scheme == 0 || !text[scheme] || strchr("/?#", text[scheme]))
		return false;
	for (const char *at = text; *at; at++)
		if ((unsigned char)*at <= ' ' || *at == 0x7f)
			return false;
	return true;
}

int targets_add(struct targets *targets, const char *url, double weight, char error[static TARGETS_ERROR_MAX])
{
	if (!is_url(url)) {
		snprintf(error, TARGETS_ERROR_MAX, "'%.200s': expected an URL that begins with http:// or https://", url);
		return -1;
	}
	if (targets->count == REQUEST_LOG_URLS_MAX) {
		snprintf(error, TARGETS_ERROR_MAX, "'%.200s': expected at most %d URLs", url, REQUEST_LOG_URLS_MAX);
		return -1;
	}
	struct target *item = targets->item;
	/* There is room up to the next power of two. */
	if ((targets->count & (targets->count - 1)) == 0)
		item = reallocarray(item, targets->count > 0 ? 2 * targets->count : 1, sizeof *item);
	if (!item)
		return fail_memory(error);
	targets->item = item;
	item[targets->count] = (struct target){.url = strdup(url), .weight = weight, .up_to = targets->weight + weight};
	if (!item[targets->count].url)
		return fail_memory(error);
	targets->count++;
	targets->weight += weight;
	return 0;
}

/* 0, or -1 with a message that lacks the place. */
static int add_line(struct targets *targets, char *line, char error[static TARGETS_ERROR_MAX])
{
	char *rest, *word[3] = {NULL};
	double weight = 0;
	int words = 0;
	for (char *at = strtok_r(line, WORD_ENDS, &rest); at && *at != '#' && words < 3; at = strtok_r(NULL, WORD_ENDS, &rest))
		word[words++] = at;
	if (words == 0)
		return 0;
	if (words != 2) {
		snprintf(error, TARGETS_ERROR_MAX, "found %s, expected a weight and an URL",
			words == 1 ? "one word" : "more words");
		return -1;
	}
	if (units_parse_real(word[0], strlen(word[0]), &weight, NULL) != 0 || !(weight > 0) || weight > WEIGHT_MOST) {
		snprintf(error, TARGETS_ERROR_MAX, "weight '%.40s': expected a number above 0, up to a billion", word[0]);
		return -1;
	}
	return targets_add(targets, word[1], weight, error);
}

int targets_read(struct targets *targets, const char *path, char error[static TARGETS_ERROR_MAX])
{
	const bool is_stdin = strcmp(path, "-") == 0;
	FILE *const file = is_stdin ? stdin : fopen(path, "re");
	char *line = NULL, reason[TARGETS_ERROR_MAX] = "";
	size_t size = 0, number = 0;
	const size_t before = targets->count;
	int result = file ? 0 : -1;
	errno = file ? 0 : errno;
	for (ssize_t length; result == 0 && (length = getline(&line, &size, file)) >= 0;) {
		number++;
		const bool has_mark = number == 1 && strncmp(line, MARK, strlen(MARK)) == 0;
		if (memchr(line, '\0', (size_t)length)) {
			snprintf(reason, sizeof reason, "found a NUL, expected text");
			result = -1;
		} else {
			result = add_line(targets, line + (has_mark ? strlen(MARK) : 0), reason);
		}
		errno = 0;
	}
	if (*reason)
		snprintf(error, TARGETS_ERROR_MAX, "%.120s:%zu: %.300s", path, number, reason);
	else if (errno != 0)
		snprintf(error, TARGETS_ERROR_MAX, "%.200s: %s", path, strerror(errno));
	else if (targets->count == before)
		snprintf(error, TARGETS_ERROR_MAX, "%.200s: found no URL, expected lines with a weight and an URL", path);
	result = result == 0 && errno == 0 && targets->count > before ? 0 : -1;
	free(line);
	if (file && !is_stdin)
		fclose(file);
	return result;
}

void targets_free(struct targets *targets)
{
	for (size_t i = 0; i < targets->count; i++)
		free(targets->item[i].url);
	free(targets->item);
	*targets = (struct targets){.count = 0};
}

unsigned targets_pick(const struct targets *targets, uint64_t seed, uint64_t request)
{
	const uint64_t random = splitmix_mix(splitmix_mix(seed ^ STREAM) + request * SPLITMIX_STEP);
	const double place = (double)(random >> 11) / 9007199254740992.0 * targets->weight;
	size_t low = 0;
	size_t high = targets->count - 1;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (place < targets->item[middle].up_to)
			high = middle;
		else
			low = middle + 1;
	}
	return (unsigned)low;
}
