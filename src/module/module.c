/* SPDX-License-Identifier: MIT */
/*
 * An actuator is looked for in the core's own table. The name of a module is looked for in the folders of $SHOWSTOPPER_MODULE_PATH, then in `modules` beside the program (the build tree), then in the
 * install tree that the program belongs to. Both trees are found from where the program lies, so that an installation can be
 * moved. The variable is ignored in a process that runs with raised privileges (secure_getenv).
 */
#include "module/module.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "module/path.h"

static const struct {
	const char *name;
	char letter; /* of the option that sets its options */
	uint32_t abi;
	size_t size;
} kinds[KINDS] = {
	[SST_TRACE] = {"trace", 'T', SST_TRACE_ABI, sizeof(struct sst_trace)},
	[SST_FEEDBACK] = {"feedback", 'F', SST_FEEDBACK_ABI, sizeof(struct sst_feedback)},
	[SST_CONTROL] = {"control", 'C', SST_CONTROL_ABI, sizeof(struct sst_control)},
	[SST_SPACE] = {"space", 'S', SST_SPACE_ABI, sizeof(struct sst_space)},
	[SST_DITHERING] = {"dithering", 'D', SST_DITHERING_ABI, sizeof(struct sst_dithering)},
	[KIND_ACTUATOR] = {"actuator", 'A', 0, 0},
};

const char *module_kind_name(enum sst_kind kind)
{
	return kinds[kind].name;
}

int module_kind_find(const char *name)
{
	for (int kind = 0; kind < KINDS; kind++)
		if (strcmp(name, kinds[kind].name) == 0)
			return kind;
	return -1;
}

/* The name of a required hook that the module lacks, or NULL. */
static const char *missing_hook(const struct module *module)
{
	switch (module->base->kind) {
	case SST_TRACE:
		return module->trace->target ? NULL : "target";
	case SST_FEEDBACK:
		return !module->feedback->read       ? "read"
		       : !module->feedback->sample   ? "sample"
		       : !module->feedback->estimate ? "estimate"
		       : !module->feedback->interval ? "interval"
						     : NULL;
	case SST_CONTROL:
		return module->control->step ? NULL : "step";
	case SST_SPACE:
		return module->space->local ? NULL : "local";
	case SST_DITHERING:
		return module->dithering->next ? NULL : "next";
	}
	return NULL;
}

static int __attribute__((format(printf, 4, 5)))
refuse(enum sst_kind kind, const char *name, char *error, const char *format, ...)
{
	int used = snprintf(error, MODULE_ERROR_MAX, "%s module '%.200s': ", kinds[kind].name, name);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(error + used, MODULE_ERROR_MAX - (size_t)used, format, arguments);
	va_end(arguments);
	return -1;
}

/* The module's name that a file must carry: its last part without `.so`. */
static bool name_fits(const char *name, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	const size_t length = strlen(name);
	return strncmp(base, name, length) == 0 && strcmp(base + length, ".so") == 0;
}

static int check(const struct module *module, enum sst_kind kind, const char *name, char *error)
{
	const struct sst_module *base = module->base;
	if (base->kind != kind)
		return refuse(kind, name, error, "%s is a %s module, expected one of kind %s", module->path,
			(unsigned)base->kind < SST_KINDS ? kinds[base->kind].name : "nameless kind of", kinds[kind].name);
	if (base->abi != kinds[kind].abi)
		return refuse(kind, name, error, "%s has %s ABI %u, expected %u", module->path, kinds[kind].name, base->abi,
			kinds[kind].abi);
	if (base->size != kinds[kind].size)
		return refuse(kind, name, error, "%s has a struct of %u bytes, expected %zu", module->path, base->size,
			kinds[kind].size);
	if (!base->name || !base->summary || !base->version)
		return refuse(kind, name, error, "%s has no name, summary or version", module->path);
	if (!name_fits(base->name, module->path))
		return refuse(
			kind, name, error, "%s calls itself '%.100s', expected the name of its file", module->path, base->name);
	const char *hook = missing_hook(module);
	if (hook)
		return refuse(kind, name, error, "%s lacks the required hook '%s'", module->path, hook);
	char wrong[OPTION_ERROR_MAX];
	if (option_check_table(base->options, base->state_size, wrong) != 0)
		return refuse(kind, name, error, "%s: %s", module->path, wrong);
	return 0;
}

