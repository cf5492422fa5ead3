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
#include "groups/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/units.h"
#include "self/host_text.h"

/* So many groups are looked at for the own one where its name can't be told. */
#define SEARCH_MAX 10000u
/* A list of every second of CPUS_LIMIT processors. */
#define CPUS_TEXT_MAX ((size_t)3 * CPUS_LIMIT)
/* How often quotas and cpuset are looked at. */
#define CAPACITY_EVERY_NS NS_PER_S

enum hierarchy { UNIFIED, CPU, CPUACCT, CPUSET, HIERARCHIES };
static const char *const controllers[HIERARCHIES] = {NULL, "cpu", "cpuacct", "cpuset"};

/* A group in one hierarchy. */
struct place {
	bool mounted, listed;  /* the hierarchy is; it is in /proc/self/cgroup */
	char point[PATH_MAX];  /* the mount point */
	char own[PATH_MAX];    /* as listed */
	char folder[PATH_MAX]; /* of the group, at or below the mount point; "" where it can't be seen */
};

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

static bool search_place(struct place *place, const struct sst_env *env, const char *point, const char *part)
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
static void find_place(struct place *place, const struct sst_env *env, const char *mounts, size_t length, const char *controller)
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
static struct place *find_places_of(
	const char *const *controller, size_t count, const struct sst_env *env, char error[static LINUX_CGROUP_ERROR_MAX])
{
	size_t groups_length = 0, mounts_length = 0;
	char *const groups = host_text(env, "/proc/self/cgroup", &groups_length);
	char *const mounts = host_text(env, "/proc/self/mountinfo", &mounts_length);
	struct place *const places = mounts ? calloc(count, sizeof *places) : NULL;
	if (!places)
		snprintf(error, LINUX_CGROUP_ERROR_MAX, "can't read /proc/self/mountinfo: %s", strerror(errno));
	for (size_t i = 0; places && i < count; i++) {
		struct place *const place = &places[i];
		place->listed =
			groups && linux_cgroup_parse_own(groups, groups_length, controller[i], place->own, sizeof place->own);
		find_place(place, env, mounts, mounts_length, controller[i]);
	}
	free(groups);
	free(mounts);
	return places;
}

static struct place *find_places(const struct sst_env *env, char error[static LINUX_CGROUP_ERROR_MAX])
{
	return find_places_of(controllers, HIERARCHIES, env, error);
}

/* Moves a folder one level up; false at the mount point. */
static bool go_up(char *folder, const char *point)
{
	char *const slash = strrchr(folder, '/');
	if (!slash || (size_t)(slash - folder) < strlen(point))
		return false;
	*slash = '\0';
	return true;
}

static bool exists(const struct sst_env *env, const char *folder)
{
	const int handle = env->host->open(env, folder);
	if (handle >= 0)
		env->host->close(env, handle);
	return handle >= 0;
}

/* Below all mount points the group of this name, "" or "/a/b"; where there is none of it the hierarchy says nothing. */
static void move_places(struct place *places, const struct sst_env *env, const char *name)
{
	for (int i = 0; i < HIERARCHIES; i++)
		if (!places[i].mounted || !join(places[i].folder, places[i].point, name) || !exists(env, places[i].folder))
			places[i].folder[0] = '\0';
}

/* ---- What a group may use --------------------------------------------------------------------------------------------- */

static int open_file(const struct sst_env *env, const char *folder, const char *name)
{
	char path[PATH_MAX];
	return join(path, folder, name) ? env->host->open(env, path) : -1;
}

static void close_file(const struct sst_env *env, int *handle)
{
	if (*handle >= 0)
		env->host->close(env, *handle);
	*handle = -1;
}

