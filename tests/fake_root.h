/* SPDX-License-Identifier: MIT */
/* Made-up trees of /proc and /sys for tests. All functions end the test program when the system fails them. */
#ifndef FAKE_ROOT_H
#define FAKE_ROOT_H

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static inline void fake_require(int condition, const char *what)
{
	if (condition)
		return;
	perror(what);
	abort();
}

/* Makes an empty root; its path is written to `root`. */
static inline void fake_root_make(char root[static PATH_MAX])
{
	const char *const folder = getenv("TMPDIR");
	snprintf(root, PATH_MAX, "%s/fake-root-XXXXXX", folder ? folder : "/tmp");
	fake_require(mkdtemp(root) != NULL, root);
}

/* Writes a file below the root, with all directories above it; a file that exists is rewritten in place. */
static inline void fake_file(const char *root, const char *path, const char *text)
{
	char whole[2 * PATH_MAX];
	snprintf(whole, sizeof whole, "%s%s", root, path);
	for (char *slash = whole + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
		*slash = '\0';
		mkdir(whole, 0777);
		*slash = '/';
	}
	FILE *const file = fopen(whole, "w");
	fake_require(file != NULL, whole);
	fake_require(fputs(text, file) >= 0 && fclose(file) == 0, whole);
}

static inline int fake_remove_one(const char *path, const struct stat *file, int kind, struct FTW *place)
{
	(void)file;
	(void)kind;
	(void)place;
	return remove(path);
}

/* Removes a file or a folder with all that is in it. */
static inline void fake_remove(const char *root, const char *path)
{
	char whole[2 * PATH_MAX];
	snprintf(whole, sizeof whole, "%s%s", root, path);
	fake_require(nftw(whole, fake_remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0, whole);
}

#endif
