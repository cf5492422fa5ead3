/* SPDX-License-Identifier: MIT */
#include "os/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
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
