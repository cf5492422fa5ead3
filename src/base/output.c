/* SPDX-License-Identifier: MIT */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

bool output_is_stdout(const char *path)
{
	return strcmp(path, "-") == 0;
}

bool output_is_same(const char *path, const char *other)
{
	return path && other && strcmp(path, other) == 0;
}

const char *output_name(const char *path)
{
	return output_is_stdout(path) ? "standard output" : path;
}

int output_open(const char *path, int flags)
{
	if (output_is_stdout(path))
		return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
}

FILE *output_stream(const char *path)
{
	const int file = output_open(path, O_TRUNC);
	FILE *const stream = file < 0 ? NULL : fdopen(file, "w");
	if (file >= 0 && !stream) {
		const int saved = errno;
		close(file);
		errno = saved;
	}
	return stream;
}
