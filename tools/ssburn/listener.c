/* SPDX-License-Identifier: MIT */
/*
 * A socket file outlives a server that was killed, and looks like that of one that lives until somebody connects. Between that look and the
 * new file a lock on the folder keeps others of our kind away, so that two that begin at once don't take away each other's.
 */
#include "ssburn/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"

#define BACKLOG 4096

static const char *path_of(const struct listener *listener)
{
	return ((const struct sockaddr_un *)&listener->address)->sun_path;
}

static bool is_file(const struct listener *listener)
{
	return listener->address.ss_family == AF_UNIX;
}

static int parse_path(const char *path, struct listener *listener)
{
	struct sockaddr_un *const address = (struct sockaddr_un *)&listener->address;
	if (!*path || strlen(path) >= sizeof address->sun_path)
		return -1;
	address->sun_family = AF_UNIX;
	strcpy(address->sun_path, path);
	listener->length = sizeof *address;
	return 0;
}

/* The bytes before the last colon: an address in brackets, one without, a name or nothing. */
static int parse_host(const char *text, size_t length, in_port_t port, struct listener *listener)
{
	char host[INET6_ADDRSTRLEN + 2];
	struct sockaddr_in *const four = (struct sockaddr_in *)&listener->address;
	struct sockaddr_in6 *const six = (struct sockaddr_in6 *)&listener->address;
	if (length >= sizeof host)
		return -1;
	memcpy(host, text, length);
	host[length] = '\0';
	if (length > 1 && host[0] == '[' && host[length - 1] == ']') {
		host[length - 1] = '\0';
		*six = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = port};
		listener->length = sizeof *six;
		return inet_pton(AF_INET6, host + 1, &six->sin6_addr) == 1 ? 0 : -1;
	}
	*four = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = port, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	listener->length = sizeof *four;
	if (length == 0 || strcmp(host, "localhost") == 0)
		return 0;
	return inet_pton(AF_INET, host, &four->sin_addr) == 1 ? 0 : -1;
}

int listener_parse(const char *text, struct listener *listener)
{
	int64_t port;
	*listener = (struct listener){.fd = -1};
	if (strncmp(text, "unix:", 5) == 0)
		return parse_path(text + 5, listener);
	const char *const colon = strrchr(text, ':');
	const char *const number = colon ? colon + 1 : text;
	if (units_parse_int(number, strlen(number), &port, NULL) != 0 || port < 0 || port > UINT16_MAX || *number == '+' ||
		*number == '-')
		return -1;
	return parse_host(text, colon ? (size_t)(colon - text) : 0, htons((uint16_t)port), listener);
}

const char *listener_name(const struct listener *listener, char text[static LISTENER_NAME_MAX])
{
	const struct sockaddr_in *const four = (const struct sockaddr_in *)&listener->address;
	const struct sockaddr_in6 *const six = (const struct sockaddr_in6 *)&listener->address;
	char host[INET6_ADDRSTRLEN] = "";
	if (is_file(listener)) {
		snprintf(text, LISTENER_NAME_MAX, "unix:%s", path_of(listener));
	} else if (listener->address.ss_family == AF_INET6) {
		inet_ntop(AF_INET6, &six->sin6_addr, host, sizeof host);
		snprintf(text, LISTENER_NAME_MAX, "http://[%s]:%u/", host, ntohs(six->sin6_port));
	} else {
		inet_ntop(AF_INET, &four->sin_addr, host, sizeof host);
		snprintf(text, LISTENER_NAME_MAX, "http://%s:%u/", host, ntohs(four->sin_port));
	}
	return text;
}

/* ---- Socket files ----------------------------------------------------------------------------------------------------- */

/* A lock on the folder of the path, or -1. Who can't have it goes on: the folder may not be readable, or somebody keeps its lock. */
static int lock_folder(const char *path)
{
	static const struct timespec pause = {.tv_nsec = 10 * NS_PER_MS};
	char copy[PATH_MAX];
	snprintf(copy, sizeof copy, "%s", path);
	const int folder = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; folder >= 0 && i < 100 && flock(folder, LOCK_EX | LOCK_NB) != 0; i++)
		nanosleep(&pause, NULL);
	return folder;
}

static void unlock_folder(int folder)
{
	if (folder >= 0)
		close(folder);
}

/* Whether what is at the path is a socket of ours that nobody listens at. If not, errno says what keeps it. */
static bool is_stale(const struct listener *listener)
{
	struct stat status;
	errno = EADDRINUSE;
	if (lstat(path_of(listener), &status) != 0)
		return false;
	if (!S_ISSOCK(status.st_mode) || status.st_uid != geteuid()) {
		errno = EEXIST;
		return false;
	}
	const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (probe < 0)
		return false;
	const bool refused =
		connect(probe, (const struct sockaddr *)&listener->address, listener->length) != 0 && errno == ECONNREFUSED;
	close(probe);
	errno = EADDRINUSE;
	return refused;
}

static int bind_path(struct listener *listener)
{
	const struct sockaddr *const address = (const struct sockaddr *)&listener->address;
	int result = bind(listener->fd, address, listener->length);
	if (result != 0 && errno == EADDRINUSE && is_stale(listener) && unlink(path_of(listener)) == 0)
		result = bind(listener->fd, address, listener->length);
	return result == 0 ? lstat(path_of(listener), &listener->made) : -1;
}

/* ---- Opening and closing ---------------------------------------------------------------------------------------------- */

static int bind_port(struct listener *listener)
{
	static const int yes = 1;
	setsockopt(listener->fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
	/* [::] means what it says, and not 0.0.0.0, too. */
	if (listener->address.ss_family == AF_INET6)
		setsockopt(listener->fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
	if (bind(listener->fd, (const struct sockaddr *)&listener->address, listener->length) != 0)
		return -1;
	return getsockname(listener->fd, (struct sockaddr *)&listener->address, &listener->length);
}

int listener_open(struct listener *listener, char error[static LISTENER_ERROR_MAX])
{
	char name[LISTENER_NAME_MAX];
	const int folder = is_file(listener) ? lock_folder(path_of(listener)) : -1;
	listener->fd = socket(listener->address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	const bool is_bound = listener->fd >= 0 && (is_file(listener) ? bind_path(listener) : bind_port(listener)) == 0;
	const bool listens = is_bound && listen(listener->fd, BACKLOG) == 0;
	const int reason = errno;
	unlock_folder(folder);
	if (listens)
		return 0;
	snprintf(error, LISTENER_ERROR_MAX, "can't listen at %s: %s", listener_name(listener, name),
		reason == EEXIST ? "there is something else already" : strerror(reason));
	if (is_bound && is_file(listener))
		unlink(path_of(listener));
	if (listener->fd >= 0)
		close(listener->fd);
	listener->fd = -1;
	return -1;
}

void listener_close(struct listener *listener)
{
	struct stat status;
	if (listener->fd < 0)
		return;
	const int folder = is_file(listener) ? lock_folder(path_of(listener)) : -1;
	if (is_file(listener) && lstat(path_of(listener), &status) == 0 && status.st_dev == listener->made.st_dev &&
		status.st_ino == listener->made.st_ino)
		unlink(path_of(listener));
	close(listener->fd);
	listener->fd = -1;
	unlock_folder(folder);
}
