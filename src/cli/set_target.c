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

#define NOT_TAKEN "the run didn't take it: it ends, too many are connected to it, or it says why"

/* NULL, or why it wasn't taken: the run answers when it has read all. */
static const char *send_line(int fd, const char *line)
{
	char text[STREAM_LINE_MAX + 2];
	char answer[sizeof RUN_SOCKET_TAKEN] = "";
	const size_t length = strlen(line);
	struct pollfd polled = {.fd = fd, .events = POLLIN};
	memcpy(text, line, length);
	text[length] = '\n';
	if (send(fd, text, length + 1, MSG_NOSIGNAL) != (ssize_t)length + 1 || shutdown(fd, SHUT_WR) != 0)
		return NOT_TAKEN;
	if (poll(&polled, 1, ANSWER_LIMIT_MS) == 0)
		return strerror(ETIMEDOUT);
	if (recv(fd, answer, sizeof answer - 1, 0) <= 0 || strcmp(answer, RUN_SOCKET_TAKEN) != 0)
		return NOT_TAKEN;
	return NULL;
}

int set_target(pid_t run, const char *line)
{
	char error[RUN_SOCKET_ERROR_MAX];
	const int fd = run_socket_connect(run, error);
	if (fd < 0)
		return diag_refuse("--set: process %d: %s", (int)run, error);
	const char *const why = send_line(fd, line);
	close(fd);
	return why ? diag_refuse("--set: process %d: %s", (int)run, why) : 0;
}
