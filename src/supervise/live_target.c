/* SPDX-License-Identifier: MIT */
#include "supervise/live_target.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/units.h"
#include "self/run_socket.h"

/* What is read before the master looks after something else. */
#define PIECE 4096
/* Reading takes one part of so many of one processor's time at most, however much there is. */
#define READING_SHARE 20

static int refuse(const struct live_target *live, const char *what)
{
	return diag_refuse("trace module 'stream': source=%s: %s", live->asked.source ? live->asked.source : "", what);
}

/* ---- Sources ---------------------------------------------------------------------------------------------------------- */

static void begin_reader(struct live_target *live)
{
	live->reader = (struct stream_reader){.name = live->name, .writer = &live->writer, .complaints = &live->complaints};
}

static void end_source(struct live_target *live, int64_t since_ns)
{
	if (live->file >= 0)
		close(live->file);
	live->file = -1;
	live->ended = true;
	stream_say_rest(&live->writer, live->asked.at_end, since_ns);
}

/* All of it is said before the run begins. */
static int read_file(struct live_target *live, int file)
{
	char error[STREAM_ERROR_MAX];
	const int result = stream_reader_take_file(&live->reader, file, 0, error);
	close(file);
	end_source(live, 0);
	return result == 0 ? 0 : refuse(live, error);
}

static int open_input(struct live_target *live)
{
	struct stat status;
	const int flags = fcntl(STDIN_FILENO, F_GETFD);
	/* Who started us with it closed gave its number to what we opened first. */
	if (flags < 0 || (flags & FD_CLOEXEC))
		return refuse(live, "it is closed, expected a pipe or a file");
	live->file = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (live->file < 0 || fstat(live->file, &status) != 0)
		return refuse(live, strerror(errno));
	if (S_ISREG(status.st_mode)) {
		const int file = live->file;
		live->file = -1;
		return read_file(live, file);
	}
	if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode))
		return 0;
	return refuse(live, "found neither a pipe nor a file, expected one (showstopper --set sets targets by hand)");
}

static int open_socket(struct live_target *live, const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof address.sun_path)
		return refuse(live, strerror(ENAMETOOLONG));
	strcpy(address.sun_path, path);
	live->file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	live->is_connected = true;
	if (live->file >= 0 && connect(live->file, (const struct sockaddr *)&address, sizeof address) == 0)
		return 0;
	return refuse(live, strerror(errno));
}

#define READS (O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)

/* Who has a FIFO open for both waits for nobody, and it doesn't end with one of its writers. Who may only read it opens it again then. */
static int open_fifo(struct live_target *live, const char *path)
{
	live->file = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	live->begins_again = live->file < 0 && errno == EACCES;
	if (live->begins_again)
		live->file = open(path, READS);
	return live->file < 0 ? refuse(live, strerror(errno)) : 0;
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

static int open_own(struct live_target *live, pid_t run, bool quiet)
{
	char error[RUN_SOCKET_ERROR_MAX];
	live->is_own = true;
	live->file = run_socket_open(run, error);
	if (live->file < 0)
		return diag_refuse("trace module 'stream': %s", error);
	if (!quiet)
		diag("set the target with: showstopper --set 40%% %d", (int)run);
	return 0;
}

int live_target_open(struct live_target *live, const struct host_env *host, pid_t run, bool quiet)
{
	*live = (struct live_target){.file = -1};
	if (!host->board)
		return 0;
	live->asked = host->followed;
	live->writer = (struct stream_writer){.board = host->board, .end_ns = INT64_MAX};
	live->heard_ns = clock_now();
	const char *const source = live->asked.source;
	live->name = !source ? "showstopper --set" : strcmp(source, "-") == 0 ? "standard input" : source;
	begin_reader(live);
	if (!source)
		return open_own(live, run, quiet);
	return strcmp(source, "-") == 0 ? open_input(live) : open_file(live, source);
}

void live_target_close(struct live_target *live)
{
	if (!live->writer.board)
		return;
	/* Executors that were forked since have it, too. What was inherited is not ours to shut down. */
	if (live->file >= 0 && (live->is_own || live->is_connected))
		shutdown(live->file, SHUT_RDWR);
	if (live->file >= 0)
		close(live->file);
	live->file = -1;
	stream_complaints_end(&live->complaints);
	live->writer.board = NULL;
}

/* ---- Reading ---------------------------------------------------------------------------------------------------------- */

/* A descriptor of which as much is read as poll has announced never waits, also where it isn't set to. */
static bool has_more(int fd)
{
	struct pollfd polled = {.fd = fd, .events = POLLIN};
	return poll(&polled, 1, 0) > 0;
}

/* Before the old descriptor is closed: what somebody writes meanwhile stays in the FIFO. */
static bool begin_again(struct live_target *live)
{
	const int fifo = open(live->asked.source, READS);
	if (fifo < 0)
		return false;
	close(live->file);
	live->file = fifo;
	return true;
}

/* Each datagram has whole lines. */
static void read_own(struct live_target *live, int64_t since_ns)
{
	char piece[PIECE];
	int answer;
	const ssize_t got = run_socket_take(live->file, piece, sizeof piece, &answer);
	if (got < 0)
		return;
	begin_reader(live);
	stream_reader_take(&live->reader, piece, (size_t)got, since_ns);
	stream_reader_end(&live->reader, since_ns);
	run_socket_answer(answer, live->reader.cutter.lines && !live->reader.refused);
}

static void read_source(struct live_target *live, int64_t since_ns)
{
	char piece[PIECE];
	if (!has_more(live->file))
		return;
	const ssize_t got = read(live->file, piece, sizeof piece);
	if (got > 0)
		stream_reader_take(&live->reader, piece, (size_t)got, since_ns);
	if (got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN)) || (got == 0 && live->begins_again && begin_again(live)))
		return;
	stream_reader_end(&live->reader, since_ns);
	end_source(live, since_ns);
}

void live_target_read(struct live_target *live, int64_t since_ns)
{
	const int64_t cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	const uint64_t lines = live->is_own ? 0 : live->reader.cutter.lines;
	if (live->is_own)
		read_own(live, since_ns);
	else
		read_source(live, since_ns);
	if (live->reader.cutter.lines != lines) {
		live->heard_ns = clock_now();
		live->silent = false;
	}
	live->rests_until_ns = clock_now() + (clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns) * (READING_SHARE - 1);
}

int live_target_file(const struct live_target *live, int64_t now_ns)
{
	return now_ns < live->rests_until_ns ? -1 : live->file;
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
