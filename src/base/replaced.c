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

/* --stdout or --stderr of a group, where it has one of its own. */
static void say_of_output(const struct config *config, unsigned number, unsigned instance, const char *option, const char *own,
	const char *common, void (*say)(const char *line))
{
	char where[48];
	if (own == common)
		return;
	snprintf(where, sizeof where, "%s of group %u", option, number);
	say_of(config, where, own, instance, say);
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
		const struct group *const group = &config->group[i];
		say_of_output(config, i + 1, instance, "--stdout", group->stdout_file, config->stdout_file, say);
		say_of_output(config, i + 1, instance, "--stderr", group->stderr_file, config->stderr_file, say);
		instance += config->group[i].instances;
	}
	if (!config->groups)
		return;
	say_of(config, "--chdir", config->directory, 0, say);
	say_of(config, "--stdout", config->stdout_file, 0, say);
	say_of(config, "--stderr", config->stderr_file, 0, say);
}
