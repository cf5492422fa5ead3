/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "base/units.h"
#include "trace/trace.h"

#define HEADER 24
#define RECORD 16
#define CRC 4

/* interpolate step; 0 1/2; 1s 1/4; 2^33 ns free. Made by another implementation. */
static const unsigned char golden[] = {
	0x89, 0x53, 0x53, 0x54, 0x0d, 0x0a, 0x1a, 0x0a, 0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00,
	0x00, /* magic, version, flags */
	0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* count; 0 */
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xe0, 0x3f, 0x00, 0xca, 0x9a, 0x3b, 0x00, 0x00, 0x00, 0x00, /* 0.5; 10^9 */
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xd0, 0x3f, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, /* 0.25; 2^33 */
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xf8, 0x7f, 0x69, 0x5f, 0xd1, 0x1f,                         /* NaN; CRC-32 */
};

static struct trace trace;
static char error[TRACE_ERROR_MAX];

/* The ways a trace can be read. */
enum way { COPIED, MAPPED, PIPED };
#define WAYS 3

static int file_of(const void *bytes, size_t size, enum way way)
{
	int ends[2] = {-1, -1};
	if (way == PIPED)
		assert_int_equal(pipe(ends), 0);
	else
		ends[1] = memfd_create("trace", 0);
	assert_true(ends[1] >= 0);
	assert_true(write(ends[1], bytes, size) == (ssize_t)size);
	if (way == PIPED) {
		close(ends[1]);
		return ends[0];
	}
	assert_int_equal(lseek(ends[1], 0, SEEK_SET), 0);
	return ends[1];
}

static int read_bytes(const void *bytes, size_t size, enum way way)
{
	const int file = file_of(bytes, size, way);
	trace_free(&trace);
	error[0] = '\0';
	const int result = trace_read(&trace, file, "some.trace", way == MAPPED ? 0 : TRACE_COPY_MAX, error);
	close(file);
	return result;
}

/* However it comes, it is refused with a message that names the file and holds `message`. */
static void refuse_bytes(const void *bytes, size_t size, const char *message)
{
	for (int way = 0; way < WAYS; way++) {
		if (read_bytes(bytes, size, (enum way)way) != -1)
			fail_msg("%zu bytes are accepted, expected the message '%s'", size, message);
		if (strncmp(error, "some.trace:", 11) != 0 || !strstr(error, message))
			fail_msg("found the message '%s', expected '%s' (way %d)", error, message, way);
		assert_null(trace.mapping);
		assert_int_equal(trace.count, 0);
	}
}

static void put(unsigned char *at, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		at[i] = (unsigned char)(value >> (8 * i));
}

static void put_load(unsigned char *at, double load)
{
	uint64_t bits;
	memcpy(&bits, &load, sizeof bits);
	put(at, bits, sizeof bits);
}

/* A copy of the golden file with some bytes changed by a test, then given the right checksum. */
static unsigned char changed[sizeof golden];

static void seal(void)
{
	put(changed + sizeof changed - CRC, crc32(0, changed, sizeof changed - CRC), CRC);
}

static void refuse_changed(const char *message)
{
	seal();
	refuse_bytes(changed, sizeof changed, message);
	memcpy(changed, golden, sizeof golden);
}

static void expect_golden(void)
{
	assert_int_equal(trace.interpolation, TRACE_STEP);
	assert_int_equal(trace.count, 3);
	assert_int_equal(trace.records[0].ns, 0);
	assert_true(trace.records[0].load == 0.5);
	assert_int_equal(trace.records[1].ns, NS_PER_S);
	assert_true(trace.records[1].load == 0.25);
	assert_int_equal(trace.records[2].ns, INT64_C(1) << 33);
	assert_true(isnan(trace.records[2].load));
}

static void reads_the_format(void **state)
{
	(void)state;
	for (int way = 0; way < WAYS; way++) {
		assert_int_equal(read_bytes(golden, sizeof golden, (enum way)way), 0);
		expect_golden();
	}
}

