/* SPDX-License-Identifier: MIT */
#include "ssiterate/lines.h"

#include <errno.h>
#include <regex.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "ssiterate/command.h"

static bool is_match(const regex_t *regex, const struct stream *stream)
{
	regmatch_t part = {.rm_so = 0, .rm_eo = (regoff_t)stream->length};
	return regexec(regex, stream->line, 1, &part, REG_STARTEND) == 0;
}

static void take_line(struct iterate *iterate, struct stream *stream, int64_t now_ns)
{
	const struct settings *const settings = iterate->settings;
	if (stream->length > 0 && stream->line[stream->length - 1] == '\r')
		stream->length--;
	if (!iterate->is_over && now_ns < iterate->deadline_ns && is_match(&iterate->end, stream)) {
		if (iterate->is_begun)
			iterate_record(iterate, iterate->start_ns, now_ns, 0);
		iterate->is_begun = !settings->match_start;
		iterate->start_ns = now_ns;
	}
	if (settings->match_start && is_match(&iterate->start, stream)) {
		iterate->is_begun = true;
		iterate->start_ns = now_ns;
	}
	stream->length = 0;
	if (iterate_is_limited(iterate))
		command_finish(iterate);
}

static void take_lines(struct iterate *iterate, struct stream *stream, int64_t now_ns)
{
	const char *at = stream->piece;
	const char *const end = at + stream->used;
	while (at < end) {
		const char *const newline = memchr(at, '\n', (size_t)(end - at));
		const size_t length = (size_t)((newline ? newline : end) - at);
		const size_t room = LINE_LENGTH_MAX - stream->length;
		memcpy(stream->line + stream->length, at, length < room ? length : room);
		stream->length += length < room ? length : room;
		at += length;
		if (newline) {
			take_line(iterate, stream, now_ns);
			at++;
		}
	}
}

void lines_close(struct iterate *iterate, struct stream *stream)
{
	if (stream->length > 0)
		take_line(iterate, stream, clock_now());
	close(stream->from);
	stream->from = -1;
	stream->sent = stream->used = 0;
}

static void read_piece(struct iterate *iterate, struct stream *stream)
{
	const ssize_t got = read(stream->from, stream->piece, stream->left < PIECE ? stream->left : PIECE);
	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (got <= 0) {
		lines_close(iterate, stream);
		return;
	}
	stream->sent = 0;
	stream->used = (size_t)got;
	stream->left -= stream->left == SIZE_MAX ? 0 : stream->used;
	take_lines(iterate, stream, clock_now());
}

static void write_piece(struct iterate *iterate, struct stream *stream)
{
	const ssize_t written = write(stream->to, stream->piece + stream->sent, stream->used - stream->sent);
	if (written >= 0) {
		stream->sent += (size_t)written;
	} else if (errno == EBADF) {
		/* We were started with it closed: its lines are looked at all the same. */
		stream->sent = stream->used;
	} else if (errno != EINTR && errno != EAGAIN) {
		/* The command gets what it would have got without us: nobody reads its output any more. */
		if (errno != EPIPE && !iterate->is_lossy) {
			diag("can't write %s: %s", stream->name, strerror(errno));
			iterate->is_lossy = true;
		}
		stream->length = 0;
		lines_close(iterate, stream);
	}
}

bool lines_are_pending(const struct stream *stream)
{
	return stream->from >= 0 && stream->sent < stream->used;
}

struct pollfd lines_event(const struct stream *stream)
{
	if (lines_are_pending(stream))
		return (struct pollfd){.fd = stream->to, .events = POLLOUT};
	return (struct pollfd){.fd = stream->left > 0 ? stream->from : -1, .events = POLLIN};
}

void lines_bound(struct stream *stream)
{
	int there = 0;
	if (stream->from >= 0)
		ioctl(stream->from, FIONREAD, &there);
	stream->left = (size_t)there;
}

void lines_serve(struct iterate *iterate, struct stream *stream)
{
	if (lines_are_pending(stream))
		write_piece(iterate, stream);
	else
		read_piece(iterate, stream);
}
