/* SPDX-License-Identifier: MIT */
#include "self/accounting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "self/host_text.h"

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
	char *list = host_text(env, "/sys/devices/system/cpu/nohz_full", NULL);
	if (list) {
		const bool some = *list >= '0' && *list <= '9';
		free(list);
		return some;
	}
	char *commands = host_text(env, "/proc/cmdline", NULL);
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
	char *packed = host_text(env, "/proc/config.gz", &length);
	if (packed) {
		config = inflate_text(packed, length);
	} else {
		snprintf(path, sizeof path, "/boot/config-%.200s", release);
		config = host_text(env, path, NULL);
	}
	if (!config)
		goto out;
	if (host_has_word(config, "CONFIG_VIRT_CPU_ACCOUNTING_GEN=y"))
		/* Compiled in, it is used on kernels that were also told which processors are to have no tick. */
		mode = has_full_dynticks(env) ? "virtual (full dynticks)" : "tick";
	else if (host_has_word(config, "CONFIG_VIRT_CPU_ACCOUNTING_NATIVE=y"))
		mode = "virtual (native)";
	else if (host_has_word(config, "CONFIG_TICK_CPU_ACCOUNTING=y"))
		mode = "tick";
out:
	free(config);
	free(packed);
	return mode;
}
