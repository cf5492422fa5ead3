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

#include "groups/group_tree.h"
#include "processes/attached.h"
#include "self/source.h"

/* Of this layout. */
#define MAGIC "showstopper-4\n"
#define TABLE ".stopped"

/* ---- Files ------------------------------------------------------------------------------------------------------------ */

int group_lock(const char *folder, int kind)
{
	const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && flock(fd, kind | LOCK_NB) != 0) {
		const int error = errno;
		close(fd);
		errno = error;
		return -1;
	}
	return fd;
}

/* That of root, or of the session of a user; false where there is none. */
static bool find_folder(char folder[static PATH_MAX], bool make)
{
	const char *const session = getenv("XDG_RUNTIME_DIR");
	const char *const base = geteuid() == 0 ? "/run" : session && session[0] == '/' ? session : NULL;
	if (!base || snprintf(folder, PATH_MAX, "%s/showstopper", base) >= PATH_MAX - (int)sizeof "/groups")
		return false;
	if (make)
		mkdir(folder, 0755);
	strcat(folder, "/groups");
	if (make)
		mkdir(folder, 0700);
	struct stat about;
	return lstat(folder, &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == geteuid();
}

static int open_table(const char *path, int flags)
{
	char table[PATH_MAX];
	if (snprintf(table, sizeof table, "%s" TABLE, path) >= (int)sizeof table) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return open(table, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
}

static void remove_files(const char *path)
{
	char table[PATH_MAX];
	if (snprintf(table, sizeof table, "%s" TABLE, path) < (int)sizeof table)
		unlink(table);
	unlink(path);
}

/* Both files, new. The record's descriptor, or -1. */
static int make_files(struct group_keeper *keeper, uint64_t inode, const char *group)
{
	char folder[PATH_MAX];
	if (!find_folder(folder, true) ||
		snprintf(keeper->path, PATH_MAX, "%s/%.100s-%" PRIu64, folder, group_name(group), inode) >= PATH_MAX)
		return -1;
	/* That of a dead run has been swept; what is still there is none. */
	remove_files(keeper->path);
	int fd = open(keeper->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	/* The folder may have gone again. */
	if (fd < 0 && errno == ENOENT && find_folder(folder, true))
		fd = open(keeper->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	keeper->table = fd < 0 ? -1 : open_table(keeper->path, O_CREAT | O_EXCL);
	if (fd >= 0 && keeper->table >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
		posix_fallocate(fd, 0, sizeof(struct group_record)) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	if (keeper->table >= 0)
		close(keeper->table);
	remove_files(keeper->path);
	return -1;
}

/* ---- One group -------------------------------------------------------------------------------------------------------- */

static void read_limit(const char *folder, const char *name, char text[static GROUP_LIMIT_MAX])
{
	const int fd = group_open(folder, name, O_RDONLY);
	const ssize_t length = fd < 0 ? 0 : pread(fd, text, GROUP_LIMIT_MAX - 1, 0);
	text[length > 0 ? length : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (fd >= 0)
		close(fd);
}

static void read_boot(char boot[static GROUP_BOOT_MAX])
{
	linux_source_line("", "/proc/sys/kernel/random/boot_id", boot, GROUP_BOOT_MAX);
}

bool group_is_there(const char *folder, uint64_t inode)
{
	struct stat about;
	return stat(folder, &about) == 0 && about.st_ino == inode;
}

int group_keeper_open(struct group_keeper *keeper, const char *folder, bool unified, uint64_t inode)
{
	*keeper = GROUP_KEEPER_NONE;
	const int fd = keeper->lock = make_files(keeper, inode, folder);
	if (fd < 0) {
		keeper->path[0] = '\0';
		keeper->table = memfd_create("showstopper", MFD_CLOEXEC);
	}
	void *const memory = keeper->table < 0 ? MAP_FAILED
					       : mmap(NULL, sizeof(struct group_record), PROT_READ | PROT_WRITE,
							 fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED) {
		group_keeper_close(keeper);
		return -1;
	}
	struct group_record *const record = keeper->record = memory;
	record->inode = inode;
	record->unified = unified;
	read_boot(record->boot);
	snprintf(record->folder, sizeof record->folder, "%s", folder);
	read_limit(folder, unified ? "cpu.max" : "cpu.cfs_quota_us", record->limit[0]);
	if (!unified)
		read_limit(folder, "cpu.cfs_period_us", record->limit[1]);
	/* The last: what has it is whole. */
	memcpy(record->magic, MAGIC, sizeof MAGIC);
	return 0;
}

void group_keeper_close(struct group_keeper *keeper)
{
	if (keeper->record)
		munmap(keeper->record, sizeof *keeper->record);
	if (keeper->table >= 0)
		close(keeper->table);
	if (keeper->lock >= 0)
		close(keeper->lock);
	*keeper = GROUP_KEEPER_NONE;
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
	read_limit(record->folder, record->unified ? "cpu.max" : "cpu.cfs_quota_us", now);
	return is_ours(record, now);
}

bool group_record_has_our_period(const struct group_record *record)
{
	char now[GROUP_LIMIT_MAX];
	read_limit(record->folder, "cpu.cfs_period_us", now);
	return record->period_us && strtoull(now, NULL, 10) == record->period_us;
}

/* Version 1 takes a period only where the quota of before fits to it. */
static void restore_in_two(const struct group_record *record)
{
	char quota[GROUP_LIMIT_MAX];
	read_limit(record->folder, "cpu.cfs_quota_us", quota);
	const bool has_ours = is_ours(record, quota);
	if (!has_ours && !group_record_has_our_period(record))
		return;
	group_write(record->folder, "cpu.cfs_quota_us", "-1");
	group_write(record->folder, "cpu.cfs_period_us", record->limit[1]);
	group_write(record->folder, "cpu.cfs_quota_us", has_ours ? record->limit[0] : quota);
}

void group_record_restore_limit(const struct group_record *record)
{
	if (!group_is_there(record->folder, record->inode))
		return;
	if (!record->unified)
		restore_in_two(record);
	else if (has_our_limit(record))
		group_write(record->folder, "cpu.max", record->limit[0]);
}

/* But for its processes. */
static void restore(struct group_record *record)
{
	if (atomic_load(&record->limited))
		group_record_restore_limit(record);
	atomic_store(&record->limited, false);
	if (atomic_load(&record->frozen) && group_is_there(record->folder, record->inode))
		group_write(record->folder, group_freezer_file(record->unified), group_freezer_word(record->unified, false));
	atomic_store(&record->frozen, false);
}

void group_keeper_hold(const struct group_keeper *keeper)
{
	atomic_fetch_add(&keeper->record->stops, 1);
}

void group_keeper_restore(const struct group_keeper *keeper)
{
	struct group_record *const record = keeper->record;
	restore(record);
	const uint64_t stops = atomic_load(&record->stops);
	if (stops == atomic_load(&record->continued))
		return;
	attached_continue(keeper->table);
	/* Not before: whoever dies until then leaves it to others. */
	atomic_store(&record->continued, stops);
}

void group_keeper_remove(const struct group_keeper *keeper)
{
	if (!keeper->path[0])
		return;
	remove_files(keeper->path);
	char folder[PATH_MAX];
	if (find_folder(folder, false)) {
		rmdir(folder);
		*strrchr(folder, '/') = '\0';
		rmdir(folder);
	}
}

/* ---- What dead runs have left ----------------------------------------------------------------------------------------- */

/* Whether an open file is a record of this user's and of this layout, which is copied. */
static bool read_record(int fd, struct group_record *record)
{
	struct stat about;
	return fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid() &&
	       pread(fd, record, sizeof *record, 0) == sizeof *record && memcmp(record->magic, MAGIC, sizeof MAGIC) == 0 &&
	       memchr(record->folder, '\0', sizeof record->folder) && memchr(record->limit[0], '\0', GROUP_LIMIT_MAX) &&
	       memchr(record->limit[1], '\0', GROUP_LIMIT_MAX) && memchr(record->ours[0], '\0', GROUP_LIMIT_MAX) &&
	       memchr(record->ours[1], '\0', GROUP_LIMIT_MAX) && memchr(record->boot, '\0', GROUP_BOOT_MAX);
}

/* Gives back what is left of a group. */
static void give_back(const char *path, struct group_record *record, struct group_left *left)
{
	strcpy(left->folder, record->folder);
	/* Another one may be called so by now. */
	left->is_gone = !group_is_there(record->folder, record->inode);
	left->thawed = !left->is_gone && atomic_load(&record->frozen);
	left->unlimited = !left->is_gone && atomic_load(&record->limited) && has_our_limit(record);
	left->continued = atomic_load(&record->stops) != atomic_load(&record->continued);
	if (!left->is_gone)
		restore(record);
	const int table = left->continued ? open_table(path, 0) : -1;
	if (table >= 0) {
		attached_continue(table);
		close(table);
	}
}

/* True where an open file is the record of a dead run, which is now gone. */
static bool sweep_one(int fd, const char *path, struct group_record *record, struct group_left *left)
{
	char boot[GROUP_BOOT_MAX] = "";
	/* What a run that has just ended gave back itself isn't given back again. */
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 || !linux_still_there(fd, path) || !read_record(fd, record))
		return false;
	read_boot(boot);
	const bool is_of_now = strcmp(record->boot, boot) == 0;
	/* Where nobody else has: so that no run attaches it meanwhile. */
	const int folder = is_of_now ? group_lock(record->folder, LOCK_EX) : -1;
	if (is_of_now)
		give_back(path, record, left);
	remove_files(path);
	if (folder >= 0)
		close(folder);
	return is_of_now;
}

unsigned group_records_sweep(const char *folder, void (*say)(const struct group_left *left))
{
	char records[PATH_MAX], path[PATH_MAX];
	unsigned count = 0;
	struct group_record *const record = malloc(sizeof *record);
	DIR *const directory = record && find_folder(records, false) ? opendir(records) : NULL;
	for (const struct dirent *entry; directory && (entry = readdir(directory));) {
		struct group_left left = {0};
		if (entry->d_name[0] == '.' || snprintf(path, sizeof path, "%s/%s", records, entry->d_name) >= (int)sizeof path)
			continue;
		const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
		const bool is_swept = read_record(fd, record) && (!folder || strcmp(folder, record->folder) == 0) &&
				      sweep_one(fd, path, record, &left);
		if (fd >= 0)
			close(fd);
		if (!is_swept)
			continue;
		const bool was_held = left.thawed || left.unlimited || left.continued;
		count += was_held;
		if (say && was_held)
			say(&left);
	}
	if (directory)
		closedir(directory);
	free(record);
	return count;
}
