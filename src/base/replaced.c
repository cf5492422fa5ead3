/* SPDX-License-Identifier: MIT */
#include "base/replaced.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/expand.h"

static void say_of(
	const struct config *config, const char *where, const char *given, unsigned instance, void (*say)(const char *line))
{
	char *line = NULL;
	if (!given || !expand_changes(given, config->placeholder))
		return;
	char *made = expand(given, config->placeholder, instance, expand_width(config->workloads));
	if (made && asprintf(&line, "replaced in %s: %s becomes %s", where, given, made) >= 0) {
		say(line);
		free(line);
	}
	free(made);
}

void replaced_say(const struct config *config, void (*say)(const char *line))
{
	unsigned instance = 0;
	for (unsigned i = 0; i < config->groups; i++) {
		char where[32];
		snprintf(where, sizeof where, "group %u", i + 1);
		for (char **word = config->group[i].command; *word; word++)
			if (word != config->group[i].command)
				say_of(config, where, *word, instance, say);
		instance += config->group[i].instances;
	}
	if (!config->groups)
		return;
	say_of(config, "--chdir", config->directory, 0, say);
	say_of(config, "--stdout", config->stdout_file, 0, say);
	say_of(config, "--stderr", config->stderr_file, 0, say);
}
