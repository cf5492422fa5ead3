/* SPDX-License-Identifier: MIT */
/*
 * What managers call the groups of what they start:
 *
 *   unit       NAME.service, .scope or .slice, below slices and the managers of users; those within a container are its own
 *   LXC        lxc.payload.NAME, lxc.payload/NAME or lxc/NAME
 *   container  docker-ID.scope, libpod-ID.scope, crio-ID.scope, cri-containerd-ID.scope, or ID below docker or a pod of Kubernetes
 */
#include "groups/group_find.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "groups/cgroup_text.h"
#include "groups/group_tree.h"
#include "self/host.h"
#include "self/host_text.h"

/* So deep are groups looked for, and so many are named where one was meant. */
#define DEPTH_MOST 16
#define NAMED_MOST 8
#define ID_LENGTH 64

/* ---- Mounts ----------------------------------------------------------------------------------------------------------- */

static const char *const controllers[GROUP_HIERARCHIES] = {
	[GROUP_FREEZER] = "freezer", [GROUP_CPU] = "cpu", [GROUP_CPUACCT] = "cpuacct", [GROUP_NAMED] = "name=systemd"};

void group_mounts_parse(struct group_mounts *mounts, const char *text, size_t length)
{
	char part[PATH_MAX];
	for (int i = 0; i < GROUP_HIERARCHIES; i++)
		if (linux_cgroup_find_mount(text, length, controllers[i] ? "cgroup" : "cgroup2", controllers[i], mounts->point[i],
			    part, PATH_MAX) != 0)
			mounts->point[i][0] = '\0';
}

bool group_mounts_read(struct group_mounts *mounts)
{
	struct host_env host;
	size_t length;
	host_env_init(&host, "", 1, 0);
	char *const text = host_text(&host.env, "/proc/self/mountinfo", &length);
	if (text)
		group_mounts_parse(mounts, text, length);
	free(text);
	return text;
}

bool group_hierarchy_of(
	const struct group_mounts *mounts, const char *folder, enum group_hierarchy *hierarchy, char below[static PATH_MAX])
{
	size_t longest = 0;
	for (int i = 0; i < GROUP_HIERARCHIES; i++) {
		const size_t length = strlen(mounts->point[i]);
		const char *const rest = length > longest ? linux_cgroup_below(folder, mounts->point[i]) : NULL;
		if (!rest)
			continue;
		longest = length;
		*hierarchy = (enum group_hierarchy)i;
		snprintf(below, PATH_MAX, "%s", rest);
	}
	return longest > 0;
}

bool group_of_process(const struct group_mounts *mounts, const char *text, size_t length, enum group_hierarchy hierarchy,
	char folder[static PATH_MAX])
{
	char path[PATH_MAX];
	return mounts->point[hierarchy][0] && linux_cgroup_parse_own(text, length, controllers[hierarchy], path, sizeof path) &&
	       snprintf(folder, PATH_MAX, "%s%s", mounts->point[hierarchy], strcmp(path, "/") == 0 ? "" : path) < PATH_MAX;
}

/* ---- What is to be in a group ------------------------------------------------------------------------------------------ */

/* Where each actuator looks, the best first; ended by -1. */
static const int tried[ACTUATORS][GROUP_HIERARCHIES + 1] = {
	[ACTUATOR_SIGNALS] = {GROUP_UNIFIED, GROUP_CPUACCT, GROUP_NAMED, GROUP_FREEZER, GROUP_CPU, -1},
	[ACTUATOR_FREEZER] = {GROUP_UNIFIED, GROUP_FREEZER, -1},
	[ACTUATOR_QUOTA] = {GROUP_UNIFIED, GROUP_CPU, -1},
};

static bool has(const char *folder, const char *name)
{
	char path[PATH_MAX];
	return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path && access(path, F_OK) == 0;
}

/* Whether it has the file that such an actuator writes. */
static bool suits(const char *folder, enum actuator actuator)
{
	switch (actuator) {
	case ACTUATOR_FREEZER:
		return has(folder, "cgroup.freeze") || has(folder, "freezer.state");
	case ACTUATOR_QUOTA:
		return has(folder, "cpu.max") || has(folder, "cpu.cfs_quota_us");
	default:
		return true;
	}
}

