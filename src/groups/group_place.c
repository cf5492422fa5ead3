/* SPDX-License-Identifier: MIT */
#include "groups/group_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "groups/cgroup.h"
#include "self/host.h"
#include "self/host_text.h"

static bool may_write(const char *folder, const char *name)
{
	char path[PATH_MAX];
	if (snprintf(path, sizeof path, "%s%s", folder, name) >= (int)sizeof path) {
		errno = ENAMETOOLONG;
		return false;
	}
	return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
}

/* Of a file in it, to be freed, or NULL. */
static char *text_of(const struct sst_env *env, const char *folder, const char *name)
{
	char path[PATH_MAX];
	return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path ? host_text(env, path, NULL) : NULL;
}

/* A process in the group that is none of the run's, or -1. 0 is one that can't be seen from here. */
static long find_stranger(const struct group_place *place, const char *members)
{
	char *end;
	for (const char *at = members; *at; at = *end ? end + 1 : end) {
		const long pid = strtol(at, &end, 10);
		if (end == at)
			break;
		if (pid != getpid() && (pid != place->guardian || pid == 0))
			return pid;
	}
	return -1;
}

/* Version 2 limits the bandwidth of groups only below one to which the controller is handed down, and which has no processes itself. */
static bool has_controller(struct group_place *place, const struct sst_env *env, char *why, size_t size)
{
	char *const controllers = text_of(env, place->folder, "cgroup.controllers");
	char *const type = text_of(env, place->folder, "cgroup.type");
	char *const members = text_of(env, place->folder, "cgroup.procs");
	const bool handed = host_has_word(controllers, "cpu");
	place->is_root = !type;
	const long stranger = place->is_root || !members ? -1 : find_stranger(place, members);
	if (!handed)
		snprintf(why, size, "%.200s: has no controller cpu", place->folder);
	else if (stranger >= 0)
		snprintf(why, size, "%.200s: has other processes, such as %ld, beside which no group can be limited",
			place->folder, stranger);
	free(members);
	free(type);
	free(controllers);
	return handed && stranger < 0;
}

/* Groups can be made in the own one, and processes be moved out of it. */
static bool try_version(struct group_place *place, const struct sst_env *env, bool unified, char *why, size_t size)
{
	const char *const controller = unified ? NULL : place->actuator == ACTUATOR_QUOTA ? "cpu" : "freezer";
	place->unified = unified;
	if (!linux_cgroup_own_folder(env, controller, place->folder)) {
		snprintf(why, size, "version %s that we are in is mounted nowhere", unified ? "2" : controller);
		return false;
	}
	if (!may_write(place->folder, "") || !may_write(place->folder, "/cgroup.procs")) {
		snprintf(why, size, "%.200s: %s", place->folder, strerror(errno));
		return false;
	}
	return !unified || place->actuator != ACTUATOR_QUOTA || has_controller(place, env, why, size);
}

int group_place_find(
	struct group_place *place, enum actuator actuator, int version, pid_t guardian, char error[static GROUP_PLACE_ERROR_MAX])
{
	char why[2][400] = {"", ""};
	struct host_env host;
	*place = (struct group_place){.actuator = actuator, .guardian = guardian};
	if (actuator == ACTUATOR_SIGNALS)
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