static void add_quotas(struct linux_cgroup *group, const struct sst_env *env, const struct place *place, bool unified)
{
	char folder[PATH_MAX];
	if (!place->mounted)
		return;
	/* What can't be seen may still be below a quota of what is mounted. */
	strcpy(folder, place->folder[0] ? place->folder : place->point);
	unsigned up = 0;
	do {
		if (group->quotas == LINUX_CGROUP_QUOTAS_MAX)
			return;
		struct linux_cgroup_quota quota = {.period = -1, .unified = unified, .up = up++};
		quota.quota = open_file(env, folder, unified ? "/cpu.max" : "/cpu.cfs_quota_us");
		if (quota.quota >= 0 && !unified)
			quota.period = open_file(env, folder, "/cpu.cfs_period_us");
		if (quota.quota >= 0 && (unified || quota.period >= 0))
			group->quota[group->quotas++] = quota;
		else
			close_file(env, &quota.quota);
	} while (go_up(folder, place->point));
}

static void add_cpuset(struct linux_cgroup *group, const struct sst_env *env, const struct place *place, bool unified)
{
	static const char *const names[2][2] = {
		{"/cpuset.effective_cpus", "/cpuset.cpus"}, {"/cpuset.cpus.effective", "/cpuset.cpus"}};
	char folder[PATH_MAX];
	if (!place->folder[0])
		return;
	strcpy(folder, place->folder);
	do
		for (int i = 0; group->cpuset < 0 && i < 2 - unified; i++)
			group->cpuset = open_file(env, folder, names[unified][i]);
	while (group->cpuset < 0 && go_up(folder, place->point));
}

static void add_limits(struct linux_cgroup *group, const struct sst_env *env, const struct place *places)
{
	add_quotas(group, env, &places[UNIFIED], true);
	add_quotas(group, env, &places[CPU], false);
	add_cpuset(group, env, &places[CPUSET], false);
	if (group->cpuset < 0)
		add_cpuset(group, env, &places[UNIFIED], true);
	group->online = env->host->open(env, "/sys/devices/system/cpu/online");
}

static ssize_t read_text(const struct sst_env *env, int handle, char *text, size_t size)
{
	int64_t when_ns;
	return handle < 0 ? -1 : env->host->read(env, handle, text, size, &when_ns);
}

/* A file of one number; 0 when it has none, or -1, which is no quota. */
static double read_number(const struct sst_env *env, int handle)
{
	char text[64];
	uint64_t value;
	const char *at = text;
	const ssize_t length = read_text(env, handle, text, sizeof text);
	return length > 0 && linux_number(&at, text + length, &value) ? (double)value : 0;
}

static double read_quota(const struct sst_env *env, const struct linux_cgroup_quota *quota)
{
	char text[64];
	if (quota->unified) {
		const ssize_t length = read_text(env, quota->quota, text, sizeof text);
		return length > 0 ? linux_cgroup_parse_max(text, (size_t)length) : 0;
	}
	const double us = read_number(env, quota->quota), period_us = read_number(env, quota->period);
	return period_us > 0 ? us / period_us : 0;
}

/* The smallest quota in processors, or 0 for none. */
static double smallest_quota(const struct linux_cgroup *group, const struct sst_env *env, const struct linux_cgroup_quota **whose)
{
	double smallest = 0;
	for (unsigned i = 0; i < group->quotas; i++) {
		const double quota = read_quota(env, &group->quota[i]);
		if (!(quota > 0) || (smallest > 0 && quota >= smallest))
			continue;
		smallest = quota;
		if (whose)
			*whose = &group->quota[i];
	}
	return smallest;
}

/* A list of processors, to be freed, or NULL. */
static struct sst_cpus *read_cpus(const struct sst_env *env, int handle)
{
	struct sst_cpus *cpus = NULL;
	char *text = malloc(CPUS_TEXT_MAX);
	ssize_t length = text ? read_text(env, handle, text, CPUS_TEXT_MAX) : -1;
	while (length > 0 && text[length - 1] == '\n')
		length--;
	if (length > 0 && cpus_parse(text, (size_t)length, &cpus, NULL) != 0)
		cpus = NULL;
	free(text);
	return cpus;
}

