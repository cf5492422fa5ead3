/* SPDX-License-Identifier: MIT */
#include "meters/counter_set.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_root.h"

static const struct linux_counter_event cycles = {.name = "cycles", .type = PERF_TYPE_HARDWARE};
static const struct linux_counter_event faults = {
	.name = "page-faults", .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS};

static void scaled(void **unused)
{
	(void)unused;
	const struct linux_counter_reading whole = {1000, 500, 500}, half = {1000, 500, 250}, never = {0, 500, 0},
					   nothing = {0, 0, 0}, late = {7, 499, 500};
	assert_true(linux_counter_scaled(&whole) == 1000);
	assert_true(linux_counter_share(&whole) == 1);
	assert_true(linux_counter_scaled(&half) == 2000);
	assert_true(linux_counter_share(&half) == 0.5);
	/* Nothing ran that could be counted, which is not the same as not having counted what ran. */
	assert_true(isnan(linux_counter_scaled(&never)));
	assert_true(linux_counter_share(&never) == 0);
	assert_true(linux_counter_scaled(&nothing) == 0);
	assert_true(linux_counter_share(&nothing) == 1);
	assert_true(linux_counter_scaled(&late) == 7);
	/* More than 53 bits of each. */
	const struct linux_counter_reading large = {UINT64_MAX, UINT64_MAX, UINT64_MAX / 4};
	assert_true(fabs(linux_counter_scaled(&large) / (4.0 * (double)UINT64_MAX) - 1) < 1e-9);
}

static void added(void **unused)
{
	(void)unused;
	const struct linux_counter_reading before = {10, 100, 50}, now = {13, 140, 70};
	/* Another counter by now, which a single number may be all that says. */
	const struct linux_counter_reading back[] = {{9, 200, 100}, {20, 99, 60}, {20, 200, 49}};
	struct linux_counter_reading sum = {1, 2, 3};
	linux_counter_add(&sum, &before, &now);
	assert_int_equal(sum.value, 4);
	assert_int_equal(sum.enabled, 42);
	assert_int_equal(sum.running, 23);
	for (size_t i = 0; i < sizeof back / sizeof *back; i++)
		linux_counter_add(&sum, &before, &back[i]);
	assert_int_equal(sum.value, 4);
	assert_int_equal(sum.enabled, 42);
	assert_int_equal(sum.running, 23);
}

static void expect_why(
	const char *root, const struct linux_counter_event *event, bool is_of_started, int error, const char *message)
{
	char text[LINUX_COUNTER_ERROR_MAX];
	linux_counter_explain(event, is_of_started, root, error, text);
	if (!strstr(text, message))
		fail_msg("'%s' isn't in '%s'", message, text);
}

static void explained(void **unused)
{
	(void)unused;
	char root[PATH_MAX];
	const struct linux_counter_event in_programs = {.type = PERF_TYPE_HARDWARE, .only_user = true};
	fake_root_make(root);
	assert_int_equal(linux_counter_paranoid(root), -2);
	expect_why(root, &cycles, false, EACCES, "perf_event_open is not permitted, as in many containers");
	fake_file(root, "/proc/sys/kernel/perf_event_paranoid", "2\n");
	assert_int_equal(linux_counter_paranoid(root), 2);
	expect_why(root, &cycles, false, EACCES, "kernel.perf_event_paranoid is 2, and this needs 0 or less, or CAP_PERFMON");
	expect_why(root, &cycles, true, EPERM, "this needs 1 or less, or CAP_PERFMON; with :u behind its name");
	/* It isn't that. */
	expect_why(root, &in_programs, true, EPERM, "not permitted, as in many containers");
	fake_file(root, "/proc/sys/kernel/perf_event_paranoid", "3\n");
	expect_why(root, &in_programs, true, EACCES, "is 3, and this needs 2 or less, or CAP_PERFMON");
	fake_file(root, "/proc/sys/kernel/perf_event_paranoid", "-1\n");
	assert_int_equal(linux_counter_paranoid(root), -1);
	expect_why(root, &cycles, false, EPERM, "not permitted, as in many containers");
	expect_why(root, &cycles, false, ENOENT, "this machine has no such hardware event, as most virtual machines have none");
	expect_why(root, &faults, false, ENOENT, "this kernel has no such event");
	expect_why(root, &faults, false, ENOSYS, "without performance events");
	expect_why(root, &cycles, false, EOPNOTSUPP, "can't do this");
	expect_why(root, &cycles, false, E2BIG, "doesn't know such attributes");
	expect_why(root, &cycles, false, EMFILE, "too many open files");
	expect_why(root, &cycles, false, ENODEV, "No such device");
	fake_remove(root, "");
}

static void opened(void **unused)
{
	(void)unused;
	struct linux_counter_reading reading;
	const struct linux_counter_scope mine = {.is_of_started = true};
	const int fd = linux_counter_open(&faults, &mine);
	if (fd < 0 && (errno == EACCES || errno == EPERM || errno == ENOSYS))
		skip();
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(linux_counter_read(fd, &reading), 0);
	assert_int_equal(reading.value, 0);
	assert_int_equal(reading.enabled, 0);
	close(fd);
	assert_int_equal(linux_counter_read(fd, &reading), -1);
	assert_int_equal(errno, EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scaled),
		cmocka_unit_test(added),
		cmocka_unit_test(explained),
		cmocka_unit_test(opened),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
