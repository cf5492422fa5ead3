/* SPDX-License-Identifier: MIT */
#include "self/records.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "self/run_folder.h"
#include "self/source.h"

#define RECORDS "/groups"
/* Another run has the claims' lock for milliseconds, unless somebody stopped it meanwhile. */
#define LOCK_LIMIT_NS (5 * NS_PER_S)
#define LOCK_POLL_NS NS_PER_MS
/* To make a folder that others remove meanwhile. */
#define LOCK_TRIES 10

bool records_place(size_t at, char folder[static PATH_MAX])
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

bool records_find(char folder[static PATH_MAX])
{
	for (size_t at = 0; records_place(at, folder); at++)
		if (folder[0] && faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) == 0)
			return true;
	return false;
}

void records_each(void (*act)(const char *folder, const char *name, void *context), void *context)
{
	char folder[PATH_MAX];
	for (size_t at = 0; records_place(at, folder); at++) {
		DIR *const directory = folder[0] ? opendir(folder) : NULL;
		for (const struct dirent *entry; directory && (entry = readdir(directory));)
			if (entry->d_name[0] != '.')
				act(folder, entry->d_name, context);
		if (directory)
			closedir(directory);
	}
}

int records_lock(bool make)
{
	char folder[PATH_MAX];
	const int64_t deadline_ns = clock_now() + LOCK_LIMIT_NS;
	int error = 0;
	/* Again, since a run that ends removes a folder that is empty. */
	for (int made = 0; clock_now() < deadline_ns && (error == EWOULDBLOCK || made < LOCK_TRIES); made++) {
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
			clock_sleep_until(clock_now() + LOCK_POLL_NS);
	}
	errno = error;
	return error == EWOULDBLOCK ? -2 : -1;
}

void records_unlock(int lock)
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

bool records_is_locked(const char *name)
{
	char folder[PATH_MAX], path[PATH_MAX];
	bool locked = false;
	for (size_t at = 0; !locked && records_place(at, folder); at++) {
		const bool fits = folder[0] && snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path;
		const int fd = fits ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
		locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
		if (fd >= 0)
			close(fd);
	}
	return locked;
}

/* A run that has the folder's lock removes that itself. */
void records_remove(const char *path)
{
	char folder[PATH_MAX];
	if (!path[0])
		return;
	unlink(path);
	const int fd = records_find(folder) ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) : -1;
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
		records_unlock(fd);
	else if (fd >= 0)
		close(fd);
}
