/* SPDX-License-Identifier: MIT */
#include "tables.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/diag.h"
#include "module/module.h"

/* ---- Options ---------------------------------------------------------------------------------------------------------- */

bool tables_is_plain(const char *text)
{
	if (!*text)
		return false;
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && !strchr("-_.,/", *text))
			return false;
	return true;
}

/* `A|B|C` behind what is there. Shells insert a choice as it is, and so it has to be plain. */
static int add_choices(const struct tool_option *option, char text[static TABLES_TEXT_MAX])
{
	size_t used = strlen(text);
	for (size_t i = 0; option->choices[i]; i++) {
		if (!tables_is_plain(option->choices[i])) {
			diag("--%s: the choice '%s' would have to be quoted", option->name, option->choices[i]);
			return -1;
		}
		const int more = snprintf(text + used, TABLES_TEXT_MAX - used, "%s%s", i ? "|" : "", option->choices[i]);
		used += (size_t)more;
		if (used >= TABLES_TEXT_MAX) {
			diag("--%s: too many choices", option->name);
			return -1;
		}
	}
	return 0;
}

int tables_value(const struct tool_option *option, char text[static TABLES_TEXT_MAX])
{
	static const char *const names[] = {
		[TOOL_COMPLETE_CHOICES] = "choice ",
		[TOOL_COMPLETE_LIST] = "list ",
		[TOOL_COMPLETE_FILE] = "file",
		[TOOL_COMPLETE_FOLDER] = "folder",
		[TOOL_COMPLETE_COMMAND] = "command",
		[TOOL_COMPLETE_PROCESS] = "process",
		[TOOL_COMPLETE_MODULE] = "module ",
		[TOOL_COMPLETE_MODULE_OPTIONS] = "options ",
		[TOOL_COMPLETE_KIND_AND_MODULE] = "kind:module",
	};
	const enum tool_option_completion how = option->completion;
	const bool has_choices = how == TOOL_COMPLETE_CHOICES || how == TOOL_COMPLETE_LIST;
	const bool has_kind = how == TOOL_COMPLETE_MODULE || how == TOOL_COMPLETE_MODULE_OPTIONS;
	if (!option->argument)
		*text = '\0';
	else if (has_choices && !option->choices)
		strcpy(text, "any");
	else
		snprintf(text, TABLES_TEXT_MAX, "%s%s", names[how], has_kind ? module_kind_name(option->kind) : "");
	return option->argument && has_choices && option->choices ? add_choices(option, text) : 0;
}

void tables_places(const struct program *program, const struct tool_option *option, char text[static TABLES_TEXT_MAX])
{
	size_t used = 0, count = 0;
	*text = '\0';
	for (size_t i = 0; i < program->places; i++) {
		const struct program_place *const place = &program->place[i];
		if (!(option->uses & place->uses))
			continue;
		count++;
		used += (size_t)snprintf(text + used, TABLES_TEXT_MAX - used, "%s%s", used ? " " : "", place->name);
	}
	/* Before the subcommand nothing but --help and --version is possible. */
	const bool is_asking = option->takes == TOOL_NOTHING;
	if (count == program->places && (program->words != WORDS_SUBCOMMAND || is_asking))
		*text = '\0';
}

const char *tables_words_name(enum program_words words)
{
	static const char *const names[] = {[WORDS_NONE] = "none",
		[WORDS_FILE] = "file",
		[WORDS_COMMAND] = "command",
		[WORDS_GROUPS] = "groups",
		[WORDS_DASHES] = "dashes",
		[WORDS_SUBCOMMAND] = "subcommand"};
	return names[words];
}

/* ---- Modules ---------------------------------------------------------------------------------------------------------- */

struct loading {
	struct tables_modules *modules;
	enum sst_kind kind;
	int result;
};

static int complain_about_memory(void)
{
	diag("%s", strerror(ENOMEM));
	return -1;
}

/* Takes the text over. */
static int add(struct tables_list *list, char *text)
{
	char **const grown = text ? realloc(list->text, (list->count + 1) * sizeof *grown) : NULL;
	if (!grown) {
		free(text);
		return complain_about_memory();
	}
	list->text = grown;
	list->text[list->count++] = text;
	return 0;
}

static int add_form(struct tables_list *list, const char *kind, const struct sst_module *module)
{
	char *text = NULL;
	size_t size;
	FILE *const to = open_memstream(&text, &size);
	if (!to)
		return complain_about_memory();
	fprintf(to, "%s:%s", kind, module->name);
	for (const struct sst_option *option = module->options; option && option->name; option++) {
		fputc(' ', to);
		option_form(option, to);
	}
	if (fclose(to) == 0)
		return add(list, text);
	free(text);
	return complain_about_memory();
}

static void load_one(const char *name, void *context)
{
	struct loading *const loading = context;
	struct module module;
	char error[MODULE_ERROR_MAX];
	const char *const kind = module_kind_name(loading->kind);
	char *line = NULL;
	if (loading->result != 0 || strcmp(name, "skeleton") == 0)
		return;
	loading->result = -1;
	if (module_open(&module, loading->kind, name, error) != 0) {
		diag("%s", error);
		return;
	}
	if (asprintf(&line, "%s:%s %s", kind, name, module.base->summary) < 0)
		line = NULL;
	if (add(&loading->modules->module, line) == 0)
		loading->result = add_form(&loading->modules->options, kind, module.base);
	module_unload(&module);
}

static int load(struct tables_modules *modules)
{
	struct loading loading = {.modules = modules};
	struct config config;
	config_init(&config);
	for (int kind = 0; kind < KINDS && loading.result == 0; kind++) {
		char *usual;
		loading.kind = (enum sst_kind)kind;
		if (asprintf(&usual, "%s:%s", module_kind_name(loading.kind), config.module[kind]) < 0)
			usual = NULL;
		if (add(&modules->usual, usual) != 0)
			return -1;
		if (module_list(loading.kind, load_one, &loading) != 0) {
			diag("can't list modules: %s", strerror(errno));
			return -1;
		}
	}
	return loading.result;
}

int tables_load_modules(const struct program *program, struct tables_modules *modules)
{
	*modules = (struct tables_modules){0};
	for (size_t i = 0; i < program->count; i++)
		if (program->option[i].completion == TOOL_COMPLETE_MODULE)
			return load(modules);
	return 0;
}

static void free_list(struct tables_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->text[i]);
	free(list->text);
}

void tables_free_modules(struct tables_modules *modules)
{
	free_list(&modules->usual);
	free_list(&modules->module);
	free_list(&modules->options);
}
