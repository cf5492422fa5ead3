/* SPDX-License-Identifier: MIT */
#include "report/runs.h"

#include <stdlib.h>
#include <string.h>

struct report_run *report_runs_add(struct report_input *input, char *label)
{
	struct report_run *const larger = label ? realloc(input->run, (input->runs + 1) * sizeof *larger) : NULL;
	if (!larger) {
		free(label);
		return NULL;
	}
	input->run = larger;
	larger[input->runs] = (struct report_run){.label = label};
	return &larger[input->runs++];
}

char *report_runs_name(const char *path, bool is_short)
{
	const char *const slash = is_short ? strrchr(path, '/') : NULL;
	const char *const start = slash && slash[1] ? slash + 1 : path;
	const size_t length = strlen(start);
	if (strcmp(start, "-") == 0)
		return strdup("stdin");
	return strndup(start, length > 4 && strcmp(start + length - 4, ".csv") == 0 ? length - 4 : length);
}
