/* SPDX-License-Identifier: MIT */
#include "module/path.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef SHOWSTOPPER_MODULE_SUBDIR
#error "SHOWSTOPPER_MODULE_SUBDIR: where modules lie, seen from the installed programs' folder"
#endif

char *module_path_describe(void)
{
	char program[PATH_MAX];
	const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
	if (length < 0)
		return NULL;
	program[length] = '\0';
	*strrchr(program, '/') = '\0';
	const char *chosen = secure_getenv("SHOWSTOPPER_MODULE_PATH");
	char *folders;
	if (asprintf(&folders, "%s%s%s/modules:%s/" SHOWSTOPPER_MODULE_SUBDIR, chosen ? chosen : "", chosen && *chosen ? ":" : "",
		    program, program) < 0)
		return NULL;
	return folders;
}

char *module_path_find(const char *kind, const char *name)
{
	char *folders = module_path_describe();
	char *found = NULL;
	if (!folders)
		return NULL;
	char *rest = folders;
	for (char *folder; !found && (folder = strsep(&rest, ":"));) {
		if (!*folder)
			continue;
		if (asprintf(&found, "%s/%s/%s.so", folder, kind, name) < 0) {
			free(folders);
			errno = ENOMEM;
			return NULL;
		}
		if (access(found, F_OK) != 0) {
			free(found);
			found = NULL;
		}
	}
	free(folders);
	if (!found)
		errno = ENOENT;
	return found;
}

struct names {
	char **name;
	size_t count;
};

static int add(struct names *names, const char *file)
{
	const size_t length = strlen(file);
	if (length < 4 || strcmp(file + length - 3, ".so") != 0)
		return 0;
	char **grown = realloc(names->name, (names->count + 1) * sizeof *grown);
	if (!grown)
		return -1;
	names->name = grown;
	if (!(grown[names->count] = strndup(file, length - 3)))
		return -1;
	names->count++;
	return 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int module_path_list(const char *kind, void (*found)(const char *name, void *context), void *context)
{
	struct names names = {0};
	int result = -1;
	char *folders = module_path_describe();
	if (!folders)
		return -1;
	char *rest = folders;
	for (char *folder; (folder = strsep(&rest, ":"));) {
		char path[PATH_MAX];
		DIR *directory = NULL;
		if (*folder && snprintf(path, sizeof path, "%s/%s", folder, kind) < (int)sizeof path)
			directory = opendir(path);
		if (!directory)
			continue;
		for (struct dirent *entry; (entry = readdir(directory));) {
			if (add(&names, entry->d_name) != 0) {
				closedir(directory);
				goto out;
			}
		}
		closedir(directory);
	}
	if (names.count)
		qsort(names.name, names.count, sizeof *names.name, compare);
	for (size_t i = 0; i < names.count; i++)
		if (i == 0 || strcmp(names.name[i], names.name[i - 1]) != 0)
			found(names.name[i], context);
	result = 0;
out:
	for (size_t i = 0; i < names.count; i++)
		free(names.name[i]);
	free(names.name);
	free(folders);
	return result;
}
