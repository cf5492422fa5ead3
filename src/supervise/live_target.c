/* SPDX-License-Identifier: MIT */
#include "supervise/live_target.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/units.h"
#include "self/run_socket.h"

/* What is read of one source before the master looks after something else. */
#define PIECE 4096
/* Reading takes one part of so many of one processor's time at most, however much there is. */
#define READING_SHARE 20
/* Who is connected and has said nothing for so long makes room for another. */
#define IDLE_NS (2 * NS_PER_S)

static int refuse(const struct live_target *live, const char *what)
{
	return diag_refuse("trace module 'stream': source=%s: %s", live->asked.source ? live->asked.source : "", what);
}

/* ---- Sources ---------------------------------------------------------------------------------------------------------- */

static struct live_target_peer *add_peer(struct live_target *live, int fd, bool is_socket)
{
	for (int i = 0; i < LIVE_TARGET_PEERS; i++) {
		struct live_target_peer *const peer = &live->peer[i];
		struct epoll_event event = {.events = EPOLLIN, .data.ptr = peer};
		if (peer->fd >= 0)
			continue;
		if (epoll_ctl(live->events, EPOLL_CTL_ADD, fd, &event) != 0)
			return NULL;
		peer->fd = fd;
		peer->is_socket = is_socket;
		peer->begins_again = false;
		peer->heard_ns = clock_now();
		peer->reader =
			(struct stream_reader){.name = live->name, .writer = &live->writer, .complaints = &live->complaints};
		return peer;
	}
	errno = EMFILE;
	return NULL;
}

static void remove_peer(const struct live_target *live, struct live_target_peer *peer)
{
	epoll_ctl(live->events, EPOLL_CTL_DEL, peer->fd, NULL);
	/* Executors that were forked since have it, too. */
	if (peer->is_socket)
		shutdown(peer->fd, SHUT_RDWR);
	close(peer->fd);
	peer->fd = -1;
}

static void end_source(struct live_target *live, int64_t since_ns)
{
	live->ended = true;
	stream_say_rest(&live->writer, live->asked.at_end, since_ns);
}

/* All of it is said before the run begins. */
static int read_file(struct live_target *live, int file)
{
	struct stream_reader reader = {.name = live->name, .writer = &live->writer, .complaints = &live->complaints};
	char error[STREAM_ERROR_MAX];
	const int result = stream_reader_take_file(&reader, file, 0, error);
	close(file);
	end_source(live, 0);
	return result == 0 ? 0 : refuse(live, error);
}

static int follow(struct live_target *live, int fd, bool is_socket, bool begins_again)
{
	struct live_target_peer *const peer = add_peer(live, fd, is_socket);
	if (peer) {
		peer->begins_again = begins_again;
		return 0;
	}
	const int error = errno;
	close(fd);
	return refuse(live, strerror(error));
}

static int open_input(struct live_target *live)
{
	struct stat status;
	const int flags = fcntl(STDIN_FILENO, F_GETFD);
	/* Who started us with it closed gave its number to what we opened first. */
	if (flags < 0 || (flags & FD_CLOEXEC))
		return refuse(live, "it is closed, expected a pipe or a file");
	const int file = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (file < 0 || fstat(file, &status) != 0)
		return refuse(live, strerror(errno));
	if (S_ISREG(status.st_mode))
		return read_file(live, file);
	if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode))
		return follow(live, file, false, false);
	close(file);
	return refuse(live, "found neither a pipe nor a file, expected one (showstopper --set sets targets by hand)");
}

static int open_socket(struct live_target *live, const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof address.sun_path)
		return refuse(live, strerror(ENAMETOOLONG));
	strcpy(address.sun_path, path);
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return refuse(live, strerror(errno));
	if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0)
		return follow(live, fd, true, false);
	const int error = errno;
	close(fd);
	return refuse(live, strerror(error));
}

#define READS (O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)

