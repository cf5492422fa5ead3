/* SPDX-License-Identifier: MIT */
#include "module/path.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"

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

/*
 * Every folder that is passed on the way counts, also those that symbolic links lead through, because who can write to one of
 * them can exchange what comes below it. In a folder like /tmp (sticky) others can't exchange what isn't theirs; but the file's
 * own folder must not be such a one.
 *
 * The measure is the program itself. Its file and the folders above it, with their owners and groups, are what is trusted besides
 * root: who could change them could change the program. So a build tree works under sudo, and so does /usr/local where a
 * group may write to it.
 */

/* As the kernel has it. */
#define LINKS_MAX 40
#define CHAIN_MAX (PATH_MAX / 2)

struct walk {
	struct stat *chain; /* the program and the folders above it */
	size_t chain_length;
	char at[PATH_MAX]; /* where the walk is; absolute, without links and, but for the root, without a slash at the end */
	unsigned links;
	char *culprit;
};

bool module_trust_matters(void)
{
	return geteuid() == 0 || getauxval(AT_SECURE) != 0;
}

static bool trusts_user(const struct walk *walk, uid_t user)
{
	for (size_t i = 0; i < walk->chain_length; i++)
		if (walk->chain[i].st_uid == user)
			return true;
	return user == 0;
}

static bool trusts_group(const struct walk *walk, gid_t group)
{
	for (size_t i = 0; i < walk->chain_length; i++)
		if (walk->chain[i].st_gid == group && (walk->chain[i].st_mode & S_IWGRP))
			return true;
	return false;
}

/* Whether only who is trusted can write to it. */
static bool is_closed(const struct walk *walk, const struct stat *status)
{
	return !(status->st_mode & S_IWOTH) && (!(status->st_mode & S_IWGRP) || trusts_group(walk, status->st_gid));
}

/* Whether what has this status, in the folder, can't have been exchanged. */
static bool is_safe_in(const struct walk *walk, const struct stat *folder, const struct stat *entry)
{
	for (size_t i = 0; i < walk->chain_length; i++)
		if (walk->chain[i].st_dev == folder->st_dev && walk->chain[i].st_ino == folder->st_ino)
			return true;
	if (!trusts_user(walk, folder->st_uid))
		return false;
	if (is_closed(walk, folder))
		return true;
	return !S_ISREG(entry->st_mode) && (folder->st_mode & S_ISVTX) && trusts_user(walk, entry->st_uid);
}

static int blame(struct walk *walk, const char *path)
{
	snprintf(walk->culprit, PATH_MAX, "%s", path);
	return fail(EPERM);
}

static int follow(struct walk *walk, const char *path);

/* One part of a path, from where the walk is. */
static int step(struct walk *walk, const char *name, size_t length)
{
	char next[PATH_MAX];
	struct stat folder;
	struct stat entry;
	const bool at_root = walk->at[1] == '\0';
	if (length == 0 || (length == 1 && name[0] == '.'))
		return 0;
	if (length == 2 && memcmp(name, "..", 2) == 0) {
		char *slash = strrchr(walk->at, '/');
		slash[slash == walk->at] = '\0';
		return 0;
	}
	if (snprintf(next, sizeof next, "%s/%.*s", at_root ? "" : walk->at, (int)length, name) >= (int)sizeof next)
		return fail(ENAMETOOLONG);
	if (stat(walk->at, &folder) != 0 || lstat(next, &entry) != 0)
		return -1;
	if (!is_safe_in(walk, &folder, &entry))
		return blame(walk, walk->at);
	if (S_ISLNK(entry.st_mode)) {
		char target[PATH_MAX];
		const ssize_t size = readlink(next, target, sizeof target - 1);
		if (size < 0)
			return -1;
		target[size] = '\0';
		if (++walk->links > LINKS_MAX)
			return fail(ELOOP);
		return follow(walk, target);
	}
	memcpy(walk->at, next, sizeof next);
	if (S_ISREG(entry.st_mode) && (!trusts_user(walk, entry.st_uid) || !is_closed(walk, &entry)))
		return blame(walk, next);
	return 0;
}

static int follow(struct walk *walk, const char *path)
{
	if (*path == '/')
		strcpy(walk->at, "/");
	while (*path) {
		const size_t length = strcspn(path, "/");
		if (step(walk, path, length) != 0)
			return -1;
		path += length;
		path += strspn(path, "/");
	}
	return 0;
}

static int look_at_program(struct walk *walk)
{
	char path[PATH_MAX];
	const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
	if (length < 0)
		return -1;
	path[length] = '\0';
	if (stat("/proc/self/exe", &walk->chain[0]) != 0)
		return -1;
	walk->chain_length = 1;
	while (path[1] && walk->chain_length < CHAIN_MAX) {
		char *slash = strrchr(path, '/');
		slash[slash == path] = '\0';
		if (stat(path, &walk->chain[walk->chain_length++]) != 0)
			return -1;
	}
	return 0;
}

char *module_trust_resolve(const char *path, char culprit[static PATH_MAX])
{
	struct walk walk = {.at = "/", .culprit = culprit, .chain = calloc(CHAIN_MAX, sizeof *walk.chain)};
	char *resolved = NULL;
	char start[PATH_MAX];
	if (walk.chain && look_at_program(&walk) == 0 &&
		(*path == '/' || (getcwd(start, sizeof start) && follow(&walk, start) == 0)) && follow(&walk, path) == 0)
		resolved = strdup(walk.at);
	const int saved = errno;
	free(walk.chain);
	errno = saved;
	return resolved;
}