/* The path to load, resolved where it matters that nobody else can have put the file there. To be freed; NULL when refused. */
static char *path_to_load(const struct module *module, enum sst_kind kind, const char *name, char *error)
{
	char culprit[PATH_MAX];
	if (!module_trust_matters())
		return strdup(module->path);
	char *resolved = module_trust_resolve(module->path, culprit);
	if (!resolved && errno == EPERM)
		refuse(kind, name, error,
			"%.300s: %.300s belongs to, or can be written by, somebody else than root, with whose rights this runs",
			module->path, culprit);
	else if (!resolved)
		refuse(kind, name, error, "%.300s: %s", module->path, strerror(errno));
	return resolved;
}

/* Finds the file, loads and checks what is in it. 0, or -1 with a message. */
static int open_file(struct module *module, enum sst_kind kind, const char *name, char *error)
{
	errno = ENOENT; /* the empty name */
	if (strchr(name, '/'))
		module->path = strdup(name);
	else if (*name)
		module->path = module_path_find(kinds[kind].name, name);
	if (!module->path) {
		if (strchr(name, '/') || errno == ENOMEM)
			return refuse(kind, name, error, "%s", strerror(ENOMEM));
		char *folders = module_path_describe();
		refuse(kind, name, error, "no %s/%.200s.so in %s (showstopper --list-modules shows what there is)",
			kinds[kind].name, name, folders ? folders : "the module path");
		free(folders);
		return -1;
	}
	char *path = path_to_load(module, kind, name, error);
	if (!path)
		return -1;
	module->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	free(path);
	if (!module->handle)
		return refuse(kind, name, error, "%s", dlerror());
	module->base = dlsym(module->handle, "sst_module");
	if (!module->base)
		return refuse(kind, name, error, "%s exports no 'sst_module', expected a Showstopper module", module->path);
	return check(module, kind, name, error);
}

static int open_actuator(struct module *module, const char *name, char *error)
{
	const enum actuator found = actuator_find(name);
	if (found == ACTUATORS)
		return refuse(KIND_ACTUATOR, name, error,
			"expected signals, freezer or quota: actuators are built in, and none is loaded from a file");
	module->base = &actuator_table[found];
	return 0;
}

int module_open(struct module *module, enum sst_kind kind, const char *name, char error[static MODULE_ERROR_MAX])
{
	*module = (struct module){0};
	int result = kind == KIND_ACTUATOR ? open_actuator(module, name, error) : open_file(module, kind, name, error);
	if (result == 0 && !(module->state = calloc(1, module->base->state_size ? module->base->state_size : 1)))
		result = refuse(kind, name, error, "%s", strerror(errno));
	if (result != 0)
		module_unload(module);
	return result;
}

/* The first of its options that must be given, or NULL. */
static const struct sst_option *first_required(const struct sst_option *table)
{
	for (; table && table->name; table++)
		if (table->required)
			return table;
	return NULL;
}

