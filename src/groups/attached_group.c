/* SPDX-License-Identifier: MIT */
#include "groups/attached_group.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/units.h"
#include "groups/group_find.h"
#include "groups/group_tree.h"
#include "processes/descendants.h"
#include "self/host.h"
#include "self/host_text.h"
#include "self/source.h"

/* ---- Members ---------------------------------------------------------------------------------------------------------- */

struct walk {
	linux_process_met *met;
	void *context;
	int result;
};

static void meet(pid_t pid, void *context)
{
	struct walk *const walk = context;
	if (walk->result == 0)
		walk->result = walk->met(pid, walk->context);
}

static void walk_below(const char *path, void *walk)
{
	group_each_member(path, meet, walk);
	group_each(path, "", walk_below, walk);
}

static int each_in_folder(const char *folder, linux_process_met *met, void *context)
{
	struct walk walk = {.met = met, .context = context};
	walk_below(folder, &walk);
	return walk.result;
}

static int each_member(const struct attached_group *group, linux_process_met *met, void *context)
{
	/* Those of one that was made again aren't its own. */
	return group_is(group->folder, &group->id) ? each_in_folder(group->folder, met, context) : 0;
}

/* ---- What it has used -------------------------------------------------------------------------------------------------- */

static bool read_usage(int fd, enum linux_cgroup_format format, int64_t *ns)
{
	char text[4096];
	uint64_t used;
	const ssize_t length = linux_source_read_record(fd, text, sizeof text, NULL);
	if (length <= 0 || linux_cgroup_usage_parse(format, text, (size_t)length, &used, 1) != 1)
		return false;
	*ns = (int64_t)used;
	return true;
}

int64_t attached_group_used(int usage, enum linux_cgroup_format format, _Atomic int64_t *last)
{
	int64_t ns;
	if (read_usage(usage, format, &ns))
		atomic_store(last, ns);
	return atomic_load(last);
}

static int is_this(pid_t pid, void *wanted)
{
	return pid == *(const pid_t *)wanted;
}

static int is_member(pid_t pid, void *group)
{
	return each_member(group, is_this, &pid);
}

static bool try_usage(struct attached_group *group, const char *folder, bool unified)
{
	int64_t ignored;
	group->format = unified ? LINUX_CGROUP_V2 : LINUX_CGROUP_V1;
	group->usage = group_open(folder, unified ? "cpu.stat" : "cpuacct.usage", O_RDONLY);
	if (group->usage >= 0 && read_usage(group->usage, group->format, &ignored))
		return true;
	if (group->usage >= 0)
		close(group->usage);
	group->usage = -1;
	return false;
}

/* In the group itself, or in one of the same name that has some of the same processes. */
static bool open_usage(struct attached_group *group, const struct group_mounts *mounts, const char *below)
{
	static const enum group_hierarchy counting[] = {GROUP_UNIFIED, GROUP_CPUACCT};
	char folder[PATH_MAX];
	if (try_usage(group, group->folder, group->unified))
		return true;
	for (size_t i = 0; i < sizeof counting / sizeof *counting; i++)
		if (mounts->point[counting[i]][0] &&
			snprintf(folder, sizeof folder, "%s%s", mounts->point[counting[i]], below) < (int)sizeof folder &&
			each_in_folder(folder, is_member, group) != 0 && try_usage(group, folder, counting[i] == GROUP_UNIFIED))
			return true;
	return false;
}

/* ---- What is refused --------------------------------------------------------------------------------------------------- */

static int refuse(const char *name, const char *why)
{
	return diag_refuse("--attach-group: %s: %s", name, why);
}

/* What all members are looked at for. */
struct inspection {
	const char *name;
	enum actuator actuator;
	const struct attached *attached; /* processes that are attached themselves, */
	unsigned before;                 /* so many */
	struct process first;            /* one of the members */
	const struct group_mounts *mounts;
	char *groups; /* what /proc/PID/cgroup said of the last member that was looked at */
};

/* The group itself or above that a run has claimed, into `claimed`; false where there is none. */
static bool find_claim_above(const char *folder, char claimed[static PATH_MAX])
{
	struct group_id id;
	snprintf(claimed, PATH_MAX, "%s", folder);
	for (char *slash; group_identify(claimed, &id) && (slash = strrchr(claimed, '/')) && slash > claimed; *slash = '\0')
		if (group_is_claimed(&id))
			return true;
	return false;
}

static void look_for_claim(const char *path, void *context)
{
	char *const claimed = context;
	struct group_id id;
	if (!*claimed && group_identify(path, &id) && group_is_claimed(&id))
		snprintf(claimed, PATH_MAX, "%s", path);
	group_each(path, "", look_for_claim, claimed);
}