static double count_cpus(const struct sst_env *env, int handle)
{
	struct sst_cpus *const cpus = read_cpus(env, handle);
	const double count = cpus ? (double)cpus->count : 0;
	free(cpus);
	return count;
}

/* The smaller one, where 0 is none. */
static double smaller(double a, double b)
{
	return a > 0 && (a < b || !(b > 0)) ? a : b;
}

/* What the group may use, in processors, or 0 when nothing says. */
static double look(const struct linux_cgroup *group, const struct sst_env *env)
{
	return smaller(smallest_quota(group, env, NULL), smaller(count_cpus(env, group->cpuset), count_cpus(env, group->online)));
}

static int take_first_look(struct linux_cgroup *group, const struct sst_env *env, struct linux_cgroup_capacity *capacity,
	char error[static LINUX_CGROUP_ERROR_MAX])
{
	const double processors = look(group, env);
	if (!(processors > 0)) {
		snprintf(error, LINUX_CGROUP_ERROR_MAX,
			"nothing says how many processors the group may use: no quota, no cpuset, no "
			"/sys/devices/system/cpu/online");
		return -1;
	}
	atomic_store(&capacity->processors, processors);
	return 0;
}

/* ---- What a group has used -------------------------------------------------------------------------------------------- */

/* Opens one file and tries it: a handle, or -1. */
static int try_usage(const struct sst_env *env, const char *folder, enum linux_cgroup_format format)
{
	uint64_t ignored;
	int64_t when_ns;
	int handle = folder[0] ? open_file(env, folder, format == LINUX_CGROUP_V2 ? "/cpu.stat" : "/cpuacct.usage") : -1;
	if (handle >= 0 && linux_cgroup_used(env, handle, format, &ignored, &when_ns) != 0)
		close_file(env, &handle);
	return handle;
}

