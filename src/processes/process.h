/* SPDX-License-Identifier: MIT */
/* A reference to a process, which holds for this one alone, what /proc/PID says of one, and which ones there are. */
#ifndef PROCESSES_PROCESS_H
#define PROCESSES_PROCESS_H

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

/* Reads /proc/PID/stat, or the one in a tree of files below `root`. 0, or -1 with errno (ENOENT or ESRCH: no such process). */
int linux_process_read(pid_t pid, struct linux_process *process);
int linux_process_read_below(const char *root, pid_t pid, struct linux_process *process);
/* The same from an open file, again and again. */
int linux_process_read_from(int fd, struct linux_process *process);

/* Whether `above` is the process itself or one of its ancestors, as far as /proc shows them. */
bool linux_process_descends_from(pid_t pid, pid_t above);

/* The name of its program, of which the kernel keeps 15 bytes; what can't be printed is '?', and one that can't be read is empty. */
#define LINUX_PROCESS_NAME_MAX 64
void linux_process_name(pid_t pid, char name[static LINUX_PROCESS_NAME_MAX]);
/* Processor time that it has used itself, by its clock, which nothing hides. False where there is no such process. */
bool linux_process_clock(pid_t pid, int64_t *ns);
/*
 * The number of the newest process of this PID namespace, from an open /proc/loadavg; 0: not known. While it is the same, nobody has
 * forked.
 */
uint64_t linux_process_newest(int loadavg);

/* What is done with the number of each process that is met; what isn't 0 (-1 with errno) ends that and is returned. */
typedef int linux_process_met(pid_t pid, void *context);
/* All processes. Else 0, or -1 with errno where they can't be listed. */
int linux_process_each(const char *root, linux_process_met *met, void *context);
/* The threads of a process. 0, or -1 with errno where they can't be listed. */
int linux_process_each_thread(pid_t pid, linux_process_met *met, void *context);
/*
 * The children of a process, as the kernel lists them for each of its threads; `threads` is how many these are, 0 where that isn't known.
 * Of a process that is gone there are none. -1 with errno where it can't be told. `to_end`: a list is read until nothing more comes, by
 * which children are met that were forked meanwhile; else a short one is read once.
 */
int linux_process_each_child(const char *root, pid_t pid, uint64_t threads, bool to_end, linux_process_met *met, void *context);
/* Those in one of these lists, an open file. */
int linux_process_each_in(int fd, bool to_end, linux_process_met *met, void *context);

#endif
