/* SPDX-License-Identifier: MIT */
/*
 * One block of the file at a time is handed to the decompressor. Several compressed files in one, as `cat` makes them, are read one
 * after another.
 */
#include "trace/input.h"

#include <errno.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define ZLIB_CONST
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define BLOCK_SIZE ((size_t)1 << 17)
/* The longest mark below. */
#define MARK_SIZE 6
/* What a decompressor may use: as xz -9 and zstd --ultra write it. */
#define MEMORY_MAX ((uint64_t)256 << 20)
#define TOO_LARGE "found data that take more than 256 MiB of memory to decompress, expected less (decompress them before)"

enum compression { UNKNOWN, PLAIN, GZIP, XZ, ZSTD };

struct input {
	int fd; /* -1: all of it is in the block */
	enum compression compression;
	const unsigned char *block;
	unsigned char *own_block;
	size_t at, end; /* bytes at…end of the block are not used up */
	bool is_at_end; /* of the file */
	bool is_within; /* compressed data that has not ended */
	z_stream gzip;
	lzma_stream xz;
	ZSTD_DCtx *zstd;
	char error[INPUT_ERROR_MAX];
};

struct input *input_new(int fd, const char *ahead, size_t length)
{
	struct input *const input = calloc(1, sizeof *input);
	unsigned char *const block = malloc(BLOCK_SIZE);
	if (!input || !block) {
		free(input);
		free(block);
		return NULL;
	}
	input->fd = fd;
	input->own_block = block;
	input->block = block;
	if (ahead) {
		memcpy(block, ahead, length);
		input->end = length;
	}
	return input;
}

struct input *input_new_text(const char *text, size_t length)
{
	struct input *const input = calloc(1, sizeof *input);
	if (!input)
		return NULL;
	input->fd = -1;
	input->block = (const unsigned char *)text;
	input->end = length;
	input->is_at_end = true;
	return input;
}

void input_free(struct input *input)
{
	if (!input)
		return;
	if (input->compression == GZIP)
		inflateEnd(&input->gzip);
	if (input->compression == XZ)
		lzma_end(&input->xz);
	ZSTD_freeDCtx(input->zstd);
	if (input->fd >= 0)
		close(input->fd);
	free(input->own_block);
	free(input);
}

const char *input_error(const struct input *input)
{
	return input->error;
}

static int refuse(struct input *input, const char *what)
{
	snprintf(input->error, sizeof input->error, "%s", what);
	return -1;
}

/* Until there are `least` bytes in the block, or the file ends. 0 or -1. */
static int fill(struct input *input, size_t least)
{
	if (input->is_at_end || input->end - input->at >= least)
		return 0;
	memmove(input->own_block, input->own_block + input->at, input->end - input->at);
	input->end -= input->at;
	input->at = 0;
	while (input->end < least && !input->is_at_end) {
		const ssize_t got = read(input->fd, input->own_block + input->end, BLOCK_SIZE - input->end);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return refuse(input, strerror(errno));
		input->is_at_end = got == 0;
		input->end += (size_t)got;
	}
	return 0;
}

static int begin(struct input *input)
{
	static const struct {
		enum compression compression;
		size_t length;
		unsigned char bytes[MARK_SIZE];
	} mark[] = {{GZIP, 2, {0x1f, 0x8b}}, {XZ, 6, {0xfd, '7', 'z', 'X', 'Z', 0}}, {ZSTD, 4, {0x28, 0xb5, 0x2f, 0xfd}}};
	enum compression found = PLAIN;
	if (fill(input, MARK_SIZE) != 0)
		return -1;
	for (size_t i = 0; i < sizeof mark / sizeof *mark; i++)
		if (input->end - input->at >= mark[i].length &&
			memcmp(input->block + input->at, mark[i].bytes, mark[i].length) == 0)
			found = mark[i].compression;
	if (found == GZIP && inflateInit2(&input->gzip, 15 + 16) != Z_OK)
		return refuse(input, strerror(ENOMEM));
	if (found == XZ && lzma_stream_decoder(&input->xz, MEMORY_MAX, LZMA_CONCATENATED) != LZMA_OK)
		return refuse(input, strerror(ENOMEM));
	if (found == ZSTD && !(input->zstd = ZSTD_createDCtx()))
		return refuse(input, strerror(ENOMEM));
	input->compression = found;
	return 0;
}

