/* SPDX-License-Identifier: MIT */
#include "os/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

struct cursor {
	const char *at, *end;
	bool failed;
};

/* The next number of a line of blank-separated numbers; negative ones wrap, which only fields that are not used do. */
static uint64_t next(struct cursor *cursor)
{
	while (cursor->at < cursor->end && *cursor->at == ' ')
		cursor->at++;
	const bool negative = cursor->at < cursor->end && *cursor->at == '-';
	if (negative)
		cursor->at++;
	if (cursor->at == cursor->end || *cursor->at < '0' || *cursor->at > '9')
		cursor->failed = true;
	uint64_t value = 0;
	for (; cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9'; cursor->at++)
		value = value * 10 + (uint64_t)(*cursor->at - '0');
	return negative ? -value : value;
}

int linux_process_parse(const char *text, size_t length, struct linux_process *process)
{
	struct cursor cursor = {text, text + length, false};
	struct linux_process found = {.pid = (pid_t)next(&cursor)};
	/* The name is in parentheses and may hold some itself: the last one closes it. */
	const char *close = memrchr(text, ')', length);
	if (cursor.failed || !close || cursor.end - close < 4 || close[1] != ' ')
		goto malformed;
	found.state = close[2];
	cursor.at = close + 3;
	found.parent = (pid_t)next(&cursor);
	found.group = (pid_t)next(&cursor);
	found.session = (pid_t)next(&cursor);
	for (int skipped = 0; skipped < 2; skipped++) /* terminal, its foreground group */
		next(&cursor);
	found.flags = next(&cursor);
	for (int skipped = 0; skipped < 4; skipped++) /* faults */
		next(&cursor);
	found.user_ticks = next(&cursor);
	found.system_ticks = next(&cursor);
	found.children_user_ticks = next(&cursor);
	found.children_system_ticks = next(&cursor);
	for (int skipped = 0; skipped < 2; skipped++) /* priority, nice */
		next(&cursor);
	found.threads = next(&cursor);
	next(&cursor); /* interval timer */
	found.start_ticks = next(&cursor);
	if (cursor.failed)
		goto malformed;
	*process = found;
	return 0;
malformed:
	errno = EINVAL;
	return -1;
}

int linux_process_read(pid_t pid, struct linux_process *process)
{
	char path[32];
	char text[1024];
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	const ssize_t length = read(fd, text, sizeof text);
	const int saved = errno;
	close(fd);
	errno = saved;
	return length < 0 ? -1 : linux_process_parse(text, (size_t)length, process);
}

int process_take(struct process *process, pid_t pid, struct linux_process *now)
{
	const int fd = pidfd_open(pid, 0);
	*process = PROCESS_NONE;
	if (fd < 0)
		return -1;
	/* With the descriptor open the number can't change hands any more. */
	if (linux_process_read(pid, now) != 0) {
		close(fd);
		errno = ESRCH;
		return -1;
	}
	*process = (struct process){.pid = pid, .fd = fd, .start_ticks = now->start_ticks};
	return 0;
}

int process_hold(struct process *process)
{
	struct process found;
	struct linux_process now;
	if (process_take(&found, process->pid, &now) != 0)
		return -1;
	if (found.start_ticks == process->start_ticks) {
		process->fd = found.fd;
		return 0;
	}
	errno = ESRCH;
	process_release(&found);
	return -1;
}

void process_release(struct process *process)
{
	const int saved = errno;
	if (process->fd >= 0)
		close(process->fd);
	process->fd = -1;
	errno = saved;
}

int process_look(const struct process *process, struct linux_process *now)
{
	struct linux_process found;
	const bool is_there = linux_process_read(process->pid, &found) == 0;
	if (is_there && found.start_ticks == process->start_ticks) {
		*now = found;
		return 0;
	}
	if (is_there || errno == ENOENT)
		errno = ESRCH;
	return -1;
}

bool process_has_ended(const struct process *process)
{
	struct pollfd ended = {.fd = process->fd, .events = POLLIN};
	struct linux_process now;
	if (process->fd >= 0)
		return poll(&ended, 1, 0) > 0;
	return process_look(process, &now) == 0 ? linux_process_has_ended(&now) : errno == ESRCH;
}

int process_signal(const struct process *process, int signal)
{
	struct process held = *process;
	if (held.fd < 0 && process_hold(&held) != 0)
		return -1;
	const int result = pidfd_send_signal(held.fd, signal, NULL, 0);
	if (process->fd < 0)
		process_release(&held);
	return result;
}
