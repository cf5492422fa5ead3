/* SPDX-License-Identifier: MIT */
#include "os/host_text.h"

#include <errno.h>
#include <stdlib.h>

#define TEXT_MAX ((size_t)1 << 20)

char *host_text(const struct sst_env *env, const char *path, size_t *length)
{
	const int handle = env->host->open(env, path);
	if (handle < 0)
		return NULL;
	char *text = NULL;
	int saved = 0;
	for (size_t size = (size_t)16 << 10;; size *= 2) {
		char *const larger = realloc(text, size);
		int64_t when_ns;
		const ssize_t got = larger ? env->host->read(env, handle, larger, size, &when_ns) : -1;
		saved = errno;
		if (larger)
			text = larger;
		if (got >= 0 && (size_t)got == size && size < TEXT_MAX)
			continue;
		if (got >= 0)
			*length = (size_t)got;
		if (got < 0) {
			free(text);
			text = NULL;
		}
		break;
	}
	env->host->close(env, handle);
	errno = saved;
	return text;
}
