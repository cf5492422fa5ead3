/* SPDX-License-Identifier: MIT */
/* Notices that processors came or went, by the shortest file that tells. */
#ifndef OS_ONLINE_H
#define OS_ONLINE_H

#include <stdbool.h>
#include <stddef.h>

#include "showstopper/module.h"

struct linux_online {
	int handle;      /* -1: there is no such file */
	char text[4096]; /* as much as such a file can have */
	size_t length;
};

#define LINUX_ONLINE_NONE ((struct linux_online){.handle = -1})

/* Without the file nothing ever changes. */
void linux_online_open(struct linux_online *online, const struct sst_env *env);
void linux_online_close(struct linux_online *online, const struct sst_env *env);

/* Whether the list of processors is another one than at the last look; true at the first. */
bool linux_online_changed(struct linux_online *online, const struct sst_env *env);

#endif
