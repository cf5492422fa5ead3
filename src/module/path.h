/* SPDX-License-Identifier: MIT */
/* Where modules lie ($SHOWSTOPPER_MODULE_PATH, the build tree, the install tree), and which may be loaded. */
#ifndef MODULE_PATH_H
#define MODULE_PATH_H

#include <limits.h>
#include <stdbool.h>

/* Path of the first <folder>/<kind>/<name>.so that exists, to be freed; NULL with errno ENOENT or ENOMEM. */
char *module_path_find(const char *kind, const char *name);

/* The folders that are searched, separated by colons, to be freed; NULL with errno. */
char *module_path_describe(void);

/* Calls `found` once for each name that some folder has for the kind, sorted. 0, or -1 with errno. */
int module_path_list(const char *kind, void (*found)(const char *name, void *context), void *context);

/* What a process with raised privileges may load. */

/* Whether this process may do what its user may not: it runs as root, or is a set-uid program or one with capabilities. */
bool module_trust_matters(void);

/*
 * Follows the path to a file and checks that nobody but root, or who could have changed this very program, can have put the file
 * there or can exchange it: not by the file, nor by a folder or symbolic link on the way to it. Returns the path without
 * symbolic links, to be freed, which is the one to open. NULL with errno EPERM and the path of the file or folder in culprit;
 * or NULL with another errno.
 */
char *module_trust_resolve(const char *path, char culprit[static PATH_MAX]);

#endif
