/* SPDX-License-Identifier: MIT */
#include "self/run_socket.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
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
/* A run that is there takes what is said to it, and answers, within milliseconds. */
#define ANSWER_LIMIT_MS 5000
#define MAKE_TRIES 10

/* A longer path leaves no room for the name of a socket. */
#define FOLDER_MAX 61

/* What comes with a datagram. */
union brought {
	char space[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

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

/* Whether it is the name of such a socket, and of which PID namespace. */
static bool parse_name(const char *name, uintmax_t *within)
{
	char *end;
	if (strncmp(name, BEFORE, strlen(BEFORE)) != 0)
		return false;
	strtol(name + strlen(BEFORE), &end, 10);
	if (*end != '-')
		return false;
	*within = strtoumax(end + 1, &end, 10);
	return strcmp(end, BEHIND) == 0;
}

static int open_to(const struct sockaddr_un *address)
{
	const struct timeval limit = {.tv_sec = ANSWER_LIMIT_MS / 1000};
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
	if (fd < 0 || connect(fd, (const struct sockaddr *)address, sizeof *address) == 0)
		return fd;
	const int error = errno;
	close(fd);
	errno = error;
	return -1;
}

/* ---- The run's side --------------------------------------------------------------------------------------------------- */

/* Those that no process has open any more. */
static void remove_dead(const char *folder)
{
	DIR *const entries = opendir(folder);
	for (const struct dirent *entry; entries && (entry = readdir(entries));) {
		struct sockaddr_un address = {.sun_family = AF_UNIX};
		uintmax_t ignored;
		if (!parse_name(entry->d_name, &ignored))
			continue;
		snprintf(address.sun_path, sizeof address.sun_path, "%.60s/%.40s", folder, entry->d_name);
		const int fd = open_to(&address);
		if (fd >= 0)
			close(fd);
		else if (errno == ECONNREFUSED)
			unlink(address.sun_path);
	}
	if (entries)
		closedir(entries);
}

int run_socket_open(pid_t run, char error[static RUN_SOCKET_ERROR_MAX])
{
	char folder[PATH_MAX];
	struct sockaddr_un address = {0};
	const int on = 1;
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int result = fd < 0 ? -1 : setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
	/* Before it has a name, which has this mode then. */
	if (result == 0)
		result = fchmod(fd, 0600);
	bool is_bound = false;
	/* Another run may have removed the folder meanwhile, which was empty. */
	for (int tries = 0; result == 0 && !is_bound && tries < MAKE_TRIES; tries++) {
		if (!run_folder_make(folder, "", FOLDER_MAX)) {
			close(fd);
			return refuse(folder, "expected $XDG_RUNTIME_DIR or $TMPDIR to be a folder of this user", error);
		}
		remove_dead(folder);
		name_socket(folder, run, &address);
		is_bound = bind(fd, (const struct sockaddr *)&address, sizeof address) == 0;
		if (!is_bound && errno != ENOENT)
			break;
	}
	if (is_bound)
		return fd;
	refuse(address.sun_path, strerror(errno), error);
	if (fd >= 0)
		close(fd);
	return -1;
}

/* The descriptors that came with a datagram: the one for the answer, if it is the only one; else all are closed, and it is -1. */
static int take_answer(const struct cmsghdr *header)
{
	int answer = -1;
	const size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof answer;
	for (size_t i = 0; i < count; i++) {
		memcpy(&answer, CMSG_DATA(header) + i * sizeof answer, sizeof answer);
		if (count > 1)
			close(answer);
	}
	return count == 1 ? answer : -1;
}

/* Whoever sent it waits no longer, and has been told so. */
static bool is_given_up(int answer)
{
	struct pollfd polled = {.fd = answer};
	return answer >= 0 && poll(&polled, 1, 0) > 0 && polled.revents & POLLHUP;
}

ssize_t run_socket_take(int socket, char *text, size_t size, int *answer)
{
	union brought brought;
	struct iovec piece = {text, size};
	struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = &brought, .msg_controllen = sizeof brought};
	uid_t user = (uid_t)-1;
	*answer = -1;
	const ssize_t length = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); length >= 0 && header; header = CMSG_NXTHDR(&message, header)) {
		if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_CREDENTIALS)
			user = ((const struct ucred *)(void *)CMSG_DATA(header))->uid;
		else if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
			*answer = take_answer(header);
	}
	const bool is_ours = user == 0 || user == geteuid();
	if (length < 0 || (is_ours && !(message.msg_flags & MSG_TRUNC) && !is_given_up(*answer)))
		return length;
	run_socket_answer(*answer, false);
	*answer = -1;
	return 0;
}

