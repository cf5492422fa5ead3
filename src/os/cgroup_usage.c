/* SPDX-License-Identifier: MIT */
#include "os/cgroup_usage.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "os/cgroup.h"
#include "os/host.h"
#include "os/host_text.h"
#include "os/source.h"

/* Inode of the first cgroup namespace (the kernel's PROC_CGROUP_INIT_INO). */
#define FIRST_NAMESPACE "cgroup:[4026531835]"
#define TEXT_MAX (1 << 20)

/* The mount of cpuacct; "" where there is none. */
struct mount {
	char point[PATH_MAX], part[PATH_MAX];
};

static int find_cpuacct(const char *root, struct mount *mount, char error[static LINUX_CGROUP_ERROR_MAX])
{
	struct host_env host;
	size_t length;
	host_env_init(&host, root, 1, 0);
	char *const text = host_text(&host.env, "/proc/self/mountinfo", &length);
	if (!text) {
		snprintf(error, LINUX_CGROUP_ERROR_MAX, "can't read %s/proc/self/mountinfo: %s", root, strerror(errno));
		return -1;
	}
	if (linux_cgroup_find_mount(text, length, "cgroup", "cpuacct", mount->point, mount->part, PATH_MAX) != 0)
		mount->point[0] = '\0';
	free(text);
	return 0;
}

/* ---- Opening and reading ---------------------------------------------------------------------------------------------- */

/* Opens one file and tries it. */
static bool open_file(struct linux_cgroup_usage *usage, enum linux_cgroup_format format, const char *root, const char *directory,
	const char *name)
{
	char path[PATH_MAX];
	const int length = snprintf(path, sizeof path, "%s/%s", directory, name);
	if (length < 0 || (size_t)length >= sizeof path) {
		errno = ENAMETOOLONG;
		return false;
	}
	*usage = (struct linux_cgroup_usage){.fd = linux_source_open(root, path), .format = format, .size = 4096};
	usage->text = malloc(usage->size);
	uint64_t ns;
	int64_t when_ns;
	if (usage->fd >= 0 && usage->text && linux_cgroup_usage_read(usage, &ns, 1, &when_ns) > 0)
		return true;
	const int saved = errno;
	linux_cgroup_usage_close(usage);
	errno = saved;
	return false;
}

int linux_cgroup_usage_open(
	struct linux_cgroup_usage *usage, const char *root, const char *path, char error[static LINUX_CGROUP_ERROR_MAX])
{
	struct host_env host;
	enum linux_cgroup_format format;
	*usage = (struct linux_cgroup_usage){.fd = -1};
	/* Handles of this host are descriptors. */
	host_env_init(&host, root, 1, 0);
	const int fd = linux_cgroup_open_usage(&host.env, path, &format, error);
	if (fd < 0)
		return -1;
	*usage = (struct linux_cgroup_usage){.fd = fd, .format = format, .size = 4096};
	usage->text = malloc(usage->size);
	if (usage->text)
		return 0;
	snprintf(error, LINUX_CGROUP_ERROR_MAX, "%s", strerror(errno));
	linux_cgroup_usage_close(usage);
	return -1;
}

int linux_cgroup_usage_open_machine(
	struct linux_cgroup_usage *usage, const char *root, int by_processor, char error[static LINUX_CGROUP_ERROR_MAX])
{
	*usage = (struct linux_cgroup_usage){.fd = -1};
	struct mount *const mount = malloc(sizeof *mount);
	if (!mount) {
		snprintf(error, LINUX_CGROUP_ERROR_MAX, "%s", strerror(errno));
		return -1;
	}
	char path[PATH_MAX], space[64] = FIRST_NAMESPACE;
	int result = find_cpuacct(root, mount, error);
	if (result != 0)
		goto out;
	const int length = snprintf(path, sizeof path, "%s/proc/self/ns/cgroup", root);
	if (length > 0 && (size_t)length < sizeof path) {
		const ssize_t got = readlink(path, space, sizeof space - 1);
		if (got >= 0)
			space[got] = '\0';
	}
	result = -1;
	const char *const name = by_processor ? "cpuacct.usage_percpu" : "cpuacct.usage";
	if (!mount->point[0])
		snprintf(error, LINUX_CGROUP_ERROR_MAX, "this machine has no cpuacct hierarchy (cgroup v1)");
	else if (strcmp(mount->part, "/") != 0 || strcmp(space, FIRST_NAMESPACE) != 0)
		snprintf(error, LINUX_CGROUP_ERROR_MAX,
			"the root group of cpuacct is that of a container here, not the machine's");
	else if (!open_file(usage, by_processor ? LINUX_CGROUP_PER_CPU : LINUX_CGROUP_V1, root, mount->point, name))
		snprintf(error, LINUX_CGROUP_ERROR_MAX, "can't read %.200s/%s: %s", mount->point, name, strerror(errno));
	else
		result = 0;
out:
	free(mount);
	return result;
}

ssize_t linux_cgroup_usage_read(struct linux_cgroup_usage *usage, uint64_t *ns, size_t room, int64_t *when_ns)
{
	for (;;) {
		const ssize_t got = linux_source_read_record(usage->fd, usage->text, usage->size, when_ns);
		if (got < 0)
			return -1;
		if ((size_t)got < usage->size)
			return linux_cgroup_usage_parse(usage->format, usage->text, (size_t)got, ns, room);
		if (usage->size >= TEXT_MAX) {
			errno = EINVAL;
			return -1;
		}
		char *const larger = realloc(usage->text, 2 * usage->size);
		if (!larger)
			return -1;
		usage->text = larger;
		usage->size *= 2;
	}
}

void linux_cgroup_usage_close(struct linux_cgroup_usage *usage)
{
	if (usage->fd >= 0)
		close(usage->fd);
	free(usage->text);
	*usage = (struct linux_cgroup_usage){.fd = -1};
}
