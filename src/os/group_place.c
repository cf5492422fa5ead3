/* SPDX-License-Identifier: MIT */
#include "os/group_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "os/cgroup.h"
#include "os/host.h"

static bool may_write(const char *folder, const char *name)
{
	char path[PATH_MAX];
	if (snprintf(path, sizeof path, "%s%s", folder, name) >= (int)sizeof path) {
		errno = ENAMETOOLONG;
		return false;
	}
	return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
}

/* Groups can be made in the own one, and processes be moved out of it. */
static bool try_version(struct group_place *place, const struct sst_env *env, bool unified, char *why, size_t size)
{
	const char *const controller = unified ? NULL : "freezer";
	place->unified = unified;
	if (!linux_cgroup_own_folder(env, controller, place->folder)) {
		snprintf(why, size, "version %s that we are in is mounted nowhere", unified ? "2" : controller);
		return false;
	}
	if (may_write(place->folder, "") && may_write(place->folder, "/cgroup.procs"))
		return true;
	snprintf(why, size, "%.200s: %s", place->folder, strerror(errno));
	return false;
}

int group_place_find(struct group_place *place, enum sst_hand hand, int version, char error[static GROUP_PLACE_ERROR_MAX])
{
	char why[2][320] = {"", ""};
	struct host_env host;
	*place = (struct group_place){.hand = hand};
	if (hand == SST_HAND_SIGNALS)
		return 0;
	/* The real ones, whatever --sysroot measures. */
	host_env_init(&host, "", 1, 0);
	for (int tried = 2; tried >= 1; tried--)
		if ((!version || version == tried) && try_version(place, &host.env, tried == 2, why[2 - tried], sizeof why[0]))
			return 0;
	snprintf(error, GROUP_PLACE_ERROR_MAX, "no control group can be made (%s%s%s)", why[0], *why[0] && *why[1] ? "; " : "",
		why[1]);
	return -1;
}
