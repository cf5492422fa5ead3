/* SPDX-License-Identifier: MIT */
/* The control group of a trial with --attach-group, in which the attached process is: it must be as before in the end. */
#ifndef HELD_GROUP_H
#define HELD_GROUP_H

#include "state.h"

/* Where groups of version 2 can be made; "" for nowhere. */
void held_group_find(char place[static 128]);

/* Makes it, if the plan says so. */
void held_group_make(struct trial *trial);

/* What nobody was left to give back --release must; else the verdict says so. */
void held_group_judge(struct trial *trial);
/* Once nobody is in it. */
void held_group_remove(const struct trial *trial);

#endif