static void writes_the_format(void **state)
{
	unsigned char found[sizeof golden + 1];
	(void)state;
	assert_int_equal(read_bytes(golden, sizeof golden, COPIED), 0);
	const int file = memfd_create("trace", 0);
	assert_int_equal(trace_binary_write(&trace, file), 0);
	assert_int_equal(pread(file, found, sizeof found, 0), sizeof golden);
	assert_memory_equal(found, golden, sizeof golden);
	close(file);
}

static void any_nan_is_free(void **state)
{
	(void)state;
	put(changed + HEADER + 2 * RECORD + 8, UINT64_C(0xfff4000000000001), 8); /* negative, signalling, with a payload */
	seal();
	assert_int_equal(read_bytes(changed, sizeof changed, COPIED), 0);
	expect_golden();
	writes_the_format(NULL);
	memcpy(changed, golden, sizeof golden);
}

static void every_nan_is_written_as_the_same(void **state)
{
	(void)state;
	const double nans[] = {NAN, -NAN};
	unsigned char found[2][256];
	for (int i = 0; i < 2; i++) {
		struct trace built = {.interpolation = TRACE_STEP};
		assert_int_equal(trace_append(&built, &(struct trace_record){.ns = 0, .load = 0.5}), 0);
		assert_int_equal(trace_append(&built, &(struct trace_record){.ns = 1, .load = nans[i]}), 0);
		const int file = memfd_create("trace", 0);
		assert_int_equal(trace_binary_write(&built, file), 0);
		memset(found[i], 0, sizeof found[i]);
		assert_true(pread(file, found[i], sizeof found[i], 0) > 0);
		close(file);
		trace_free(&built);
	}
	assert_memory_equal(found[0], found[1], sizeof found[0]);
}

static void refuses_every_flipped_bit(void **state)
{
	(void)state;
	for (size_t bit = 0; bit < 8 * sizeof golden; bit++) {
		changed[bit / 8] ^= (unsigned char)(1 << (bit % 8));
		refuse_bytes(changed, sizeof changed, "expected");
		changed[bit / 8] = golden[bit / 8];
	}
}

static void refuses_every_length_but_its_own(void **state)
{
	unsigned char longer[sizeof golden + RECORD] = {0};
	(void)state;
	refuse_bytes(golden, 0, "empty");
	for (size_t size = 1; size < sizeof golden; size++)
		refuse_bytes(golden, size, "cut off");
	memcpy(longer, golden, sizeof golden);
	for (size_t size = sizeof golden + 1; size <= sizeof longer; size++)
		for (int way = 0; way < WAYS; way++) {
			assert_int_equal(read_bytes(longer, size, (enum way)way), -1);
			assert_true(
				strstr(error, "expected the end of the file") || strstr(error, "something follows the trace"));
		}
}

static void refuses_wrong_headers(void **state)
{
	(void)state;
	changed[4] = '\n'; /* as a filter for line ends would leave it */
	refuse_changed("found the start of a damaged trace (89 53 53 54");
	put(changed + 8, 2, 4);
	refuse_changed("found format version 2, expected 1");
	put(changed + 8, 0x01000000, 4);
	refuse_changed("found format version 16777216, expected 1");
	put(changed + 12, 2, 4);
	refuse_changed("found flags 0x2, expected 0 or 1");
	put(changed + 16, 0, 8);
	refuse_changed("found a count of 0 records");
	put(changed + 16, 4, 8);
	refuse_changed("cut off");
	/* 16 times these is small again, modulo 2^64. */
	put(changed + 16, (UINT64_C(1) << 60) + 3, 8);
	refuse_changed("found a count of 1152921504606846979 records, expected 1 to");
	put(changed + 16, UINT64_MAX, 8);
	refuse_changed("found a count of 18446744073709551615 records, expected 1 to");
	/* Within the limit, but no memory is taken for it before it is there. */
	put(changed + 16, UINT64_C(1) << 42, 8);
	refuse_changed("cut off");
}

