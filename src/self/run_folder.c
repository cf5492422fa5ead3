/* SPDX-License-Identifier: MIT */
#include "self/run_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "showstopper"

/* The folder that a variable of the calling user names, or NULL. */
static const char *named_by(const char *variable, uid_t user)
{
	const char *const folder = user == geteuid() ? getenv(variable) : NULL;
	return folder && folder[0] == '/' ? folder : NULL;
}

bool run_folder_place(size_t at, uid_t user, char folder[static PATH_MAX])
{
	const char *base;
	int length = 0;
	switch (at) {
	case 0:
		base = user == 0 ? "/run" : named_by("XDG_RUNTIME_DIR", user);
		if (base)
			length = snprintf(folder, PATH_MAX, "%s/" NAME, base);
		break;
	case 1:
		length = snprintf(folder, PATH_MAX, "/run/user/%u/" NAME, (unsigned)user);
		break;
	case 2:
		base = named_by("TMPDIR", user);
		if (base)
			length = snprintf(folder, PATH_MAX, "%s/" NAME "-%u", base, (unsigned)user);
		break;
	case 3:
		length = snprintf(folder, PATH_MAX, "/tmp/" NAME "-%u", (unsigned)user);
		break;
	default:
		return false;
	}
	if (length <= 0 || length >= PATH_MAX)
		folder[0] = '\0';
	/* A variable may have the name that is tried without it. */
	for (size_t i = 0; i < at; i++) {
		char earlier[PATH_MAX];
		run_folder_place(i, user, earlier);
		if (strcmp(earlier, folder) == 0)
			folder[0] = '\0';
	}
	return true;
}

bool run_folder_is_private(const char *folder, uid_t user)
{
	struct stat status;
	return lstat(folder, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == user && !(status.st_mode & 022);
}

/* False with errno. */
static bool make(char folder[static PATH_MAX], const char *within)
{
	if (mkdir(folder, 0755) != 0 && errno != EEXIST)
		return false;
	if (!run_folder_is_private(folder, geteuid())) {
		errno = EACCES;
		return false;
	}
	if (*within && mkdir(strcat(folder, within), 0700) != 0 && errno != EEXIST)
		return false;
	return faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) == 0;
}

bool run_folder_make(char folder[static PATH_MAX], const char *within, size_t size)
{
	int error = ENOENT;
	for (size_t at = 0; run_folder_place(at, geteuid(), folder); at++) {
		if (!folder[0] || strlen(folder) + strlen(within) >= size)
			continue;
		if (make(folder, within))
			return true;
		error = errno;
	}
	errno = error;
	return false;
}

void run_folder_remove(void)
{
	char folder[PATH_MAX];
	for (size_t at = 0; run_folder_place(at, geteuid(), folder); at++)
		if (folder[0])
			rmdir(folder);
}
