/* SPDX-License-Identifier: MIT */
#include "groups/group_record.h"

#include <dirent.h>
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
#include "self/run_folder.h"
#include "self/source.h"

/* Of this layout. */
#define MAGIC "showstopper-5\n"
#define RECORDS "/groups"
/* Another run has the claims' lock for milliseconds, unless somebody stopped it meanwhile. */
#define CLAIMS_LIMIT_NS (5 * NS_PER_S)
#define CLAIMS_POLL_NS NS_PER_MS
/* To make a folder that others remove meanwhile. */
#define CLAIMS_TRIES 10

_Static_assert(sizeof(struct group_record) <= ATTACHED_TABLE, "the table is behind the record");

/* ---- Files ------------------------------------------------------------------------------------------------------------ */

/* The `at`th folder in which records of this user may be; "" where it is none of this user's alone. */
static bool records_place(size_t at, char folder[static PATH_MAX])
{
	struct stat about;
	if (!run_folder_place(at, geteuid(), folder))
		return false;
	if (strlen(folder) + sizeof RECORDS > PATH_MAX || !run_folder_is_private(folder, geteuid()))
		folder[0] = '\0';
	if (folder[0] && (lstat(strcat(folder, RECORDS), &about) != 0 || !S_ISDIR(about.st_mode) || about.st_uid != geteuid()))
		folder[0] = '\0';
	return true;
}

/* The first that is there and can be written. */
static bool records_find(char folder[static PATH_MAX])
{
	for (size_t at = 0; records_place(at, folder); at++)
		if (folder[0] && faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) == 0)
			return true;
	return false;
}

/* By the group's identity, or that of a run's own groups by their folder's name, which no two runs share. */
static bool name_record(char path[static PATH_MAX], const char *records, const struct group_id *id, const char *own)
{
	return (id ? snprintf(path, PATH_MAX, "%s/%" PRIx64 "-%" PRIu64, records, id->device, id->inode)
		   : snprintf(path, PATH_MAX, "%s/%s", records, group_name(own))) < PATH_MAX;
}

int group_claims_lock(bool make)
{
	char folder[PATH_MAX];
	const int64_t deadline_ns = clock_now() + CLAIMS_LIMIT_NS;
	int error = 0;
	/* Again, since a run that ends removes a folder that is empty. */
	for (int made = 0; clock_now() < deadline_ns && (error == EWOULDBLOCK || made < CLAIMS_TRIES); made++) {
		if (!(make ? run_folder_make(folder, RECORDS, PATH_MAX) : records_find(folder))) {
			error = errno;
			continue;
		}
		const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		const bool locked = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
		error = locked ? 0 : errno;
		if (locked && linux_still_there(fd, folder))
			return fd;
		if (fd >= 0)
			close(fd);
		if (error == EWOULDBLOCK)
			clock_sleep_until(clock_now() + CLAIMS_POLL_NS);
	}
	errno = error;
	return error == EWOULDBLOCK ? -2 : -1;
}

void group_claims_unlock(int lock)
{
	char link[64], folder[PATH_MAX];
	if (lock < 0)
		return;
	snprintf(link, sizeof link, "/proc/self/fd/%d", lock);
	const ssize_t length = readlink(link, folder, sizeof folder - 1);
	if (length > 0)
		folder[length] = '\0';
	if (length > 0 && rmdir(folder) == 0)
		run_folder_remove();
	close(lock);
}

