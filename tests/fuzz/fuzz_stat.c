/* SPDX-License-Identifier: MIT */
/* Any text is parsed without a fault, and the ways to parse it agree. */
#include <stdlib.h>
#include <string.h>

#include "load/stat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool condition)
{
	if (!condition)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	static const unsigned ids[] = {0, 2, 3, 1023, UINT32_MAX};
	const struct sst_cpus subset = {.count = sizeof ids / sizeof *ids, .cpu = ids};
	struct linux_stat whole, part;
	struct linux_stat_cpu cpu[4];
	if (linux_stat_parse(text, size, NULL, &whole) == 0)
		check(whole.processors > 0);
	if (linux_stat_parse(text, size, &subset, &part) == 0)
		check(part.processors >= linux_stat_parse_cpus(text, size, &subset, cpu, 4));
	const size_t count = linux_stat_parse_cpus(text, size, NULL, cpu, 4);
	check(linux_stat_parse_cpus(text, size, &subset, cpu, 4) <= count);

	/* What stands behind the last newline changes nothing. */
	size_t end = size;
	while (end > 0 && text[end - 1] != '\n')
		end--;
	if (linux_stat_parse(text, end, NULL, &part) == 0)
		check(linux_stat_parse(text, size, NULL, &whole) == 0 && memcmp(&whole, &part, sizeof whole) == 0);
	return 0;
}
