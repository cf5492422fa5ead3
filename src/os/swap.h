/* SPDX-License-Identifier: MIT */
/* Swap space and its traffic. */
#ifndef OS_SWAP_H
#define OS_SWAP_H

#include <stdbool.h>
#include <stdint.h>

#include "showstopper/module.h"

struct linux_swap {
	uint64_t total_kib, free_kib;
	uint64_t pages; /* brought in and out since boot */
};

/* False where /proc/meminfo or /proc/vmstat doesn't tell. */
bool linux_swap_read(const struct sst_env *env, struct linux_swap *swap);

#endif
