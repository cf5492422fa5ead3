/* SPDX-License-Identifier: MIT */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/units.h"

/* How long a FIFO's reader is waited for. A master that does must not be taken for one that stands still. */
#define READER_LIMIT_NS (500 * NS_PER_MS)

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

/* False with errno EBADF, also of what stands where a standard file is closed. */
bool output_is_writable(int file)
{
	const int flags = fcntl(file, F_GETFL);
	if (flags >= 0 && !(flags & O_PATH) && (flags & O_ACCMODE) != O_RDONLY)
		return true;
	errno = EBADF;
	return false;
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
		return output_is_writable(standard) ? 0 : -1;
	if (file_place_find(path, &place) != 0)
		return -1;
	if (!place.is_there)
		return faccessat(AT_FDCWD, place.folder, W_OK | X_OK, AT_EACCESS);
	if (S_ISREG(place.status.st_mode))
		return check_regular(path);
	if (!S_ISDIR(place.status.st_mode))
		return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS);
	return fail(EISDIR);
}

int output_open(const char *path, int flags)
{
	const int standard = output_standard(path);
	if (standard >= 0)
		return output_is_writable(standard) ? fcntl(standard, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;
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
	const int64_t deadline = clock_now() + READER_LIMIT_NS;
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

void half_file_empty(const char *path)
{
	const int saved = errno;
	/* Where even that fails there is nothing left to try: the caller reports the first error. */
	output_empty(path);
	errno = saved;
}

/* As many as the kernel follows. */
#define LINKS_MAX 40

/* Cuts a path into folder and name. 0, or -1 with errno. */
static int split(const char *path, struct file_place *place)
{
	const char *const slash = strrchr(path, '/');
	const size_t length = slash ? (size_t)(slash - path) : 0;
	if (strlen(path) >= PATH_MAX)
		return fail(ENAMETOOLONG);
	memcpy(place->folder, slash && length == 0 ? "/" : slash ? path : ".", length ? length : 1);
	place->folder[length ? length : 1] = '\0';
	strcpy(place->name, slash ? slash + 1 : path);
	return 0;
}

/* Follows the symbolic links that end in nothing, through which a file is made where they lead. 0, or -1 with errno. */
static int follow(const char *path, struct file_place *place)
{
	char target[PATH_MAX], joined[2 * PATH_MAX];
	for (int links = 0; links < LINKS_MAX; links++) {
		if (split(path, place) != 0)
			return -1;
		const ssize_t length = readlink(path, target, sizeof target - 1);
		if (length < 0)
			return 0;
		target[length] = '\0';
		snprintf(joined, sizeof joined, "%s/%s", *target == '/' ? "" : place->folder, target);
		path = joined;
	}
	return fail(ELOOP);
}

int file_place_find(const char *path, struct file_place *place)
{
	*place->folder = *place->name = '\0';
	place->is_there = stat(path, &place->status) == 0;
	if (place->is_there)
		return 0;
	if (errno != ENOENT || follow(path, place) != 0)
		return -1;
	if (!*place->name)
		return fail(*path ? EISDIR : ENOENT);
	if (stat(place->folder, &place->status) != 0)
		return -1;
	if (S_ISDIR(place->status.st_mode))
		return 0;
	return fail(ENOTDIR);
}

/*
 * A full disk may take the first part of a line. On a pipe a line is all or nothing, as long as it is shorter than PIPE_BUF.
 */

/* Takes back the last `length` bytes that went out. */
static bool take_back(int file, off_t length)
{
	struct stat status;
	const off_t end = lseek(file, 0, SEEK_CUR);
	if (end < length || fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size != end)
		return false;
	return ftruncate(file, end - length) == 0 && lseek(file, end - length, SEEK_SET) >= 0;
}

int whole_line_write(int file, const char *line, size_t length, bool *is_cut)
{
	size_t done = 0;
	if (is_cut)
		*is_cut = false;
	while (done < length) {
		const ssize_t written = write(file, line + done, length - done);
		if (written >= 0) {
			done += (size_t)written;
		} else if (errno != EINTR) {
			const int error = errno;
			const bool stays = done > 0 && !take_back(file, (off_t)done);
			if (is_cut)
				*is_cut = stays;
			return fail(error);
		}
	}
	return 0;
}
