/* SPDX-License-Identifier: MIT */
/* What /proc/PID says of a process. */
#ifndef OS_PROCESS_H
#define OS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define LINUX_PROCESS_KERNEL UINT64_C(0x00200000)

struct linux_process {
	pid_t pid, parent, group, session;
	char state;                        /* R, S, D, T, t, Z, X, … */
	uint64_t flags;                    /* PF_… of the kernel, of which LINUX_PROCESS_KERNEL means a kernel thread */
	uint64_t start_ticks;              /* since boot, in USER_HZ: tells two processes with the same number apart */
	uint64_t user_ticks, system_ticks; /* its own */
	uint64_t children_user_ticks, children_system_ticks; /* of children it has waited for */
	uint64_t threads;                                    /* with the first one, also after that one ended */
};

/*
 * Whether it only waits to be reaped. The state alone doesn't say so: when the first thread ends before the others, the process is
 * alive and yet shown as a zombie.
 */
static inline bool linux_process_has_ended(const struct linux_process *process)
{
	return process->state == 'X' || (process->state == 'Z' && process->threads <= 1);
}

/* Parses the text of /proc/PID/stat; the command's name may hold anything. 0, or -1 with errno EINVAL. */
int linux_process_parse(const char *text, size_t length, struct linux_process *process);

/* Reads /proc/PID/stat. 0, or -1 with errno (ENOENT or ESRCH: no such process). */
int linux_process_read(pid_t pid, struct linux_process *process);

#endif
