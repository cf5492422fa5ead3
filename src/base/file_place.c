/* SPDX-License-Identifier: MIT */
#include "base/file_place.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* As many as the kernel follows. */
#define LINKS_MAX 40

/* Cuts a path into folder and name. 0, or -1 with errno. */
static int split(const char *path, struct file_place *place)
{
	const char *const slash = strrchr(path, '/');
	const size_t length = slash ? (size_t)(slash - path) : 0;
	if (strlen(path) >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(place->folder, slash && length == 0 ? "/" : slash ? path : ".", length ? length : 1);
	place->folder[length ? length : 1] = '\0';
	strcpy(place->name, slash ? slash + 1 : path);
	return 0;
}

/* Follows the symbolic links that end in nothing, through which a file is made where they lead. 0, or -1 with errno. */
static int follow(const char *path, struct file_place *place)
{
	char target[PATH_MAX], joined[2 * PATH_MAX];
	for (int links = 0; links < LINKS_MAX; links++) {
		if (split(path, place) != 0)
			return -1;
		const ssize_t length = readlink(path, target, sizeof target - 1);
		if (length < 0)
			return 0;
		target[length] = '\0';
		snprintf(joined, sizeof joined, "%s/%s", *target == '/' ? "" : place->folder, target);
		path = joined;
	}
	errno = ELOOP;
	return -1;
}

int file_place_find(const char *path, struct file_place *place)
{
	*place->folder = *place->name = '\0';
	place->is_there = stat(path, &place->status) == 0;
	if (place->is_there)
		return 0;
	if (errno != ENOENT || follow(path, place) != 0)
		return -1;
	if (!*place->name) {
		errno = *path ? EISDIR : ENOENT;
		return -1;
	}
	if (stat(place->folder, &place->status) != 0)
		return -1;
	if (S_ISDIR(place->status.st_mode))
		return 0;
	errno = ENOTDIR;
	return -1;
}
