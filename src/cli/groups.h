/* SPDX-License-Identifier: MIT */
/* The groups of a command line: which processors each of them may use, and what all of them come to. */
#ifndef CLI_GROUPS_H
#define CLI_GROUPS_H

#include "config/config.h"

/*
 * Finds the group's processors and instances, and adds it to the configuration, which then owns its sets. 0, or -1 with a message
 * in *error (to be freed); the group is the caller's still.
 */
int groups_add(struct config *config, struct group *group, char **error);

/* What takes all groups: dynamic pinning, sums, and the processors of all that is controlled. 0, or -1 as above. */
int groups_complete(struct config *config, char **error);

#endif
