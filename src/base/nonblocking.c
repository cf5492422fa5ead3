/* SPDX-License-Identifier: MIT */
#include "base/nonblocking.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/output.h"
#include "base/units.h"

/* The most that an unprivileged process may have, in bytes (pipe-max-size in proc(5)). */
#define PIPE_SIZE (1 << 20)

struct nonblocking {
	int fd;
	int own; /* the same file opened once more, non-blocking: the user's descriptor must stay as it is; -1: it can't be */
	bool is_socket;
	char *rest; /* of a line that went out in part */
	size_t size, used;
};

bool nonblocking_is_needed(int fd)
{
	struct stat status;
	return fstat(fd, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode);
}

struct nonblocking *nonblocking_new(int fd)
{
	char path[32];
	struct stat status;
	struct nonblocking *const to = calloc(1, sizeof *to);
	if (!to)
		return NULL;
	to->fd = fd;
	to->is_socket = fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	to->own = output_is_writable(fd) ? open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
	fcntl(fd, F_SETPIPE_SZ, PIPE_SIZE);
	return to;
}

/* Like write(2), but fails with EAGAIN where that would wait. */
static ssize_t write_piece(const struct nonblocking *to, const char *text, size_t length)
{
	struct pollfd polled = {.fd = to->fd, .events = POLLOUT};
	if (to->is_socket)
		return send(to->fd, text, length, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (to->own >= 0)
		return write(to->own, text, length);
	/* As much as any pipe takes that takes something. */
	if (poll(&polled, 1, 0) == 1)
		return write(to->fd, text, length < PIPE_BUF ? length : PIPE_BUF);
	return fail(EAGAIN);
}

/* As much of it as goes without waiting: how much that was, or -1 with errno other than EAGAIN. */
static ssize_t write_now(const struct nonblocking *to, const char *text, size_t length)
{
	size_t done = 0;
	while (done < length) {
		const ssize_t written = write_piece(to, text + done, length - done);
		if (written >= 0)
			done += (size_t)written;
		else if (errno == EAGAIN)
			break;
		else if (errno != EINTR)
			return -1;
	}
	return (ssize_t)done;
}

/* 0, or -1 with errno: EAGAIN while some of it is left. */
static int write_rest(struct nonblocking *to)
{
	if (!to->used)
		return 0;
	const ssize_t done = write_now(to, to->rest, to->used);
	if (done < 0) {
		to->used = 0;
		return -1;
	}
	to->used -= (size_t)done;
	memmove(to->rest, to->rest + done, to->used);
	errno = EAGAIN;
	return to->used ? -1 : 0;
}

int nonblocking_write(struct nonblocking *to, const char *line, size_t length)
{
	if (write_rest(to) != 0)
		return -1;
	if (length > to->size) {
		char *const larger = realloc(to->rest, length);
		if (!larger)
			return -1;
		to->rest = larger;
		to->size = length;
	}
	const ssize_t done = write_now(to, line, length);
	if (done < 0)
		return -1;
	if (done == 0 && length > 0)
		return fail(EAGAIN);
	to->used = length - (size_t)done;
	if (to->used)
		memcpy(to->rest, line + done, to->used);
	return 0;
}

int nonblocking_flush(struct nonblocking *to, int64_t limit_ns)
{
	const int64_t deadline = clock_now() + limit_ns;
	int result;
	while ((result = write_rest(to)) != 0 && errno == EAGAIN && clock_now() < deadline) {
		struct pollfd polled = {.fd = to->fd, .events = POLLOUT};
		poll(&polled, 1, (int)((deadline - clock_now()) / NS_PER_MS) + 1);
	}
	return result;
}

void nonblocking_free(struct nonblocking *to)
{
	if (!to)
		return;
	if (to->own >= 0)
		close(to->own);
	free(to->rest);
	free(to);
}
