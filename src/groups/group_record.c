/* SPDX-License-Identifier: MIT */
#include "groups/group_record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "processes/attached.h"
#include "self/pid_namespace.h"
#include "self/records.h"
#include "self/source.h"

/* Of this layout. */
#define MAGIC "showstopper-5\n"

_Static_assert(sizeof(struct group_record) <= ATTACHED_TABLE, "the table is behind the record");

/* By the group's identity, or that of a run's own groups by their folder's name, which no two runs share. */
static void name_record(char name[static NAME_MAX], const struct group_id *id, const char *own)
{
	snprintf(name, NAME_MAX, "%s", id ? "" : group_name(own));
	if (id)
		snprintf(name, NAME_MAX, "%" PRIx64 "-%" PRIu64, id->device, id->inode);
}

bool group_is_claimed(const struct group_id *id)
{
	char name[NAME_MAX];
	name_record(name, id, NULL);
	return records_is_locked(name);
}

/* ---- One group -------------------------------------------------------------------------------------------------------- */

void group_quota_read(const char *folder, bool unified, char text[static GROUP_LIMIT_MAX])
{
	linux_source_line(folder, unified ? "/cpu.max" : "/cpu.cfs_quota_us", text, GROUP_LIMIT_MAX);
}

static void read_boot(char boot[static GROUP_BOOT_MAX])
{
	linux_source_line("", "/proc/sys/kernel/random/boot_id", boot, GROUP_BOOT_MAX);
}

/* Makes memory of a file, whose descriptor is then the keeper's, or is closed. */
static int map(struct group_keeper *keeper, int fd)
{
	void *const memory = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *keeper->record, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	keeper->record = memory == MAP_FAILED ? NULL : memory;
	keeper->file = fd;
	if (!keeper->record)
		group_keeper_close(keeper);
	return keeper->record ? 0 : -1;
}

