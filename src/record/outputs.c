/* SPDX-License-Identifier: MIT */
#include "record/outputs.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file_uses.h"
#include "base/output.h"
#include "config/config.h"
#include "processes/command.h"

struct kind {
	enum file_use use;
	const char *option, *content;
};

static unsigned started(const struct config *config)
{
	return config->workloads - config->attaches;
}

/* ---- One after the other ---------------------------------------------------------------------------------------------- */

typedef int (*act_on)(const struct kind *kind, const char *path, void *context);

/* On the files of each workload, once where one is that of a whole group. */
static int for_each_workload(const struct config *config, act_on act, void *context)
{
	const struct group *group = NULL;
	int result = 0;
	for (unsigned i = 0; i < started(config) && result == 0; i++) {
		const bool is_first = group != run_group(config, i);
		group = run_group(config, i);
		const struct {
			struct kind kind;
			const char *path;
		} output[] = {
			{{FILE_IS_APPENDED, "--stdout", "the workloads' standard output"}, group->stdout_file},
			{{FILE_IS_APPENDED, "--stderr", "the workloads' standard error"}, group->stderr_file},
		};
		for (size_t k = 0; k < sizeof output / sizeof *output && result == 0; k++) {
			if (!output[k].path || (!is_first && !expand_changes(output[k].path, config->placeholder)))
				continue;
			char *const name = expand(output[k].path, config->placeholder, i, expand_width(config->workloads));
			result = name ? act(&output[k].kind, name, context) : diag_refuse("%s", strerror(errno));
			free(name);
		}
	}
	return result;
}

/* 0, or what `act` returned for the first one for which that was not 0. */
static int for_each(const struct config *config, act_on act, void *context)
{
	const struct {
		struct kind kind;
		const char *path;
	} output[] = {
		{{FILE_IS_WRITTEN, "--log", "the log"}, config->log},
		{{FILE_IS_WRITTEN, "--export-json", "the record"}, config->export_json},
		{{FILE_IS_WRITTEN, "--export-csv", "the record"}, config->export_csv},
	};
	int result = 0;
	for (size_t i = 0; i < sizeof output / sizeof *output && result == 0; i++)
		if (output[i].path)
			result = act(&output[i].kind, output[i].path, context);
	return result == 0 ? for_each_workload(config, act, context) : result;
}

static int refuse(const struct kind *kind, const char *path)
{
	return diag_refuse("%s: can't write %s: %s", output_name(path), kind->content, strerror(errno));
}

/* ---- Refusing --------------------------------------------------------------------------------------------------------- */

static int add(const struct kind *kind, const char *path, void *context)
{
	file_uses_add(context, kind->use, kind->option, path);
	return 0;
}

static int check(const struct kind *kind, const char *path, void *context)
{
	(void)context;
	return output_check(path) == 0 ? 0 : refuse(kind, path);
}

/* One that isn't found is refused elsewhere. */
static int add_command(const char *command, const char *folder, void *context)
{
	char path[PATH_MAX];
	if (command_find(command, folder, path) == 0)
		file_uses_add(context, FILE_IS_READ, "a command to start", path);
	return 0;
}

int outputs_check(const struct run *run)
{
	const struct config *const config = run->config;
	struct file_uses uses = {0};
	char error[FILE_USES_ERROR_MAX];
	for (int kind = 0; kind < KINDS; kind++)
		module_files(&run->module[kind], &uses);
	if (run_hands_input_on(run) || run_reads_input(run))
		file_uses_add_standard(&uses, STDIN_FILENO);
	int result = run_for_each_command(config, add_command, &uses);
	if (result == 0)
		result = for_each(config, add, &uses);
	file_uses_add_standard(&uses, STDOUT_FILENO);
	file_uses_add_standard(&uses, STDERR_FILENO);
	if (file_uses_check(&uses, error) != 0)
		return result == 0 ? diag_refuse("%s", error) : result;
	return result == 0 ? for_each(config, check, NULL) : result;
}

/* ---- Writing ---------------------------------------------------------------------------------------------------------- */

static int make(const struct kind *kind, const char *path, void *context)
{
	(void)context;
	return output_make(path) == 0 ? 0 : refuse(kind, path);
}

int outputs_make(const struct config *config)
{
	return for_each(config, make, NULL);
}

static int empty(const struct kind *kind, const char *path, void *context)
{
	(void)context;
	return kind->use != FILE_IS_APPENDED || output_empty(path) == 0 ? 0 : refuse(kind, path);
}

int outputs_empty(const struct config *config)
{
	return for_each(config, empty, NULL);
}
