/* SPDX-License-Identifier: MIT */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file_place.h"
#include "base/units.h"

int output_standard(const char *path)
{
	static const struct {
		const char *name;
		int descriptor;
	} names[] = {{"-", STDOUT_FILENO}, {"/dev/stdout", STDOUT_FILENO}, {"/dev/fd/1", STDOUT_FILENO},
		{"/proc/self/fd/1", STDOUT_FILENO}, {"/dev/stderr", STDERR_FILENO}, {"/dev/fd/2", STDERR_FILENO},
		{"/proc/self/fd/2", STDERR_FILENO}};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(path, names[i].name) == 0)
			return names[i].descriptor;
	return -1;
}

bool output_is_stdout(const char *path)
{
	return output_standard(path) == STDOUT_FILENO;
}

const char *output_name(const char *path)
{
	const int standard = output_standard(path);
	return standard < 0 ? path : standard == STDOUT_FILENO ? "standard output" : "standard error";
}

static int check_regular(const char *path)
{
	const int file = open(path, O_WRONLY | O_CLOEXEC);
	if (file < 0)
		return -1;
	close(file);
	return 0;
}

int output_check(const char *path)
{
	struct file_place place;
	const int standard = output_standard(path);
	if (standard >= 0)
		return fcntl(standard, F_GETFD) < 0 ? -1 : 0;
	if (file_place_find(path, &place) != 0)
		return -1;
	if (!place.is_there)
		return faccessat(AT_FDCWD, place.folder, W_OK | X_OK, AT_EACCESS);
	if (S_ISREG(place.status.st_mode))
		return check_regular(path);
	if (!S_ISDIR(place.status.st_mode))
		return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS);
	errno = EISDIR;
	return -1;
}

int output_open(const char *path, int flags)
{
	const int standard = output_standard(path);
	if (standard >= 0)
		return fcntl(standard, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
}

int output_make(const char *path)
{
	struct stat status;
	if (output_standard(path) >= 0 || stat(path, &status) == 0)
		return 0;
	const int file = output_open(path, 0);
	if (file < 0)
		return -1;
	close(file);
	return 0;
}

int output_empty(const char *path)
{
	struct stat status;
	if (output_standard(path) >= 0)
		return 0;
	if (stat(path, &status) != 0)
		return -1;
	return S_ISREG(status.st_mode) ? truncate(path, 0) : 0;
}

bool output_is_file(const char *path)
{
	struct stat status;
	return output_standard(path) < 0 && (stat(path, &status) == 0 ? S_ISREG(status.st_mode) : errno == ENOENT);
}

static bool is_fifo(const char *path)
{
	struct stat status;
	return output_standard(path) < 0 && stat(path, &status) == 0 && S_ISFIFO(status.st_mode);
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
	const int file = is_fifo(path) ? open_fifo(path) : output_open(path, O_TRUNC);
	FILE *const stream = file < 0 ? NULL : fdopen(file, "w");
	if (file >= 0 && !stream) {
		const int saved = errno;
		close(file);
		errno = saved;
	}
	return stream;
}
