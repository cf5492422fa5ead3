/* SPDX-License-Identifier: MIT */
#include "load/watched.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "groups/attached_group.h"
#include "groups/cgroup_places.h"
#include "groups/group_find.h"
#include "groups/group_tree.h"
#include "load/tree_time.h"
#include "processes/look_budget.h"
#include "processes/process_handle.h"
#include "self/host.h"
#include "self/source.h"

struct item {
	const struct watch *watch;
	struct linux_tree_time *tree; /* or … */
	int usage;                    /* handle of what the group has used, or -1 */
	enum linux_cgroup_format format;
	char folder[PATH_MAX]; /* … of the group */
	uint64_t group_ns;     /* what it had used at the last reading */
	double used_s;
	bool has_ended;
};

struct linux_watched {
	const char *root;
	struct host_env host;
	int loadavg;
	uint64_t newest; /* process at the last look */
	struct look_budget budget;
	unsigned count;
	struct item item[];
};

/* ---- What may be watched ----------------------------------------------------------------------------------------------- */

static int refuse(char error[static LINUX_WATCHED_ERROR_MAX], const struct watch *watch, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int refuse(char error[static LINUX_WATCHED_ERROR_MAX], const struct watch *watch, const char *format, ...)
{
	va_list arguments;
	const int length = snprintf(error, LINUX_WATCHED_ERROR_MAX, "%s%.200s ", watch->pid ? "process " : "group ", watch->text);
	va_start(arguments, format);
	vsnprintf(error + length, LINUX_WATCHED_ERROR_MAX - (size_t)length, format, arguments);
	va_end(arguments);
	return -1;
}

struct search {
	pid_t pid;
	bool is_found;
};

static void compare_member(pid_t pid, void *context)
{
	struct search *const search = context;
	search->is_found = search->is_found || pid == search->pid;
}

static void search_below(const char *path, void *context)
{
	struct search *const search = context;
	if (search->is_found)
		return;
	group_each_member(path, compare_member, search);
	if (!search->is_found)
		group_each(path, "", search_below, search);
}

/* Whether a process is in what is watched. */
static bool has(const struct item *item, pid_t pid)
{
	if (item->watch->pid)
		return linux_process_descends_from(pid, item->watch->pid);
	struct search search = {.pid = pid};
	search_below(item->folder, &search);
	return search.is_found;
}

/* Whether a folder is another one, or lies in it. */
static bool is_within(const char *folder, const char *above)
{
	const size_t length = strlen(above);
	return strncmp(folder, above, length) == 0 && (folder[length] == '\0' || folder[length] == '/');
}

/* Time that two count would be taken out of the load of others twice. */
static bool overlap(const struct item *one, const struct item *other)
{
	if (!one->watch->pid && !other->watch->pid)
		return is_within(one->folder, other->folder) || is_within(other->folder, one->folder);
	return (one->watch->pid && has(other, one->watch->pid)) || (other->watch->pid && has(one, other->watch->pid));
}

static int is_in(pid_t pid, void *item)
{
	return has(item, pid);
}

static bool overlaps_group(struct item *item, const struct attached *attached)
{
	const char *const folder = attached->group->folder;
	if (!item->watch->pid && (is_within(item->folder, folder) || is_within(folder, item->folder)))
		return true;
	return attached->each(attached->group, is_in, item) != 0;
}

static int refuse_ours(
	struct item *item, const struct attached *attached, unsigned attaches, char error[static LINUX_WATCHED_ERROR_MAX])
{
	const struct watch *const watch = item->watch;
	if (has(item, getpid()))
		return refuse(error, watch,
			watch->pid ? "is Showstopper or one of its ancestors" : "is that of Showstopper, or above it");
	for (unsigned i = 0; i < attaches; i++) {
		const pid_t pid = attached[i].process.pid;
		if (attached[i].group && overlaps_group(item, &attached[i]))
			return refuse(error, watch, "and group %.300s of --attach-group overlap: expected what isn't a workload",
				attached[i].group->folder);
		if (!attached[i].group && (has(item, pid) || (watch->pid && linux_process_descends_from(watch->pid, pid))))
			return refuse(
				error, watch, "and process %d of --attach overlap: expected what isn't a workload", (int)pid);
	}
	return 0;
}

/* ---- Opening ---------------------------------------------------------------------------------------------------------- */

static int open_process(struct item *item, const char *root, char error[static LINUX_WATCHED_ERROR_MAX])
{
	const struct watch *const watch = item->watch;
	struct process process = PROCESS_NONE;
	struct linux_process now;
	/* A thread has a folder in /proc, too, and no descriptor. What is made up has neither. */
	if ((*root ? linux_process_read_below(root, watch->pid, &now) : process_take(&process, watch->pid, &now)) != 0)
		return refuse(error, watch, "%s",
			errno == ESRCH || linux_process_read(watch->pid, &now) != 0 ? "does not exist"
										    : "is a thread of another process");
	item->tree = linux_tree_time_open_below(root, watch->pid, 0);
	const int saved = errno;
	const bool is_another = !*root && process_has_ended(&process);
	process_release(&process);
	if (item->tree && !is_another)
		return 0;
	if (item->tree || saved == ESRCH || saved == ENOENT)
		return refuse(error, watch, "has ended");
	return refuse(error, watch, "can't be followed: %s", strerror(saved));
}

/* The folder that a file which is open lies in. */
static int find_folder(int fd, char folder[static PATH_MAX])
{
	char link[64];
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	const ssize_t length = readlink(link, folder, PATH_MAX - 1);
	folder[length > 0 ? length : 0] = '\0';
	char *const slash = strrchr(folder, '/');
	if (!slash)
		return -1;
	*slash = '\0';
	return 0;
}

/* Looked for once: what is made again is in its place. Control groups of a made-up system have no short names. */
static int find_short(struct item *item, const char *root, char error[static LINUX_CGROUP_ERROR_MAX])
{
	char reason[GROUP_FIND_ERROR_MAX] = "short names are those of this system";
	if (item->folder[0] || !group_name_is_short(item->watch->text))
		return 0;
	struct group_mounts *const mounts = malloc(sizeof *mounts);
	const int result = !*root && mounts && group_mounts_read(mounts)
				   ? group_find(mounts, item->watch->text, ACTUATOR_SIGNALS, item->folder, reason)
				   : -1;
	free(mounts);
	if (result != 0) {
		item->folder[0] = '\0';
		snprintf(error, LINUX_CGROUP_ERROR_MAX, "%.*s", LINUX_CGROUP_ERROR_MAX - 1, reason);
	}
	return result;
}

static void close_usage(struct item *item, const struct sst_env *env)
{
	if (item->usage >= 0)
		env->host->close(env, item->usage);
	item->usage = -1;
}

static bool open_usage(struct item *item, const struct linux_watched *watched, char error[static LINUX_CGROUP_ERROR_MAX])
{
	const struct sst_env *const env = &watched->host.env;
	int64_t ignored;
	if (find_short(item, watched->root, error) != 0)
		return false;
	const char *const path = group_name_is_short(item->watch->text) ? item->folder : item->watch->text;
	item->usage = linux_cgroup_open_usage(env, path, &item->format, error);
	if (item->usage < 0)
		return false;
	if (linux_cgroup_used(env, item->usage, item->format, &item->group_ns, &ignored) == 0)
		return true;
	snprintf(error, LINUX_CGROUP_ERROR_MAX, "group %.200s: %s", item->watch->text, strerror(errno));
	close_usage(item, env);
	return false;
}

static int open_group(struct item *item, const struct linux_watched *watched, char error[static LINUX_WATCHED_ERROR_MAX])
{
	char reason[LINUX_CGROUP_ERROR_MAX];
	/* Handles of this host are descriptors. */
	if (open_usage(item, watched, reason) && find_folder(item->usage, item->folder) == 0)
		return 0;
	snprintf(error, LINUX_WATCHED_ERROR_MAX, "%s", reason);
	return -1;
}

struct linux_watched *linux_watched_open(const char *root, const struct watch *watch, unsigned watches,
	const struct attached *attached, unsigned attaches, char error[static LINUX_WATCHED_ERROR_MAX])
{
	struct linux_watched *const watched = calloc(1, sizeof *watched + watches * sizeof *watched->item);
	if (!watched) {
		snprintf(error, LINUX_WATCHED_ERROR_MAX, "%s", strerror(errno));
		return NULL;
	}
	watched->root = root;
	host_env_init(&watched->host, root, 1, 0);
	watched->loadavg = linux_source_open(root, "/proc/loadavg");
	for (unsigned i = 0; i < watches; i++) {
		struct item *const item = &watched->item[watched->count++];
		*item = (struct item){.watch = &watch[i], .usage = -1};
		if ((watch[i].pid ? open_process(item, root, error) : open_group(item, watched, error)) != 0 ||
			refuse_ours(item, attached, attaches, error) != 0)
			goto fail;
		for (unsigned k = 0; k < i; k++)
			if (overlap(item, &watched->item[k])) {
				refuse(error, item->watch, "and %s, which is watched too, overlap", watch[k].text);
				goto fail;
			}
	}
	return watched;
fail:
	linux_watched_close(watched);
	return NULL;
}

void linux_watched_close(struct linux_watched *watched)
{
	if (!watched)
		return;
	for (unsigned i = 0; i < watched->count; i++) {
		linux_tree_time_close(watched->item[i].tree);
		close_usage(&watched->item[i], &watched->host.env);
	}
	if (watched->loadavg >= 0)
		close(watched->loadavg);
	free(watched);
}

/* ---- Reading ---------------------------------------------------------------------------------------------------------- */

static void read_tree(struct item *item, uint64_t forks)
{
	struct linux_tree_time_reading reading;
	if (linux_tree_time_read(item->tree, forks, &reading) != 0)
		return;
	item->used_s = reading.used;
	item->has_ended = reading.alive == 0;
}

/* One that is back has used nothing before. */
static void read_group(struct item *item, const struct linux_watched *watched)
{
	char ignored[LINUX_CGROUP_ERROR_MAX];
	uint64_t now_ns;
	int64_t when_ns;
	const uint64_t before_ns = item->has_ended ? 0 : item->group_ns;
	if (item->has_ended) {
		if (!open_usage(item, watched, ignored))
			return;
		item->has_ended = false;
		now_ns = item->group_ns;
	} else if (linux_cgroup_used(&watched->host.env, item->usage, item->format, &now_ns, &when_ns) != 0) {
		/* What a group that was removed answers. */
		item->has_ended = errno == ENODEV;
		if (item->has_ended)
			close_usage(item, &watched->host.env);
		return;
	}
	if (now_ns > before_ns)
		item->used_s += (double)(now_ns - before_ns) / NS_PER_S;
	item->group_ns = now_ns;
}

void linux_watched_read(struct linux_watched *watched)
{
	const uint64_t newest = linux_process_newest(watched->loadavg);
	const bool look =
		(newest == 0 || newest != watched->newest) && look_budget_grants(&watched->budget, LOOK_FORKS, clock_now());
	const int64_t before_ns = look ? clock_ns(CLOCK_THREAD_CPUTIME_ID) : 0;
	if (look)
		watched->newest = newest;
	for (unsigned i = 0; i < watched->count; i++) {
		struct item *const item = &watched->item[i];
		if (item->tree)
			read_tree(item, watched->newest);
		else
			read_group(item, watched);
	}
	if (look)
		look_budget_pay(&watched->budget, clock_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns, clock_now());
}

double linux_watched_used(const struct linux_watched *watched, unsigned which)
{
	return watched->item[which].used_s;
}

bool linux_watched_has_ended(const struct linux_watched *watched, unsigned which)
{
	return watched->item[which].has_ended;
}
