/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a trace file. The checksum is made right first, unless the first byte says otherwise, because no fuzzer guesses it.
 * Copied and mapped, a file must give the same trace or the same message; what is accepted must be in order and range, and
 * writing it must give a file that gives the same trace.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "trace/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static int new_file(void)
{
	const int file = memfd_create("fuzz", MFD_CLOEXEC);
	require(file >= 0);
	return file;
}

static bool read_from_start(struct trace *trace, int file, size_t copy_max, char *error)
{
	require(lseek(file, 0, SEEK_SET) == 0);
	const int result = trace_read(trace, file, "fuzz", copy_max, error);
	require(result == 0 || (strncmp(error, "fuzz:", 5) == 0 && trace->mapping == NULL && trace->count == 0));
	return result == 0;
}

static void require_same(const struct trace *a, const struct trace *b)
{
	require(a->interpolation == b->interpolation && a->count == b->count);
	for (size_t i = 0; i < a->count; i++) {
		require(a->records[i].ns == b->records[i].ns);
		require(a->records[i].load == b->records[i].load || (isnan(a->records[i].load) && isnan(b->records[i].load)));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace copied = {0};
	struct trace mapped = {0};
	struct trace again = {0};
	char error[TRACE_ERROR_MAX] = "";
	char other[TRACE_ERROR_MAX] = "";
	if (size < 6)
		return 0;
	const bool seal = data[0] != 0;
	const size_t body = size - 1 - 4;
	const uint32_t crc = (uint32_t)crc32(0, data + 1, (uInt)body);
	const unsigned char end[4] = {
		(unsigned char)crc, (unsigned char)(crc >> 8), (unsigned char)(crc >> 16), (unsigned char)(crc >> 24)};
	const int file = new_file();
	require(write(file, data + 1, body) == (ssize_t)body);
	require(write(file, seal ? end : data + 1 + body, 4) == 4);
	const bool right = read_from_start(&copied, file, TRACE_COPY_MAX, error);
	require(read_from_start(&mapped, file, 0, other) == right);
	require(strcmp(error, other) == 0);
	if (right) {
		require_same(&copied, &mapped);
		require(copied.count >= 1 && copied.records[0].ns >= 0);
		for (size_t i = 0; i < copied.count; i++) {
			require(i == 0 || copied.records[i].ns >= copied.records[i - 1].ns);
			require(isnan(copied.records[i].load) || (copied.records[i].load >= 0 && copied.records[i].load <= 1));
		}
		const int copy = new_file();
		require(trace_binary_write(&copied, copy) == 0);
		require(read_from_start(&again, copy, TRACE_COPY_MAX, error));
		require_same(&copied, &again);
		close(copy);
	}
	close(file);
	trace_free(&copied);
	trace_free(&mapped);
	trace_free(&again);
	return 0;
}
