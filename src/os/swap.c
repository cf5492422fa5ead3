/* SPDX-License-Identifier: MIT */
#include "os/swap.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "os/host_text.h"

/* The number behind a name at the beginning of a line. */
static bool find(const char *text, size_t length, const char *name, uint64_t *value)
{
	const char *const end = text + length;
	const size_t width = strlen(name);
	for (const char *at = text; (size_t)(end - at) > width;) {
		const char *const newline = memchr(at, '\n', (size_t)(end - at));
		if (memcmp(at, name, width) == 0) {
			for (at += width; at < end && (*at == ' ' || *at == ':');)
				at++;
			return linux_number(&at, end, value);
		}
		if (!newline)
			break;
		at = newline + 1;
	}
	return false;
}

bool linux_swap_read(const struct sst_env *env, struct linux_swap *swap)
{
	size_t memory_length = 0, traffic_length = 0;
	uint64_t in, out;
	char *const memory = host_text(env, "/proc/meminfo", &memory_length);
	char *const traffic = host_text(env, "/proc/vmstat", &traffic_length);
	const bool told = memory && traffic && find(memory, memory_length, "SwapTotal:", &swap->total_kib) &&
			  find(memory, memory_length, "SwapFree:", &swap->free_kib) &&
			  find(traffic, traffic_length, "pswpin ", &in) && find(traffic, traffic_length, "pswpout ", &out);
	if (told)
		swap->pages = in + out;
	free(memory);
	free(traffic);
	return told;
}
