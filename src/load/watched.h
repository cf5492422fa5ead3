/* SPDX-License-Identifier: MIT */
/* What runs beside a run and isn't held: processes with their descendants, or control groups; the processor time of each. */
#ifndef LOAD_WATCHED_H
#define LOAD_WATCHED_H

#include <stdbool.h>

#include "config/config.h"
#include "processes/attached.h"

struct linux_watched;

#define LINUX_WATCHED_ERROR_MAX 640

/*
 * Counts from now on. `root` stands before /proc and /sys; it and `watch` must outlive this. Refused are the calling process and its
 * ancestors, a group that it is in, what overlaps with one of the `attached` processes and groups or with what else is watched, and what isn't there.
 * NULL with a message.
 */
struct linux_watched *linux_watched_open(const char *root, const struct watch *watch, unsigned watches,
	const struct attached *attached, unsigned attaches, char error[static LINUX_WATCHED_ERROR_MAX]);
/* Accepts NULL. */
void linux_watched_close(struct linux_watched *watched);

/*
 * Reads each; none counts backwards, and what has ended, or can't be read, stays as it is. Processes that a watched one starts are looked for
 * as in load/tree_time.h. A group that was removed is looked for again by its name, and counts on when it is back.
 */
void linux_watched_read(struct linux_watched *watched);

/* As of the last reading: seconds since it was opened, and whether no process of the tree is left, or the group is gone. */
double linux_watched_used(const struct linux_watched *watched, unsigned which);
bool linux_watched_has_ended(const struct linux_watched *watched, unsigned which);

#endif