static int refuse_unsuited(const char *folder, enum actuator actuator, char error[static GROUP_FIND_ERROR_MAX])
{
	snprintf(error, GROUP_FIND_ERROR_MAX, "group %.1000s %s", folder,
		actuator == ACTUATOR_FREEZER
			? "has no freezer (neither cgroup.freeze nor freezer.state): expected -a signals, or the group of the "
			  "hierarchy freezer"
			: "has no quota (neither cpu.max nor cpu.cfs_quota_us): expected -a signals or freezer, the group of the "
			  "hierarchy cpu, or the controller cpu handed down to it, as systemctl set-property UNIT CPUWeight=100 "
			  "does");
	return -1;
}

/* ---- Short names ------------------------------------------------------------------------------------------------------ */

enum kind { UNIT, LXC, CONTAINER };

/* What is looked for, and what was found. */
struct search {
	enum kind kind;
	char name[NAME_MAX + 1];
	char path[PATH_MAX]; /* of where it looks now */
	unsigned depth;
	size_t count; /* of what was found, of which these are kept */
	char found[NAMED_MOST][PATH_MAX];
};

static bool ends_with(const char *text, const char *end)
{
	const size_t length = strlen(text), width = strlen(end);
	return length > width && strcmp(text + length - width, end) == 0;
}

static bool begins_with(const char *text, const char *beginning)
{
	return strncmp(text, beginning, strlen(beginning)) == 0;
}

static bool is_of_a_manager(const char *name)
{
	return ends_with(name, ".slice") || (begins_with(name, "user@") && ends_with(name, ".service"));
}

/* Whether a name is an ID that begins as the one that is looked for, up to the end that such names have. */
static bool is_id(const char *name, const char *beginning, const char *end)
{
	size_t length = 0;
	while (isxdigit((unsigned char)name[length]))
		length++;
	return length == ID_LENGTH && strcmp(name + length, end) == 0 && begins_with(name, beginning);
}

static bool is_container(const char *name, const char *parent, const char *beginning)
{
	static const char *const scopes[] = {"docker-", "libpod-", "crio-", "cri-containerd-"};
	for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++)
		if (begins_with(name, scopes[i]) &&
			(is_id(name + strlen(scopes[i]), beginning, ".scope") || is_id(name + strlen(scopes[i]), beginning, "")))
			return true;
	return is_id(name, beginning, "") && (strcmp(parent, "docker") == 0 || begins_with(parent, "pod"));
}

static bool is_wanted(const struct search *search, const char *name, const char *parent)
{
	if (search->kind == UNIT)
		return strcmp(name, search->name) == 0;
	if (search->kind == CONTAINER)
		return is_container(name, parent, search->name);
	if (strcmp(parent, "lxc") == 0 || strcmp(parent, "lxc.payload") == 0)
		return strcmp(name, search->name) == 0;
	return begins_with(name, "lxc.payload.") && strcmp(name + strlen("lxc.payload."), search->name) == 0;
}

static void look_into(const char *folder, void *context)
{
	struct search *const search = context;
	const char *const name = group_name(folder);
	char parent[NAME_MAX + 1] = "";
	const size_t length = strlen(folder) - strlen(name);
	const char *at = folder + length - 1;
	while (at > folder && at[-1] != '/')
		at--;
	snprintf(parent, sizeof parent, "%.*s", (int)(folder + length - 1 - at), at);
	if (is_wanted(search, name, parent)) {
		if (search->count < NAMED_MOST)
			snprintf(search->found[search->count], PATH_MAX, "%s", folder);
		search->count++;
		return;
	}
	if (search->depth >= DEPTH_MOST || (search->kind == UNIT && !is_of_a_manager(name)))
		return;
	search->depth++;
	group_each(folder, "", look_into, search);
	search->depth--;
}

static const struct {
	const char *prefix, *what;
} kinds[] = {
	[UNIT] = {"unit:", "unit"}, [LXC] = {"lxc:", "LXC container"}, [CONTAINER] = {"container:", "container with the ID"}};

bool group_name_is_short(const char *name)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (begins_with(name, kinds[i].prefix))
			return true;
	return false;
}

