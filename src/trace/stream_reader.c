/* SPDX-License-Identifier: MIT */
#include "trace/stream_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/units.h"

#define TOO_MANY "found a target that is too many, expected at most %d that are ahead"

static void complain(struct stream_reader *reader, const char *what)
{
	struct stream_complaints *const complaints = reader->complaints;
	const int64_t now_ns = clock_now();
	reader->refused++;
	if (complaints->said_ns && now_ns - complaints->said_ns < NS_PER_S) {
		complaints->unsaid++;
		return;
	}
	stream_complaints_end(complaints);
	diag("%s: line %" PRIu64 ": %s; what was said before holds", reader->name, reader->cutter.lines, what);
	complaints->said_ns = now_ns;
}

void stream_complaints_end(struct stream_complaints *complaints)
{
	if (complaints->unsaid)
		diag("%" PRIu64 " more line%s of targets that could not be understood %s not told of", complaints->unsaid,
			complaints->unsaid == 1 ? "" : "s", complaints->unsaid == 1 ? "was" : "were");
	complaints->unsaid = 0;
}

static void take_line(void *context, const char *text, size_t length)
{
	struct stream_reader *const reader = context;
	struct stream_line line;
	char error[STREAM_ERROR_MAX];
	if (!text)
		snprintf(error, sizeof error, "found more than %d bytes, expected " STREAM_EXPECTED, STREAM_LINE_MAX);
	if (!text || stream_line_parse(text, length, &line, error) != 0) {
		complain(reader, error);
		return;
	}
	if (stream_say(reader->writer, &line, reader->now_ns) == 0)
		return;
	if (!reader->full)
		reader->full = reader->cutter.lines;
	if (reader->is_file)
		return;
	snprintf(error, sizeof error, TOO_MANY, STREAM_POINTS - 1);
	complain(reader, error);
}

void stream_reader_take(struct stream_reader *reader, const char *piece, size_t length, int64_t now_ns)
{
	reader->now_ns = now_ns;
	stream_cut(&reader->cutter, piece, length, take_line, reader);
}

void stream_reader_end(struct stream_reader *reader, int64_t now_ns)
{
	reader->now_ns = now_ns;
	stream_cut_rest(&reader->cutter, take_line, reader);
}

int stream_reader_take_file(struct stream_reader *reader, int file, int64_t now_ns, char error[static STREAM_ERROR_MAX])
{
	char piece[4096];
	reader->is_file = true;
	while (!reader->full) {
		const ssize_t got = read(file, piece, sizeof piece);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			snprintf(error, STREAM_ERROR_MAX, "%s", strerror(errno));
			return -1;
		}
		if (got == 0) {
			stream_reader_end(reader, now_ns);
			break;
		}
		stream_reader_take(reader, piece, (size_t)got, now_ns);
	}
	if (!reader->full)
		return 0;
	snprintf(error, STREAM_ERROR_MAX, "line %" PRIu64 ": " TOO_MANY, reader->full, STREAM_POINTS - 1);
	return -1;
}
