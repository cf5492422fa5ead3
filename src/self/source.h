/* SPDX-License-Identifier: MIT */
/* Files of the kernel (/proc, /sys) that are opened once and read again and again, below a root that tests can choose. */
#ifndef SELF_SOURCE_H
#define SELF_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Opens `root` followed by `path` for reading (close-on-exec); root is "" for the system itself. A descriptor, or -1 with errno. */
int linux_source_open(const char *root, const char *path);

/*
 * Reads from the beginning of the file to its end or until `size` bytes are there. Returns the bytes read, or -1 with errno.
 * *when_ns, where not NULL, receives the time of the reading: CLOCK_MONOTONIC immediately before the first byte is asked for (the kernel
 * makes the text at that moment).
 */
ssize_t linux_source_read(int fd, void *buffer, size_t size, int64_t *when_ns);

/*
 * The same for files that the kernel makes as one record (/proc/stat, /proc/loadavg, those of sysfs and of control groups), which are read often:
 * where they are short it saves the read that says that they have ended. Of several records it may get the first ones alone.
 */
ssize_t linux_source_read_record(int fd, void *buffer, size_t size, int64_t *when_ns);

/* A small file as one number; false, and nothing stored, where it is none. */
bool linux_source_number(const char *root, const char *path, uint64_t *value);

/* The first line of a small file, cut to the size; false, and an empty text, where there is none. */
bool linux_source_line(const char *root, const char *path, char *text, size_t size);

/* Between opening a file and locking it, somebody may have removed it, and made another one of that name. */

/* Whether a file or folder that is open has still its name. */
static inline bool linux_still_there(int fd, const char *path)
{
	struct stat opened, named;
	return fstat(fd, &opened) == 0 && stat(path, &named) == 0 && opened.st_ino == named.st_ino &&
	       opened.st_dev == named.st_dev;
}

#endif
