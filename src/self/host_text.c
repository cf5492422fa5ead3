/* SPDX-License-Identifier: MIT */
#include "self/host_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"

#define TEXT_MAX ((size_t)1 << 20)

char *host_beginning(const struct sst_env *env, const char *path, size_t most, size_t *length)
{
	const int handle = env->host->open(env, path);
	if (handle < 0)
		return NULL;
	char *text = NULL;
	int64_t when_ns;
	ssize_t got = -1;
	for (size_t size = (size_t)16 << 10; got < 0; size *= 2) {
		const size_t room = size < most ? size : most;
		char *const larger = realloc(text, room + 1);
		if (!larger)
			break;
		text = larger;
		got = env->host->read(env, handle, text, room, &when_ns);
		if (got < 0)
			break;
		text[got] = '\0';
		if ((size_t)got == room && room < most)
			got = -1;
	}
	const int saved = errno;
	if (got < 0) {
		free(text);
		text = NULL;
	} else if (length) {
		*length = (size_t)got;
	}
	env->host->close(env, handle);
	errno = saved;
	return text;
}

char *host_text(const struct sst_env *env, const char *path, size_t *length)
{
	return host_beginning(env, path, TEXT_MAX, length);
}

struct sst_cpus *host_cpus(const struct sst_env *env, const char *path)
{
	struct sst_cpus *cpus = NULL;
	size_t length;
	char *const text = host_text(env, path, &length);
	if (!text)
		return NULL;
	if (cpus_parse(text, length - (length > 0 && text[length - 1] == '\n'), &cpus, NULL) != 0)
		cpus = NULL;
	free(text);
	return cpus;
}

bool host_has_word(const char *text, const char *word)
{
	const size_t length = strlen(word);
	for (const char *at = text; at && (at = strstr(at, word)); at += length)
		if ((at == text || strchr(" \n", at[-1])) && strchr(" \n", at[length]))
			return true;
	return false;
}
