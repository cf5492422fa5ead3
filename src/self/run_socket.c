/* SPDX-License-Identifier: MIT */
#include "self/run_socket.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "self/pid_namespace.h"
#include "self/run_folder.h"

#define BEFORE "showstopper-"
#define BEHIND ".socket"
/* A run that doesn't take connections for so long doesn't at all. */
#define CONNECT_LIMIT_S 5
#define MAKE_TRIES 10

/* A longer path leaves no room for the name of a socket. */
#define FOLDER_MAX 61

static int refuse(const char *what, const char *why, char error[static RUN_SOCKET_ERROR_MAX])
{
	snprintf(error, RUN_SOCKET_ERROR_MAX, "%.200s: %.200s", what, why);
	return -1;
}

/* Containers may share a folder. */
static void name_socket(const char *folder, pid_t run, struct sockaddr_un *address)
{
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	snprintf(address->sun_path, sizeof address->sun_path, "%.60s/" BEFORE "%d-%ju" BEHIND, folder, (int)run,
		(uintmax_t)pid_namespace_own());
}

static int open_to(const struct sockaddr_un *address, int flags)
{
	const struct timeval limit = {.tv_sec = CONNECT_LIMIT_S};
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
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
		struct sockaddr_un address = {.sun_family = AF_UNIX};
		int end = 0;
		sscanf(entry->d_name, BEFORE "%*d-%*u" BEHIND "%n", &end);
		if (!end || entry->d_name[end])
			continue;
		snprintf(address.sun_path, sizeof address.sun_path, "%.60s/%.40s", folder, entry->d_name);
		const int fd = open_to(&address, SOCK_NONBLOCK);
		if (fd >= 0)
			close(fd);
		else if (errno == ECONNREFUSED)
			unlink(address.sun_path);
	}
	if (entries)
		closedir(entries);
}

/* Under another name until it listens, or others that start take it for one of a dead run. Nobody else's is replaced. */
static int listen_at(int fd, const struct sockaddr_un *address)
{
	struct sockaddr_un raw = *address;
	strcpy(strrchr(raw.sun_path, '.'), ".new");
	unlink(raw.sun_path);
	if (bind(fd, (const struct sockaddr *)&raw, sizeof raw) != 0)
		return -1;
	int result = chmod(raw.sun_path, 0600);
	if (result == 0)
		result = listen(fd, SOMAXCONN);
	if (result == 0)
		result = link(raw.sun_path, address->sun_path);
	const int error = errno;
	unlink(raw.sun_path);
	errno = error;
	return result;
}

int run_socket_listen(pid_t run, char error[static RUN_SOCKET_ERROR_MAX])
{
	char folder[PATH_MAX];
	struct sockaddr_un address;
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int result = -1;
	/* Another run may have removed it meanwhile, which was empty. */
	for (int tries = 0; fd >= 0 && result != 0 && tries < MAKE_TRIES; tries++) {
		if (!run_folder_make(folder, "", FOLDER_MAX)) {
			refuse(folder, "expected $XDG_RUNTIME_DIR or $TMPDIR to be a folder of this user", error);
			close(fd);
			return -1;
		}
		remove_dead(folder);
		name_socket(folder, run, &address);
		result = listen_at(fd, &address);
		if (result != 0 && errno != ENOENT)
			break;
	}
	if (result == 0)
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
	char folder[PATH_MAX];
	for (size_t i = 0; run_folder_place(i, geteuid(), folder); i++) {
		struct sockaddr_un address;
		name_socket(folder, run, &address);
		unlink(address.sun_path);
	}
	run_folder_remove();
}

/* Whose process it is. The folder of /proc is root's where the program has capabilities of its own. */
static bool find_user(pid_t process, uid_t *user)
{
	static const char row[] = "Uid:";
	char name[32];
	char line[256];
	bool found = false;
	snprintf(name, sizeof name, "/proc/%d/status", (int)process);
	FILE *const status = fopen(name, "re");
	while (status && !found && fgets(line, sizeof line, status)) {
		char *effective;
		found = strncmp(line, row, strlen(row)) == 0;
		if (!found)
			continue;
		strtoul(line + strlen(row), &effective, 10);
		*user = (uid_t)strtoul(effective, NULL, 10);
	}
	if (status)
		fclose(status);
	return found;
}

/* What root says reaches no program of another user than the run's. */
static bool is_of(int fd, uid_t user)
{
	struct ucred peer;
	socklen_t size = sizeof peer;
	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == user;
}

int run_socket_connect(pid_t run, char error[static RUN_SOCKET_ERROR_MAX])
{
	char folder[PATH_MAX];
	uid_t user;
	if (!find_user(run, &user))
		return refuse("found no such process", "expected that of a run", error);
	for (size_t i = 0; run_folder_place(i, user, folder); i++) {
		struct sockaddr_un address;
		name_socket(folder, run, &address);
		errno = 0;
		const int fd = run_folder_is_private(folder, user) ? open_to(&address, 0) : -1;
		if (fd >= 0 && is_of(fd, user))
			return fd;
		if (fd >= 0)
			close(fd);
		else if (errno == EACCES || errno == EAGAIN)
			return refuse(address.sun_path, strerror(errno), error);
	}
	return refuse("found no socket of it", "expected a run with -t stream and no source", error);
}