static int open_usage(const struct sst_env *env, const char *folder, enum linux_cgroup_format *format)
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
static bool name_group(const struct place *places, const char *path, char name[static PATH_MAX])
{
	/* A directory: its mount point is the longest that it begins with. */
	const char *rest = path;
	size_t longest = 0;
	for (int i = 0; i < HIERARCHIES && path[0] == '/'; i++) {
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

static void refuse_path(const struct place *places, const char *path, char error[static LINUX_CGROUP_ERROR_MAX])
{
	const char *const v2 = places[UNIFIED].mounted ? places[UNIFIED].point : "";
	const char *const v1 = places[CPUACCT].mounted ? places[CPUACCT].point : "";
	snprintf(error, LINUX_CGROUP_ERROR_MAX,
		"no cgroup '%.100s': neither cpu.stat with usage_usec nor cpuacct.usage%s%.100s%s%.100s%s", path,
		*v2 || *v1 ? " below " : ", and no cgroup file system is mounted", v2, *v2 && *v1 ? " or " : "", v1,
		path[0] == '/' ? ", nor in that directory" : "");
}

/* Moves the places to the group that a path names, and opens its usage: a handle, or -1 with a message. */
static int open_named(const struct sst_env *env, struct place *places, const char *path, enum linux_cgroup_format *format,
	char error[static LINUX_CGROUP_ERROR_MAX])
{
	char name[PATH_MAX];
	int handle = path[0] == '/' ? open_usage(env, path, format) : -1;
	if (!name_group(places, path, name)) {
		close_file(env, &handle);
		snprintf(error, LINUX_CGROUP_ERROR_MAX, "no cgroup '%.100s': expected a path without '..'", path);
		return -1;
	}
	move_places(places, env, name);
	if (handle < 0)
		handle = open_usage(env, places[UNIFIED].folder, format);
	if (handle < 0)
		handle = open_usage(env, places[CPUACCT].folder, format);
	if (handle < 0)
		refuse_path(places, path, error);
	return handle;
}

int linux_cgroup_open_usage(
	const struct sst_env *env, const char *path, enum linux_cgroup_format *format, char error[static LINUX_CGROUP_ERROR_MAX])
{
	/* A directory needs no mounts. */
	int handle = path[0] == '/' ? open_usage(env, path, format) : -1;
	if (handle >= 0)
		return handle;
	struct place *const places = find_places(env, error);
	if (places)
		handle = open_named(env, places, path, format, error);
	free(places);
	return handle;
}

/*
 * Opens the usage of the own group, or of one `up` levels above it: a handle, or -1 with a message. `unified`: the group that is meant is
 * that of version 2.
 */
static int open_own(const struct sst_env *env, const struct place *places, bool unified, unsigned up,
	enum linux_cgroup_format *format, char error[static LINUX_CGROUP_ERROR_MAX])
{
	/* What the other version counts is of the same processes if the groups have one name, other than that of any namespace's root. */
	const struct place *const first = &places[unified ? UNIFIED : CPU];
	const enum hierarchy counting[] = {unified ? UNIFIED : CPUACCT, unified ? CPUACCT : UNIFIED};
	if (!first->listed) {
		snprintf(error, LINUX_CGROUP_ERROR_MAX, "/proc/self/cgroup doesn't name the own cgroup");
		return -1;
	}
	for (int i = 0; i < 2; i++) {
		const struct place *const place = &places[counting[i]];
		char folder[PATH_MAX];
		if (i == 1 && (strcmp(first->own, "/") == 0 || strcmp(places[counting[0]].own, first->own) == 0))
			break;
		if (!place->folder[0] || strcmp(place->own, first->own) != 0)
			continue;
		strcpy(folder, place->folder);
		bool there = true;
		for (unsigned k = 0; k < up && there; k++)
			there = go_up(folder, place->point);
		const int handle = there ? open_usage(env, folder, format) : -1;
		if (handle >= 0)
			return handle;
	}
	snprintf(error, LINUX_CGROUP_ERROR_MAX, "nothing that is mounted counts the processor time of the own cgroup %s%.200s%s",
		unified ? "" : "cpu:", first->own,
		places[CPUACCT].listed && strcmp(places[CPUACCT].own, first->own) != 0 ? " (in cpuacct it is another one)" : "");
	return -1;
}

/* ---- The whole -------------------------------------------------------------------------------------------------------- */

int linux_cgroup_open(struct linux_cgroup *group, const struct sst_env *env, const char *path,
	struct linux_cgroup_capacity *capacity, char error[static LINUX_CGROUP_ERROR_MAX])
{
	*group = LINUX_CGROUP_NONE;
	struct place *const places = find_places(env, error);
	if (!places)
		return -1;
	const bool unified = !places[CPU].mounted || !places[CPU].listed;
	group->usage = strcmp(path, "self") == 0 ? open_own(env, places, unified, 0, &group->format, error)
						 : open_named(env, places, path, &group->format, error);
	int result = group->usage < 0 ? -1 : 0;
	if (result == 0) {
		add_limits(group, env, places);
		result = take_first_look(group, env, capacity, error);
	}
	free(places);
	if (result != 0)
		linux_cgroup_close(group, env);
	return result;
}

void linux_cgroup_close(struct linux_cgroup *group, const struct sst_env *env)
{
	for (unsigned i = 0; i < group->quotas; i++) {
		close_file(env, &group->quota[i].quota);
		close_file(env, &group->quota[i].period);
	}
	close_file(env, &group->usage);
	close_file(env, &group->cpuset);
	close_file(env, &group->online);
	*group = LINUX_CGROUP_NONE;
}

/* The quota that takes something away, or 0; *whose is it. */
static double binding_quota(const struct linux_cgroup *group, const struct sst_env *env, const struct linux_cgroup_quota **whose)
{
	const double quota = smallest_quota(group, env, whose);
	const double processors = smaller(count_cpus(env, group->cpuset), count_cpus(env, group->online));
	return quota > 0 && (quota < processors || !(processors > 0)) ? quota : 0;
}

int linux_cgroup_open_container(struct linux_cgroup *group, const struct sst_env *env, struct linux_cgroup_capacity *capacity,
	char error[static LINUX_CGROUP_ERROR_MAX])
{
	const struct linux_cgroup_quota *whose = NULL;
	int result = -1;
	*group = LINUX_CGROUP_NONE;
	struct place *const places = find_places(env, error);
	if (!places)
		return -1;
	add_limits(group, env, places);
	if (binding_quota(group, env, &whose) > 0) {
		group->usage = open_own(env, places, whose->unified, whose->up, &group->format, error);
		result = group->usage < 0 ? -1 : take_first_look(group, env, capacity, error);
	} else {
		snprintf(error, LINUX_CGROUP_ERROR_MAX, "no quota takes anything away from the own cgroup");
	}
	free(places);
	if (result != 0)
		linux_cgroup_close(group, env);
	return result;
}

bool linux_cgroup_find_container(const struct sst_env *env, struct linux_cgroup_container *container)
{
	char ignored[LINUX_CGROUP_ERROR_MAX];
	const struct linux_cgroup_quota *whose = NULL;
	*container = (struct linux_cgroup_container){0};
	struct place *const places = find_places(env, ignored);
	if (!places)
		return false;
	struct linux_cgroup group = LINUX_CGROUP_NONE;
	add_limits(&group, env, places);
	container->quota = binding_quota(&group, env, &whose);
	if (container->quota > 0) {
		const struct place *const place = &places[whose->unified ? UNIFIED : CPU];
		strcpy(container->group, place->folder[0] ? place->folder : place->point);
		for (unsigned i = 0; i < whose->up; i++)
			go_up(container->group, place->point);
	}
	container->cpus = read_cpus(env, group.cpuset);
	container->shows_cpuset = container->cpus != NULL;
	if (container->cpus && (double)container->cpus->count >= count_cpus(env, group.online)) {
		free(container->cpus);
		container->cpus = NULL;
	}
	linux_cgroup_close(&group, env);
	free(places);
	return container->quota > 0 || container->cpus;
}

bool linux_cgroup_own_folder(const struct sst_env *env, const char *controller, char folder[static PATH_MAX])
{
	char ignored[LINUX_CGROUP_ERROR_MAX];
	struct place *const place = find_places_of(&controller, 1, env, ignored);
	strcpy(folder, place ? place->folder : "");
	free(place);
	return folder[0];
}

int linux_cgroup_used(const struct sst_env *env, int usage, enum linux_cgroup_format format, uint64_t *used_ns, int64_t *when_ns)
{
	char text[4096];
	const ssize_t length = env->host->read(env, usage, text, sizeof text, when_ns);
	return length >= 0 && linux_cgroup_usage_parse(format, text, (size_t)length, used_ns, 1) == 1 ? 0 : -1;
}

int linux_cgroup_read(const struct linux_cgroup *group, const struct sst_env *env, struct linux_cgroup_capacity *capacity,
	struct sst_reading *now)
{
	uint64_t ns;
	int64_t when_ns;
	if (linux_cgroup_used(env, group->usage, group->format, &ns, &when_ns) != 0)
		return -1;
	int64_t looked_ns = atomic_load(&capacity->looked_ns);
	if (when_ns - looked_ns >= CAPACITY_EVERY_NS &&
		atomic_compare_exchange_strong(&capacity->looked_ns, &looked_ns, when_ns)) {
		const double processors = look(group, env);
		if (processors > 0)
			atomic_store(&capacity->processors, processors);
	}
	*now = (struct sst_reading){.when_ns = when_ns, .processors = atomic_load(&capacity->processors), .counter = {ns}};
	return 0;
}
