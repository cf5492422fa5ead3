/* SPDX-License-Identifier: MIT */
/*
 * Where a group is takes two texts. /proc/self/cgroup has the path of each hierarchy's group as seen from the cgroup namespace,
 * /proc/self/mountinfo where which part of a hierarchy is mounted, seen from the same place. A container without a namespace has
 * its own group mounted: then the path begins with the part. A namespace that has the mounts of the world outside sees a part like
 * "/../..": the group is two levels below what is mounted, and is looked for there by our process number.
 *
 * Up to four hierarchies matter: version 2, and of version 1 `cpu` (quotas), `cpuacct` (usage) and `cpuset`, which may be mounted
 * together or apart. A process may be in groups of different names in them; then usage and quota would be those of different
 * processes, and the group is refused.
 */
#include "groups/cgroup_places.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "self/host_text.h"

/* So many groups are looked at for the own one where its name can't be told. */
#define SEARCH_MAX 10000u

static const char *const controllers[LINUX_CGROUP_HIERARCHIES] = {NULL, "cpu", "cpuacct", "cpuset"};

/* ---- Places ----------------------------------------------------------------------------------------------------------- */

static bool join(char *to, const char *folder, const char *rest)
{
	const int length = snprintf(to, PATH_MAX, "%s%s", folder, rest);
	return length > 0 && length < PATH_MAX;
}

/* How many levels a path goes up before it goes down; *path is moved there. */
static unsigned climb(const char **path)
{
	unsigned levels = 0;
	for (; strncmp(*path, "/..", 3) == 0 && ((*path)[3] == '/' || !(*path)[3]); *path += 3)
		levels++;
	if (strcmp(*path, "/") == 0)
		(*path)++;
	return levels;
}

static bool has_us(const struct sst_env *env, const char *folder)
{
	char path[PATH_MAX], us[16];
	char *const members = join(path, folder, "/cgroup.procs") ? host_text(env, path, NULL) : NULL;
	snprintf(us, sizeof us, "%d", (int)getpid());
	const bool found = host_has_word(members, us);
	free(members);
	return found;
}

/* Looks `levels` below `folder`, which grows to what is found, for a folder with the group `rest` that we are in. */
static bool search(const struct sst_env *env, char *folder, unsigned levels, const char *rest, unsigned *left)
{
	const size_t length = strlen(folder);
	if (levels == 0) {
		if (length + strlen(rest) >= PATH_MAX)
			return false;
		strcpy(folder + length, rest);
		if (has_us(env, folder))
			return true;
		folder[length] = '\0';
		return false;
	}
	/* A host with such mounts has descriptors for handles. */
	const int handle = env->host->open(env, folder);
	const int fd = handle < 0 ? -1 : dup(handle);
	DIR *const directory = fd < 0 ? NULL : fdopendir(fd);
	if (handle >= 0)
		env->host->close(env, handle);
	if (!directory) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	bool found = false;
	for (const struct dirent *entry; !found && *left > 0 && (entry = readdir(directory)) != NULL;) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 || entry->d_type == DT_REG ||
			length + 1 + strlen(entry->d_name) >= PATH_MAX)
			continue;
		--*left;
		folder[length] = '/';
		strcpy(folder + length + 1, entry->d_name);
		found = search(env, folder, levels - 1, rest, left);
		if (!found)
			folder[length] = '\0';
	}
	closedir(directory);
	return found;
}

static bool search_place(struct linux_cgroup_place *place, const struct sst_env *env, const char *point, const char *part)
{
	const char *below_part = part, *rest = place->own;
	const unsigned part_up = climb(&below_part), up = climb(&rest);
	unsigned left = SEARCH_MAX;
	if (*below_part || part_up <= up || linux_cgroup_climbs(rest))
		return false;
	strcpy(place->folder, point);
	return search(env, place->folder, part_up - up, rest, &left);
}