/* Each of these takes from the block, puts there, and returns how many bytes, or -1. */

static ssize_t copy(struct input *input, char *buffer, size_t size)
{
	const size_t left = input->end - input->at;
	const size_t part = left < size ? left : size;
	memcpy(buffer, input->block + input->at, part);
	input->at += part;
	return (ssize_t)part;
}

static ssize_t inflate_block(struct input *input, char *buffer, size_t size)
{
	z_stream *const stream = &input->gzip;
	if (!input->is_within && inflateReset(stream) != Z_OK)
		return refuse(input, "found damaged gzip data");
	stream->next_in = input->block + input->at;
	stream->avail_in = (uInt)(input->end - input->at);
	stream->next_out = (Bytef *)buffer;
	stream->avail_out = (uInt)size;
	const int result = inflate(stream, Z_NO_FLUSH);
	input->at = input->end - stream->avail_in;
	if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
		return refuse(input, "found damaged gzip data");
	input->is_within = result != Z_STREAM_END;
	return (ssize_t)(size - stream->avail_out);
}

static ssize_t decode_xz(struct input *input, char *buffer, size_t size)
{
	lzma_stream *const stream = &input->xz;
	stream->next_in = input->block + input->at;
	stream->avail_in = input->end - input->at;
	stream->next_out = (uint8_t *)buffer;
	stream->avail_out = size;
	const lzma_ret result = lzma_code(stream, input->is_at_end ? LZMA_FINISH : LZMA_RUN);
	input->at = input->end - stream->avail_in;
	if (result == LZMA_MEMLIMIT_ERROR)
		return refuse(input, TOO_LARGE);
	if (result != LZMA_OK && result != LZMA_STREAM_END && result != LZMA_BUF_ERROR)
		return refuse(input, "found damaged xz data");
	input->is_within = result != LZMA_STREAM_END;
	return (ssize_t)(size - stream->avail_out);
}

static ssize_t decode_zstd(struct input *input, char *buffer, size_t size)
{
	ZSTD_inBuffer in = {.src = input->block + input->at, .size = input->end - input->at};
	ZSTD_outBuffer out = {.dst = buffer, .size = size};
	const size_t result = ZSTD_decompressStream(input->zstd, &out, &in);
	input->at += in.pos;
	if (ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge)
		return refuse(input, TOO_LARGE);
	if (ZSTD_isError(result))
		return refuse(input, "found damaged zstd data");
	input->is_within = result != 0;
	return (ssize_t)out.pos;
}

ssize_t input_read(struct input *input, char *buffer, size_t size)
{
	static ssize_t (*const decode[])(struct input *, char *, size_t) = {
		[PLAIN] = copy, [GZIP] = inflate_block, [XZ] = decode_xz, [ZSTD] = decode_zstd};
	if (input->compression == UNKNOWN && begin(input) != 0)
		return -1;
	for (;;) {
		if (fill(input, 1) != 0)
			return -1;
		const bool is_used_up = input->at == input->end;
		/* What a decompressor has kept for a full buffer still comes out when the file has ended. */
		if (is_used_up && !input->is_within)
			return 0;
		const size_t before = input->at;
		const ssize_t got = decode[input->compression](input, buffer, size);
		if (got != 0)
			return got;
		if (is_used_up && input->is_within)
			return refuse(input, "found the end of the file within compressed data: it is cut off");
		if (input->at == before && input->is_within && input->is_at_end)
			return refuse(input, "found damaged compressed data");
	}
}