/* A module that needs one of its options, and got none. */
static int refuse_nothing(
	const struct sst_module *base, enum sst_kind kind, const char *name, const struct sst_option *required, char *error)
{
	char form[128] = "";
	FILE *const to = fmemopen(form, sizeof form, "w");
	if (to) {
		option_form(required, to);
		fclose(to);
	}
	const char letter = kinds[kind].letter;
	const bool is_load = required->type == SST_LOAD && required == base->options;
	/* Whoever leaves out the load knows of no module. */
	if (is_load && kind == SST_TRACE && strcmp(base->name, "constant") == 0)
		snprintf(error, MODULE_ERROR_MAX,
			"-l is missing: give a load, such as -l 40%%, or a trace's file, such as -T day.trace");
	else if (is_load)
		snprintf(error, MODULE_ERROR_MAX, "-%c is missing: give a load, such as -%c 40%%", letter, letter);
	if (is_load)
		return -1;
	if (required->type == SST_LOAD)
		return refuse(kind, name, error, "-%c is missing: give %s (%s), such as -%c %s=40%%", letter, form,
			required->help, letter, required->name);
	return refuse(kind, name, error, "-%c is missing: give %s (%s)", letter, form, required->help);
}

/* Whether a text that was to be a load looks like the name of a file instead. */
static bool is_like_file(const char *text)
{
	return strcspn(text, "=,") == strlen(text) && (access(text, R_OK) == 0 || *text == '/' || isalpha((unsigned char)*text));
}

int module_load(
	struct module *module, enum sst_kind kind, const char *name, const char *options, char error[static MODULE_ERROR_MAX])
{
	char reason[OPTION_ERROR_MAX] = "";
	if (module_open(module, kind, name, error) != 0)
		return -1;
	if (option_parse(module->base->options, options, module->state, &module->memory, reason) != 0) {
		const struct sst_option *const table = module->base->options;
		const bool is_load = kind == SST_TRACE && table && table->name && table->type == SST_LOAD;
		const struct sst_option *const required = first_required(table);
		if (!options && required)
			refuse_nothing(module->base, kind, name, required, error);
		else if (is_load && options && is_like_file(options))
			refuse(kind, name, error, "-%c: %s; a trace in a file: -t file -T %.200s", kinds[kind].letter, reason,
				options);
		else
			refuse(kind, name, error, "-%c: %s", kinds[kind].letter, reason);
		module_unload(module);
		return -1;
	}
	return 0;
}

void module_unload(struct module *module)
{
	option_free(&module->memory);
	free(module->state);
	if (module->handle)
		dlclose(module->handle);
	free(module->path);
	*module = (struct module){0};
}

/* That has no name; who reads it says so. */
static bool is_standard(const char *file)
{
	return file && strcmp(file, "-") == 0;
}

void module_files(const struct module *module, struct file_uses *uses)
{
	const struct sst_module *const base = module->base;
	char what[64];
	snprintf(what, sizeof what, "the %s module", kinds[base->kind].name);
	if (module->path)
		file_uses_add(uses, FILE_IS_READ, what, module->path);
	snprintf(what, sizeof what, "the input of the %s module", kinds[base->kind].name);
	for (const struct sst_option *option = base->options; option && option->name; option++)
		if (option->type == SST_FILE && !is_standard(option_text(option, module->state)))
			file_uses_add(uses, FILE_IS_READ, what, option_text(option, module->state));
}

double module_ceiling(const struct module *feedback, const struct sst_env *env)
{
	return feedback->feedback->ceiling ? feedback->feedback->ceiling(feedback->state, env) : 1;
}

double module_most_load(const struct module *feedback, const struct sst_env *env)
{
	const double ceiling = module_ceiling(feedback, env);
	return ceiling > 1 ? ceiling : 1;
}

void module_say(const struct module module[static KINDS])
{
	for (int kind = 0; kind < KINDS; kind++) {
		char *const options = option_print_text(module[kind].base->options, module[kind].state);
		if (options)
			diag("%s %s %s", kinds[kind].name, module[kind].base->name, options);
		free(options);
	}
}

int module_list(enum sst_kind kind, void (*found)(const char *name, void *context), void *context)
{
	if (kind != KIND_ACTUATOR)
		return module_path_list(kinds[kind].name, found, context);
	/* Sorted, the first one is the last. */
	for (int i = 1; i <= ACTUATORS; i++)
		found(actuator_table[i % ACTUATORS].name, context);
	return 0;
}