/* Who has a FIFO open for both waits for nobody, and it doesn't end with one of its writers. Who may only read it opens it again then. */
static int open_fifo(struct live_target *live, const char *path)
{
	int fifo = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	const bool only_reads = fifo < 0 && errno == EACCES;
	if (only_reads)
		fifo = open(path, READS);
	return fifo < 0 ? refuse(live, strerror(errno)) : follow(live, fifo, false, only_reads);
}

static int open_file(struct live_target *live, const char *path)
{
	struct stat status;
	if (stat(path, &status) != 0)
		return refuse(live, strerror(errno));
	if (S_ISSOCK(status.st_mode))
		return open_socket(live, path);
	if (!S_ISFIFO(status.st_mode) && !S_ISREG(status.st_mode))
		return refuse(live, "expected a file, a FIFO or a unix socket");
	if (S_ISFIFO(status.st_mode))
		return open_fifo(live, path);
	const int file = open(path, READS);
	return file < 0 ? refuse(live, strerror(errno)) : read_file(live, file);
}

static int listen_for(struct live_target *live, pid_t run)
{
	char error[RUN_SOCKET_ERROR_MAX];
	struct epoll_event event = {.events = EPOLLIN};
	live->listening = run_socket_listen(run, error);
	if (live->listening < 0)
		return diag_refuse("trace module 'stream': %s", error);
	return epoll_ctl(live->events, EPOLL_CTL_ADD, live->listening, &event) == 0 ? 0 : refuse(live, strerror(errno));
}

int live_target_open(struct live_target *live, const struct host_env *host, pid_t run)
{
	*live = (struct live_target){.events = -1, .listening = -1};
	for (int i = 0; i < LIVE_TARGET_PEERS; i++)
		live->peer[i].fd = -1;
	if (!host->board)
		return 0;
	live->asked = host->followed;
	live->writer = (struct stream_writer){.board = host->board, .end_ns = INT64_MAX};
	live->heard_ns = clock_now();
	const char *const source = live->asked.source;
	live->name = !source ? "showstopper --set" : strcmp(source, "-") == 0 ? "standard input" : source;
	live->events = epoll_create1(EPOLL_CLOEXEC);
	if (live->events < 0)
		return refuse(live, strerror(errno));
	if (!source)
		return listen_for(live, run);
	return strcmp(source, "-") == 0 ? open_input(live) : open_file(live, source);
}

