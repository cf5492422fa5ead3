/* SPDX-License-Identifier: MIT */
/* Finding, loading and checking modules; what is refused is unloaded again. */
#ifndef MODULE_MODULE_H
#define MODULE_MODULE_H

#include "base/file_uses.h"
#include "base/kinds.h"
#include "module/actuator.h"
#include "module/option.h"
#include "showstopper/module.h"

#define MODULE_ERROR_MAX 1024

/* One loaded module with its options set. Zero before module_load and after module_unload. */
struct module {
	void *handle; /* of dlopen; NULL for an actuator */
	union {       /* valid by kind; `base` always, and alone for an actuator, an element of its table */
		const struct sst_module *base;
		const struct sst_trace *trace;
		const struct sst_feedback *feedback;
		const struct sst_control *control;
		const struct sst_space *space;
		const struct sst_dithering *dithering;
	};
	void *state; /* base->state_size bytes, or a byte at least */
	struct option_memory memory;
	char *path; /* of the file; NULL for an actuator */
};

/* "trace", "feedback", …: as on the command line and in the module path. */
const char *module_kind_name(enum sst_kind kind);
/* The kind of a name, or -1. */
int module_kind_find(const char *name);

/*
 * Loads a module by name (from $SHOWSTOPPER_MODULE_PATH, the build tree or the install tree) or, when the name has a slash, from
 * that file; checks ABI, size, kind, name, option table and required hooks, allocates the state and sets the options. `options` may be NULL.
 * Returns 0, or -1 with a message that names the module and says what was found and what is accepted.
 */
int module_load(
	struct module *module, enum sst_kind kind, const char *name, const char *options, char error[static MODULE_ERROR_MAX]);
/* Without options: for --list-modules and --help-module. */
int module_open(struct module *module, enum sst_kind kind, const char *name, char error[static MODULE_ERROR_MAX]);
void module_unload(struct module *module);

/* Adds the file that it was loaded from, and those that its options name. */
void module_files(const struct module *module, struct file_uses *uses);

/* The highest load that a feedback module can find (sst_feedback's ceiling), and what a load is held to: that, but 1 at least. */
double module_ceiling(const struct module *feedback, const struct sst_env *env);
double module_most_load(const struct module *feedback, const struct sst_env *env);

/* Says on standard error which module of each kind it is, with all of its options. */
void module_say(const struct module module[static KINDS]);

/* Calls `found` once for each module name of the kind that the search path has, or for each actuator, sorted. Returns 0, or -1 with errno. */
int module_list(enum sst_kind kind, void (*found)(const char *name, void *context), void *context);

#endif
