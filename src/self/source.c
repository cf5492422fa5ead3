/* SPDX-License-Identifier: MIT */
#include "self/source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"

int linux_source_open(const char *root, const char *path)
{
	char whole[PATH_MAX];
	const int length = snprintf(whole, sizeof whole, "%s%s", root, path);
	if (length < 0 || (size_t)length >= sizeof whole) {
		errno = ENAMETOOLONG;
		return -1;
	}
	int fd;
	do
		fd = open(whole, O_RDONLY | O_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	return fd;
}

/* Up to the end of the file, or to the first read that brought less than `enough`. */
static ssize_t read_from_start(int fd, void *buffer, size_t size, size_t enough, int64_t *when_ns)
{
	if (when_ns) {
		struct timespec now;
		if (clock_gettime(CLOCK_MONOTONIC, &now) < 0)
			return -1;
		*when_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	}
	size_t used = 0;
	while (used < size) {
		const ssize_t got = pread(fd, (char *)buffer + used, size - used, (off_t)used);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		used += (size_t)got;
		if (used < enough)
			break;
	}
	return (ssize_t)used;
}

ssize_t linux_source_read(int fd, void *buffer, size_t size, int64_t *when_ns)
{
	return read_from_start(fd, buffer, size, 0, when_ns);
}

ssize_t linux_source_read_record(int fd, void *buffer, size_t size, int64_t *when_ns)
{
	/* A file of one record is shown by one read, up to a page of it. */
	return read_from_start(fd, buffer, size, 2048, when_ns);
}

bool linux_source_line(const char *root, const char *path, char *text, size_t size)
{
	const int fd = linux_source_open(root, path);
	const ssize_t length = fd < 0 ? -1 : linux_source_read(fd, text, size - 1, NULL);
	if (fd >= 0)
		close(fd);
	text[length > 0 ? length : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return length > 0;
}

bool linux_source_number(const char *root, const char *path, uint64_t *value)
{
	char text[64];
	uint64_t number;
	const char *at = text;
	if (!linux_source_line(root, path, text, sizeof text) || !linux_number(&at, text + strlen(text), &number) || *at)
		return false;
	*value = number;
	return true;
}
