/* SPDX-License-Identifier: MIT */
#include "processes/process.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"
#include "self/source.h"

/* Fields of the text, by their numbers in proc(5); of the four times the first. */
enum { PID = 1, PARENT = 4, GROUP, SESSION, FLAGS = 9, TIMES = 14, THREADS = 20, START = 22 };

/* Numbers with blanks before them; negative ones wrap, which only fields that are not used do. */
static bool take_numbers(const char *at, const char *end, uint64_t *number, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		while (at < end && *at == ' ')
			at++;
		const bool negative = at < end && *at == '-';
		at += negative;
		if (at == end || *at < '0' || *at > '9')
			return false;
		for (number[i] = 0; at < end && *at >= '0' && *at <= '9'; at++)
			number[i] = number[i] * 10 + (uint64_t)(*at - '0');
		if (negative)
			number[i] = -number[i];
	}
	return true;
}

int linux_process_parse(const char *text, size_t length, struct linux_process *process)
{
	const char *const end = text + length;
	uint64_t field[START + 1];
	/* The name is in parentheses and may hold some itself: the last one closes it. */
	const char *const close = memrchr(text, ')', length);
	if (!close || end - close < 4 || close[1] != ' ' || !take_numbers(text, end, &field[PID], 1) ||
		!take_numbers(close + 3, end, &field[PARENT], START - PARENT + 1)) {
		errno = EINVAL;
		return -1;
	}
	*process = (struct linux_process){
		.pid = (pid_t)field[PID],
		.parent = (pid_t)field[PARENT],
		.group = (pid_t)field[GROUP],
		.session = (pid_t)field[SESSION],
		.state = close[2],
		.flags = field[FLAGS],
		.start_ticks = field[START],
		.user_ticks = field[TIMES],
		.system_ticks = field[TIMES + 1],
		.children_user_ticks = field[TIMES + 2],
		.children_system_ticks = field[TIMES + 3],
		.threads = field[THREADS],
	};
	return 0;
}

int linux_process_read_from(int fd, struct linux_process *process)
{
	char text[1024];
	/* The kernel makes such a text at once; asking for more to find its end would double the cost. */
	const ssize_t length = pread(fd, text, sizeof text, 0);
	return length < 0 ? -1 : linux_process_parse(text, (size_t)length, process);
}

int linux_process_read_below(const char *root, pid_t pid, struct linux_process *process)
{
	char path[32];
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	const int fd = linux_source_open(root, path);
	if (fd < 0)
		return -1;
	const int result = linux_process_read_from(fd, process);
	const int saved = errno;
	close(fd);
	errno = saved;
	return result;
}

int linux_process_read(pid_t pid, struct linux_process *process)
{
	return linux_process_read_below("", pid, process);
}

bool linux_process_descends_from(pid_t pid, pid_t above)
{
	struct linux_process process;
	while (pid > 0 && pid != above)
		pid = linux_process_read(pid, &process) == 0 ? process.parent : 0;
	return pid > 0;
}

void linux_process_name(pid_t pid, char name[static LINUX_PROCESS_NAME_MAX])
{
	char path[32];
	snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
	linux_source_line("", path, name, LINUX_PROCESS_NAME_MAX);
	for (char *at = name; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
}

bool linux_process_clock(pid_t pid, int64_t *ns)
{
	/* As clock_getcpuclockid makes it after a system call to check it. */
	const clockid_t clock = (clockid_t)((~(unsigned)pid << 3) | 2);
	struct timespec used;
	if (clock_gettime(clock, &used) != 0)
		return false;
	*ns = used.tv_sec * NS_PER_S + used.tv_nsec;
	return true;
}

uint64_t linux_process_newest(int loadavg)
{
	char text[128];
	const ssize_t length = loadavg < 0 ? -1 : pread(loadavg, text, sizeof text - 1, 0);
	if (length <= 0)
		return 0;
	text[length] = '\0';
	const char *const last = strrchr(text, ' ');
	return last ? strtoull(last, NULL, 10) : 0;
}

/* ---- Which ones there are --------------------------------------------------------------------------------------------- */

/* The entries of a folder that are numbers. Executors do this often, and readdir(3) would take three system calls and 32 KiB more. */
static int each_entry(const char *root, const char *path, linux_process_met *met, void *context)
{
	union {
		struct dirent64 first;
		char text[16384];
	} part;
	const int fd = linux_source_open(root, path);
	ssize_t length;
	int result = 0;
	if (fd < 0)
		return -1;
	while (result == 0 && (length = getdents64(fd, &part, sizeof part)) > 0)
		for (ssize_t at = 0; result == 0 && at < length;) {
			const struct dirent64 *const entry = (const void *)(part.text + at);
			if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
				result = met((pid_t)strtol(entry->d_name, NULL, 10), context);
			at += entry->d_reclen;
		}
	const int saved = errno;
	close(fd);
	errno = saved;
	return result;
}

int linux_process_each(const char *root, linux_process_met *met, void *context)
{
	return each_entry(root, "/proc", met, context);
}

int linux_process_each_in(int fd, bool to_end, linux_process_met *met, void *context)
{
	char text[4096];
	ssize_t length;
	off_t at = 0;
	pid_t pid = 0;
	int result = 0;
	/* A blank follows each number; one may lie across two reads. */
	for (; result == 0 && (length = pread(fd, text, sizeof text, at)) > 0; at += length) {
		for (ssize_t i = 0; result == 0 && i < length; i++) {
			if (text[i] >= '0' && text[i] <= '9') {
				pid = pid * 10 + (text[i] - '0');
			} else if (pid) {
				result = met(pid, context);
				pid = 0;
			}
		}
		/* The kernel fills what it is given, as long as there are more. */
		if (!to_end && (size_t)length < sizeof text / 2)
			break;
	}
	return result;
}

int linux_process_each_thread(pid_t pid, linux_process_met *met, void *context)
{
	char path[32];
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	return each_entry("", path, met, context);
}

struct thread_lists {
	const char *root;
	pid_t pid;
	bool to_end;
	linux_process_met *met;
	void *context;
};

static bool is_gone(void)
{
	return errno == ENOENT || errno == ESRCH;
}

static int each_child_of_thread(pid_t thread, void *context)
{
	const struct thread_lists *const lists = context;
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)lists->pid, (int)thread);
	const int fd = linux_source_open(lists->root, path);
	if (fd < 0)
		return is_gone() ? 0 : -1;
	const int result = linux_process_each_in(fd, lists->to_end, lists->met, lists->context);
	const int saved = errno;
	close(fd);
	errno = saved;
	return result;
}

/* The kernel counts them as links of their folder. */
static bool has_one_thread(const char *root, pid_t pid)
{
	char path[PATH_MAX];
	struct stat status;
	const int length = snprintf(path, sizeof path, "%s/proc/%d/task", root, (int)pid);
	return length < PATH_MAX && stat(path, &status) == 0 && status.st_nlink == 3;
}

int linux_process_each_child(const char *root, pid_t pid, uint64_t threads, bool to_end, linux_process_met *met, void *context)
{
	struct thread_lists lists = {root, pid, to_end, met, context};
	char path[32];
	if (threads == 1 || (threads == 0 && has_one_thread(root, pid)))
		return each_child_of_thread(pid, &lists);
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	const int result = each_entry(root, path, each_child_of_thread, &lists);
	return result < 0 && is_gone() ? 0 : result;
}
