/* SPDX-License-Identifier: MIT */
/*
 * Any texts of /proc/stat and /proc/schedstat are counted without a fault, in any order. The data are readings with an empty line
 * between two, each of which is a text of /proc/stat, a line "--", and one of /proc/schedstat.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "load/busy_times.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool condition)
{
	if (!condition)
		abort();
}

/* Where the text ends that a separator does, and where the next one begins. */
static const char *cut(const char *text, const char *end, const char *separator, const char **next)
{
	const char *const found = end > text ? memmem(text, (size_t)(end - text), separator, strlen(separator)) : NULL;
	*next = found ? found + strlen(separator) : end;
	return found ? found + 1 : end;
}

static void check_lines(const struct busy_reading *reading, const char *text, size_t length)
{
	size_t end = length;
	while (end > 0 && text[end - 1] != '\n')
		end--;
	/* What stands behind the last newline changes nothing; what stands in front of it is needed. */
	const bool has = busy_schedstat_has(reading, text, length);
	check(has == busy_schedstat_has(reading, text, end));
	check(has || !busy_schedstat_has(reading, text, end / 2));
}

static void count(struct busy_times *times, const char *stat, size_t length, const char *tasks, size_t more, int64_t when_ns)
{
	struct busy_total before, total;
	const bool has = busy_parse(stat, length, &times->reading) == 0;
	const struct busy_news news = {.schedstat = tasks, .length = more, .witness = NAN};
	if (has)
		check_lines(&times->reading, tasks, more);
	busy_last(times, &before);
	check((busy_count(times, stat, length, when_ns, &news, &total) == 0) == has);
	if (!has)
		return;
	check(total.number == before.number + 1 && total.when_ns == when_ns);
	/* What was counted while columns stood still is taken back. */
	check(isfinite(total.work) && total.capacity >= before.capacity - 0.1 * total.processors && total.steal >= before.steal);
	char text[96];
	busy_describe_unknown(times, text, sizeof text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (int source = BUSY_IDLE; source <= BUSY_SCHEDSTAT; source++) {
		const char *text = (const char *)data, *const end = text + size;
		struct busy_times times;
		check(busy_open(&times) == 0);
		times.source = (enum busy_source)source;
		for (int64_t i = 1; text < end; i++) {
			const char *tasks, *next;
			const char *const reading_end = cut(text, end, "\n\n", &next);
			const char *const stat_end = cut(text, reading_end, "\n--\n", &tasks);
			count(&times, text, (size_t)(stat_end - text), tasks, (size_t)(reading_end - tasks), i * 700 * NS_PER_MS);
			text = next;
		}
		busy_close(&times);
	}
	return 0;
}
