/* SPDX-License-Identifier: MIT */
#include "self/run_socket.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BEFORE "showstopper-"
#define BEHIND ".socket"

/* Where one may be, followed by the user's number. */
static const char *const folders[] = {"/run/user/", "/tmp/showstopper-"};
#define FOLDERS (sizeof folders / sizeof *folders)

#define FOLDER_MAX 64

static int refuse(const char *what, const char *why, char error[static RUN_SOCKET_ERROR_MAX])
{
	snprintf(error, RUN_SOCKET_ERROR_MAX, "%s: %s", what, why);
	return -1;
}

static void name_folder(size_t at, uid_t user, char folder[static FOLDER_MAX])
{
	snprintf(folder, FOLDER_MAX, "%s%u", folders[at], (unsigned)user);
}

static void name_socket(const char *folder, pid_t run, struct sockaddr_un *address)
{
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	snprintf(address->sun_path, sizeof address->sun_path, "%.60s/" BEFORE "%d" BEHIND, folder, (int)run);
}

/* Nobody else can put anything there. */
static bool is_private(const char *folder, uid_t user)
{
	struct stat status;
	return lstat(folder, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == user && !(status.st_mode & 022);
}

static int open_to(const struct sockaddr_un *address)
{
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (const struct sockaddr *)address, sizeof *address) == 0)
		return fd;
	const int error = errno;
	close(fd);
	errno = error;
	return -1;
}

/* Those that nobody listens at any more. */
static void remove_dead(const char *folder)
{
	DIR *const entries = opendir(folder);
	for (const struct dirent *entry; entries && (entry = readdir(entries));) {
		struct sockaddr_un address;
		int run;
		int end = 0;
		if (sscanf(entry->d_name, BEFORE "%d" BEHIND "%n", &run, &end) != 1 || !end || entry->d_name[end])
			continue;
		name_socket(folder, run, &address);
		const int fd = open_to(&address);
		if (fd >= 0)
			close(fd);
		else if (errno == ECONNREFUSED)
			unlink(address.sun_path);
	}
	if (entries)
		closedir(entries);
}

/* The folder of this user, made where need be. */
static int find_folder(char folder[static FOLDER_MAX], char error[static RUN_SOCKET_ERROR_MAX])
{
	const uid_t user = geteuid();
	for (size_t i = 0; i < FOLDERS; i++) {
		name_folder(i, user, folder);
		if (i + 1 == FOLDERS && mkdir(folder, 0700) != 0 && errno != EEXIST)
			return refuse(folder, strerror(errno), error);
		if (is_private(folder, user))
			return 0;
	}
	return refuse(folder, "expected a folder of this user into which nobody else can write", error);
}

int run_socket_listen(pid_t run, char error[static RUN_SOCKET_ERROR_MAX])
{
	char folder[FOLDER_MAX];
	struct sockaddr_un address;
	if (find_folder(folder, error) != 0)
		return -1;
	remove_dead(folder);
	name_socket(folder, run, &address);
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof address) == 0 && chmod(address.sun_path, 0600) == 0 &&
		listen(fd, SOMAXCONN) == 0)
		return fd;
	refuse(address.sun_path, strerror(errno), error);
	if (fd >= 0)
		close(fd);
	return -1;
}

int run_socket_accept(int listening)
{
	struct ucred peer;
	socklen_t size = sizeof peer;
	const int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0)
		return -1;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && (peer.uid == 0 || peer.uid == geteuid()))
		return fd;
	close(fd);
	return -1;
}

void run_socket_remove(pid_t run)
{
	for (size_t i = 0; i < FOLDERS; i++) {
		char folder[FOLDER_MAX];
		struct sockaddr_un address;
		name_folder(i, geteuid(), folder);
		name_socket(folder, run, &address);
		unlink(address.sun_path);
	}
}

int run_socket_connect(pid_t run, char error[static RUN_SOCKET_ERROR_MAX])
{
	char process[32];
	char folder[FOLDER_MAX];
	struct stat status;
	snprintf(process, sizeof process, "/proc/%d", (int)run);
	if (stat(process, &status) != 0)
		return refuse("found no such process", "expected that of a run", error);
	for (size_t i = 0; i < FOLDERS; i++) {
		struct sockaddr_un address;
		name_folder(i, status.st_uid, folder);
		name_socket(folder, run, &address);
		const int fd = is_private(folder, status.st_uid) ? open_to(&address) : -1;
		if (fd >= 0)
			return fd;
		if (errno == EACCES)
			return refuse(address.sun_path, strerror(errno), error);
	}
	return refuse("found no socket of it", "expected a run with -t stream and no source", error);
}
