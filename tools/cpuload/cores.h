/* SPDX-License-Identifier: MIT */
/* The load of cores, which is estimated from readings that are closer together than rows are. */
#ifndef CPULOAD_CORES_H
#define CPULOAD_CORES_H

#include "load/core_load.h"

struct cores;

/* Opens it below a root; of these processors' cores, or of all (NULL). Both must outlive it. NULL with a message. */
struct cores *cores_open(const char *root, const struct sst_cpus *cpus, char error[static LINUX_CORE_LOAD_ERROR_MAX]);
void cores_close(struct cores *cores);

/* Takes a reading, and stores when the next one is wanted, on CLOCK_MONOTONIC. 0, or -1 with errno. */
int cores_look(struct cores *cores, int64_t *next_ns);

/* From the last call (or the first reading) to the last reading. False when there is nothing in between. */
bool cores_take(struct cores *cores, struct sst_sample *sample);

#endif
