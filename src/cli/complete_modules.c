/* SPDX-License-Identifier: MIT */
#include "cli/complete_modules.h"

#include <stdio.h>
#include <string.h>

#include "cli/instead.h"
#include "config/config.h"
#include "module/module.h"

static void offer_module_value(struct complete_value *value, const struct sst_option *option)
{
	if (option->type == SST_FILE || option->type == SST_TEXT)
		complete_ask_for(value, "file");
	complete_offer_choices(value, option->type == SST_FLAG ? (const char *const[]){"yes", "no", NULL} : option->choices);
}

/* KEY=VALUE, or the value of the first option alone, or without -t the file of a trace. The shell leaves out what doesn't fit. */
static void offer_module_options(struct complete_value *value, enum sst_kind kind)
{
	const char *const name = value->module[kind] ? value->module[kind] : config_usual_module[kind];
	const char *const comma = strrchr(value->text, ',');
	const char *const key = comma ? comma + 1 : value->text;
	const char *const equals = strchr(key, '=');
	const size_t length = strcspn(key, "=");
	struct module module;
	char error[MODULE_ERROR_MAX];
	/* No file is loaded because its name is typed. */
	if (strchr(name, '/') || module_open(&module, kind, name, error) != 0)
		return;
	puts(":nospace");
	value->text = equals ? equals + 1 : key;
	value->end = equals ? "" : "=";
	const struct sst_option *const first = module.base->options;
	/* What begins no name may be the first option's value, or the name of a trace's file. */
	bool is_value = *key && !equals;
	for (const struct sst_option *option = first; option && option->name; option++) {
		const bool fits = strncmp(option->name, key, length) == 0;
		is_value = is_value && !fits;
		if (fits && !equals)
			complete_offer(option->name, option->help, value);
		else if (fits && !option->name[length])
			offer_module_value(value, option);
	}
	value->end = "";
	if ((is_value || !*key) && kind == SST_TRACE && !value->module[kind] && !comma)
		complete_ask_for(value, "file");
	else if (is_value && first && first->name)
		offer_module_value(value, first);
	module_unload(&module);
}

void complete_modules(struct complete_value *value, const struct tool_option *row)
{
	if (row->completion == TOOL_COMPLETE_MODULE)
		module_info_each(row->kind, complete_offer, value);
	else
		offer_module_options(value, row->kind);
}