/* A new file with room for the record, locked. `id` is NULL for that of the run's own groups. */
static int make_file(struct group_keeper *keeper, const char *group, const struct group_id *id)
{
	char folder[PATH_MAX], name[NAME_MAX];
	int fd = -1;
	name_record(name, id, group);
	if (records_find(folder) && snprintf(keeper->path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX)
		fd = open(keeper->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0 && errno == EEXIST)
		return -1;
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && posix_fallocate(fd, 0, ATTACHED_TABLE) == 0)
		return fd;
	if (fd >= 0) {
		unlink(keeper->path);
		close(fd);
	}
	keeper->path[0] = '\0';
	fd = memfd_create("showstopper", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, ATTACHED_TABLE) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Also of a group that isn't made yet. */
static void find_root(const char *folder, struct group_id *root)
{
	char above[PATH_MAX];
	struct group_id id;
	*root = (struct group_id){0};
	snprintf(above, sizeof above, "%s", folder);
	for (char *slash; (slash = strrchr(above, '/')) && slash > above;) {
		*slash = '\0';
		if (!group_identify(above, &id) || (root->device && id.device != root->device))
			return;
		*root = id;
	}
}

static int begin(struct group_keeper *keeper, const char *folder, const struct group_id *id)
{
	*keeper = GROUP_KEEPER_NONE;
	if (map(keeper, make_file(keeper, folder, id)) != 0)
		return -1;
	struct group_record *const record = keeper->record;
	record->pids = pid_namespace_own();
	read_boot(record->boot);
	snprintf(record->folder, sizeof record->folder, "%s", folder);
	find_root(folder, &record->root);
	return 0;
}

int group_keeper_open_own(struct group_keeper *keeper, const char *folder)
{
	if (begin(keeper, folder, NULL) != 0)
		return -1;
	keeper->record->own = true;
	memcpy(keeper->record->magic, MAGIC, sizeof MAGIC);
	return 0;
}

int group_keeper_open(struct group_keeper *keeper, const char *folder, bool unified, const struct group_id *id)
{
	if (begin(keeper, folder, id) != 0)
		return -1;
	struct group_record *const record = keeper->record;
	record->id = *id;
	record->unified = unified;
	group_quota_read(folder, unified, record->limit[0]);
	if (!unified)
		linux_source_line(folder, "/cpu.cfs_period_us", record->limit[1], GROUP_LIMIT_MAX);
	/* The last: what has it is whole. */
	memcpy(record->magic, MAGIC, sizeof MAGIC);
	return 0;
}

void group_keeper_close(struct group_keeper *keeper)
{
	const int saved = errno;
	if (keeper->record)
		munmap(keeper->record, sizeof *keeper->record);
	if (keeper->file >= 0)
		close(keeper->file);
	*keeper = GROUP_KEEPER_NONE;
	errno = saved;
}

/* Whether a quota is what we wrote, or what stands there for a moment while we write to version 1. */
static bool is_ours(const struct group_record *record, const char *quota)
{
	return strcmp(quota, record->ours[0]) == 0 || strcmp(quota, record->ours[1]) == 0 ||
	       (!record->unified && strcmp(quota, "-1") == 0);
}

static bool has_our_limit(const struct group_record *record)
{
	char now[GROUP_LIMIT_MAX];
	group_quota_read(record->folder, record->unified, now);
	return is_ours(record, now);
}

bool group_record_has_our_period(const struct group_record *record)
{
	char now[GROUP_LIMIT_MAX];
	linux_source_line(record->folder, "/cpu.cfs_period_us", now, sizeof now);
	return record->period_us && strtoull(now, NULL, 10) == record->period_us;
}

/* Version 1 takes a period only where the quota of before fits to it. */
static bool restore_in_two(const struct group_record *record)
{
	char quota[GROUP_LIMIT_MAX];
	group_quota_read(record->folder, false, quota);
	const bool has_ours = is_ours(record, quota);
	if (!has_ours && !group_record_has_our_period(record))
		return true;
	return group_write(record->folder, "cpu.cfs_quota_us", "-1") == 0 &&
	       group_write(record->folder, "cpu.cfs_period_us", record->limit[1]) == 0 &&
	       group_write(record->folder, "cpu.cfs_quota_us", has_ours ? record->limit[0] : quota) == 0;
}

bool group_record_restore_limit(const struct group_record *record)
{
	if (!group_is(record->folder, &record->id))
		return true;
	if (!record->unified)
		return restore_in_two(record);
	return !has_our_limit(record) || group_write(record->folder, "cpu.max", record->limit[0]) == 0;
}

static void follow(const char *path, void *context)
{
	struct group_record *const record = context;
	if (group_is(path, &record->id))
		strcpy(record->folder, path);
}

/* Version 1 lets groups be renamed, within the one above. */
static void follow_name(struct group_record *record)
{
	char above[PATH_MAX];
	if (record->unified || group_is(record->folder, &record->id))
		return;
	snprintf(above, sizeof above, "%.*s", (int)(strrchr(record->folder, '/') - record->folder), record->folder);
	group_each(above, "", follow, record);
}

/*
 * Whether a group is gone, and not only out of sight, as all are in a mount namespace without them: its name isn't there, and the nearest one
 * above is of the same hierarchy, up to the highest one that the run saw.
 */
static bool is_gone(const struct group_record *record)
{
	char above[PATH_MAX];
	struct group_id id;
	bool is_missing = false;
	strcpy(above, record->folder);
	for (;;) {
		const bool is_there = group_identify(above, &id);
		if (is_there ? id.device != record->root.device : errno != ENOENT)
			return false;
		if (is_there && id.inode == record->root.inode)
			return is_missing || !group_is(record->folder, &record->id);
		is_missing = is_missing || !is_there;
		char *const slash = strrchr(above, '/');
		if (slash == above)
			return false;
		*slash = '\0';
	}
}

/* A thing that could not be given back stays noted, so that the record stays, too. */
static bool restore(struct group_record *record)
{
	const bool is_there = group_is(record->folder, &record->id);
	bool done = true;
	if (!is_there && !is_gone(record) && (atomic_load(&record->limited) || atomic_load(&record->frozen))) {
		errno = ENOENT;
		return false;
	}
	if (is_there && atomic_load(&record->limited))
		done = group_record_restore_limit(record);
	atomic_store(&record->limited, !done);
	if (is_there && atomic_load(&record->frozen) &&
		group_write(record->folder, group_freezer_file(record->unified), group_freezer_word(record->unified, false)) != 0)
		return false;
	atomic_store(&record->frozen, false);
	return done;
}

void group_keeper_hold(const struct group_keeper *keeper)
{
	atomic_fetch_add(&keeper->record->stops, 1);
}

static bool are_stopped(const struct group_record *record)
{
	return atomic_load(&record->stops) != atomic_load(&record->continued);
}

bool group_keeper_restore(const struct group_keeper *keeper)
{
	struct group_record *const record = keeper->record;
	const bool restored = restore(record);
	const int error = errno;
	const uint64_t stops = atomic_load(&record->stops);
	if (are_stopped(record)) {
		if (!attached_continue(keeper->file))
			return false;
		/* Not before: a process that dies until then leaves it to others. */
		atomic_store(&record->continued, stops);
	}
	errno = error;
	return restored;
}

static bool is_held(const struct group_record *record)
{
	return record->own || atomic_load(&record->limited) || atomic_load(&record->frozen) || are_stopped(record);
}

void group_keeper_remove(const struct group_keeper *keeper)
{
	/* Once it is removed, the name may be that of another run's. */
	if (keeper->record && !is_held(keeper->record) && keeper->path[0] && linux_still_there(keeper->file, keeper->path))
		records_remove(keeper->path);
}

/* ---- What dead runs have left ----------------------------------------------------------------------------------------- */

/* Groups that a dead run had made. A folder without an identity is one in which nothing is yet. */
static void clear_own(const struct group_record *record, group_clear *clear, struct group_left *left)
{
	if (!record->id.inode)
		left->error = rmdir(record->folder) == 0 || errno == ENOENT ? 0 : errno;
	else
		left->error = !group_is(record->folder, &record->id)              ? is_gone(record) ? 0 : ENOENT
			      : clear(record->folder, &record->id, &left->killed) ? 0
										  : EBUSY;
}

/* Not of own ones, which may take a while. */
static void give_back(const struct group_keeper *keeper, struct group_left *left)
{
	struct group_record *const record = keeper->record;
	follow_name(record);
	strcpy(left->folder, record->folder);
	left->own = record->own;
	/* Another one may be called so by now. */
	left->is_gone = is_gone(record);
	left->thawed = !left->is_gone && atomic_load(&record->frozen);
	left->unlimited = !left->is_gone && atomic_load(&record->limited) && has_our_limit(record);
	left->continued = are_stopped(record);
	if (record->pids != pid_namespace_own()) {
		left->is_outside = !left->is_gone && pid_namespace_may_live((ino_t)record->pids);
		left->continued = left->is_outside && left->continued;
		if (!left->is_outside)
			atomic_store(&record->continued, atomic_load(&record->stops));
	}
	if (left->is_outside)
		left->error = ESRCH;
	else if (!record->own)
		left->error = group_keeper_restore(keeper) ? 0 : errno;
}

/* Of a run that has got so far, and of this layout. */
static bool is_whole(const struct group_record *record)
{
	return memcmp(record->magic, MAGIC, sizeof MAGIC) == 0 && record->folder[0] == '/' &&
	       memchr(record->folder, '\0', sizeof record->folder) && memchr(record->limit[0], '\0', GROUP_LIMIT_MAX) &&
	       memchr(record->limit[1], '\0', GROUP_LIMIT_MAX) && memchr(record->ours[0], '\0', GROUP_LIMIT_MAX) &&
	       memchr(record->ours[1], '\0', GROUP_LIMIT_MAX) && memchr(record->boot, '\0', GROUP_BOOT_MAX);
}

/* Of the system as it runs now, as far as it can be told. */
static bool is_of_this_boot(const struct group_record *record)
{
	char boot[GROUP_BOOT_MAX];
	read_boot(boot);
	return !boot[0] || !record->boot[0] || strcmp(record->boot, boot) == 0;
}

/* Takes over the record of a dead run. False where there is none, or with an error in `left` where it can't be read. */
static bool take_over(struct group_keeper *keeper, const char *folder, const char *name, struct group_left *left)
{
	struct stat about;
	*keeper = GROUP_KEEPER_NONE;
	if (snprintf(keeper->path, PATH_MAX, "%s/%s", folder, name) >= PATH_MAX)
		return false;
	strcpy(left->folder, keeper->path);
	left->is_file = true;
	const int fd = open(keeper->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0) {
		left->error = errno == ENOENT ? 0 : errno;
		return false;
	}
	/* What a run that has just ended gave back itself isn't given back again. */
	const bool is_ours = flock(fd, LOCK_EX | LOCK_NB) == 0 && linux_still_there(fd, keeper->path) && fstat(fd, &about) == 0 &&
			     S_ISREG(about.st_mode) && about.st_uid == geteuid();
	if (is_ours && about.st_size >= ATTACHED_TABLE && map(keeper, fd) == 0) {
		left->error = keeper->record->magic[0] && !is_whole(keeper->record) ? EBADMSG : 0;
		left->is_file = left->error;
		if (!left->error)
			return true;
		group_keeper_close(keeper);
		return false;
	}
	/* A run that was killed before the record was whole held nothing. */
	if (is_ours && about.st_size < ATTACHED_TABLE)
		unlink(keeper->path);
	close(fd);
	return false;
}

/* A record that is being swept: of a group with `error`, or of the run's own groups, the descriptor is open still. */
struct swept {
	struct group_keeper keeper;
	struct group_left left;
	struct swept *next;
};

/* What is being swept. */
struct sweep {
	const struct group_id *only;
	const char *folder;
	struct swept *first;
};

/* Until what is held is given back, or known not to be. False where nothing is or was held that was asked for. */
static bool sweep_record(struct swept *swept, const struct sweep *sweep)
{
	struct group_keeper *const keeper = &swept->keeper;
	const bool is_of_now = keeper->record->magic[0] && is_of_this_boot(keeper->record);
	const struct group_id *const id = &keeper->record->id, *const only = sweep->only;
	const bool is_asked_for = only ? id->device == only->device && id->inode == only->inode
				       : !sweep->folder || strcmp(sweep->folder, keeper->record->folder) == 0;
	const bool is_meant = !is_of_now || is_asked_for;
	const bool was_held = is_meant && is_of_now && is_held(keeper->record);
	if (was_held)
		give_back(keeper, &swept->left);
	if (was_held && keeper->record->own && !swept->left.error)
		return true;
	if (is_meant && !swept->left.error)
		unlink(keeper->path);
	group_keeper_close(keeper);
	return was_held;
}

static void sweep_file(const char *records, const char *name, void *context)
{
	struct sweep *const sweep = context;
	struct swept *const swept = calloc(1, sizeof *swept);
	char wanted[NAME_MAX];
	if (!swept)
		return;
	name_record(wanted, sweep->only, name);
	const bool is_taken = take_over(&swept->keeper, records, name, &swept->left);
	if (is_taken ? !sweep_record(swept, sweep) : !swept->left.error || strcmp(wanted, name) != 0) {
		free(swept);
		return;
	}
	swept->next = sweep->first;
	sweep->first = swept;
}

unsigned group_records_sweep(const struct group_id *only, const char *folder, group_clear *clear,
	void (*say)(const struct group_left *left), unsigned *kept)
{
	struct sweep sweep = {only, folder, NULL};
	const int lock = records_lock(false);
	unsigned count = 0, held = lock == -2;
	if (lock == -2 && say)
		say(&(struct group_left){.error = EWOULDBLOCK});
	if (lock != -2)
		records_each(sweep_file, &sweep);
	records_unlock(lock);
	/* What may take long nobody waits for. */
	for (struct swept *swept = sweep.first, *next; swept; swept = next) {
		struct group_left *const left = &swept->left;
		if (swept->keeper.record) {
			clear_own(swept->keeper.record, clear, left);
			if (!left->error)
				records_remove(swept->keeper.path);
			group_keeper_close(&swept->keeper);
		}
		count += !left->is_file;
		held += left->error != 0;
		if (say)
			say(left);
		next = swept->next;
		free(swept);
	}
	if (kept)
		*kept += held;
	return count;
}
