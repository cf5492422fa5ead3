/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "fake_root.h"
#include "self/host.h"

static struct host_env host;

static int reads;

/* In place of the C library's. */
ssize_t pread(int fd, void *buffer, size_t size, off_t at)
{
	reads++;
	return (ssize_t)syscall(SYS_pread64, fd, buffer, size, at);
}

static int enter(void **state)
{
	(void)state;
	host_env_init(&host, SHOWSTOPPER_SOURCE "/tests", 3, 42);
	return 0;
}

static void surroundings(void **state)
{
	(void)state;
	assert_int_equal(host.env.workloads, 3);
	assert_int_equal(host.env.entropy, 42);
	assert_null(host.env.shared);
	assert_string_equal(host.refusal, "");
}

static void refusals(void **state)
{
	char huge[2 * HOST_REFUSAL_MAX];
	(void)state;
	assert_int_equal(host.env.host->refuse(&host.env, "%s %d", "expected", 1), -1);
	assert_string_equal(host.refusal, "expected 1");
	memset(huge, 'x', sizeof huge - 1);
	huge[sizeof huge - 1] = '\0';
	assert_int_equal(host.env.host->refuse(&host.env, "%s", huge), -1);
	assert_int_equal(strlen(host.refusal), sizeof host.refusal - 1);
}

static void sources_lie_below_the_root(void **state)
{
	char text[64] = "";
	char longer[5000];
	int64_t when_ns = 0;
	(void)state;
	const int64_t before = clock_now();
	const int handle = host.env.host->open(&host.env, "/README.md");
	assert_true(handle >= 0);
	assert_int_equal(host.env.host->read(&host.env, handle, text, 7, &when_ns), 7);
	assert_string_equal(text, "# Tests");
	assert_true(when_ns >= before && when_ns <= clock_now());
	/* Each reading begins at the beginning. */
	assert_int_equal(host.env.host->read(&host.env, handle, text, 3, &when_ns), 3);
	assert_memory_equal(text, "# T", 3);
	host.env.host->close(&host.env, handle);
	assert_int_equal(host.env.host->read(&host.env, handle, text, 3, &when_ns), -1);
	assert_int_equal(errno, EBADF);
	assert_int_equal(host.env.host->open(&host.env, "/nosuch"), -1);
	assert_int_equal(errno, ENOENT);
	memset(longer, 'x', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	assert_int_equal(host.env.host->open(&host.env, longer), -1);
	assert_int_equal(errno, ENAMETOOLONG);
}

static void folders_are_listed(void **state)
{
	char names[64], root[PATH_MAX];
	struct host_env fake;
	(void)state;
	fake_root_make(root);
	fake_file(root, "/groups/.hidden/x", "");
	fake_file(root, "/groups/y", "");
	host_env_init(&fake, root, 1, 0);
	assert_int_equal(fake.env.host->list(&fake.env, "/groups", names, sizeof names), sizeof ".hidden");
	assert_string_equal(names, ".hidden");
	/* Without room it says how much is needed. */
	fake_file(root, "/groups/one/x", "");
	assert_int_equal(fake.env.host->list(&fake.env, "/groups", names, 3), sizeof ".hidden" + sizeof "one");
	assert_int_equal(fake.env.host->list(&fake.env, "/nosuch", names, sizeof names), -1);
	assert_int_equal(errno, ENOENT);
	fake_remove(root, "");
}

/* What is read with each sample costs one system call; what may come in parts is read to its end. */
static void one_record_is_read_at_once(void **state)
{
	static const struct {
		const char *path;
		int reads;
	} cases[] = {{"/sys/devices/system/cpu/online", 1}, {"/proc/stat", 1}, {"/proc/self/mountinfo", 2}};
	struct host_env real;
	char text[16384];
	int64_t when_ns;
	(void)state;
	host_env_init(&real, "", 1, 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const int handle = real.env.host->open(&real.env, cases[i].path);
		assert_true(handle >= 0);
		reads = 0;
		const ssize_t length = real.env.host->read(&real.env, handle, text, sizeof text, &when_ns);
		real.env.host->close(&real.env, handle);
		assert_true(length > 0);
		if (length < 2048)
			assert_int_equal(reads, cases[i].reads);
	}
}

static int64_t some_time(void *run)
{
	return *(int64_t *)run;
}

static void what_the_run_knows(void **state)
{
	const struct sst_cpus first = {.count = 1}, second = {.count = 2};
	_Atomic struct host_place place;
	int64_t used_ns = 17;
	uint64_t told = 1;
	(void)state;
	atomic_init(&place, ((struct host_place){6, false}));
	host.env.cpus = &first;
	host.moved = &second;
	assert_int_equal(host.env.host->tree_cpu_time(&host.env), -1);
	assert_int_equal(errno, EAGAIN);
	assert_ptr_equal(host.env.host->cpus(&host.env, &told), &first);
	assert_int_equal(told, 0);
	host.cpu_time = some_time;
	host.run = &used_ns;
	host.place = &place;
	assert_int_equal(host.env.host->tree_cpu_time(&host.env), 17);
	assert_ptr_equal(host.env.host->cpus(&host.env, &told), &first);
	assert_int_equal(told, 6);
	atomic_store(&place, ((struct host_place){7, true}));
	assert_ptr_equal(host.env.host->cpus(&host.env, &told), &second);
	assert_int_equal(told, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(surroundings, enter),
		cmocka_unit_test_setup(refusals, enter),
		cmocka_unit_test_setup(sources_lie_below_the_root, enter),
		cmocka_unit_test(folders_are_listed),
		cmocka_unit_test(one_record_is_read_at_once),
		cmocka_unit_test_setup(what_the_run_knows, enter),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
