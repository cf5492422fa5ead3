/* SPDX-License-Identifier: MIT */
#include "os/online.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

#include "base/cpus.h"

void linux_online_open(struct linux_online *online, const struct sst_env *env)
{
	*online = (struct linux_online){.handle = env->host->open(env, "/sys/devices/system/cpu/online")};
}

void linux_online_close(struct linux_online *online, const struct sst_env *env)
{
	if (online->handle >= 0)
		env->host->close(env, online->handle);
	*online = LINUX_ONLINE_NONE;
}

bool linux_online_changed(struct linux_online *online, const struct sst_env *env)
{
	char text[sizeof online->text];
	int64_t ignored;
	if (online->handle < 0)
		return false;
	const ssize_t length = env->host->read(env, online->handle, text, sizeof text, &ignored);
	if (length <= 0 || ((size_t)length == online->length && memcmp(text, online->text, (size_t)length) == 0))
		return false;
	memcpy(online->text, text, (size_t)length);
	online->length = (size_t)length;
	return true;
}

static void tell_that_none_is_online(const struct sst_env *env, const struct sst_cpus *cpus)
{
	char list[128] = "";
	FILE *const to = fmemopen(list, sizeof list, "w");
	if (to) {
		cpus_print(cpus, to);
		fclose(to);
	}
	list[sizeof list - 1] = '\0';
	env->host->refuse(env, cpus->count > 1 ? "none of the processors %s is online" : "processor %s is offline", list);
}

int linux_online_parse(
	const struct sst_env *env, const char *text, size_t length, const struct sst_cpus *subset, struct linux_stat *stat)
{
	struct linux_stat all;
	if (linux_stat_parse(text, length, subset, stat) == 0)
		return 0;
	if (subset && linux_stat_parse(text, length, NULL, &all) == 0)
		tell_that_none_is_online(env, subset);
	errno = EINVAL;
	return -1;
}