void run_socket_answer(int answer, bool is_taken)
{
	const char said = is_taken ? '1' : '0';
	if (answer < 0)
		return;
	send(answer, &said, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
	close(answer);
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

/* ---- The other side --------------------------------------------------------------------------------------------------- */

/* Whose process it is, and its parent. The folder of /proc is root's where the program has capabilities of its own. */
static bool find_process(pid_t process, uid_t *user, pid_t *parent)
{
	char name[32], line[256];
	int found = 0;
	*user = (uid_t)-1;
	*parent = 0;
	snprintf(name, sizeof name, "/proc/%d/status", (int)process);
	FILE *const status = fopen(name, "re");
	while (status && found < 2 && fgets(line, sizeof line, status)) {
		char *effective;
		if (strncmp(line, "PPid:", 5) == 0) {
			*parent = (pid_t)strtol(line + 5, NULL, 10);
			found++;
		} else if (strncmp(line, "Uid:", 4) == 0) {
			strtoul(line + 4, &effective, 10);
			*user = (uid_t)strtoul(effective, NULL, 10);
			found++;
		}
	}
	if (status)
		fclose(status);
	return found == 2;
}

/* What root says reaches no program of another user than the run's. -1 with errno. */
static int open_in(const char *folder, uid_t user, pid_t run, struct sockaddr_un *address)
{
	struct stat status;
	name_socket(folder, run, address);
	errno = ENOENT;
	if (!run_folder_is_private(folder, user) || lstat(address->sun_path, &status) != 0 || status.st_uid != user)
		return -1;
	return open_to(address);
}

/* The runs of a user that have a socket: in this PID namespace, of which *only is connected to the first one, or -1, and in others. */
static void find_runs(uid_t user, int *only, unsigned *here, unsigned *elsewhere)
{
	char folder[PATH_MAX];
	*only = -1;
	*here = *elsewhere = 0;
	for (size_t i = 0; run_folder_place(i, user, folder); i++) {
		DIR *const entries = run_folder_is_private(folder, user) ? opendir(folder) : NULL;
		for (const struct dirent *entry; entries && (entry = readdir(entries));) {
			struct sockaddr_un address = {.sun_family = AF_UNIX};
			uintmax_t within;
			if (!parse_name(entry->d_name, &within))
				continue;
			snprintf(address.sun_path, sizeof address.sun_path, "%.60s/%.40s", folder, entry->d_name);
			const int fd = open_to(&address);
			const bool is_here = within == (uintmax_t)pid_namespace_own();
			*here += fd >= 0 && is_here;
			*elsewhere += fd >= 0 && !is_here;
			if (fd >= 0 && is_here && *only < 0)
				*only = fd;
			else if (fd >= 0)
				close(fd);
		}
		if (entries)
			closedir(entries);
	}
}

/* Says what was looked for in vain. */
static int refuse_none(const char *found, unsigned elsewhere, char error[static RUN_SOCKET_ERROR_MAX])
{
	return refuse(found,
		elsewhere ? "expected one in this PID namespace, where the one that is there isn't"
			  : "expected one with -t stream and no source",
		error);
}

/* To the run of a process or one above it. -1 with a message. */
static int connect_to(pid_t process, char error[static RUN_SOCKET_ERROR_MAX])
{
	char folder[PATH_MAX];
	struct sockaddr_un address;
	unsigned here, elsewhere;
	uid_t user, owner;
	pid_t parent;
	int only;
	if (!find_process(process, &owner, &parent))
		return refuse("found no such process", "expected that of a run", error);
	for (; process > 1 && find_process(process, &user, &parent); process = parent)
		for (size_t i = 0; run_folder_place(i, user, folder); i++) {
			const int fd = open_in(folder, user, process, &address);
			if (fd >= 0)
				return fd;
			if (errno == EACCES)
				return refuse(address.sun_path, strerror(errno), error);
		}
	find_runs(owner, &only, &here, &elsewhere);
	if (only >= 0)
		close(only);
	return refuse_none("found no run of it", here ? 0 : elsewhere, error);
}

/* To the only run of this user in this PID namespace. -1 with a message. */
static int connect_to_only(char error[static RUN_SOCKET_ERROR_MAX])
{
	unsigned here, elsewhere;
	int only;
	find_runs(geteuid(), &only, &here, &elsewhere);
	if (here == 1)
		return only;
	if (only < 0)
		return refuse_none("found no run", elsewhere, error);
	close(only);
	return refuse("found several runs", "expected the number of a process of one of them behind the load", error);
}

static bool send_with(int fd, const char *line, int answer)
{
	union brought brought = {{0}};
	struct iovec piece = {(char *)line, strlen(line)};
	struct msghdr message = {
		.msg_iov = &piece, .msg_iovlen = 1, .msg_control = &brought, .msg_controllen = CMSG_SPACE(sizeof answer)};
	struct cmsghdr *const header = CMSG_FIRSTHDR(&message);
	*header = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof answer)};
	memcpy(CMSG_DATA(header), &answer, sizeof answer);
	return sendmsg(fd, &message, MSG_NOSIGNAL) >= 0;
}

int run_socket_say(pid_t process, const char *line, char error[static RUN_SOCKET_ERROR_MAX])
{
	int ends[2];
	char said = 0;
	const int fd = process ? connect_to(process, error) : connect_to_only(error);
	if (fd < 0)
		return -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
		close(fd);
		return refuse("no socket for its answer", strerror(errno), error);
	}
	struct pollfd polled = {.fd = ends[0], .events = POLLIN};
	const bool is_sent = send_with(fd, line, ends[1]);
	bool is_late = !is_sent && errno == EAGAIN;
	close(ends[1]);
	if (is_sent)
		is_late = poll(&polled, 1, ANSWER_LIMIT_MS) == 0;
	if (is_sent && !is_late && recv(ends[0], &said, 1, MSG_DONTWAIT) < 0)
		said = 0;
	close(ends[0]);
	close(fd);
	if (said == '1')
		return 0;
	snprintf(error, RUN_SOCKET_ERROR_MAX, "%s",
		is_late ? "the run doesn't answer" : "the run didn't take it: it ends, or it says why");
	return -1;
}
