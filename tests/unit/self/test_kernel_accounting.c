/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "self/accounting.h"
#include "self/kernel.h"

/* A machine that consists of a few files. */
static struct {
	const char *path, *text;
	size_t length;
} file[4];
static int opened;

static void put(size_t at, const char *path, const char *text)
{
	file[at].path = path;
	file[at].text = text;
	file[at].length = text ? strlen(text) : 0;
}

static int open_file(const struct sst_env *env, const char *path)
{
	(void)env;
	for (size_t i = 0; i < sizeof file / sizeof *file; i++)
		if (file[i].path && strcmp(path, file[i].path) == 0) {
			opened++;
			return (int)i;
		}
	errno = ENOENT;
	return -1;
}

static ssize_t read_file(const struct sst_env *env, int handle, void *buffer, size_t size, int64_t *when_ns)
{
	(void)env;
	*when_ns = 1;
	if (!file[handle].text) {
		errno = EPERM;
		return -1;
	}
	const size_t length = file[handle].length < size ? file[handle].length : size;
	memcpy(buffer, file[handle].text, length);
	return (ssize_t)length;
}

static void close_file(const struct sst_env *env, int handle)
{
	(void)env;
	(void)handle;
	opened--;
}

static const struct sst_host host = {.open = open_file, .read = read_file, .close = close_file};
static const struct sst_env env = {.host = &host, .workloads = 1};

static int enter(void **state)
{
	(void)state;
	memset(file, 0, sizeof file);
	return 0;
}

static int leave(void **state)
{
	(void)state;
	assert_int_equal(opened, 0); /* every file is closed */
	return 0;
}

static void idle_time_comes_from_a_clock_unless_something_says_otherwise(void **state)
{
	(void)state;
	assert_true(linux_accounting_idle_clock(&env));
	put(0, "/proc/cmdline", "BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro quiet\n");
	assert_true(linux_accounting_idle_clock(&env));
	put(0, "/proc/cmdline", NULL); /* can be opened, can't be read */
	assert_true(linux_accounting_idle_clock(&env));
}

static void the_command_line_may_turn_it_off(void **state)
{
	(void)state;
	static const char *const off[] = {"nohz=off", "nohz=off\n", "quiet nohz=off", "nohz=off quiet\n", "a nohz=0 b"};
	static const char *const on[] = {"nohz=on\n", "", "xnohz=off\n", "nohz=offx\n", "nohz_full=off", "a=nohz=off"};
	for (size_t i = 0; i < sizeof off / sizeof *off; i++) {
		put(0, "/proc/cmdline", off[i]);
		if (linux_accounting_idle_clock(&env))
			fail_msg("'%s' does not turn it off", off[i]);
	}
	for (size_t i = 0; i < sizeof on / sizeof *on; i++) {
		put(0, "/proc/cmdline", on[i]);
		if (!linux_accounting_idle_clock(&env))
			fail_msg("'%s' turns it off", on[i]);
	}
}

static void the_timer_list_knows_better(void **state)
{
	(void)state;
	static const char head[] = "Timer List Version: v0.9\nHRTIMER_MAX_CLOCK_BASES: 8\ncpu: 0\n clock 0:\n  .base:       000\n"
				   "  .expires_next   : 9223372036854775807 nsecs\n";
	char text[512];
	static const struct {
		const char *line;
		int clock;
	} known[] = {{"  .nohz_mode      : 0\n", 0}, {"  .nohz_mode      : 1\n", 1}, {"  .nohz_mode      : 2\n", 1},
		{"  .nohz           : 0\n", 0}, {"  .nohz           : 1\n", 1}, {"  .nohz_other     : 0\n", 1}, {"  .nohz", 1},
		{"  .nohz ", 1}, {"", 1}};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		strcpy(text, head);
		strcat(text, known[i].line);
		put(1, "/proc/timer_list", text);
		if (linux_accounting_idle_clock(&env) != known[i].clock)
			fail_msg("'%s' is misread", known[i].line);
	}
	/* Over the command line. */
	put(0, "/proc/cmdline", "nohz=off\n");
	put(1, "/proc/timer_list", "  .nohz_mode      : 2\n");
	assert_true(linux_accounting_idle_clock(&env));
}