/* The mount of a hierarchy that shows the own group, else the first. */
static void find_place(
	struct linux_cgroup_place *place, const struct sst_env *env, const char *mounts, size_t length, const char *controller)
{
	char point[PATH_MAX], part[PATH_MAX];
	const char *at = mounts;
	while (linux_cgroup_next_mount(
		&at, mounts + length, controller ? "cgroup" : "cgroup2", controller, point, part, PATH_MAX)) {
		const char *const rest = place->listed ? linux_cgroup_below(place->own, part) : NULL;
		if (!place->mounted)
			strcpy(place->point, point);
		place->mounted = true;
		if ((rest && join(place->folder, point, rest)) ||
			(place->listed && !rest && search_place(place, env, point, part))) {
			strcpy(place->point, point);
			return;
		}
	}
	place->folder[0] = '\0';
}

/* The own places of so many hierarchies, to be freed, or NULL with a message. */
static struct linux_cgroup_place *find_places_of(
	const char *const *controller, size_t count, const struct sst_env *env, char error[static LINUX_CGROUP_ERROR_MAX])
{
	size_t groups_length = 0, mounts_length = 0;
	char *const groups = host_text(env, "/proc/self/cgroup", &groups_length);
	char *const mounts = host_text(env, "/proc/self/mountinfo", &mounts_length);
	struct linux_cgroup_place *const places = mounts ? calloc(count, sizeof *places) : NULL;
	if (!places)
		snprintf(error, LINUX_CGROUP_ERROR_MAX, "can't read /proc/self/mountinfo: %s", strerror(errno));
	for (size_t i = 0; places && i < count; i++) {
		struct linux_cgroup_place *const place = &places[i];
		place->listed =
			groups && linux_cgroup_parse_own(groups, groups_length, controller[i], place->own, sizeof place->own);
		find_place(place, env, mounts, mounts_length, controller[i]);
	}
	free(groups);
	free(mounts);
	return places;
}

struct linux_cgroup_place *linux_cgroup_find_places(const struct sst_env *env, char error[static LINUX_CGROUP_ERROR_MAX])
{
	return find_places_of(controllers, LINUX_CGROUP_HIERARCHIES, env, error);
}

static bool exists(const struct sst_env *env, const char *folder)
{
	const int handle = env->host->open(env, folder);
	if (handle >= 0)
		env->host->close(env, handle);
	return handle >= 0;
}

/* Below all mount points the group of this name, "" or "/a/b"; where there is none of it the hierarchy says nothing. */
static void move_places(struct linux_cgroup_place *places, const struct sst_env *env, const char *name)
{
	for (int i = 0; i < LINUX_CGROUP_HIERARCHIES; i++)
		if (!places[i].mounted || !join(places[i].folder, places[i].point, name) || !exists(env, places[i].folder))
			places[i].folder[0] = '\0';
}

/* ---- What a group has used -------------------------------------------------------------------------------------------- */

int linux_cgroup_open_file(const struct sst_env *env, const char *folder, const char *name)
{
	char path[PATH_MAX];
	return join(path, folder, name) ? env->host->open(env, path) : -1;
}

void linux_cgroup_close_file(const struct sst_env *env, int *handle)
{
	if (*handle >= 0)
		env->host->close(env, *handle);
	*handle = -1;
}

/* Opens one file and tries it: a handle, or -1. */
static int try_usage(const struct sst_env *env, const char *folder, enum linux_cgroup_format format)
{
	uint64_t ignored;
	int64_t when_ns;
	int handle =
		folder[0] ? linux_cgroup_open_file(env, folder, format == LINUX_CGROUP_V2 ? "/cpu.stat" : "/cpuacct.usage") : -1;
	if (handle >= 0 && linux_cgroup_used(env, handle, format, &ignored, &when_ns) != 0)
		linux_cgroup_close_file(env, &handle);
	return handle;
}

int linux_cgroup_open_usage_in(const struct sst_env *env, const char *folder, enum linux_cgroup_format *format)
{
	*format = LINUX_CGROUP_V2;
	int handle = try_usage(env, folder, *format);
	if (handle < 0) {
		*format = LINUX_CGROUP_V1;
		handle = try_usage(env, folder, *format);
	}
	return handle;
}