static void refuses_wrong_records(void **state)
{
	static const double wrong[] = {1.0000000000000002, 1.5, -0.1, -0.0, -5e-324, INFINITY, -INFINITY, 1e300};
	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		put_load(changed + HEADER + RECORD + 8, wrong[i]);
		refuse_changed("record 2: found the load ");
	}
	put(changed + HEADER + 2 * RECORD, NS_PER_S - 1, 8);
	refuse_changed("record 3: found the time 999999999 ns, expected 1000000000 ns or later");
	put(changed + HEADER, UINT64_MAX, 8);
	refuse_changed("record 1: found the time -1 ns, expected 0 ns or later");
	changed[HEADER + RECORD + 14] ^= 1;
	memcpy(changed + sizeof changed - CRC, golden + sizeof golden - CRC, CRC);
	refuse_bytes(changed, sizeof changed, "found the checksum 1fd15f69, expected ");
	memcpy(changed, golden, sizeof golden);
}

static void accepts_the_ends_of_the_ranges(void **state)
{
	(void)state;
	put_load(changed + HEADER + 8, 0);
	put_load(changed + HEADER + RECORD + 8, 1);
	put(changed + HEADER + RECORD, 0, 8); /* a vertical step */
	put(changed + HEADER + 2 * RECORD, INT64_MAX, 8);
	put(changed + 12, 0, 4);
	seal();
	for (int way = 0; way < WAYS; way++) {
		assert_int_equal(read_bytes(changed, sizeof changed, (enum way)way), 0);
		assert_int_equal(trace.interpolation, TRACE_LINEAR);
		assert_true(trace.records[1].load == 1);
		assert_int_equal(trace.records[2].ns, INT64_MAX);
	}
	memcpy(changed, golden, sizeof golden);
}

static void reads_text(void **state)
{
	static const char text[] = "interpolate step\n0 1/2\n1s 25%\n8589934592n free"; /* longer than a header */
	static const char brief[] = "0 0.5";
	static const char wrong[] = "0 0.5\n1 0.5\n2 0.5\n3 0.5\n4 1.5\n";
	(void)state;
	for (int way = 0; way < WAYS; way++) {
		assert_int_equal(read_bytes(text, sizeof text - 1, (enum way)way), 0);
		expect_golden();
		assert_int_equal(read_bytes(brief, sizeof brief - 1, (enum way)way), 0);
		assert_int_equal(trace.count, 1);
	}
	refuse_bytes(wrong, sizeof wrong - 1, "some.trace:5:3: found \"1.5\", expected a load");
	refuse_bytes("\n", 1, "some.trace:2:1: found the end of the text");
	refuse_bytes("\x88", 1, "some.trace:1:1: found \"\\x88\"");
}

/* More than one block of everything. */
static void survives_the_round_trip(void **state)
{
	enum { RECORDS = 100000 };
	(void)state;
	struct trace built = {.interpolation = TRACE_LINEAR};
	for (int i = 0; i < RECORDS; i++) {
		const struct trace_record record = {.ns = (int64_t)i * i, .load = i % 7 ? (double)i / RECORDS : NAN};
		assert_int_equal(trace_append(&built, &record), 0);
	}
	const int file = memfd_create("trace", 0);
	assert_int_equal(trace_binary_write(&built, file), 0);
	for (int map = 0; map < 2; map++) {
		assert_int_equal(lseek(file, 0, SEEK_SET), 0);
		assert_int_equal(trace_read(&trace, file, "x", map ? 0 : TRACE_COPY_MAX, error), 0);
		assert_int_equal(trace.count, RECORDS);
		assert_int_equal(trace.interpolation, TRACE_LINEAR);
		for (size_t i = 0; i < RECORDS; i++) {
			assert_int_equal(trace.records[i].ns, built.records[i].ns);
			assert_memory_equal(&trace.records[i].load, &built.records[i].load, sizeof(double));
		}
		trace_free(&trace);
	}
	/* A copy is not disturbed by what happens to the file. */
	assert_int_equal(lseek(file, 0, SEEK_SET), 0);
	assert_int_equal(trace_read(&trace, file, "x", TRACE_COPY_MAX, error), 0);
	assert_int_equal(ftruncate(file, 0), 0);
	assert_memory_equal(trace.records, built.records, RECORDS * sizeof *built.records);
	trace_free(&built);
	close(file);
}

