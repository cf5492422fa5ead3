/* SPDX-License-Identifier: MIT */
#include "os/cpu_list.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cpus.h"
#include "os/host_text.h"

struct sst_cpus *linux_cpu_list(const struct sst_env *env, const char *name)
{
	char path[96];
	size_t length = 0;
	struct sst_cpus *cpus = NULL;
	snprintf(path, sizeof path, "/sys/devices/system/cpu/%s", name);
	char *const text = host_text(env, path, &length);
	while (text && length > 0 && text[length - 1] == '\n')
		length--;
	/* Old kernels write "(null)" for no processor. */
	if (length > 0 && cpus_parse(text, length, &cpus, NULL) != 0)
		cpus = NULL;
	free(text);
	return cpus;
}