/* The name below the mount point that a path means: "" or "/a/b". */
static bool name_group(const struct linux_cgroup_place *places, const char *path, char name[static PATH_MAX])
{
	/* A directory: its mount point is the longest that it begins with. */
	const char *rest = path;
	size_t longest = 0;
	for (int i = 0; i < LINUX_CGROUP_HIERARCHIES && path[0] == '/'; i++) {
		const char *const below = places[i].mounted ? linux_cgroup_below(path, places[i].point) : NULL;
		if (below && strlen(places[i].point) > longest) {
			longest = strlen(places[i].point);
			rest = below;
		}
	}
	while (*rest == '/')
		rest++;
	if (snprintf(name, PATH_MAX, "%s%s", *rest ? "/" : "", rest) >= PATH_MAX || linux_cgroup_climbs(name))
		return false;
	for (size_t length = strlen(name); length > 0 && name[length - 1] == '/'; length--)
		name[length - 1] = '\0';
	return true;
}

static void refuse_path(const struct linux_cgroup_place *places, const char *path, char error[static LINUX_CGROUP_ERROR_MAX])
{
	const char *const v2 = places[LINUX_CGROUP_UNIFIED].mounted ? places[LINUX_CGROUP_UNIFIED].point : "";
	const char *const v1 = places[LINUX_CGROUP_CPUACCT].mounted ? places[LINUX_CGROUP_CPUACCT].point : "";
	snprintf(error, LINUX_CGROUP_ERROR_MAX,
		"no cgroup '%.100s': neither cpu.stat with usage_usec nor cpuacct.usage%s%.100s%s%.100s%s", path,
		*v2 || *v1 ? " below " : ", and no cgroup file system is mounted", v2, *v2 && *v1 ? " or " : "", v1,
		path[0] == '/' ? ", nor in that directory" : "");
}

int linux_cgroup_open_named(const struct sst_env *env, struct linux_cgroup_place *places, const char *path,
	enum linux_cgroup_format *format, char error[static LINUX_CGROUP_ERROR_MAX])
{
	char name[PATH_MAX];
	int handle = path[0] == '/' ? linux_cgroup_open_usage_in(env, path, format) : -1;
	if (!name_group(places, path, name)) {
		linux_cgroup_close_file(env, &handle);
		snprintf(error, LINUX_CGROUP_ERROR_MAX, "no cgroup '%.100s': expected a path without '..'", path);
		return -1;
	}
	move_places(places, env, name);
	if (handle < 0)
		handle = linux_cgroup_open_usage_in(env, places[LINUX_CGROUP_UNIFIED].folder, format);
	if (handle < 0)
		handle = linux_cgroup_open_usage_in(env, places[LINUX_CGROUP_CPUACCT].folder, format);
	if (handle < 0)
		refuse_path(places, path, error);
	return handle;
}

int linux_cgroup_open_usage(
	const struct sst_env *env, const char *path, enum linux_cgroup_format *format, char error[static LINUX_CGROUP_ERROR_MAX])
{
	/* A directory needs no mounts. */
	int handle = path[0] == '/' ? linux_cgroup_open_usage_in(env, path, format) : -1;
	if (handle >= 0)
		return handle;
	struct linux_cgroup_place *const places = linux_cgroup_find_places(env, error);
	if (places)
		handle = linux_cgroup_open_named(env, places, path, format, error);
	free(places);
	return handle;
}

int linux_cgroup_used(const struct sst_env *env, int usage, enum linux_cgroup_format format, uint64_t *used_ns, int64_t *when_ns)
{
	char text[4096];
	const ssize_t length = env->host->read(env, usage, text, sizeof text, when_ns);
	return length >= 0 && linux_cgroup_usage_parse(format, text, (size_t)length, used_ns, 1) == 1 ? 0 : -1;
}

bool linux_cgroup_own_folder(const struct sst_env *env, const char *controller, char folder[static PATH_MAX])
{
	char ignored[LINUX_CGROUP_ERROR_MAX];
	struct linux_cgroup_place *const place = find_places_of(&controller, 1, env, ignored);
	strcpy(folder, place ? place->folder : "");
	free(place);
	return folder[0];
}
