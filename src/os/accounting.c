/* SPDX-License-Identifier: MIT */
#include "os/accounting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Whole text of a small file below the host's root, to be freed, or NULL. */
static char *read_text(const struct sst_env *env, const char *path, size_t limit, size_t *length)
{
	const int handle = env->host->open(env, path);
	if (handle < 0)
		return NULL;
	char *text = malloc(limit + 1);
	int64_t when_ns;
	const ssize_t got = text ? env->host->read(env, handle, text, limit, &when_ns) : -1;
	env->host->close(env, handle);
	if (got < 0) {
		free(text);
		return NULL;
	}
	text[got] = '\0';
	if (length)
		*length = (size_t)got;
	return text;
}

/* Whether a blank-separated word occurs. */
static bool has_word(const char *text, const char *word)
{
	const size_t length = strlen(word);
	for (const char *at = text; (at = strstr(at, word)); at += length)
		if ((at == text || strchr(" \n", at[-1])) && strchr(" \n", at[length]))
			return true;
	return false;
}

bool linux_accounting_idle_clock(const struct sst_env *env)
{
	bool idle_clock = true;
	char *commands = read_text(env, "/proc/cmdline", 4096, NULL);
	if (commands)
		idle_clock = !has_word(commands, "nohz=off") && !has_word(commands, "nohz=0");
	free(commands);
	char *timers = read_text(env, "/proc/timer_list", 16384, NULL);
	/* `.nohz_mode : 0` before Linux 6.10, `.nohz : 0` since. */
	for (const char *at = timers; at && (at = strstr(at, ".nohz")); at++) {
		const char *colon = strchr(at, ':');
		if (colon && (strncmp(at, ".nohz ", 6) == 0 || strncmp(at, ".nohz_mode ", 11) == 0)) {
			idle_clock = strtol(colon + 1, NULL, 10) != 0;
			break;
		}
	}
	free(timers);
	return idle_clock;
}

static char *inflate_text(const char *packed, size_t length)
{
	const size_t limit = 1 << 20;
	char *text = malloc(limit + 1);
	z_stream stream = {
		.next_in = (Bytef *)packed, .avail_in = (uInt)length, .next_out = (Bytef *)text, .avail_out = (uInt)limit};
	if (!text || inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) {
		free(text);
		return NULL;
	}
	inflate(&stream, Z_FINISH); /* what came out before an error is as good as it gets */
	text[limit - stream.avail_out] = '\0';
	inflateEnd(&stream);
	return text;
}

/* The list is empty, or "(null)", where there are none; older kernels have no such file. */
static bool has_full_dynticks(const struct sst_env *env)
{
	char *list = read_text(env, "/sys/devices/system/cpu/nohz_full", 4096, NULL);
	if (list) {
		const bool some = *list >= '0' && *list <= '9';
		free(list);
		return some;
	}
	char *commands = read_text(env, "/proc/cmdline", 4096, NULL);
	const char *option = commands ? strstr(commands, "nohz_full=") : NULL;
	const bool asked = option && (option == commands || option[-1] == ' ');
	free(commands);
	return asked;
}

const char *linux_accounting_mode(const struct sst_env *env, const char *release)
{
	const char *mode = "unknown";
	char path[300];
	size_t length;
	char *config = NULL;
	char *packed = read_text(env, "/proc/config.gz", 1 << 19, &length);
	if (packed) {
		config = inflate_text(packed, length);
	} else {
		snprintf(path, sizeof path, "/boot/config-%.200s", release);
		config = read_text(env, path, 1 << 20, NULL);
	}
	if (!config)
		goto out;
	if (has_word(config, "CONFIG_VIRT_CPU_ACCOUNTING_GEN=y"))
		/* Compiled in, it is used on kernels that were also told which processors are to have no tick. */
		mode = has_full_dynticks(env) ? "virtual (full dynticks)" : "tick";
	else if (has_word(config, "CONFIG_VIRT_CPU_ACCOUNTING_NATIVE=y"))
		mode = "virtual (native)";
	else if (has_word(config, "CONFIG_TICK_CPU_ACCOUNTING=y"))
		mode = "tick";
out:
	free(config);
	free(packed);
	return mode;
}
