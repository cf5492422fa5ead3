/* SPDX-License-Identifier: MIT */
#include "groups/group_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/units.h"
#include "groups/cgroup_places.h"
#include "self/host.h"
#include "self/host_text.h"
#include "self/source.h"

/* ---- Files ------------------------------------------------------------------------------------------------------------ */

bool group_identify(const char *folder, struct group_id *id)
{
	struct stat about;
	if (stat(folder, &about) != 0)
		return false;
	*id = (struct group_id){about.st_dev, about.st_ino};
	return true;
}

bool group_is(const char *folder, const struct group_id *id)
{
	struct group_id now;
	return group_identify(folder, &now) && now.device == id->device && now.inode == id->inode;
}

int group_open(const char *folder, const char *name, int flags)
{
	char path[PATH_MAX];
	if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return open(path, flags | O_CLOEXEC);
}

bool group_may_write(const char *folder, const char *name)
{
	char path[PATH_MAX];
	if (snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path)
		return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
	errno = ENAMETOOLONG;
	return false;
}

int group_write_to(int fd, const char *text)
{
	const ssize_t length = (ssize_t)strlen(text);
	return pwrite(fd, text, (size_t)length, 0) == length ? 0 : -1;
}

int group_write(const char *folder, const char *name, const char *text)
{
	const int fd = group_open(folder, name, O_WRONLY);
	if (fd < 0)
		return -1;
	const int result = group_write_to(fd, text);
	const int saved = errno;
	close(fd);
	errno = saved;
	return result;
}

void group_each(const char *folder, const char *beginning, void (*act)(const char *path, void *context), void *context)
{
	DIR *const directory = opendir(folder);
	if (!directory)
		return;
	for (const struct dirent *entry; (entry = readdir(directory));) {
		char path[PATH_MAX];
		if (entry->d_type == DT_DIR && strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
			strncmp(entry->d_name, beginning, strlen(beginning)) == 0 &&
			snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path)
			act(path, context);
	}
	closedir(directory);
}

void group_each_member(const char *path, void (*act)(pid_t pid, void *context), void *context)
{
	const int fd = group_open(path, "cgroup.procs", O_RDONLY);
	FILE *const members = fd < 0 ? NULL : fdopen(fd, "r");
	char line[32];
	while (members && fgets(line, sizeof line, members)) {
		const long pid = strtol(line, NULL, 10);
		/* 0 is a process that can't be seen from here. */
		if (pid > 0 && pid <= INT_MAX)
			act((pid_t)pid, context);
	}
	if (members)
		fclose(members);
	else if (fd >= 0)
		close(fd);
}

const char *group_name(const char *path)
{
	const char *const slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

const char *group_freezer_file(bool unified)
{
	return unified ? "cgroup.freeze" : "freezer.state";
}

const char *group_freezer_word(bool unified, bool freeze)
{
	return unified ? freeze ? "1" : "0" : freeze ? "FROZEN" : "THAWED";
}

bool group_is_frozen(const char *folder, bool unified)
{
	char text[2] = "";
	linux_source_line(folder, unified ? "/cgroup.freeze" : "/freezer.self_freezing", text, sizeof text);
	return text[0] == '1';
}

/* ---- With all that is below ------------------------------------------------------------------------------------------- */

/* The files that hold a workload, and what lets it go. */
static const struct {
	const char *name, *free;
} holds[] = {{"cgroup.freeze", "0"}, {"freezer.state", "THAWED"}, {"cpu.max", "max"}, {"cpu.cfs_quota_us", "-1"}};

static void release(const char *path, void *context)
{
	/* What is below goes first. */
	group_each(path, "", release, context);
	for (size_t i = 0; i < sizeof holds / sizeof *holds; i++)
		group_write(path, holds[i].name, holds[i].free);
}

void group_tree_release(const char *path)
{
	release(path, NULL);
}

static void add_killed(struct group_killed *killed, pid_t pid)
{
	/* Those that are killed again are listed in the order of before. */
	for (size_t i = 0; i < killed->count; i++) {
		const size_t at = (killed->hint + i) % killed->count;
		if (killed->pid[at] == pid) {
			killed->hint = at + 1;
			return;
		}
	}
	if (killed->count == killed->capacity) {
		const size_t capacity = killed->capacity ? 2 * killed->capacity : 64;
		pid_t *const grown = realloc(killed->pid, capacity * sizeof *grown);
		if (!grown)
			return;
		killed->pid = grown;
		killed->capacity = capacity;
	}
	killed->pid[killed->count++] = pid;
}

struct killing {
	struct group_killed *killed;
	bool found;
};

static void kill_member(pid_t pid, void *context)
{
	struct killing *const killing = context;
	killing->found = true;
	if (kill(pid, SIGKILL) == 0 && killing->killed)
		add_killed(killing->killed, pid);
}

static void kill_members(const char *path, void *context)
{
	group_each(path, "", kill_members, context);
	group_each_member(path, kill_member, context);
}

bool group_tree_kill(const char *path, struct group_killed *killed)
{
	struct killing killing = {.killed = killed};
	kill_members(path, &killing);
	return killing.found;
}

void group_killed_free(struct group_killed *killed)
{
	free(killed->pid);
	*killed = (struct group_killed){0};
}

static void keep_controller(const char *path, void *context)
{
	group_each(path, "", keep_controller, context);
	group_write(path, "cgroup.subtree_control", "-cpu");
}

void group_tree_keep_controller(const char *path)
{
	keep_controller(path, NULL);
}

static void remove_group(const char *path, void *context)
{
	group_each(path, "", remove_group, context);
	rmdir(path);
}

void group_tree_remove(const char *path)
{
	remove_group(path, NULL);
}

/* ---- Where they can be made -------------------------------------------------------------------------------------------- */

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
	if (!group_may_write(place->folder, "") || !group_may_write(place->folder, "cgroup.procs")) {
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
