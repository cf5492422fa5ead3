/* SPDX-License-Identifier: MIT */
#include "processes/command.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* 0, ENOENT or EACCES for one candidate. */
static int check_file(const char *path)
{
	struct stat status;
	if (stat(path, &status) != 0)
		return errno == ENOTDIR ? ENOENT : errno;
	return S_ISREG(status.st_mode) && access(path, X_OK) == 0 ? 0 : EACCES;
}

int command_find(const char *command, const char *directory, char path[static PATH_MAX])
{
	int result = ENOENT;
	if (!*command) {
		errno = ENOENT;
		return -1;
	}
	if (strchr(command, '/')) {
		const bool in_directory = directory && *command != '/';
		if (snprintf(path, PATH_MAX, "%s%s%s", in_directory ? directory : "", in_directory ? "/" : "", command) >=
			PATH_MAX)
			result = ENAMETOOLONG;
		else
			result = check_file(path);
	} else {
		const char *search = getenv("PATH");
		char *folders = strdup(search ? search : "/bin:/usr/bin");
		char *rest = folders;
		if (!folders)
			return -1;
		for (char *folder; result != 0 && (folder = strsep(&rest, ":"));) {
			if (snprintf(path, PATH_MAX, "%s/%s", *folder ? folder : ".", command) >= PATH_MAX)
				continue;
			const int found = check_file(path);
			if (found == 0 || found == EACCES)
				result = found;
		}
		free(folders);
	}
	errno = result;
	return result == 0 ? 0 : -1;
}

char *command_text(char *const *command)
{
	size_t size = 1;
	for (char *const *at = command; *at; at++)
		size += strlen(*at) + 1;
	char *const line = malloc(size);
	char *end = line;
	for (char *const *at = command; line && *at; at++)
		end = stpcpy(stpcpy(end, at == command ? "" : " "), *at);
	return line;
}
