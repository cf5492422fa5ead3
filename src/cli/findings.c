/* SPDX-License-Identifier: MIT */
/* In the order in which one asks: can I trust a run here, what lowers its accuracy and what can I do, then all there is to know. */
#include "cli/machine.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/json_value.h"
#include "base/version.h"

/* Where the text of a row begins. */
#define COLUMN 18

static const char *const section_names[] = {
	[FINDING_SOURCES] = "sources", [FINDING_MACHINE] = "machine", [FINDING_PRIVILEGES] = "privileges"};
static const char *const section_heads[] = {[FINDING_SOURCES] = "Sources of the load",
	[FINDING_MACHINE] = "The machine",
	[FINDING_PRIVILEGES] = "What showstopper may do here"};
static const char *const state_names[] = {[FINDING_CHOSEN] = "chosen",
	[FINDING_AVAILABLE] = "available",
	[FINDING_UNAVAILABLE] = "unavailable",
	[FINDING_KNOWN] = "known",
	[FINDING_UNKNOWN] = "unknown"};
static const char *const verdicts[] = {
	[FINDING_HARMLESS] = "trusted", [FINDING_LOWERS] = "lowered", [FINDING_STOPS] = "impossible"};

struct finding *findings_add(struct findings *findings, const char *name, enum finding_state state, const char *format, ...)
{
	if (findings->count == FINDINGS_MAX)
		abort();
	struct finding *const finding = &findings->finding[findings->count++];
	*finding = (struct finding){.section = findings->section, .state = state, .name = name, .value = NAN};
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(finding->text, sizeof finding->text, format, arguments);
	va_end(arguments);
	return finding;
}

void finding_weigh(struct finding *finding, enum finding_weight weight, const char *format, ...)
{
	finding->weight = weight;
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(finding->effect, sizeof finding->effect, format, arguments);
	va_end(arguments);
}

void finding_remedy(struct finding *finding, const char *command, const char *format, ...)
{
	snprintf(finding->command, sizeof finding->command, "%s", command ? command : "");
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(finding->remedy, sizeof finding->remedy, format, arguments);
	va_end(arguments);
}

enum finding_weight findings_weight(const struct findings *findings)
{
	enum finding_weight most = FINDING_HARMLESS;
	for (size_t i = 0; i < findings->count; i++)
		if (findings->finding[i].weight > most)
			most = findings->finding[i].weight;
	return most;
}

/* ---- For people ------------------------------------------------------------------------------------------------------- */

static void print_name(const char *name, FILE *to)
{
	for (; *name; name++)
		fputc(*name == '_' ? ' ' : *name, to);
	fputc(':', to);
}

static void print_remedy(const struct finding *finding, int column, FILE *to)
{
	if (!*finding->remedy)
		return;
	fprintf(to, "%*s%s%s%s\n", column, "", finding->remedy, *finding->command ? ": " : "", finding->command);
}

static void print_effects(const struct findings *findings, enum finding_weight weight, FILE *to)
{
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *const finding = &findings->finding[i];
		if (finding->weight != weight)
			continue;
		fputs("  ", to);
		print_name(finding->name, to);
		fprintf(to, " %s\n", finding->effect);
		print_remedy(finding, 4, to);
	}
}

static void print_verdict(const struct findings *findings, FILE *to)
{
	static const char *const said[] = {
		[FINDING_HARMLESS] = "A run here can be trusted: nothing is known that lowers its accuracy.",
		[FINDING_LOWERS] = "A run works here. What lowers its accuracy, and what to do:",
		[FINDING_STOPS] = "No run can start here. What is in the way:"};
	fprintf(to, "%s\n", said[findings_weight(findings)]);
	print_effects(findings, FINDING_STOPS, to);
	print_effects(findings, FINDING_LOWERS, to);
}

static void print_row(const struct finding *finding, FILE *to)
{
	/* What a fact is needs no word. */
	const bool is_fact = finding->state == FINDING_KNOWN || finding->state == FINDING_UNKNOWN;
	print_name(finding->name, to);
	fprintf(to, "%*s", COLUMN - (int)strlen(finding->name) - 1, "");
	if (!is_fact)
		fputs(state_names[finding->state], to);
	fprintf(to, "%s%s\n", !is_fact && *finding->text ? ": " : "", finding->text);
	if (finding->weight == FINDING_HARMLESS)
		print_remedy(finding, COLUMN, to);
}

void findings_print(const struct findings *findings, FILE *to)
{
	struct utsname system;
	uname(&system);
	fprintf(to, "showstopper %s, %s %s on %s\n\n", version_text, system.sysname, system.release, system.machine);
	print_verdict(findings, to);
	for (int section = 0; section < FINDING_SECTIONS; section++) {
		fprintf(to, "\n%s\n", section_heads[section]);
		for (size_t i = 0; i < findings->count; i++)
			if (findings->finding[i].section == (enum finding_section)section)
				print_row(&findings->finding[i], to);
	}
}

/* ---- For programs ----------------------------------------------------------------------------------------------------- */

static json_t *nullable(const char *text)
{
	return json_value_text(*text ? text : NULL);
}

static json_t *section_object(const struct findings *findings, enum finding_section section)
{
	json_t *const object = json_object();
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *const finding = &findings->finding[i];
		if (finding->section == section)
			json_object_set_new(object, finding->name,
				json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "state", state_names[finding->state], "text",
					json_value_text(finding->text), "value", json_value_number(finding->value), "effect",
					nullable(finding->effect), "remedy", nullable(finding->remedy), "command",
					nullable(finding->command)));
	}
	return object;
}

/* Where the findings of that weight are: "section.name". */
static json_t *places(const struct findings *findings, enum finding_weight weight)
{
	json_t *const array = json_array();
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *const finding = &findings->finding[i];
		if (finding->weight == weight)
			json_array_append_new(array, json_sprintf("%s.%s", section_names[finding->section], finding->name));
	}
	return array;
}

int findings_print_json(const struct findings *findings, FILE *to)
{
	struct utsname system;
	uname(&system);
	json_t *const root =
		json_pack("{s:i, s:s, s:s?, s:s, s:s, s:s, s:s, s:s, s:o, s:o}", "schema", FINDINGS_SCHEMA, "showstopper",
			SHOWSTOPPER_VERSION, "revision", version_revision, "host", system.nodename, "kernel", system.release,
			"build", system.version, "architecture", system.machine, "verdict", verdicts[findings_weight(findings)],
			"stops", places(findings, FINDING_STOPS), "lowers", places(findings, FINDING_LOWERS));
	for (int section = 0; root && section < FINDING_SECTIONS; section++)
		json_object_set_new(root, section_names[section], section_object(findings, (enum finding_section)section));
	if (!root)
		return -1;
	/* What can't be written is known to the stream. */
	json_dumpf(root, to, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
	json_decref(root);
	fputc('\n', to);
	return 0;
}
