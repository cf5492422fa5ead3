/* SPDX-License-Identifier: MIT */
/* Where the control groups that hold workloads can be made: in the group that this process is in. */
#ifndef GROUPS_GROUP_PLACE_H
#define GROUPS_GROUP_PLACE_H

#include <limits.h>
#include <stdbool.h>

#include "module/actuator.h"

struct group_place {
	enum actuator actuator; /* what the groups are to hold by; ACTUATOR_SIGNALS: none are needed */
	bool unified;           /* of version 2 */
	bool is_root;           /* of all groups, which may have processes beside groups that are limited */
	pid_t guardian;         /* of the run, beside the calling process; 0: there is none */
	char folder[PATH_MAX];  /* in which they are made */
};

#define GROUP_PLACE_ERROR_MAX 1024
/* What helps, for people. */
#define GROUP_PLACE_REMEDY                                                                                                       \
	"root, or a group of one's own: systemd-run --user --scope -p Delegate=yes showstopper ... (root: without --user)"

/*
 * `version`: 1, 2, or 0 for version 2 where it can be, else 1. `guardian`: as in the struct. 0, or -1 with a message that says why. Makes
 * nothing.
 */
int group_place_find(
	struct group_place *place, enum actuator actuator, int version, pid_t guardian, char error[static GROUP_PLACE_ERROR_MAX]);

#endif