static void reads_from_where_the_file_stands(void **state)
{
	unsigned char bytes[5 + sizeof golden];
	(void)state;
	memcpy(bytes, "1234\n", 5);
	memcpy(bytes + 5, golden, sizeof golden);
	const int file = file_of(bytes, sizeof bytes, COPIED);
	assert_int_equal(lseek(file, 5, SEEK_SET), 5);
	assert_int_equal(trace_read(&trace, file, "x", 0, error), 0); /* would be mapped if it started with the file */
	expect_golden();
	close(file);
}

static void says_what_is_no_file(void **state)
{
	(void)state;
	assert_int_equal(trace_load(&trace, "/nonexistent/x.trace", NULL, error), -1);
	assert_string_equal(error, "/nonexistent/x.trace: No such file or directory");
	assert_int_equal(trace_load(&trace, "/", NULL, error), -1);
	assert_string_equal(error, "/: found a directory, expected a trace");
	assert_int_equal(trace_load(&trace, "/dev/null", NULL, error), -1);
	assert_non_null(strstr(error, "empty"));
	assert_int_equal(trace_load(&trace, "/dev/zero", NULL, error), -1);
	assert_non_null(strstr(error, "/dev/zero:1:1: found a NUL byte"));
	assert_int_equal(trace_read(&trace, -1, "x", 0, error), -1);
	assert_string_equal(error, "x: Bad file descriptor");
}

static void takes_no_memory_for_holes(void **state)
{
	(void)state;
	const int file = memfd_create("trace", 0);
	assert_int_equal(ftruncate(file, INT64_C(10) << 30), 0);
	assert_int_equal(trace_read(&trace, file, "x", TRACE_COPY_MAX, error), -1);
	assert_non_null(strstr(error, "x:1:1: found a NUL byte"));
	/* A header that fits the size of the file: it is read on, but a wrong record ends that. */
	unsigned char header[HEADER + RECORD];
	memcpy(header, golden, sizeof header);
	put(header + 16, ((UINT64_C(10) << 30) - HEADER - CRC) / RECORD, 8);
	put(header + HEADER, NS_PER_S, 8);
	assert_int_equal(pwrite(file, header, sizeof header, 0), sizeof header);
	assert_int_equal(ftruncate(file, ((INT64_C(10) << 30) - HEADER - CRC) / RECORD * RECORD + HEADER + CRC), 0);
	assert_int_equal(lseek(file, 0, SEEK_SET), 0);
	assert_int_equal(trace_read(&trace, file, "x", TRACE_COPY_MAX, error), -1);
	assert_non_null(strstr(error, "record 2: found the time 0 ns"));
	close(file);
}

static void reports_where_it_could_not_write(void **state)
{
	int ends[2];
	(void)state;
	assert_int_equal(read_bytes(golden, sizeof golden, COPIED), 0);
	const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	assert_int_equal(trace_binary_write(&trace, full), -1);
	assert_int_equal(errno, ENOSPC);
	close(full);
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	assert_int_equal(trace_binary_write(&trace, ends[1]), -1);
	assert_int_equal(errno, EPIPE);
	close(ends[1]);
}

static int set_up(void **state)
{
	(void)state;
	memcpy(changed, golden, sizeof golden);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	trace_free(&trace);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_format),
		cmocka_unit_test(writes_the_format),
		cmocka_unit_test(any_nan_is_free),
		cmocka_unit_test(every_nan_is_written_as_the_same),
		cmocka_unit_test(refuses_every_flipped_bit),
		cmocka_unit_test(refuses_every_length_but_its_own),
		cmocka_unit_test(refuses_wrong_headers),
		cmocka_unit_test(refuses_wrong_records),
		cmocka_unit_test(accepts_the_ends_of_the_ranges),
		cmocka_unit_test(reads_text),
		cmocka_unit_test(survives_the_round_trip),
		cmocka_unit_test(reads_from_where_the_file_stands),
		cmocka_unit_test(says_what_is_no_file),
		cmocka_unit_test(takes_no_memory_for_holes),
		cmocka_unit_test(reports_where_it_could_not_write),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
