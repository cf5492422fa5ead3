/* SPDX-License-Identifier: MIT */
/* Where a path leads, also where nothing is yet. */
#ifndef BASE_FILE_PLACE_H
#define BASE_FILE_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

struct file_place {
	bool is_there;
	struct stat status;    /* of the file; where it isn't there, of the folder that it would be made in */
	char folder[PATH_MAX]; /* that folder, behind all symbolic links; "" where the file is there */
	char name[PATH_MAX];   /* … and what it would be called in it; likewise */
};

/* 0, or -1 with errno where there is neither a file nor a folder for it. */
int file_place_find(const char *path, struct file_place *place);

#endif
