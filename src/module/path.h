/* SPDX-License-Identifier: MIT */
/* Where modules lie: $SHOWSTOPPER_MODULE_PATH, the build tree, the install tree. */
#ifndef MODULE_PATH_H
#define MODULE_PATH_H

/* Path of the first <folder>/<kind>/<name>.so that exists, to be freed; NULL with errno ENOENT or ENOMEM. */
char *module_path_find(const char *kind, const char *name);

/* The folders that are searched, separated by colons, to be freed; NULL with errno. */
char *module_path_describe(void);

/* Calls `found` once for each name that some folder has for the kind, sorted. 0, or -1 with errno. */
int module_path_list(const char *kind, void (*found)(const char *name, void *context), void *context);

#endif
