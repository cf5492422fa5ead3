/* SPDX-License-Identifier: MIT */
/*
 * Where the runs of a user keep what they share, which nobody else can write: sockets of --set, and records of attached groups. For root it is
 * /run/showstopper, for others `showstopper` in $XDG_RUNTIME_DIR or in /run/user/UID; where those aren't there it is showstopper-UID
 * in $TMPDIR or /tmp.
 */
#ifndef SELF_RUN_FOLDER_H
#define SELF_RUN_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * The place number `at`, counted from 0, where such a folder of a user may be, whether it is there or not; "" where that variable isn't set,
 * which counts for the calling user alone; false behind the last one.
 */
bool run_folder_place(size_t at, uid_t user, char folder[static PATH_MAX]);

/* Whether it is a folder of that user into which nobody else can write. */
bool run_folder_is_private(const char *folder, uid_t user);

/*
 * Makes the first one of the calling user that can be made and written, and in it `within`, "" or a name behind a slash, and whose path is shorter
 * than `size`. False with errno where none can.
 */
bool run_folder_make(char folder[static PATH_MAX], const char *within, size_t size);

/* Removes those of the calling user that are empty. */
void run_folder_remove(void);

#endif
