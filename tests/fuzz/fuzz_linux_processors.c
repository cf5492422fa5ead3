/* SPDX-License-Identifier: MIT */
/* Any text of /proc/self/cgroup is understood without a fault; where there are no files there is no quota. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "linux_processors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Long paths have many ancestors, each of which is looked for. */
	char *text = strndup((const char *)data, size < 512 ? size : 512);
	if (!text || linux_processors_quota("/nonexistent", text) != 0)
		abort();
	free(text);
	return 0;
}
