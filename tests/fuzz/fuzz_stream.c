/* SPDX-License-Identifier: MIT */
/*
 * Any bytes are lines or refused, and the board stays in order: what is said last for the latest time is what holds in the end. The first
 * byte says how long pieces are.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "trace/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct taken {
	struct stream_writer writer;
	int64_t now_ns;
};

static void take(void *context, const char *text, size_t length)
{
	struct taken *const taken = context;
	struct stream_line line;
	char error[STREAM_ERROR_MAX] = "";
	double last = -1;
	taken->now_ns += 1000000;
	if (!text || stream_line_parse(text, length, &line, error) != 0) {
		if (text && !*error)
			abort();
		return;
	}
	if (stream_say(&taken->writer, &line, taken->now_ns) != 0 || line.says != STREAM_TARGET)
		return;
	const double found = stream_board_target(taken->writer.board, INT64_MAX, &last);
	if (isnan(line.load) ? !isnan(found) : found != line.load || found < 0 || found > 1)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stream_cutter cutter = {0};
	struct taken taken = {.writer = {.end_ns = INT64_MAX}};
	if (size == 0)
		return 0;
	const size_t piece = 1 + data[0];
	taken.writer.board = stream_board_new(0);
	if (!taken.writer.board)
		abort();
	for (size_t at = 1; at < size; at += piece)
		stream_cut(&cutter, (const char *)data + at, size - at < piece ? size - at : piece, take, &taken);
	stream_cut_rest(&cutter, take, &taken);
	stream_board_free(taken.writer.board);
	return 0;
}