/*
 * A group that a run has claimed and a process is in, whatever the hierarchy and however far above, into `claimed`. `last` has the text of the
 * process before, or NULL, and receives that of this one: what is in the same groups needs no second look.
 */
static bool find_claim_of(pid_t pid, const struct group_mounts *mounts, char **last, char claimed[static PATH_MAX])
{
	char path[64], folder[PATH_MAX];
	struct host_env host;
	size_t length;
	bool found = false;
	host_env_init(&host, "", 1, 0);
	snprintf(path, sizeof path, "/proc/%d/cgroup", (int)pid);
	char *const text = host_text(&host.env, path, &length);
	const bool is_new = text && (!*last || strcmp(*last, text) != 0);
	for (int i = 0; is_new && i < GROUP_HIERARCHIES && !found; i++)
		found = group_of_process(mounts, text, length, (enum group_hierarchy)i, folder) &&
			find_claim_above(folder, claimed);
	free(*last);
	*last = text;
	return found;
}

static bool is_ancestor(pid_t pid)
{
	struct linux_process process;
	pid_t at = getpid();
	while (at > 0 && at != pid)
		at = linux_process_read(at, &process) == 0 ? process.parent : 0;
	return at > 0;
}

/* 1 where it is to be refused, and was told. */
static int inspect(pid_t pid, void *context)
{
	struct inspection *const inspection = context;
	const char *const name = inspection->name;
	struct linux_process now;
	struct process process;
	char claimed[PATH_MAX];
	if (pid == getpid())
		return -refuse(name, "Showstopper is in it: expected a group without itself, not one above its own either");
	if (pid == 1)
		return -refuse(name, "the first process of the system is in it: expected a group that may stand still");
	if (is_ancestor(pid))
		return -diag_refuse(
			"--attach-group: %s: process %d in it is an ancestor of Showstopper: expected a group without these "
			"(another terminal, or systemd-run --scope)",
			name, (int)pid);
	pid_t other = attached_elsewhere(pid);
	for (unsigned i = 0; other && i < inspection->before; i++)
		if (inspection->attached[i].process.pid == other)
			return -diag_refuse("--attach-group: %s: process %d in it is attached by --attach, too", name, (int)pid);
	if (other)
		return -diag_refuse(
			"--attach-group: %s: process %d in it is attached to another run of showstopper, or descends from "
			"such a one",
			name, (int)pid);
	if (find_claim_of(pid, inspection->mounts, &inspection->groups, claimed))
		return -diag_refuse("--attach-group: %s: another run of showstopper holds %s, which process %d in it is in, too: "
				    "expected one at a time",
			name, claimed, (int)pid);
	other = run_mark_find(pid);
	if (other)
		return -diag_refuse(
			"--attach-group: %s: process %d in it is one of another run of showstopper, or was started by its "
			"process %d",
			name, (int)pid, (int)other);
	if (process_take(&process, pid, &now) != 0)
		return 0;
	if (now.flags & LINUX_PROCESS_KERNEL) {
		process_release(&process);
		return -diag_refuse("--attach-group: %s: process %d in it is a kernel thread", name, (int)pid);
	}
	/* A freezer asks for nobody's rights. */
	if (inspection->actuator != ACTUATOR_FREEZER && process_signal(&process, 0) != 0 && errno == EPERM) {
		process_release(&process);
		return -diag_refuse("--attach-group: %s: process %d in it may not be signalled by this user: expected root, or "
				    "the user whose "
				    "processes they are",
			name, (int)pid);
	}
	if (inspection->first.pid || linux_process_has_ended(&now))
		process_release(&process);
	else
		inspection->first = process;
	return 0;
}

static const char *control_of(enum actuator actuator, bool unified)
{
	return actuator == ACTUATOR_FREEZER ? group_freezer_file(unified) : unified ? "cpu.max" : "cpu.cfs_quota_us";
}

static void look_for_limit(const char *path, void *context)
{
	bool *const found = context;
	char quota[GROUP_LIMIT_MAX];
	group_quota_read(path, false, quota);
	*found = *found || (quota[0] >= '1' && quota[0] <= '9');
	group_each(path, "", look_for_limit, found);
}

/* What of the group itself is in the way. 0, or -1 after a message. */
static int refuse_group(const struct attached_group *group, const char *name, enum actuator actuator)
{
	char type[32] = "";
	bool limits_below = false;
	if (group->unified)
		linux_source_line(group->folder, "/cgroup.type", type, sizeof type);
	if (strcmp(type, "threaded") == 0 || strcmp(type, "domain invalid") == 0)
		return refuse(name,
			"it is a threaded group, which has threads and no processes: expected the group above it whose "
			"cgroup.type is \"domain threaded\"");
	if (actuator == ACTUATOR_SIGNALS)
		return 0;
	const char *const file = control_of(actuator, group->unified);
	if (!group_may_write(group->folder, file))
		return diag_refuse("--attach-group: %s: %s may not be written by this user: expected root, a unit with "
				   "Delegate=yes and this "
				   "User=, or -a signals",
			name, file);
	if (actuator == ACTUATOR_QUOTA && !group->unified)
		group_each(group->folder, "", look_for_limit, &limits_below);
	return limits_below
		       ? refuse(name,
				 "groups in it have quotas of their own, below which version 1 lets none be set: expected -a "
				 "signals or freezer")
		       : 0;
}

