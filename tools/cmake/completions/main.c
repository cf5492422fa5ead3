/* SPDX-License-Identifier: MIT */
/*
 * completions-PROGRAM SOURCES FOLDER: writes FOLDER/bash/PROGRAM, FOLDER/zsh/_PROGRAM and FOLDER/fish/PROGRAM.fish, from the
 * program's table of options, the modules that $SHOWSTOPPER_MODULE_PATH has, and SOURCES/complete.bash, .zsh and .fish.
 *
 * There is one for each program, because the tables refer to functions that have the same names in all of them.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "shells.h"

struct job {
	const char *sources, *folder;
	const struct program *program;
	const struct tables_modules *modules;
};

/* Of one shell: 0, or -1 after a message when `to` is fine; the caller looks at that. */
typedef int writer(const struct job *job, FILE *to);

static int copy(const struct job *job, const char *file, FILE *to)
{
	char path[PATH_MAX], buffer[4096];
	snprintf(path, sizeof path, "%s/%s", job->sources, file);
	FILE *const from = fopen(path, "re");
	if (!from) {
		diag("can't open %s: %s", path, strerror(errno));
		return -1;
	}
	for (size_t count; (count = fread(buffer, 1, sizeof buffer, from)) > 0;)
		fwrite(buffer, 1, count, to);
	const int failed = ferror(from);
	fclose(from);
	if (failed)
		diag("can't read %s", path);
	return failed ? -1 : 0;
}

static void put_origin(const struct job *job, const char *shell, FILE *to)
{
	fprintf(to, "# What %s completes for %s; made from the program's table of options by its build.\n", shell,
		job->program->name);
}

static int write_bash(const struct job *job, FILE *to)
{
	const char *const name = job->program->name;
	put_origin(job, "bash", to);
	fprintf(to, "# shellcheck shell=bash disable=SC2016\n\n_%s() {\n", name);
	if (shells_write_arrays(job->program, job->modules, to) != 0)
		return -1;
	fputs("\t_showstopper_complete \"$2\"\n}\n\n", to);
	if (copy(job, "complete.bash", to) != 0)
		return -1;
	fprintf(to, "\ncomplete -F _%s %s\n", name, name);
	return 0;
}

static int write_zsh(const struct job *job, FILE *to)
{
	const char *const name = job->program->name;
	fprintf(to, "#compdef %s\n", name);
	put_origin(job, "zsh", to);
	/* Another name than the file's, which is that of the function which zsh makes of the file. */
	fprintf(to, "\n_%s_tables() {\n", name);
	if (shells_write_arrays(job->program, job->modules, to) != 0)
		return -1;
	fputs("\t_showstopper_complete\n}\n\n", to);
	if (copy(job, "complete.zsh", to) != 0)
		return -1;
	fprintf(to, "\n_%s_tables\n", name);
	return 0;
}

static int write_fish(const struct job *job, FILE *to)
{
	put_origin(job, "fish", to);
	fputc('\n', to);
	if (shells_write_fish(job->program, job->modules, to) != 0)
		return -1;
	fputc('\n', to);
	return copy(job, "complete.fish", to);
}

static int make(const struct job *job, const char *before, const char *behind, writer *put)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/%s%s%s", job->folder, before, job->program->name, behind);
	FILE *const to = fopen(path, "we");
	if (!to) {
		diag("can't write %s: %s", path, strerror(errno));
		return -1;
	}
	const int result = put(job, to);
	const int failed = ferror(to);
	if (fclose(to) != 0 || failed) {
		diag("can't write %s", path);
		return -1;
	}
	return result;
}

int main(int count, char **arguments)
{
	struct program program = {0};
	struct tables_modules modules;
	diag_name("completions");
	if (count != 3) {
		diag("expected SOURCES and FOLDER");
		return 125;
	}
	program_describe(&program);
	const struct job job = {arguments[1], arguments[2], &program, &modules};
	const int result = tables_load_modules(&program, &modules) == 0 && make(&job, "bash/", "", write_bash) == 0 &&
					   make(&job, "zsh/_", "", write_zsh) == 0 &&
					   make(&job, "fish/", ".fish", write_fish) == 0
				   ? 0
				   : 125;
	tables_free_modules(&modules);
	return result;
}
