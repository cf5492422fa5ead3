/* SPDX-License-Identifier: MIT */
#include "processes/process_handle.h"

#include <errno.h>
#include <poll.h>
#include <sys/pidfd.h>
#include <unistd.h>

int process_take(struct process *process, pid_t pid, struct linux_process *now)
{
	const int fd = pidfd_open(pid, 0);
	*process = PROCESS_NONE;
	if (fd < 0)
		return -1;
	/* With the descriptor open the number can't change hands any more. */
	if (linux_process_read(pid, now) != 0) {
		const int error = errno == ENOENT ? ESRCH : errno;
		close(fd);
		errno = error;
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