bool group_is_claimed(const struct group_id *id)
{
	char folder[PATH_MAX], path[PATH_MAX];
	bool claimed = false;
	for (size_t at = 0; !claimed && records_place(at, folder); at++) {
		const int fd =
			folder[0] && name_record(path, folder, id, NULL) ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
		claimed = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
		if (fd >= 0)
			close(fd);
	}
	return claimed;
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
	char folder[PATH_MAX];
	int fd = -1;
	if (records_find(folder) && name_record(keeper->path, folder, id, group))
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

struct renamed {
	const struct group_id *id;
	char folder[PATH_MAX]; /* "" until it is found */
};

static void look_for_renamed(const char *path, void *context)
{
	struct renamed *const renamed = context;
	if (group_is(path, renamed->id))
		strcpy(renamed->folder, path);
}

/* Version 1 lets groups be renamed, within the one above. */
static void follow_name(struct group_record *record)
{
	char above[PATH_MAX];
	struct renamed renamed = {.id = &record->id};
	if (record->unified || group_is(record->folder, &record->id))
		return;
	strcpy(above, record->folder);
	*strrchr(above, '/') = '\0';
	group_each(above, "", look_for_renamed, &renamed);
	if (renamed.folder[0])
		strcpy(record->folder, renamed.folder);
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

/* A run that has the folder's lock removes that itself. */
void group_record_remove(const char *path)
{
	char folder[PATH_MAX];
	if (!path[0])
		return;
	unlink(path);
	const int fd = records_find(folder) ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) : -1;
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
		group_claims_unlock(fd);
	else if (fd >= 0)
		close(fd);
}

void group_keeper_remove(const struct group_keeper *keeper)
{
	/* Once it is removed, the name may be that of another run's. */
	if (keeper->record && !is_held(keeper->record) && keeper->path[0] && linux_still_there(keeper->file, keeper->path))
		group_record_remove(keeper->path);
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

/*
 * Takes over the record of a dead run, of which nothing is given back yet. False where there is none, or with an error in `left` where it can't
 * be read.
 */
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

static bool is_asked_for(const struct group_record *record, const struct group_id *only, const char *folder)
{
	return only ? record->id.device == only->device && record->id.inode == only->inode
		    : !folder || strcmp(folder, record->folder) == 0;
}

/* True where something is or was held that was asked for. */
static bool sweep_one(struct swept *swept, const char *records, const char *name, const struct group_id *only, const char *folder)
{
	struct group_keeper *const keeper = &swept->keeper;
	char wanted[PATH_MAX];
	bool was_held = false;
	if (!take_over(keeper, records, name, &swept->left))
		return swept->left.error &&
		       (!only || (name_record(wanted, records, only, NULL) && strcmp(group_name(wanted), name) == 0));
	const bool is_of_now = keeper->record->magic[0] && is_of_this_boot(keeper->record);
	if (is_of_now && !is_asked_for(keeper->record, only, folder)) {
		group_keeper_close(keeper);
		return false;
	}
	was_held = is_of_now && is_held(keeper->record);
	if (was_held)
		give_back(keeper, &swept->left);
	if (was_held && keeper->record->own && !swept->left.error)
		return true;
	if (!swept->left.error)
		unlink(keeper->path);
	group_keeper_close(keeper);
	return was_held;
}

static struct swept *sweep_all(const struct group_id *only, const char *folder)
{
	char records[PATH_MAX];
	struct swept *first = NULL;
	for (size_t at = 0; records_place(at, records); at++) {
		DIR *const directory = records[0] ? opendir(records) : NULL;
		for (const struct dirent *entry; directory && (entry = readdir(directory));) {
			struct swept *const swept = entry->d_name[0] == '.' ? NULL : calloc(1, sizeof *swept);
			if (swept && sweep_one(swept, records, entry->d_name, only, folder)) {
				swept->next = first;
				first = swept;
			} else {
				free(swept);
			}
		}
		if (directory)
			closedir(directory);
	}
	return first;
}

unsigned group_records_sweep(const struct group_id *only, const char *folder, group_clear *clear,
	void (*say)(const struct group_left *left), unsigned *kept)
{
	unsigned count = 0, held = 0;
	const int lock = group_claims_lock(false);
	const struct group_left busy = {.error = EWOULDBLOCK};
	if (lock == -2 && say)
		say(&busy);
	held += lock == -2;
	struct swept *swept = lock == -2 ? NULL : sweep_all(only, folder);
	group_claims_unlock(lock);
	/* What may take long nobody waits for. */
	for (struct swept *next; swept; swept = next) {
		struct group_left *const left = &swept->left;
		if (swept->keeper.record) {
			clear_own(swept->keeper.record, clear, left);
			if (!left->error)
				group_record_remove(swept->keeper.path);
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
