/* SPDX-License-Identifier: MIT */
/* Events of software, which every machine counts; where it isn't permitted there is nothing to test. */
#include "meters/counter_handover.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "fake_root.h"

#define PAGES 2000

static struct linux_counter_events events_of(const char *names)
{
	struct linux_counter_events events;
	char error[LINUX_COUNTER_ERROR_MAX] = "";
	if (linux_counter_events_parse(names, &events, error) != 0)
		fail_msg("%s", error);
	return events;
}

static struct linux_counter_set *open_set(const char *root, const char *names)
{
	const struct linux_counter_events events = events_of(names);
	struct linux_counter_set *const set = linux_counter_set_open(root, &events);
	assert_non_null(set);
	return set;
}

static bool is_permitted(struct linux_counter_scope scope)
{
	const struct linux_counter_events events = events_of("page-faults");
	const int fd = linux_counter_open(&events.event[0], &scope);
	if (fd >= 0)
		close(fd);
	return fd >= 0 || (errno != EACCES && errno != EPERM && errno != ENOSYS);
}

static void touch_pages(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *const memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(memory != MAP_FAILED);
	madvise((void *)memory, PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		memory[i * page] = 1;
	munmap((void *)memory, PAGES * page);
}

/* As an executor starts a workload: from a process that itself doesn't exec, and touches memory. */
static void start(const char *script)
{
	const pid_t executor = fork();
	if (executor == 0) {
		const pid_t workload = fork();
		if (workload == 0) {
			execl("/bin/sh", "sh", "-c", script, (char *)NULL);
			_exit(127);
		}
		touch_pages();
		waitpid(workload, NULL, 0);
		_exit(0);
	}
	waitpid(executor, NULL, 0);
}

static void of_started(void **unused)
{
	(void)unused;
	if (!is_permitted((struct linux_counter_scope){.is_of_started = true}))
		skip();
	struct linux_counter_set *const set = open_set("", "page-faults,task-clock");
	assert_int_equal(linux_counter_set_add(set), 0);
	assert_null(linux_counter_set_lacks(set, 0));
	touch_pages();
	linux_counter_set_read(set);
	assert_int_equal(linux_counter_set_take(set, 0).sum.value, 0);
	start("/bin/true");
	linux_counter_set_read(set);
	const struct linux_counter_reading one = linux_counter_set_take(set, 0).sum;
	assert_true(one.value > 0);
	/* Neither what forks it, nor we. */
	assert_true(one.value < PAGES);
	assert_true(one.enabled > 0 && one.running > 0);
	assert_true(linux_counter_set_take(set, 1).sum.value > 0);
	/* Children of children count too, also those that are gone, and those that nobody waited for. */
	start("i=0; while [ $i -lt 20 ]; do /bin/true & i=$((i + 1)); done; wait; (/bin/true &)");
	linux_counter_set_read(set);
	assert_true(linux_counter_set_take(set, 0).sum.value > 2 * one.value);
	assert_int_equal(linux_counter_set_take(set, 0).sum.value, 0);
	linux_counter_set_close(set);
}

/* As an executor: sends its counters, waits for a word, and starts the script. */
static pid_t start_executor(struct linux_counter_set *set, const char *script, int *socket)
{
	int pair[2];
	char word;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	const pid_t executor = fork();
	if (executor == 0) {
		close(pair[0]);
		if (script && counter_handover_send(set, pair[1]) == 0 && read(pair[1], &word, 1) == 1)
			start(script);
		_exit(0);
	}
	close(pair[1]);
	*socket = pair[0];
	return executor;
}

/* Each has counts of its own. One that dies before it sends its counters has none. */
static void of_each(void **unused)
{
	(void)unused;
	if (!is_permitted((struct linux_counter_scope){.is_of_started = true}))
		skip();
	struct linux_counter_set *const set = open_set("", "page-faults,no_such_unit/config=1/,context-switches");
	static const char *const scripts[] = {"/bin/true", NULL, "for i in 1 2 3 4 5 6 7 8 9 10; do /bin/true; done"};
	struct linux_counter_reading faults[3];
	for (int i = 0; i < 3; i++) {
		int socket;
		const pid_t executor = start_executor(set, scripts[i], &socket);
		struct pollfd sent = {.fd = socket, .events = POLLIN};
		assert_int_equal(poll(&sent, 1, 60000), 1);
		assert_int_equal(counter_handover_receive(set, socket), 0);
		assert_int_equal(send(socket, "", 1, MSG_NOSIGNAL), scripts[i] ? 1 : -1);
		waitpid(executor, NULL, 0);
		close(socket);
	}
	assert_null(linux_counter_set_lacks(set, 0));
	assert_non_null(linux_counter_set_lacks(set, 1));
	assert_null(linux_counter_set_lacks(set, 2));
	linux_counter_set_read(set);
	for (size_t i = 0; i < 3; i++)
		faults[i] = linux_counter_set_take_of(set, i, 0);
	assert_true(faults[0].value > 0 && faults[0].value < PAGES);
	assert_int_equal(faults[1].value, 0);
	assert_int_equal(faults[1].enabled, 0);
	assert_true(faults[2].value > 2 * faults[0].value);
	assert_int_equal(linux_counter_set_take(set, 0).sum.value, 0);
	/* What was not sent is not closed either. */
	const int next = dup(0);
	linux_counter_set_close(set);
	assert_int_not_equal(fcntl(0, F_GETFD), -1);
	close(next);
}

static void of_processors(void **unused)
{
	(void)unused;
	const unsigned ids[] = {0, 60000}, none[] = {60000};
	if (!is_permitted((struct linux_counter_scope){.cpu = 0}))
		skip();
	struct linux_counter_set *const set = open_set("", "cpu-clock,page-faults");
	assert_string_equal(linux_counter_set_lacks(set, 0), "there is nothing here that it counts");
	assert_int_equal(linux_counter_set_follow(set, ids, 1), 0);
	assert_null(linux_counter_set_lacks(set, 0));
	usleep(20000);
	linux_counter_set_read(set);
	const struct linux_counter_growth clock = linux_counter_set_take(set, 0);
	assert_true(clock.sum.value >= 15000000);
	assert_int_equal(linux_counter_share(&clock.sum), 1);
	assert_int_equal(clock.longest_ns, clock.sum.enabled);
	/* A processor that can't be counted makes the sum unknown. What was read before stays. */
	linux_counter_set_read(set);
	assert_int_equal(linux_counter_set_follow(set, ids, 2), 0);
	assert_non_null(linux_counter_set_lacks(set, 0));
	assert_true(linux_counter_set_take(set, 0).sum.value > 0);
	assert_int_equal(linux_counter_set_follow(set, ids, 1), 0);
	assert_null(linux_counter_set_lacks(set, 0));
	/* All gone, and back again: counted from then on. */
	assert_int_equal(linux_counter_set_follow(set, ids, 0), 0);
	assert_non_null(linux_counter_set_lacks(set, 0));
	linux_counter_set_read(set);
	assert_int_equal(linux_counter_set_follow(set, none, 1), 0);
	assert_non_null(linux_counter_set_lacks(set, 0));
	assert_int_equal(linux_counter_set_follow(set, ids, 1), 0);
	linux_counter_set_take(set, 0);
	linux_counter_set_read(set);
	assert_null(linux_counter_set_lacks(set, 0));
	assert_true(linux_counter_set_take(set, 0).sum.value > 0);
	linux_counter_set_close(set);
}

static void not_there(void **unused)
{
	(void)unused;
	char root[PATH_MAX];
	const unsigned ids[] = {1};
	fake_root_make(root);
	fake_file(root, "/sys/bus/event_source/devices/uncore/type", "99999\n");
	fake_file(root, "/sys/bus/event_source/devices/uncore/cpumask", "0\n");
	struct linux_counter_set *const set = open_set(root, "gpu/busy/,uncore/config=1/");
	assert_int_equal(linux_counter_set_follow(set, ids, 1), 0);
	assert_non_null(strstr(linux_counter_set_lacks(set, 0), "there is no "));
	/* It counts on a processor that isn't measured. */
	assert_string_equal(linux_counter_set_lacks(set, 1), "there is nothing here that it counts");
	linux_counter_set_read(set);
	linux_counter_set_close(set);
	fake_remove(root, "");
}

static void few_files(void **unused)
{
	(void)unused;
	struct rlimit before;
	const unsigned ids[] = {0, 1, 2, 3};
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	const struct rlimit few = {66, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	struct linux_counter_set *const set = open_set("", "page-faults");
	assert_int_equal(linux_counter_set_follow(set, ids, 4), 0);
	assert_string_equal(linux_counter_set_lacks(set, 0),
		"1 event of 4 processors take 4 open files and some more, and ulimit -n allows 66");
	linux_counter_set_close(set);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_started),
		cmocka_unit_test(of_each),
		cmocka_unit_test(of_processors),
		cmocka_unit_test(not_there),
		cmocka_unit_test(few_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
