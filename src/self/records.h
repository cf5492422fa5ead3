/* SPDX-License-Identifier: MIT */
/*
 * The folder with a file for each thing that a run of the user holds, in the user's run folder (run_folder.h). A run has its files locked as long
 * as any of its processes lives: that is its claim.
 */
#ifndef SELF_RECORDS_H
#define SELF_RECORDS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* The `at`th such folder, counted from 0; "" where it isn't there, or others can write it. False behind the last one. */
bool records_place(size_t at, char folder[static PATH_MAX]);

/* The first that is there and can be written. */
bool records_find(char folder[static PATH_MAX]);

/* Calls `act` with each file: the folder and its name. */
void records_each(void (*act)(const char *folder, const char *name, void *context), void *context);

/*
 * The runs of a user attach one after the other: a run that looks at claims and makes them has this lock meanwhile. It is for
 * records_unlock; -1 where there is no folder, and then no claim, either (`make`: where none can be made); or -2 where another run has
 * had it for seconds.
 */
int records_lock(bool make);
void records_unlock(int lock);

/* Whether a run of this user, maybe the calling one, has the file of that name locked. */
bool records_is_locked(const char *name);

/* Removes a file by its whole name, and a folder that is empty then; "": there is none. */
void records_remove(const char *path);

#endif
