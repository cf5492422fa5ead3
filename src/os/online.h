/* SPDX-License-Identifier: MIT */
/* Processors that come and go: notices it by the shortest file that tells, and says when none of those that are measured is left. */
#ifndef OS_ONLINE_H
#define OS_ONLINE_H

#include <stdbool.h>
#include <stddef.h>

#include "os/stat.h"
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

/* As linux_stat_parse. Where the text has processors, and none of the subset, the host is told so. */
int linux_online_parse(
	const struct sst_env *env, const char *text, size_t length, const struct sst_cpus *subset, struct linux_stat *stat);

#endif