/* Who has connected to us is told whether all that it has said was taken. */
static void answer(const struct live_target *live, const struct live_target_peer *peer)
{
	char byte;
	const bool is_left = recv(peer->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
	const char *const text = is_left || peer->reader.refused ? RUN_SOCKET_REFUSED : RUN_SOCKET_TAKEN;
	if (live->listening >= 0 && peer->reader.cutter.lines)
		send(peer->fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void live_target_close(struct live_target *live)
{
	if (!live->writer.board)
		return;
	for (int i = 0; i < LIVE_TARGET_PEERS; i++) {
		if (live->peer[i].fd < 0)
			continue;
		answer(live, &live->peer[i]);
		remove_peer(live, &live->peer[i]);
	}
	if (live->listening >= 0)
		close(live->listening);
	if (live->events >= 0)
		close(live->events);
	live->events = -1;
	stream_complaints_end(&live->complaints);
	live->writer.board = NULL;
}

/* ---- Reading ---------------------------------------------------------------------------------------------------------- */

/* Of those who have said nothing for long, if all places are taken. */
static void drop_most_idle(struct live_target *live)
{
	struct live_target_peer *idle = live->peer;
	for (int i = 0; i < LIVE_TARGET_PEERS; i++) {
		if (live->peer[i].fd < 0)
			return;
		if (live->peer[i].heard_ns < idle->heard_ns)
			idle = &live->peer[i];
	}
	if (clock_now() - idle->heard_ns < IDLE_NS)
		return;
	answer(live, idle);
	remove_peer(live, idle);
}

static void take_connection(struct live_target *live)
{
	const int fd = run_socket_accept(live->listening);
	if (fd < 0)
		return;
	drop_most_idle(live);
	if (!add_peer(live, fd, true))
		close(fd);
}

/* A descriptor of which as much is read as poll has announced never waits, also where it isn't set to. */
static bool has_more(int fd)
{
	struct pollfd polled = {.fd = fd, .events = POLLIN};
	return poll(&polled, 1, 0) > 0;
}

static void end_peer(struct live_target *live, struct live_target_peer *peer, int64_t since_ns)
{
	answer(live, peer);
	remove_peer(live, peer);
	/* Those who connect to us come and go. */
	if (live->listening < 0)
		end_source(live, since_ns);
}

/* Before the old descriptor is closed: what somebody writes meanwhile stays in the FIFO. */
static bool begin_again(const struct live_target *live, struct live_target_peer *peer)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = peer};
	const int fifo = open(live->asked.source, READS);
	if (fifo < 0)
		return false;
	if (epoll_ctl(live->events, EPOLL_CTL_ADD, fifo, &event) != 0) {
		close(fifo);
		return false;
	}
	epoll_ctl(live->events, EPOLL_CTL_DEL, peer->fd, NULL);
	close(peer->fd);
	peer->fd = fifo;
	return true;
}

static void read_peer(struct live_target *live, struct live_target_peer *peer, int64_t since_ns)
{
	char piece[PIECE];
	const uint64_t lines = peer->reader.cutter.lines;
	if (!has_more(peer->fd))
		return;
	const ssize_t got = read(peer->fd, piece, sizeof piece);
	if (got == 0 && peer->begins_again && begin_again(live, peer))
		return;
	const bool ends = got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN);
	if (got > 0) {
		peer->heard_ns = clock_now();
		stream_reader_take(&peer->reader, piece, (size_t)got, since_ns);
	}
	if (ends)
		stream_reader_end(&peer->reader, since_ns);
	if (peer->reader.cutter.lines != lines) {
		live->heard_ns = clock_now();
		live->silent = false;
	}
	if (ends)
		end_peer(live, peer, since_ns);
}

void live_target_read(struct live_target *live, int64_t since_ns)
{
	struct epoll_event event[LIVE_TARGET_PEERS + 1];
	const int64_t cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	const int count = epoll_wait(live->events, event, LIVE_TARGET_PEERS + 1, 0);
	for (int i = 0; i < count; i++) {
		if (event[i].data.ptr)
			read_peer(live, event[i].data.ptr, since_ns);
		else
			take_connection(live);
	}
	live->rests_until_ns = clock_now() + (clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns) * (READING_SHARE - 1);
}

int live_target_events(const struct live_target *live, int64_t now_ns)
{
	return now_ns < live->rests_until_ns ? -1 : live->events;
}

static int64_t silence_begins(const struct live_target *live)
{
	const bool waits = live->writer.board && live->asked.timeout_ns != SST_UNSET && !live->silent && !live->ended;
	return waits ? live->heard_ns + live->asked.timeout_ns : INT64_MAX;
}

int64_t live_target_next(const struct live_target *live, int64_t now_ns)
{
	const int64_t silence_ns = silence_begins(live);
	return now_ns < live->rests_until_ns && live->rests_until_ns < silence_ns ? live->rests_until_ns : silence_ns;
}

void live_target_look(struct live_target *live, int64_t since_ns)
{
	if (silence_begins(live) > clock_now())
		return;
	const struct stream_line free = {.says = STREAM_TARGET, .load = NAN};
	const struct stream_line end = {.says = STREAM_END};
	live->silent = true;
	if (live->asked.silence == SST_THEN_FREE)
		stream_say(&live->writer, &free, since_ns);
	else if (live->asked.silence == SST_THEN_END)
		stream_say(&live->writer, &end, since_ns);
}
