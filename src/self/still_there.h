/* SPDX-License-Identifier: MIT */
/* Between opening a file and locking it, somebody may have removed it, and made another one of that name. */
#ifndef SELF_STILL_THERE_H
#define SELF_STILL_THERE_H

#include <stdbool.h>
#include <sys/stat.h>

/* Whether a file or folder that is open has still its name. */
static inline bool linux_still_there(int fd, const char *path)
{
	struct stat opened, named;
	return fstat(fd, &opened) == 0 && stat(path, &named) == 0 && opened.st_ino == named.st_ino &&
	       opened.st_dev == named.st_dev;
}

#endif
