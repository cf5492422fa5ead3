/* SPDX-License-Identifier: MIT */
#include "cli/module_info.h"

#include <errno.h>
#include <string.h>

#include "base/diag.h"
#include "module/module.h"

struct listing {
	module_info_found *found;
	void *context;
	enum sst_kind kind;
	bool with_kind;
	int result;
};

static void list_one(const char *name, void *context)
{
	struct listing *listing = context;
	struct module module;
	char error[MODULE_ERROR_MAX];
	char full[64];
	if (module_open(&module, listing->kind, name, error) != 0) {
		diag("%s", error);
		listing->result = -1;
		return;
	}
	snprintf(full, sizeof full, "%s:%s", module_kind_name(listing->kind), name);
	listing->found(listing->with_kind ? full : name, module.base->summary, listing->context);
	module_unload(&module);
}

int module_info_each(int kind, module_info_found *found, void *context)
{
	struct listing listing = {.found = found, .context = context, .with_kind = kind < 0};
	for (int at = 0; at < KINDS; at++) {
		listing.kind = (enum sst_kind)at;
		if ((kind < 0 || kind == at) && module_list(listing.kind, list_one, &listing) != 0) {
			diag("can't list modules: %s", strerror(errno));
			return -1;
		}
	}
	return listing.result;
}

static void print_one(const char *name, const char *summary, void *to)
{
	fprintf(to, "%-22s %s\n", name, summary);
}

int module_info_list(FILE *to)
{
	return module_info_each(-1, print_one, to);
}

int module_info_help(enum sst_kind kind, const char *name, FILE *to)
{
	struct module module;
	char error[MODULE_ERROR_MAX];
	if (module_open(&module, kind, name, error) != 0) {
		diag("%s", error);
		return -1;
	}
	fprintf(to, "%s module %s, version %s\n%s\nfile: %s\n", module_kind_name(kind), module.base->name, module.base->version,
		module.base->summary, module.path ? module.path : "none: built in");
	if (module.base->options && module.base->options[0].name) {
		fprintf(to, "options (the first may be given without its name):\n");
		option_help(module.base->options, to);
	} else {
		fputs("no options\n", to);
	}
	module_unload(&module);
	return 0;
}