/* The name as groups have it. False where it is none. */
static bool take_name(struct search *search, const char *name)
{
	static const char *const endings[] = {".service", ".scope", ".slice", ".socket", ".mount", ".swap"};
	bool whole = search->kind != UNIT;
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
		whole = whole || ends_with(name, endings[i]);
	if (!*name || strchr(name, '/') ||
		snprintf(search->name, sizeof search->name, "%s%s", name, whole ? "" : ".service") >= (int)sizeof search->name)
		return false;
	if (search->kind == CONTAINER)
		return strspn(name, "0123456789abcdef") == strlen(name);
	return true;
}

static int refuse_several(const struct search *search, const char *text, char error[static GROUP_FIND_ERROR_MAX])
{
	int used = snprintf(
		error, GROUP_FIND_ERROR_MAX, "'%.200s' is %zu groups: expected the path of one of them:", text, search->count);
	for (size_t i = 0; i < search->count && i < NAMED_MOST && used < GROUP_FIND_ERROR_MAX; i++)
		used += snprintf(error + used, GROUP_FIND_ERROR_MAX - (size_t)used, " %s", search->found[i]);
	return -1;
}

static int find_short(const struct group_mounts *mounts, enum kind kind, const char *text, enum actuator actuator,
	char folder[static PATH_MAX], char error[static GROUP_FIND_ERROR_MAX])
{
	struct search *const search = calloc(1, sizeof *search);
	int result = -1;
	bool seen = false;
	snprintf(error, GROUP_FIND_ERROR_MAX, "%s", strerror(ENOMEM));
	if (!search)
		return -1;
	search->kind = kind;
	if (!take_name(search, text + strlen(kinds[kind].prefix))) {
		snprintf(error, GROUP_FIND_ERROR_MAX, "'%.200s': expected %s", text,
			kind == CONTAINER ? "the ID of a container or its beginning, as docker ps and podman ps show it, in 0 to "
					    "9 and a to f"
					  : "a name");
		free(search);
		return -1;
	}
	for (const int *at = tried[actuator]; *at >= 0 && result != 0; at++) {
		search->count = 0;
		if (mounts->point[*at][0])
			group_each(mounts->point[*at], "", look_into, search);
		if (search->count > 1) {
			result = refuse_several(search, text, error);
			break;
		}
		if (search->count == 0)
			continue;
		seen = true;
		strcpy(folder, search->found[0]);
		if (suits(folder, actuator))
			result = 0;
		else
			refuse_unsuited(folder, actuator, error);
	}
	if (!seen && search->count == 0)
		snprintf(error, GROUP_FIND_ERROR_MAX, "there is no control group of %s %.200s: expected one that runs",
			kinds[kind].what, search->name);
	free(search);
	return result;
}

/* ---- Paths ------------------------------------------------------------------------------------------------------------ */

static bool is_group(const char *folder)
{
	return has(folder, "cgroup.procs");
}

int group_find(const struct group_mounts *mounts, const char *name, enum actuator actuator, char folder[static PATH_MAX],
	char error[static GROUP_FIND_ERROR_MAX])
{
	char path[PATH_MAX];
	bool seen = false;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (begins_with(name, kinds[i].prefix))
			return find_short(mounts, (enum kind)i, name, actuator, folder, error);
	const char *rest = name;
	while (*rest == '/')
		rest++;
	if (!*rest || linux_cgroup_climbs(name) || begins_with(rest, "../")) {
		snprintf(error, GROUP_FIND_ERROR_MAX,
			"'%.200s': expected the path of a control group, without '..', or unit:NAME, lxc:NAME or container:ID",
			name);
		return -1;
	}
	if (name[0] == '/' && is_group(name) && realpath(name, folder)) {
		if (suits(folder, actuator))
			return 0;
		return refuse_unsuited(folder, actuator, error);
	}
	for (const int *at = tried[actuator]; *at >= 0; at++) {
		if (!mounts->point[*at][0] || snprintf(path, sizeof path, "%s/%s", mounts->point[*at], rest) >= PATH_MAX ||
			!is_group(path) || !realpath(path, folder))
			continue;
		seen = true;
		if (suits(folder, actuator))
			return 0;
		refuse_unsuited(folder, actuator, error);
	}
	if (!seen)
		snprintf(error, GROUP_FIND_ERROR_MAX,
			"'%.1000s' is no control group: expected the path of one that is there, below a mount point such as "
			"%.500s",
			name, mounts->point[GROUP_UNIFIED][0] ? mounts->point[GROUP_UNIFIED] : "/sys/fs/cgroup");
	return -1;
}
