/* SPDX-License-Identifier: MIT */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"

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

bool output_is_fifo(const char *path)
{
	struct stat status;
	return !output_is_stdout(path) && stat(path, &status) == 0 && S_ISFIFO(status.st_mode);
}

/* Writing waits, then, but opening doesn't. */
static int open_fifo(const char *path)
{
	const int64_t deadline = clock_now() + NS_PER_S;
	int file;
	while ((file = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0 && errno == ENXIO && clock_now() < deadline)
		clock_sleep_until(clock_now() + 10 * NS_PER_MS);
	if (file >= 0)
		fcntl(file, F_SETFL, 0);
	return file;
}

FILE *output_stream(const char *path)
{
	const int file = output_is_fifo(path) ? open_fifo(path) : output_open(path, O_TRUNC);
	FILE *const stream = file < 0 ? NULL : fdopen(file, "w");
	if (file >= 0 && !stream) {
		const int saved = errno;
		close(file);
		errno = saved;
	}
	return stream;
}
