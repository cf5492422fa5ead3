/* SPDX-License-Identifier: MIT */
#include "os/online.h"

#include <stdint.h>
#include <string.h>
#include <sys/types.h>

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
