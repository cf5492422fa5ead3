/* SPDX-License-Identifier: MIT */
/*
 * A compiled trace is read once, in blocks small enough for the cache, and each block is checked while it is there. Memory
 * is taken only for what a file turned out to hold: the size of a regular file is compared with its record count first, and
 * for a pipe the memory grows with what arrives.
 */
#include "trace/trace.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#define MAGIC_SIZE 8
#define HEADER_SIZE TRACE_BINARY_HEADER_SIZE
#define RECORD_SIZE 16
#define CRC_SIZE 4
#define FORMAT_VERSION 1
#define FLAG_STEP UINT32_C(1)

#define BLOCK_RECORDS ((size_t)16384)
#define BLOCK_SIZE (BLOCK_RECORDS * RECORD_SIZE)

static const unsigned char magic[MAGIC_SIZE] = {TRACE_BINARY_FIRST, 'S', 'S', 'T', '\r', '\n', 0x1a, '\n'};

_Static_assert(sizeof(struct trace_record) == RECORD_SIZE, "a record in memory is a record in the file");
_Static_assert(offsetof(struct trace_record, load) == 8, "a record in memory is a record in the file");

/* ---- Reading ---------------------------------------------------------------------------------------------------------- */

static uint32_t get32(const unsigned char *at)
{
	uint32_t value;
	memcpy(&value, at, sizeof value);
	return le32toh(value);
}

static uint64_t get64(const unsigned char *at)
{
	uint64_t value;
	memcpy(&value, at, sizeof value);
	return le64toh(value);
}

/* Between the file's byte order and the machine's; nothing to do on most. */
static void swap_records(struct trace_record *record, size_t count)
{
	if (BYTE_ORDER == LITTLE_ENDIAN)
		return;
	for (size_t i = 0; i < count; i++) {
		unsigned char bytes[RECORD_SIZE];
		uint64_t word[2];
		memcpy(bytes, &record[i], sizeof bytes);
		word[0] = get64(bytes);
		word[1] = get64(bytes + 8);
		memcpy(&record[i], word, sizeof word);
	}
}

static int cut_off(const struct trace_source *source, uint64_t found, uint64_t count)
{
	return trace_source_refuse(source,
		"found the end of the file after %" PRIu64 " bytes, expected %" PRIu64 " for %" PRIu64 " records: it is cut off",
		found, count * RECORD_SIZE + HEADER_SIZE + CRC_SIZE, count);
}

/* Checks the header against itself and, where that is known, against the size of the file. */
static int check_header(const struct trace_source *source, const unsigned char *header, size_t got)
{
	const uint64_t most = (SIZE_MAX / 2 - HEADER_SIZE - CRC_SIZE) / RECORD_SIZE;
	if (memcmp(header, magic, got < MAGIC_SIZE ? got : MAGIC_SIZE) != 0)
		return trace_source_refuse(source,
			"found the start of a damaged trace (%02x %02x %02x %02x …), expected the bytes 89 53 53 54 0d 0a 1a 0a",
			header[0], got > 1 ? header[1] : 0, got > 2 ? header[2] : 0, got > 3 ? header[3] : 0);
	if (got < HEADER_SIZE)
		return trace_source_refuse(source,
			"found the end of the file after %zu bytes, expected at least %d for a compiled trace: it is cut off",
			got, HEADER_SIZE + RECORD_SIZE + CRC_SIZE);
	const uint32_t version = get32(header + 8);
	const uint32_t flags = get32(header + 12);
	const uint64_t count = get64(header + 16);
	if (version != FORMAT_VERSION)
		return trace_source_refuse(source, "found format version %" PRIu32 ", expected %d", version, FORMAT_VERSION);
	if (flags & ~FLAG_STEP)
		return trace_source_refuse(source, "found flags 0x%" PRIx32 ", expected 0 or 1", flags);
	if (count == 0 || count > most)
		return trace_source_refuse(source, "found a count of %" PRIu64 " records, expected 1 to %" PRIu64, count, most);
	const uint64_t size = count * RECORD_SIZE + HEADER_SIZE + CRC_SIZE;
	if (source->regular && source->size < size)
		return cut_off(source, source->size, count);
	if (source->regular && source->size > size)
		return trace_source_refuse(source,
			"found %" PRIu64 " bytes, expected %" PRIu64 " for %" PRIu64 " records: something follows the trace",
			source->size, size, count);
	return 0;
}

static int check_records(
	const struct trace_source *source, const struct trace_record *record, size_t count, uint64_t first, int64_t *last)
{
	for (size_t i = 0; i < count; i++) {
		if (record[i].ns < *last)
			return trace_source_refuse(source,
				"record %" PRIu64 ": found the time %" PRId64 " ns, expected %" PRId64 " ns or later",
				first + i + 1, record[i].ns, *last);
		*last = record[i].ns;
		/* The sign is looked at because −0 is in range and has no text form. */
		if (!(record[i].load <= 1 && !signbit(record[i].load)) && !isnan(record[i].load))
			return trace_source_refuse(source, "record %" PRIu64 ": found the load %.17g, expected 0 to 1, or NaN",
				first + i + 1, record[i].load);
	}
	return 0;
}

static int check_end(const struct trace_source *source, uint32_t crc, uint64_t count)
{
	unsigned char end[CRC_SIZE + 1];
	const ssize_t got = trace_source_fill(source, end, sizeof end);
	if (got < 0)
		return trace_source_refuse(source, "%s", strerror(errno));
	if (got < CRC_SIZE)
		return cut_off(source, HEADER_SIZE + count * RECORD_SIZE + (uint64_t)got, count);
	if (got > CRC_SIZE)
		return trace_source_refuse(source,
			"found more bytes after the checksum of %" PRIu64 " records, expected the end of the file", count);
	if (get32(end) != crc)
		return trace_source_refuse(
			source, "found the checksum %08" PRIx32 ", expected %08" PRIx32 ": the file is damaged", get32(end), crc);
	return 0;
}

