/* SPDX-License-Identifier: MIT */
#include "workloads/facilities.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "groups/cgroup_text.h"
#include "self/host_text.h"

int linux_facilities_processes(const char **what)
{
	int was = 0;
	const int fd = pidfd_open(getpid(), 0);
	*what = "pidfd_open";
	if (fd < 0)
		return errno;
	close(fd);
	*what = "prctl(PR_SET_CHILD_SUBREAPER)";
	if (prctl(PR_GET_CHILD_SUBREAPER, &was) != 0 || prctl(PR_SET_CHILD_SUBREAPER, (unsigned long)was) != 0)
		return errno;
	return 0;
}

bool linux_facilities_own_proc(void)
{
	char number[16] = "";
	struct stat status;
	/* Where there is none at all, others say so. */
	if (lstat("/proc/self", &status) != 0)
		return true;
	return readlink("/proc/self", number, sizeof number - 1) > 0 && strtol(number, NULL, 10) == getpid();
}

bool linux_facilities_children(void)
{
	return access("/proc/thread-self/children", R_OK) == 0;
}

bool linux_facilities_hidepid(const struct sst_env *env)
{
	static const char *const hiding[] = {
		"hidepid=1", "hidepid=2", "hidepid=4", "hidepid=noaccess", "hidepid=invisible", "hidepid=ptraceable"};
	char point[PATH_MAX], part[PATH_MAX];
	size_t length = 0;
	bool found = false;
	char *const mounts = host_text(env, "/proc/self/mountinfo", &length);
	for (size_t i = 0; mounts && !found && i < sizeof hiding / sizeof *hiding; i++)
		found = linux_cgroup_find_mount(mounts, length, "proc", hiding[i], point, part, PATH_MAX) == 0;
	free(mounts);
	return found;
}

bool linux_facilities_shm(void)
{
	return access("/dev/shm", R_OK | W_OK | X_OK) == 0;
}
