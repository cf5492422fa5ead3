/* SPDX-License-Identifier: MIT */
/* The processor time that a control group has used, from cgroup v2 (cpu.stat) or v1 (cpuacct). */
#ifndef OS_CGROUP_USAGE_H
#define OS_CGROUP_USAGE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "os/cgroup_text.h"

/* One source that is read again and again. Start with {.fd = -1}. */
struct linux_cgroup_usage {
	int fd;
	enum linux_cgroup_format format;
	char *text; /* buffer */
	size_t size;
};

/*
 * Opens the usage of a group: a directory, or a name below the mount point of cgroup v2 or of v1's cpuacct. `root` stands before
 * every path. Returns 0, or -1 with a message that says where it was looked for.
 */
int linux_cgroup_usage_open(
	struct linux_cgroup_usage *usage, const char *root, const char *path, char error[static LINUX_CGROUP_ERROR_MAX]);

/*
 * Opens the busy nanoseconds of the whole machine: the root group of v1's cpuacct, in one number or by processor. Returns 0, or -1
 * with a message (no such hierarchy; or a container, whose root group is not the machine's).
 */
int linux_cgroup_usage_open_machine(
	struct linux_cgroup_usage *usage, const char *root, int by_processor, char error[static LINUX_CGROUP_ERROR_MAX]);

/*
 * Reads the source: stores at most `room` numbers (ns) and returns how many there are (1 unless by processor), or -1 with errno
 * (ENODEV: the group is gone; EINVAL: the text is not what it should be).
 */
ssize_t linux_cgroup_usage_read(struct linux_cgroup_usage *usage, uint64_t *ns, size_t room, int64_t *when_ns);
void linux_cgroup_usage_close(struct linux_cgroup_usage *usage);

#endif
