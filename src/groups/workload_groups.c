/* SPDX-License-Identifier: MIT */
/*
 * Version 1 makes a difference: what is frozen there isn't even killed before it is thawed. So whoever kills thaws, and does so again
 * until nothing is left. Groups are found by looking into the run's folder and not by number: a survivor needs to know nothing else, and
 * groups that a workload has made in its own, as another showstopper does, are found as well.
 */
#include "groups/workload_groups.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "groups/group_record.h"
#include "groups/group_tree.h"
#include "processes/descendants.h"
#include "self/records.h"

#define PREFIX "showstopper-"
/* What is being killed is released again so often; longer than descendants_kill waits for what it may not signal. */
#define RELEASE_EVERY_NS (250 * NS_PER_MS)
/* How long a group may take to be empty whose processes have ended. */
#define REMOVE_LIMIT_NS (500 * NS_PER_MS)
/* How long what a dead run left may take to die. */
#define SWEEP_LIMIT_NS (2 * NS_PER_S)
/* Folders of that name: left in a container that has the same groups, and other numbers of processes. */
#define MAKE_TRIES 10

struct workload_groups *workload_groups_new(void)
{
	struct workload_groups *const groups =
		mmap(NULL, sizeof *groups, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (groups == MAP_FAILED)
		return NULL;
	groups->guardian = getpid();
	return groups;
}

void workload_groups_free(struct workload_groups *groups)
{
	if (groups)
		munmap(groups, sizeof *groups);
}

/* ---- All groups of a run ---------------------------------------------------------------------------------------------- */

/* The group of a workload; false with errno where there is none, or its name is too long. */
static bool path_of(const struct workload_groups *groups, unsigned index, char path[static PATH_MAX])
{
	errno = groups->folder[0] ? ENAMETOOLONG : ENOENT;
	return groups->folder[0] && snprintf(path, PATH_MAX, "%s/%u", groups->folder, index) < PATH_MAX;
}

void workload_groups_release_one(const struct workload_groups *groups, unsigned index)
{
	char path[PATH_MAX];
	if (path_of(groups, index, path))
		group_tree_release(path);
}

/* Kills descendants, some of which may be held in that folder. */
static bool kill_held(const char *folder, int64_t deadline_ns)
{
	for (;;) {
		group_tree_release(folder);
		const int64_t next_ns = clock_now() + RELEASE_EVERY_NS;
		const int64_t limit_ns = next_ns < deadline_ns ? next_ns : deadline_ns;
		if (descendants_kill(limit_ns))
			return true;
		if (clock_now() < limit_ns || limit_ns == deadline_ns)
			return false;
	}
}

bool workload_groups_kill_one(const struct workload_groups *groups, unsigned index, int64_t deadline_ns)
{
	char path[PATH_MAX];
	return path_of(groups, index, path) ? kill_held(path, deadline_ns) : descendants_kill(deadline_ns);
}

bool workload_groups_kill(const struct workload_groups *groups, int64_t deadline_ns)
{
	return groups->folder[0] ? kill_held(groups->folder, deadline_ns) : descendants_kill(deadline_ns);
}

/* ---- The run's own processes ------------------------------------------------------------------------------------------ */

/*
 * Version 2 limits groups only below one that has no processes itself, but for the root. So the processes of the run go into a leaf beside
 * the groups of the workloads, and back in the end.
 */
#define LEAF "self"

static int move_process(const char *folder, pid_t pid)
{
	char number[16];
	snprintf(number, sizeof number, "%d", (int)pid);
	return group_write(folder, "cgroup.procs", number);
}

static void move_member(pid_t pid, void *folder)
{
	move_process(folder, pid);
}

/* The leaf and the folder in which a run's is made; false where the names are too long. */
static bool find_own(const char *folder, char leaf[static PATH_MAX], char parent[static PATH_MAX])
{
	const char *const slash = strrchr(folder, '/');
	return slash && snprintf(leaf, PATH_MAX, "%s/" LEAF, folder) < PATH_MAX &&
	       snprintf(parent, PATH_MAX, "%.*s", (int)(slash - folder), folder) < PATH_MAX;
}

/* Also what groups below hand down, of a run within the workload, keeps the controller here and the processes out of the parent. */
static void move_back(const struct workload_groups *groups)
{
	char parent[PATH_MAX], leaf[PATH_MAX];
	if (!groups->moved || !find_own(groups->folder, leaf, parent))
		return;
	group_tree_keep_controller(groups->folder);
	group_write(parent, "cgroup.subtree_control", "-cpu");
	group_each_member(leaf, move_member, parent);
}

/* Hands the controller down to the workloads' groups. 0, or -1 with errno; workload_groups_remove undoes what is done by then. */
static int get_controller(struct workload_groups *groups, const struct group_place *place)
{
	char leaf[PATH_MAX];
	if (!place->unified || place->actuator != ACTUATOR_QUOTA)
		return 0;
	if (!place->is_root) {
		if (snprintf(leaf, sizeof leaf, "%s/" LEAF, groups->folder) >= (int)sizeof leaf || mkdir(leaf, 0755) != 0)
			return -1;
		groups->moved = true;
		if (move_process(leaf, getpid()) != 0 || (place->guardian && move_process(leaf, place->guardian) != 0))
			return -1;
	}
	return group_write(place->folder, "cgroup.subtree_control", "+cpu") != 0
		       ? -1
		       : group_write(groups->folder, "cgroup.subtree_control", "+cpu");
}

/* ---- Removing them ---------------------------------------------------------------------------------------------------- */

static void remove_one(const char *path, void *context)
{
	(void)context;
	group_tree_remove(path);
}

/* True while it is still there. `inside`: the folder, which may have another name there. */
static bool remove_folder(const char *folder, const char *inside)
{
	group_each(inside, "", remove_one, NULL);
	return rmdir(folder) != 0 && access(folder, F_OK) == 0;
}

void workload_groups_leave(const struct workload_groups *groups, unsigned index, bool last)
{
	char path[PATH_MAX];
	if (!path_of(groups, index, path))
		return;
	group_tree_remove(path);
	if (last && rmdir(groups->folder) == 0)
		records_remove(groups->record);
}

/* Not the run's own processes, which are its to end. */
static void kill_workload(const char *path, void *context)
{
	(void)context;
	if (strcmp(group_name(path), LEAF) != 0)
		group_tree_kill(path, NULL);
}

static void remove_until(const struct workload_groups *groups, int64_t deadline_ns, bool kills)
{
	if (!groups->folder[0])
		return;
	for (;;) {
		/* Killed before they are released, so that none of them goes on. */
		if (kills)
			group_each(groups->folder, "", kill_workload, NULL);
		move_back(groups);
		if (kills)
			group_tree_release(groups->folder);
		if (!remove_folder(groups->folder, groups->folder)) {
			records_remove(groups->record);
			return;
		}
		if (clock_now() >= deadline_ns)
			return;
		clock_sleep_until(clock_now() + NS_PER_MS);
	}
}

void workload_groups_clear(const struct workload_groups *groups, int64_t deadline_ns)
{
	remove_until(groups, deadline_ns, true);
}

void workload_groups_remove(struct workload_groups *groups)
{
	remove_until(groups, clock_now() + REMOVE_LIMIT_NS, false);
	groups->folder[0] = '\0';
}

/* ---- What dead runs have left ----------------------------------------------------------------------------------------- */

/*
 * By its descriptor: a user who may write the folder around it, and need not be this one, can give the name to another group of version 1 at
 * any time.
 */
bool workload_groups_clear_left(const char *folder, const struct group_id *id, size_t *killed)
{
	const int64_t deadline_ns = clock_now() + SWEEP_LIMIT_NS;
	char inside[32], parent[PATH_MAX], leaf[PATH_MAX];
	struct group_killed list = {0};
	bool is_there = true;
	const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	snprintf(inside, sizeof inside, "/proc/self/fd/%d", fd);
	/* Groups below one that hands the controller down and has processes, as ours are there now, could take none. */
	const bool handed = find_own(folder, leaf, parent) && faccessat(fd, LEAF, F_OK, 0) == 0;
	while (fd >= 0 && group_is(inside, id)) {
		const bool found = group_tree_kill(inside, &list);
		if (handed) {
			group_tree_keep_controller(inside);
			group_write(parent, "cgroup.subtree_control", "-cpu");
		}
		/* Else whoever is there can't be seen, and killed, from this PID namespace, and would go on. */
		if (found)
			group_tree_release(inside);
		is_there = remove_folder(folder, inside);
		if (!is_there || clock_now() >= deadline_ns)
			break;
		clock_sleep_until(clock_now() + NS_PER_MS);
	}
	if (fd >= 0)
		close(fd);
	*killed = list.count;
	group_killed_free(&list);
	return !is_there;
}

/* ---- Making them ------------------------------------------------------------------------------------------------------ */

/* Under the claims' lock: a folder without an identity in its record is that of a dead run. False with errno. */
static bool make_folder(struct workload_groups *groups)
{
	struct group_keeper keeper;
	if (group_keeper_open_own(&keeper, groups->folder) != 0)
		return false;
	strcpy(groups->record, keeper.path);
	if (mkdir(groups->folder, 0755) == 0 && group_identify(groups->folder, &keeper.record->id)) {
		/* The file stays open, and locked, until the last process of the run ends. */
		munmap(keeper.record, sizeof *keeper.record);
		return true;
	}
	const int error = errno;
	records_remove(groups->record);
	groups->record[0] = '\0';
	group_keeper_close(&keeper);
	errno = error;
	return false;
}

int workload_groups_make(struct workload_groups *groups, const struct group_place *place)
{
	bool is_made = false;
	groups->actuator = place->actuator;
	groups->unified = place->unified;
	groups->moved = false;
	if (place->actuator == ACTUATOR_SIGNALS)
		return 0;
	const int lock = records_lock(true);
	errno = EEXIST;
	for (int i = 0; !is_made && i < MAKE_TRIES && errno == EEXIST; i++) {
		/* Before it is made: whichever survives looks for it. */
		if (snprintf(groups->folder, sizeof groups->folder, "%s/" PREFIX "%d-%d", place->folder, (int)groups->guardian,
			    i) >= (int)sizeof groups->folder)
			errno = ENAMETOOLONG;
		else
			is_made = make_folder(groups);
	}
	const int error = errno;
	records_unlock(lock);
	errno = error;
	if (is_made)
		return get_controller(groups, place);
	groups->folder[0] = '\0';
	return -1;
}

/* ---- The group of one workload ---------------------------------------------------------------------------------------- */

/* Opens what its executor writes and reads. 0, or -1 with errno. */
static int open_group(struct workload_group *group, const char *path, enum actuator actuator)
{
	const bool unified = group->unified;
	const bool limits = actuator == ACTUATOR_QUOTA;
	const char *const control = !limits ? group_freezer_file(unified) : unified ? "cpu.max" : "cpu.cfs_quota_us";
	group->members = group_open(path, "cgroup.procs", O_WRONLY);
	group->control = group_open(path, control, limits ? O_RDWR : O_WRONLY);
	if (limits)
		group->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (limits && !unified)
		group->period = group_open(path, "cpu.cfs_period_us", O_WRONLY);
	return group->members < 0 || group->control < 0 || (limits && group->folder < 0) ||
			       (limits && !unified && group->period < 0)
		       ? -1
		       : 0;
}

int workload_group_make(struct workload_group *group, const struct workload_groups *groups, unsigned index)
{
	char path[PATH_MAX];
	*group = WORKLOAD_GROUP_NONE;
	group->unified = groups->unified;
	if (!path_of(groups, index, path) || mkdir(path, 0755) != 0)
		return -1;
	if (open_group(group, path, groups->actuator) == 0)
		return 0;
	const int saved = errno;
	workload_group_close(group);
	rmdir(path);
	errno = saved;
	return -1;
}

void workload_group_close(struct workload_group *group)
{
	const int fds[] = {group->members, group->control, group->period, group->folder};
	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	*group = WORKLOAD_GROUP_NONE;
}

int workload_group_enter(const struct workload_group *group)
{
	return group_write_to(group->members, "0");
}

int workload_group_freeze(const struct workload_group *group, bool freeze)
{
	return group_write_to(group->control, group_freezer_word(group->unified, freeze));
}

/* -1: there is none, or it is "max". */
static long long read_number(int fd)
{
	char text[48];
	const ssize_t length = pread(fd, text, sizeof text - 1, 0);
	text[length > 0 ? length : 0] = '\0';
	return text[0] >= '0' && text[0] <= '9' ? strtoll(text, NULL, 10) : -1;
}

static long long number_of(const char *folder, const char *name)
{
	const int fd = group_open(folder, name, O_RDONLY);
	const long long number = fd < 0 ? -1 : read_number(fd);
	if (fd >= 0)
		close(fd);
	return number;
}

/*
 * Version 1 refuses what is less than a group below has, as that of a run within the workload. Its limit goes then: it isn't the one that
 * counts any more.
 */
static void free_below(const char *path, void *most)
{
	group_each(path, "", free_below, most);
	if ((double)number_of(path, "cpu.cfs_quota_us") > *(const double *)most * (double)number_of(path, "cpu.cfs_period_us"))
		group_write(path, "cpu.cfs_quota_us", "-1");
}

/* Version 1 has a file for each, of which the quota must be the one that is written in any case: it hands out what is new. */
static int limit_in_two(struct workload_group *group, int64_t quota_us, int64_t period_ns)
{
	char text[32], path[32];
	if (quota_us >= 0 && period_ns != group->period_ns) {
		/* Between the two, the quota is that of another period. */
		group_write_to(group->control, "-1");
		snprintf(text, sizeof text, "%lld", (long long)(period_ns / NS_PER_US));
		if (group_write_to(group->period, text) != 0)
			return -1;
		group->period_ns = period_ns;
	}
	snprintf(text, sizeof text, "%lld", (long long)quota_us);
	if (group_write_to(group->control, text) == 0)
		return 0;
	if (errno != EINVAL || group->found)
		return -1;
	snprintf(path, sizeof path, "/proc/self/fd/%d", group->folder);
	double share = (double)quota_us * (double)NS_PER_US / (double)period_ns;
	group_each(path, "", free_below, &share);
	/* What is refused still is more than a group above has, whose limit then is the one that counts. */
	return group_write_to(group->control, text) == 0 ? 0 : group_write_to(group->control, "-1");
}

static int64_t quota_us_of(const struct bandwidth *limit)
{
	return limit->quota_ns ? limit->quota_ns / NS_PER_US : -1;
}

bool workload_group_is_limited(const struct workload_group *group, const struct bandwidth *limit)
{
	return read_number(group->control) == quota_us_of(limit);
}

int workload_group_limit(struct workload_group *group, const struct bandwidth *limit)
{
	const int64_t quota_us = quota_us_of(limit);
	char text[48];
	if (!group->unified)
		return limit_in_two(group, quota_us, limit->period_ns);
	if (quota_us < 0)
		return group_write_to(group->control, "max");
	snprintf(text, sizeof text, "%lld %lld", (long long)quota_us, (long long)(limit->period_ns / NS_PER_US));
	return group_write_to(group->control, text);
}

size_t workload_group_count(const struct workload_group *group, size_t most)
{
	char text[4096];
	/* Opened anew: version 1 goes on showing what was read first to who reads often. */
	const int fd = openat(group->folder, group->unified ? "cgroup.threads" : "tasks", O_RDONLY | O_CLOEXEC);
	const ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text);
	size_t count = 0;
	if (fd >= 0)
		close(fd);
	for (ssize_t i = 0; i < length && count < most; i++)
		count += text[i] == '\n';
	return count > 0 && length < (ssize_t)sizeof text ? count : most;
}
