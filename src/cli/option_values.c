/* SPDX-License-Identifier: MIT */
#include "cli/option_values.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/cpus.h"
#include "base/frequency_wish.h"
#include "base/instant.h"
#include "cli/refuse.h"
#include "meters/counter_event.h"
#include "module/module.h"
#include "module/option.h"
#include "module/trace_choice.h"
#include "placement/pinning.h"

int option_set(const struct tool_option *option, struct option_target *target, const char *source, const char *text)
{
	if (option->takes == TOOL_CALL)
		return option->call(target, source, text);
	char error[OPTION_ERROR_MAX];
	void *const settings = option->uses & OPTION_OF_GROUP ? (void *)target->group : target->config;
	return tool_options_store(option, settings, source, text, error) == 0 ? 0 : refuse(target->error, "%s", error);
}

/* What a row of a module's table would say, by errno. */
static int refuse_value(const struct option_target *target, const struct sst_option *row, const char *source, const char *text)
{
	char error[OPTION_ERROR_MAX];
	option_value_refuse(row, source, text, errno, error);
	return refuse(target->error, "%s", error);
}

/* ---- Values of single options ----------------------------------------------------------------------------------------- */

int option_set_start_at(void *settings, const char *source, const char *text)
{
	const struct option_target *const target = settings;
	const int64_t now_ns = clock_ns(CLOCK_REALTIME);
	int64_t when_ns;
	if (instant_parse(text, now_ns, &when_ns) != 0)
		return refuse(target->error, "%s: '%s' is %s: expected " INSTANT_EXPECTED, source, text,
			errno == ERANGE ? "out of range" : "no such time");
	if (when_ns <= now_ns || when_ns > now_ns + OPTION_TIME_MOST)
		return refuse(target->error, "%s: '%s' is %s: expected a time to come, within 3650d", source, text,
			when_ns <= now_ns ? "in the past" : "too far away");
	target->config->start_at_ns = when_ns;
	return 0;
}

int option_set_load(void *settings, const char *source, const char *text)
{
	const struct option_target *const target = settings;
	char reason[TRACE_CHOICE_ERROR_MAX];
	if (trace_choice_check_load(source, text, reason) != 0)
		return refuse(target->error, "%s", reason);
	target->config->load = text;
	return 0;
}

int option_set_cpus(void *settings, const char *source, const char *text)
{
	const struct option_target *const target = settings;
	static const struct sst_option row = {.type = SST_CPUS};
	union option_value value;
	if (option_value_parse(&row, text, &value) != 0)
		return refuse_value(target, &row, source, text);
	free(target->group->cpus);
	target->group->cpus = value.block;
	return 0;
}

const char *const option_pins[] = {"neutral", "per-chip", "per-core", "per-thread", "packed", "spread", "dynamic", NULL};

/* dynamic, or dynamic:SETTINGS in one of the groups. */
static int parse_dynamic(struct config *config, const char *settings, char **error)
{
	char reason[OPTION_ERROR_MAX];
	if (!settings)
		return 0;
	if (config->dynamic.below)
		return refuse(error, "--pin=dynamic: the settings are given twice: expected them in one group");
	return dynamic_pinning_parse(settings, &config->dynamic, reason) == 0 ? 0 : refuse(error, "--pin=dynamic: %s", reason);
}

int option_set_pin(void *settings, const char *source, const char *text)
{
	const struct option_target *const target = settings;
	struct group *const group = target->group;
	static const char dynamic[] = "dynamic";
	const size_t length = sizeof dynamic - 1;
	if (strncmp(text, dynamic, length) == 0 && (!text[length] || text[length] == ':')) {
		group->pin = PIN_DYNAMIC;
		return parse_dynamic(target->config, text[length] ? text + length + 1 : NULL, target->error);
	}
	static const struct sst_option row = {.type = SST_CHOICE, .choices = option_pins};
	group->pin = pinning_find(text);
	errno = EINVAL;
	return group->pin == PIN_NONE ? refuse_value(target, &row, source, text) : 0;
}