static const char *mode(void)
{
	return linux_accounting_mode(&env, "6.18.0-test");
}

static void the_mode_is_in_the_configuration(void **state)
{
	(void)state;
	assert_string_equal(mode(), "unknown");
	put(0, "/boot/config-6.18.0-test",
		"CONFIG_A=y\nCONFIG_TICK_CPU_ACCOUNTING=y\n# CONFIG_VIRT_CPU_ACCOUNTING_GEN is not set\n");
	assert_string_equal(mode(), "tick");
	put(0, "/boot/config-6.18.0-test",
		"# CONFIG_TICK_CPU_ACCOUNTING is not set\nCONFIG_VIRT_CPU_ACCOUNTING=y\nCONFIG_VIRT_CPU_ACCOUNTING_GEN=y\n");
	/* Debian's kernels, say: it is used where processors were told to do without a tick. */
	assert_string_equal(mode(), "tick");
	put(1, "/proc/cmdline", "quiet nohz_full=2-3\n");
	assert_string_equal(mode(), "virtual (full dynticks)");
	put(1, "/proc/cmdline", "quiet xnohz_full=2-3\n");
	assert_string_equal(mode(), "tick");
	/* The kernel itself knows best. */
	static const struct {
		const char *list, *mode;
	} known[] = {{"2-3\n", "virtual (full dynticks)"}, {"\n", "tick"}, {" (null)\n", "tick"}, {"(null)\n", "tick"}};
	put(1, "/proc/cmdline", "nohz_full=2-3\n");
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		put(2, "/sys/devices/system/cpu/nohz_full", known[i].list);
		assert_string_equal(mode(), known[i].mode);
	}
	put(0, "/boot/config-6.18.0-test", "CONFIG_VIRT_CPU_ACCOUNTING_NATIVE=y\n");
	assert_string_equal(mode(), "virtual (native)");
	put(0, "/boot/config-6.18.0-test", "CONFIG_NOTHING=y\n");
	assert_string_equal(mode(), "unknown");
	put(0, "/boot/config-6.18.0-test", "");
	assert_string_equal(mode(), "unknown");
	put(0, "/boot/config-6.18.0-test", NULL);
	assert_string_equal(mode(), "unknown");
	put(0, "/boot/config-5", "CONFIG_TICK_CPU_ACCOUNTING=y\n"); /* of another kernel */
	assert_string_equal(mode(), "unknown");
}

/* Packs as gzip does. */
static size_t pack(const char *text, unsigned char *to, size_t room)
{
	z_stream stream = {.next_in = (Bytef *)text, .avail_in = (uInt)strlen(text), .next_out = to, .avail_out = (uInt)room};
	assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	deflateEnd(&stream);
	return stream.total_out;
}

static void the_running_kernel_s_own_configuration_wins(void **state)
{
	(void)state;
	unsigned char packed[512];
	const size_t length = pack("CONFIG_IKCONFIG=y\nCONFIG_TICK_CPU_ACCOUNTING=y\n", packed, sizeof packed);
	put(0, "/boot/config-6.18.0-test", "CONFIG_VIRT_CPU_ACCOUNTING_GEN=y\n");
	put(1, "/proc/config.gz", (const char *)packed);
	file[1].length = length;
	assert_string_equal(mode(), "tick");
	/* Cut off, empty or no gzip at all: no more is known, but nothing breaks. */
	for (size_t cut = 0; cut < length; cut++) {
		file[1].length = cut;
		const char *found = mode();
		assert_true(strcmp(found, "unknown") == 0 || strcmp(found, "tick") == 0);
	}
	put(1, "/proc/config.gz", "this is no gzip");
	assert_string_equal(mode(), "unknown");
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, enter, leave)
	const struct CMUnitTest tests[] = {
		TEST(idle_time_comes_from_a_clock_unless_something_says_otherwise),
		TEST(the_command_line_may_turn_it_off),
		TEST(the_timer_list_knows_better),
		TEST(the_mode_is_in_the_configuration),
		TEST(the_running_kernel_s_own_configuration_wins),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