/* ---- Opening ----------------------------------------------------------------------------------------------------------- */

static int open_one(struct attached *entry, struct inspection *inspection, const struct group_mounts *mounts)
{
	const char *const name = inspection->name;
	struct attached_group *const group = entry->group;
	char error[GROUP_FIND_ERROR_MAX], below[PATH_MAX] = "", claimed[PATH_MAX] = "";
	enum group_hierarchy hierarchy = GROUP_UNIFIED;
	if (group_find(mounts, name, inspection->actuator, group->folder, error) != 0)
		return diag_refuse("--attach-group: %s", error);
	if (!group_hierarchy_of(mounts, group->folder, &hierarchy, below) || !group_identify(group->folder, &group->id))
		return refuse(name, "it is below no mount point of control groups");
	group->unified = hierarchy == GROUP_UNIFIED;
	if (refuse_group(group, name, inspection->actuator) != 0)
		return -1;
	/* Also one that nobody is in. */
	group_each(group->folder, "", look_for_claim, claimed);
	if (*claimed || find_claim_above(group->folder, claimed))
		return diag_refuse(
			"--attach-group: %s: another run of showstopper holds %s: expected one at a time", name, claimed);
	if (each_member(group, inspect, inspection) != 0)
		return -1;
	entry->process = inspection->first;
	if (!entry->process.pid)
		return refuse(name, "it has no processes that can be seen from here: expected something that runs in it");
	if (!open_usage(group, mounts, below))
		return refuse(name,
			"nothing counts its processor time: expected cpu.stat with usage_usec, or a group of that name with "
			"cpuacct.usage and the same processes");
	snprintf(entry->name, sizeof entry->name, "%s", group_name(group->folder));
	if (group_keeper_open(&group->keeper, group->folder, group->unified, &group->id) != 0)
		return refuse(name, errno == EEXIST
					    ? "a run that was killed has left it held: expected showstopper --release first"
					    : strerror(errno));
	if (!group->keeper.path[0])
		return refuse(name,
			"there is no folder, or no room, for the file by which it is claimed and given back: expected "
			"$XDG_RUNTIME_DIR or $TMPDIR to be a folder of this user");
	entry->table = group->keeper.file;
	return 0;
}

/* A process that is attached itself, or one below it, in a group that another run holds. 0, or -1 after a message. */
static int refuse_held(pid_t pid, const struct group_mounts *mounts)
{
	char claimed[PATH_MAX], *text = NULL;
	struct descendants below = {0};
	pid_t held = find_claim_of(pid, mounts, &text, claimed) ? pid : 0;
	descendants_list(pid, &below);
	for (size_t i = 0; !held && i < below.count; i++)
		if (find_claim_of(below.item[i].process.pid, mounts, &text, claimed))
			held = below.item[i].process.pid;
	descendants_free(&below);
	free(text);
	return held ? diag_refuse("--attach: process %d is in the group %s, which another run of showstopper holds", (int)held,
			      claimed)
		    : 0;
}

int attached_groups_open(
	struct attached *attached, unsigned before, const char *const *name, unsigned count, const char *actuator)
{
	struct group_mounts *const mounts = malloc(sizeof *mounts);
	int result = 0;
	if (!mounts || !group_mounts_read(mounts)) {
		result = count ? refuse(name[0], strerror(errno)) : 0;
		free(mounts);
		return result;
	}
	for (unsigned i = 0; i < before && result == 0; i++)
		result = refuse_held(attached[i].process.pid, mounts);
	for (unsigned i = 0; i < count && result == 0; i++) {
		struct attached *const entry = &attached[before + i];
		/* Another name is refused with the other modules. */
		const enum actuator found = actuator_find(actuator);
		struct inspection inspection = {.name = name[i],
			.actuator = found < ACTUATORS ? found : ACTUATOR_SIGNALS,
			.attached = attached,
			.before = before,
			.first = PROCESS_NONE,
			.mounts = mounts};
		entry->group = calloc(1, sizeof *entry->group);
		entry->each = each_member;
		if (!entry->group) {
			result = refuse(name[i], strerror(ENOMEM));
			break;
		}
		entry->group->usage = -1;
		entry->group->keeper = GROUP_KEEPER_NONE;
		result = open_one(entry, &inspection, mounts);
		free(inspection.groups);
		if (result != 0 && !entry->process.pid)
			process_release(&inspection.first);
	}
	free(mounts);
	if (result != 0) {
		attached_groups_forget(attached + before, count);
		attached_groups_close(attached + before, count);
	}
	return result;
}