int option_set_part(void *settings, const char *source, const char *text)
{
	const struct option_target *const target = settings;
	const char *slash = strchr(text, '/');
	int64_t part;
	int64_t parts;
	if (!slash || units_parse_int(text, (size_t)(slash - text), &part, NULL) != 0 ||
		units_parse_int(slash + 1, strlen(slash + 1), &parts, NULL) != 0 || part < 0 || part >= parts ||
		parts > (int64_t)CPUS_LIMIT)
		return refuse(target->error, "%s: '%s': expected I/K, where I is a whole number from 0 and below K, such as 0/2",
			source, text);
	target->group->part = (unsigned)part;
	target->group->parts = (unsigned)parts;
	return 0;
}

int option_set_frequency(void *settings, const char *source, const char *text)
{
	const struct option_target *const target = settings;
	if (frequency_wish_parse(text, &target->group->frequency) != 0)
		return refuse(target->error, "%s: '%s' is %s: expected %s", source, text,
			errno == ERANGE ? "out of range" : "malformed", FREQUENCY_WISH_EXPECTED);
	target->group->frequency_text = text;
	return 0;
}

int option_set_require(void *settings, const char *source, const char *text)
{
	const struct option_target *const target = settings;
	struct config *const config = target->config;
	static const struct sst_option options[] = {
		{.name = "error", .type = SST_REAL, .offset = offsetof(struct config, require_error), .least = "0", .help = "pp"},
		{.name = "mse", .type = SST_REAL, .offset = offsetof(struct config, require_mse), .least = "0", .help = "pp²"},
		{.name = "others",
			.type = SST_REAL,
			.offset = offsetof(struct config, require_background),
			.least = "0",
			.help = "pp"},
		{0},
	};
	struct option_memory memory = {0};
	char reason[OPTION_ERROR_MAX];
	struct config given = *config;
	const int result = option_parse(options, text, &given, &memory, reason);
	option_free(&memory);
	if (result != 0)
		return refuse(target->error, "%s: %s", source, reason);
	/* Each --require adds to those before it. */
	if (!isnan(given.require_error))
		config->require_error = given.require_error;
	if (!isnan(given.require_mse))
		config->require_mse = given.require_mse;
	if (!isnan(given.require_background))
		config->require_background = given.require_background;
	return 0;
}

int option_set_log_counters(void *settings, const char *source, const char *text)
{
	const struct option_target *const target = settings;
	struct linux_counter_events ignored;
	char reason[LINUX_COUNTER_ERROR_MAX];
	if (linux_counter_events_parse(text, &ignored, reason) != 0)
		return refuse(target->error, "%s: %s", source, reason);
	target->config->log_counters = text;
	return 0;
}

int option_set_help_module(void *settings, const char *source, const char *text)
{
	const struct option_target *const target = settings;
	struct config *const config = target->config;
	const char *colon = strchr(text, ':');
	char kind[16] = "";
	if (colon && (size_t)(colon - text) < sizeof kind)
		memcpy(kind, text, (size_t)(colon - text));
	const int found = module_kind_find(kind);
	if (found < 0 || !colon || !colon[1])
		return refuse(target->error,
			"%s: '%s': expected KIND:NAME with a kind of trace, feedback, control, space, dithering or actuator",
			source, text);
	config->help_kind = (enum sst_kind)found;
	config->help_name = colon + 1;
	config->action = ACTION_HELP_MODULE;
	return 0;
}

int option_set_attach(void *settings, const char *source, const char *text)
{
	const struct option_target *const target = settings;
	struct config *const config = target->config;
	int64_t value;
	if (units_parse_int(text, strlen(text), &value, NULL) != 0 || value < 1 || value > INT_MAX)
		return refuse(target->error, "%s: '%s': expected the number of a process", source, text);
	for (unsigned i = 0; i < config->attaches; i++)
		if (config->attach[i] == (pid_t)value)
			return refuse(target->error, "%s: process %s is given twice", source, text);
	pid_t *grown = realloc(config->attach, (config->attaches + 1) * sizeof *grown);
	if (!grown)
		return refuse(target->error, "%s", strerror(errno));
	config->attach = grown;
	grown[config->attaches++] = (pid_t)value;
	return 0;
}
