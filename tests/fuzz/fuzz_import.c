/* SPDX-License-Identifier: MIT */
/* Any recording becomes a right trace, whatever the rules, or is refused with a message. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "trace/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool condition)
{
	if (!condition)
		abort();
}

static void import(const struct import_rules *rules, const char *path, const char *text, size_t size, FILE *list)
{
	char notes[IMPORT_NOTES_MAX] = "";
	char error[IMPORT_ERROR_MAX] = "";
	struct trace trace = {0};
	const int result = import_read_text(rules, path, text, size, &trace, list, notes, error);
	check(result == 0 ? *notes != '\0' : *error != '\0');
	check(strlen(notes) < sizeof notes && strlen(error) < sizeof error);
	if (result == 0 && !rules->list) {
		check(trace.count > 0 && trace.records[0].ns == 0);
		check(trace.interpolation == (rules->smooth ? TRACE_LINEAR : TRACE_STEP));
		for (size_t i = 0; i < trace.count; i++) {
			check(i == 0 || trace.records[i].ns >= trace.records[i - 1].ns);
			check(trace.records[i].load >= 0 && trace.records[i].load <= 1 && !signbit(trace.records[i].load));
		}
	}
	trace_free(&trace);
}

/* The first byte says with which rules the rest is read; the formats are found. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *list;
	if (size == 0)
		return 0;
	if (!list)
		list = fopen("/dev/null", "w");
	check(list != NULL);
	bool is_compressed;
	const char *const text = (const char *)data + 1;
	const unsigned how = *data;
	struct import_rules rules = {.list = how & 1,
		.smooth = how & 2,
		.strict = (how & 12) == 12,
		.mean_of = (how & 12) == 8 ? "all" : NULL,
		.step_ns = 100000 * INT64_C(1000000000),
		.stamp = how & 16 ? IMPORT_STAMP_END : IMPORT_STAMP_FOUND,
		.capacity = 2};
	if (!import_guess(text, size - 1, &is_compressed) && !is_compressed)
		rules.format = "csv";
	/* collectd says in the name what is in the file. */
	import(&rules, how & 32 ? "web/cpu-0/cpu-idle-2026-03-01" : "web/cpu/percent-wait", text, size - 1, list);
	return 0;
}
