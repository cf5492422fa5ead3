/* SPDX-License-Identifier: MIT */
#include "config/config.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

const char *const config_usual_module[KINDS] = {"constant", "realtime", "deficit", "even", "spread", "signals"};

void config_init(struct config *config)
{
	*config = (struct config){
		.run_time_ns = -1,
		.grace_ns = 5 * NS_PER_S,
		.log_interval_ns = 500 * NS_PER_MS,
		.require_error = NAN,
		.require_mse = NAN,
		.require_others = NAN,
		.separator = ":",
		.placeholder = "%",
		.root = "",
	};
	memcpy(config->module, config_usual_module, sizeof config->module);
}

void config_free_group(const struct group *group)
{
	free(group->cpus);
	free(group->moved);
}

void config_free(struct config *config)
{
	for (unsigned i = 0; i < config->groups; i++)
		config_free_group(&config->group[i]);
	free(config->group);
	free(config->cpus);
	free(config->moved);
	config->cpus = config->moved = NULL;
	config->group = NULL;
	config->groups = 0;
	free(config->attach);
	free(config->attach_group);
	config->attach = NULL;
	config->attach_group = NULL;
	config->attach_groups = 0;
	config->attaches = 0;
}

unsigned expand_width(unsigned workloads)
{
	unsigned width = 1;
	for (unsigned largest = workloads ? workloads - 1 : 0; largest >= 10; largest /= 10)
		width++;
	return width;
}

/* What printf takes with a width or a precision: whether this, behind a percent sign, is such as `.2f` or `-10s`. */
static bool is_conversion(const char *text)
{
	static const char digits[] = "0123456789";
	const char *at = text + (*text && strchr("-+#", *text));
	const size_t width = strspn(at, digits);
	at += width;
	const size_t precision = *at == '.' ? strspn(at + 1, digits) : 0;
	at += precision ? precision + 1 : 0;
	return width + precision > 0 && *at && strchr("diouxXeEfFgGaAcs", *at);
}

/* What curl takes: whether this, behind a percent sign, is such as `{time_total}`. */
static bool is_variable(const char *text)
{
	const char *at = text + 1;
	while (*text == '{' && (isalnum((unsigned char)*at) || *at == '_'))
		at++;
	return *text == '{' && at > text + 1 && *at == '}';
}

/*
 * The next placeholder that is one, or NULL. `%H`, `%s` and `${x%c}` are the language of the program that is started; a placeholder of
 * the user's own choice is meant wherever it stands.
 */
static const char *next_mark(const char *text, const char *placeholder)
{
	const bool is_percent = strcmp(placeholder, "%") == 0;
	const char *found = *placeholder ? strstr(text, placeholder) : NULL;
	while (found && is_percent && (isalnum((unsigned char)found[1]) || is_conversion(found + 1) || is_variable(found + 1)))
		found = strchr(found + 1, '%');
	return found;
}

bool expand_changes(const char *text, const char *placeholder)
{
	return next_mark(text, placeholder) != NULL;
}

char *expand(const char *text, const char *placeholder, unsigned number, unsigned width)
{
	const size_t mark = strlen(placeholder);
	char *result = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&result, &size);
	if (!out)
		return NULL;
	for (const char *found; (found = next_mark(text, placeholder)); text = found + mark) {
		fwrite(text, 1, (size_t)(found - text), out);
		if (strncmp(found + mark, placeholder, mark) == 0) {
			fputs(placeholder, out);
			found += mark;
		} else {
			fprintf(out, "%0*u", (int)width, number);
		}
	}
	fputs(text, out);
	if (fclose(out) != 0) {
		free(result);
		return NULL;
	}
	return result;
}

char **expand_command(char *const *command, const char *placeholder, unsigned number, unsigned width)
{
	size_t count = 0;
	while (command[count])
		count++;
	char **words = calloc(count + 1, sizeof *words);
	for (size_t i = 0; words && i < count; i++) {
		words[i] = expand(command[i], i ? placeholder : "", number, width);
		if (!words[i]) {
			expand_free(words);
			return NULL;
		}
	}
	return words;
}

void expand_free(char **command)
{
	for (char **word = command; word && *word; word++)
		free(*word);
	free(command);
}

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

/* Whether what stands before this sign is a number by itself, and what follows it no part of a name. */
static bool is_per_cent(const char *word, const char *sign)
{
	const char *at = sign;
	while (at > word && (isdigit((unsigned char)at[-1]) || at[-1] == '.'))
		at--;
	const bool begins = at == word || strchr(" \t(=:,'\"", at[-1]);
	return at < sign && begins && (!sign[1] || strchr(" \t)=:;,'\"", sign[1]));
}

void replaced_warn(const struct config *config, void (*say)(const char *line))
{
	char line[256];
	for (unsigned i = 0; strcmp(config->placeholder, "%") == 0 && i < config->groups; i++)
		for (char **word = config->group[i].command + 1; *word; word++) {
			const char *found = next_mark(*word, "%");
			while (found && (found[1] == '%' || !is_per_cent(*word, found)))
				found = next_mark(found + (found[1] == '%' ? 2 : 1), "%");
			if (!found)
				continue;
			snprintf(line, sizeof line,
				"warning: '%.60s': %% is replaced by the instance's number: %%%% is a percent sign, and "
				"--placeholder '' replaces none",
				*word);
			say(line);
		}
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
		snprintf(where, sizeof where, "group %u", i);
		for (char **word = config->group[i].command; *word; word++)
			if (word != config->group[i].command)
				say_of(config, where, *word, instance, say);
		const struct group *const group = &config->group[i];
		say_of_output(config, i, instance, "--stdout", group->stdout_file, config->stdout_file, say);
		say_of_output(config, i, instance, "--stderr", group->stderr_file, config->stderr_file, say);
		instance += config->group[i].instances;
	}
	if (!config->groups)
		return;
	say_of(config, "--chdir", config->directory, 0, say);
	say_of(config, "--stdout", config->stdout_file, 0, say);
	say_of(config, "--stderr", config->stderr_file, 0, say);
}
