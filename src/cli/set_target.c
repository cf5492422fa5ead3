/* SPDX-License-Identifier: MIT */
#include "cli/set_target.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/diag.h"
#include "self/run_socket.h"
#include "trace/stream.h"

/* A master that is there answers within milliseconds. */
#define ANSWER_LIMIT_MS 5000

/* The run hangs up when it has read all. */
static int send_line(int fd, const char *line)
{
	char text[STREAM_LINE_MAX + 2];
	const size_t length = strlen(line);
	struct pollfd polled = {.fd = fd, .events = POLLIN};
	memcpy(text, line, length);
	text[length] = '\n';
	if (send(fd, text, length + 1, MSG_NOSIGNAL) != (ssize_t)length + 1 || shutdown(fd, SHUT_WR) != 0)
		return -1;
	const int ready = poll(&polled, 1, ANSWER_LIMIT_MS);
	if (ready == 0)
		errno = ETIMEDOUT;
	return ready > 0 ? 0 : -1;
}

int set_target(pid_t run, const char *line)
{
	char error[RUN_SOCKET_ERROR_MAX];
	const int fd = run_socket_connect(run, error);
	if (fd < 0)
		return diag_refuse("--set: process %d: %s", (int)run, error);
	const int result = send_line(fd, line);
	const int reason = errno;
	close(fd);
	return result == 0 ? 0 : diag_refuse("--set: process %d: %s", (int)run, strerror(reason));
}
