/* SPDX-License-Identifier: MIT */
/* Any text is parsed as /proc/PID/stat without a fault; a command's name can't change what the other fields say. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "processes/process_handle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool condition)
{
	if (!condition)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct linux_process process = {.pid = -7};
	if (linux_process_parse((const char *)data, size, &process) != 0)
		check(process.pid == -7);
	else
		linux_process_has_ended(&process);

	/* The input as a name. */
	static const char after[] = ") S 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n";
	static const char before[] = "1 (";
	char *line = malloc(sizeof before + size + sizeof after);
	check(line != NULL);
	memcpy(line, before, sizeof before - 1);
	memcpy(line + sizeof before - 1, data, size);
	memcpy(line + sizeof before - 1 + size, after, sizeof after - 1);
	check(linux_process_parse(line, sizeof before - 1 + size + sizeof after - 1, &process) == 0);
	check(process.pid == 1 && process.state == 'S' && process.parent == 2 && process.group == 3 && process.session == 4);
	check(process.user_ticks == 12 && process.system_ticks == 13 && process.threads == 18 && process.start_ticks == 20);
	free(line);
	return 0;
}