void attached_groups_forget(const struct attached *attached, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (attached[i].group)
			group_keeper_remove(&attached[i].group->keeper);
}

void attached_groups_close(struct attached *attached, unsigned count)
{
	for (unsigned i = 0; attached && i < count; i++) {
		struct attached_group *const group = attached[i].group;
		if (!group)
			continue;
		if (group->usage >= 0)
			close(group->usage);
		group_keeper_close(&group->keeper);
		free(group);
		attached[i].group = NULL;
		attached[i].table = -1; /* the keeper's */
	}
}

/* ---- Holding ----------------------------------------------------------------------------------------------------------- */

int attached_group_grip(struct workload_group *grip, struct attached_group *group, enum actuator actuator)
{
	*grip = WORKLOAD_GROUP_NONE;
	grip->unified = group->unified;
	grip->found = true;
	if (actuator == ACTUATOR_SIGNALS)
		return 0;
	grip->control = group_open(group->folder, control_of(actuator, group->unified), O_RDWR);
	if (actuator == ACTUATOR_QUOTA)
		grip->folder = open(group->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (actuator == ACTUATOR_QUOTA && !group->unified)
		grip->period = group_open(group->folder, "cpu.cfs_period_us", O_WRONLY);
	return grip->control < 0 || (actuator == ACTUATOR_QUOTA && grip->folder < 0) ? -1 : 0;
}

int attached_group_freeze(const struct attached_group *group, struct workload_group *grip, bool freeze)
{
	struct group_record *const record = group->keeper.record;
	/* Who gives it back for a run that ends may do so while we freeze it, and say last that it isn't. */
	const bool ours = grip->froze || atomic_load(&record->frozen);
	if (ours ? false : !freeze || group_is_frozen(group->folder, group->unified))
		return 0;
	/* Before it is: who survives lets it go. */
	atomic_store(&record->frozen, true);
	grip->froze = freeze;
	const int result = workload_group_freeze(grip, freeze);
	if (!freeze)
		atomic_store(&record->frozen, false);
	return result;
}

/* In processors; 0: none. */
static double limit_by_others(const struct group_record *record)
{
	if (record->unified)
		return linux_cgroup_parse_max(record->limit[0], strlen(record->limit[0]));
	const double quota = strtod(record->limit[0], NULL), period = strtod(record->limit[1], NULL);
	return quota > 0 && period > 0 ? quota / period : 0;
}

/* As the group will show it. */
static void announce(struct group_record *record, const struct bandwidth *limit)
{
	const long long quota_us = limit->quota_ns / NS_PER_US, period_us = limit->period_ns / NS_PER_US;
	if (record->unified)
		snprintf(record->ours[1], GROUP_LIMIT_MAX, "%lld %lld", quota_us, period_us);
	else
		snprintf(record->ours[1], GROUP_LIMIT_MAX, "%lld", quota_us);
	record->period_us = (uint64_t)period_us;
}

int attached_group_limit(struct attached_group *group, struct workload_group *grip, const struct bandwidth *limit)
{
	struct group_record *const record = group->keeper.record;
	char now[GROUP_LIMIT_MAX] = "";
	group_quota_read(group->folder, group->unified, now);
	/* Somebody has set another one since. */
	if (now[0] && strcmp(now, record->ours[0]) != 0) {
		memcpy(record->limit[0], now, sizeof now);
		if (!record->unified && !group_record_has_our_period(record))
			linux_source_line(group->folder, "/cpu.cfs_period_us", record->limit[1], sizeof record->limit[1]);
	}
	const double others = limit_by_others(record);
	const double ours = limit->quota_ns ? (double)limit->quota_ns / (double)limit->period_ns : 0;
	const bool is_lower = ours > 0 && (!(others > 0) || ours < others);
	/* Written again, even the same would hand out a new part of the period. */
	if (!is_lower && !grip->period_ns && strcmp(now, record->limit[0]) == 0)
		return 0;
	/* Before it is: who survives knows it. */
	if (is_lower)
		announce(record, limit);
	atomic_store(&record->limited, true);
	const int result = is_lower ? workload_group_limit(grip, limit) : 0;
	if (!is_lower || result != 0) {
		group_record_restore_limit(record);
		record->period_us = 0;
		grip->period_ns = 0;
	}
	group_quota_read(group->folder, group->unified, record->ours[0]);
	return result;
}