/* Reads and checks the records and the checksum, into the trace or, when that is null, nowhere. */
static int read_records(const struct trace_source *source, const unsigned char *header, struct trace *trace)
{
	const uint64_t count = get64(header + 16);
	uLong crc = crc32_z(0, header, HEADER_SIZE);
	struct trace_record *scratch = trace ? NULL : malloc(BLOCK_SIZE);
	int64_t last = 0;
	int result = -1;
	if (!trace && !scratch)
		return trace_source_refuse(source, "%s", strerror(errno));
	if (trace && source->regular && trace_reserve(trace, count) != 0) {
		trace_source_refuse(source, "%s: for %" PRIu64 " records", strerror(errno), count);
		goto out;
	}
	for (uint64_t done = 0; done < count;) {
		const size_t part = count - done < BLOCK_RECORDS ? (size_t)(count - done) : BLOCK_RECORDS;
		if (trace && trace_reserve(trace, (size_t)done + part) != 0) {
			trace_source_refuse(source, "%s: for %" PRIu64 " records", strerror(errno), count);
			goto out;
		}
		struct trace_record *into = trace ? (struct trace_record *)trace->mapping + done : scratch;
		const ssize_t got = trace_source_fill(source, into, part * RECORD_SIZE);
		if (got < 0) {
			trace_source_refuse(source, "%s", strerror(errno));
			goto out;
		}
		if ((size_t)got < part * RECORD_SIZE) {
			cut_off(source, HEADER_SIZE + done * RECORD_SIZE + (uint64_t)got, count);
			goto out;
		}
		crc = crc32_z(crc, (const unsigned char *)into, part * RECORD_SIZE);
		swap_records(into, part);
		if (check_records(source, into, part, done, &last) != 0)
			goto out;
		done += part;
		if (trace)
			trace->count = (size_t)done;
	}
	result = check_end(source, (uint32_t)crc, count);
out:
	free(scratch);
	return result;
}

static int map_records(const struct trace_source *source, const unsigned char *header, struct trace *trace)
{
	void *mapping = mmap(NULL, (size_t)source->size, PROT_READ, MAP_PRIVATE, source->file, 0);
	if (mapping == MAP_FAILED)
		return trace_source_refuse(source, "can't map it: %s", strerror(errno));
	trace->mapping = mapping;
	trace->mapped = (size_t)source->size;
	trace->records = (const struct trace_record *)(const void *)((const char *)mapping + HEADER_SIZE);
	trace->count = (size_t)get64(header + 16);
	return 0;
}

int trace_binary_read(
	struct trace *trace, const struct trace_source *source, const unsigned char *header, size_t got, size_t copy_max)
{
	if (check_header(source, header, got) != 0)
		return -1;
	trace->interpolation = get32(header + 12) & FLAG_STEP ? TRACE_STEP : TRACE_LINEAR;
	const bool map = source->regular && source->start == 0 && source->size > copy_max && BYTE_ORDER == LITTLE_ENDIAN;
	if (read_records(source, header, map ? NULL : trace) != 0)
		return -1;
	return map ? map_records(source, header, trace) : 0;
}

/* ---- Writing ---------------------------------------------------------------------------------------------------------- */

static int write_full(int file, const void *buffer, size_t size)
{
	size_t done = 0;
	while (done < size) {
		const ssize_t put = write(file, (const char *)buffer + done, size - done);
		if (put < 0 && errno != EINTR)
			return -1;
		if (put > 0)
			done += (size_t)put;
	}
	return 0;
}

static void put32(unsigned char *at, uint32_t value)
{
	value = htole32(value);
	memcpy(at, &value, sizeof value);
}

static void put64(unsigned char *at, uint64_t value)
{
	value = htole64(value);
	memcpy(at, &value, sizeof value);
}

/* The same trace gives the same bytes, so every NaN becomes the same one. */
static uint64_t load_bits(double load)
{
	uint64_t bits;
	if (isnan(load))
		return UINT64_C(0x7ff8000000000000);
	memcpy(&bits, &load, sizeof bits);
	return bits;
}

int trace_binary_write(const struct trace *trace, int file)
{
	unsigned char header[HEADER_SIZE];
	unsigned char end[CRC_SIZE];
	int result = -1;
	unsigned char *block = malloc(BLOCK_SIZE);
	if (!block)
		return -1;
	memcpy(header, magic, MAGIC_SIZE);
	put32(header + 8, FORMAT_VERSION);
	put32(header + 12, trace->interpolation == TRACE_STEP ? FLAG_STEP : 0);
	put64(header + 16, trace->count);
	uLong crc = crc32_z(0, header, HEADER_SIZE);
	if (write_full(file, header, HEADER_SIZE) != 0)
		goto out;
	for (size_t done = 0; done < trace->count;) {
		const size_t part = trace->count - done < BLOCK_RECORDS ? trace->count - done : BLOCK_RECORDS;
		for (size_t i = 0; i < part; i++) {
			put64(block + i * RECORD_SIZE, (uint64_t)trace->records[done + i].ns);
			put64(block + i * RECORD_SIZE + 8, load_bits(trace->records[done + i].load));
		}
		crc = crc32_z(crc, block, part * RECORD_SIZE);
		if (write_full(file, block, part * RECORD_SIZE) != 0)
			goto out;
		done += part;
	}
	put32(end, (uint32_t)crc);
	result = write_full(file, end, CRC_SIZE);
out:
	free(block);
	return result;
}
