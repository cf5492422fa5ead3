/* SPDX-License-Identifier: MIT */
#include "base/diag.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *name = "showstopper";
static unsigned live_line_columns;

static struct {
	bool never;       /* wait for a reader */
	int own;          /* stderr opened once more, non-blocking: the user's descriptor must stay as it is; -1: it can't be */
	unsigned dropped; /* pieces since something could be written */
	bool torn;        /* … the last of which ends in the middle of a line */
	size_t rest_length;
	char rest[DIAG_DRAWING_MAX]; /* what goes before anything else */
} waiting = {.own = -1};

void diag_name(const char *program)
{
	name = program;
}

void diag_over_live_line(unsigned columns)
{
	live_line_columns = columns;
}

void diag_never_wait(void)
{
	struct stat status;
	waiting.never = true;
	if (waiting.own < 0 && fstat(STDERR_FILENO, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode)))
		waiting.own = open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/* Like write(2), but where nobody is to wait it fails with EAGAIN instead. */
static ssize_t write_piece(const char *text, size_t length)
{
	struct pollfd polled = {.fd = STDERR_FILENO, .events = POLLOUT};
	if (!waiting.never)
		return write(STDERR_FILENO, text, length);
	if (waiting.own >= 0)
		return write(waiting.own, text, length);
	if (poll(&polled, 1, 0) == 1)
		return write(STDERR_FILENO, text, length);
	errno = EAGAIN;
	return -1;
}

/* False as long as there is one. */
static bool write_rest(void)
{
	if (!waiting.rest_length)
		return true;
	const ssize_t written = write_piece(waiting.rest, waiting.rest_length);
	if (written < 0 && errno == EAGAIN)
		return false;
	waiting.rest_length -= written < 0 ? waiting.rest_length : (size_t)written;
	memmove(waiting.rest, waiting.rest + (written < 0 ? 0 : written), waiting.rest_length);
	return !waiting.rest_length;
}

bool diag_draw(const char *text, size_t length)
{
	if (!write_rest())
		return false;
	const ssize_t written = write_piece(text, length);
	if (written > 0 && (size_t)written < length && length <= sizeof waiting.rest) {
		waiting.rest_length = length - (size_t)written;
		memcpy(waiting.rest, text + written, waiting.rest_length);
	}
	return written >= 0 || errno != EAGAIN;
}

bool diag_try(const char *text, size_t length)
{
	if (!write_rest())
		return false;
	const ssize_t written = write_piece(text, length);
	/* Nothing can be said when stderr can't be written. */
	if (written < 0 && errno != EAGAIN)
		return true;
	waiting.torn = written > 0 ? (size_t)written < length : waiting.torn;
	return written == (ssize_t)length;
}

static void say_what_was_dropped(void)
{
	char line[128];
	if (!waiting.dropped)
		return;
	const int length = snprintf(line, sizeof line, "%s%s: stderr could not be written: %u message%s missing\n",
		waiting.torn ? "\n" : "", name, waiting.dropped, waiting.dropped == 1 ? " is" : "s are");
	if (diag_try(line, (size_t)length))
		waiting.dropped = 0;
}

/* The end of the last line that fits into a pipe at once, or of as much as does. */
static size_t piece_of(const char *text, size_t length)
{
	if (length <= PIPE_BUF)
		return length;
	const char *const newline = memrchr(text, '\n', PIPE_BUF);
	return newline ? (size_t)(newline - text) + 1 : PIPE_BUF;
}

void diag_write(const char *text, size_t length)
{
	const int saved = errno;
	while (length > 0) {
		const size_t piece = piece_of(text, length);
		say_what_was_dropped();
		if (waiting.dropped || !diag_try(text, piece))
			waiting.dropped++;
		text += piece;
		length -= piece;
	}
	errno = saved;
}

void diag_wrap(char *text)
{
	struct winsize size;
	char *blank = NULL;
	unsigned used = 0;
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || !size.ws_col)
		return;
	for (char *at = text; *at; at++) {
		if (*at == ' ')
			blank = at;
		if (*at == '\n') {
			used = 0;
			blank = NULL;
		} else if ((*at & 0xc0) != 0x80 && ++used > size.ws_col && blank) {
			*blank = '\n';
			used = 0;
			for (const char *letter = blank + 1; letter <= at; letter++)
				used += (*letter & 0xc0) != 0x80;
			blank = NULL;
		}
	}
}

static void __attribute__((format(printf, 1, 0))) say(const char *format, va_list arguments)
{
	const int saved = errno;
	char line[4096];
	int used = 0;
	if (live_line_columns)
		used = snprintf(line, sizeof line, "\r%*s\r", (int)live_line_columns, "");
	const int begin = used;
	used += snprintf(line + used, sizeof line - (size_t)used, "%s: ", name);
	const int body = vsnprintf(line + used, sizeof line - (size_t)used - 1, format, arguments);
	/* What a message quotes must not break its line or steer the terminal. */
	for (char *at = line + used; *at; at++)
		if ((unsigned char)*at < ' ' || *at == '\177')
			*at = '?';
	if (body > 0)
		used += body;
	if ((size_t)used > sizeof line - 2)
		used = (int)sizeof line - 2;
	line[used++] = '\n';
	line[used] = '\0';
	diag_wrap(line + begin);
	diag_write(line, (size_t)used);
	errno = saved;
}

void diag(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	say(format, arguments);
	va_end(arguments);
}

int diag_refuse(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	say(format, arguments);
	va_end(arguments);
	return -1;
}
