/* SPDX-License-Identifier: MIT */
/* A child's threads run, wait, and change their parts; who ran is read from the real /proc. */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

#include "base/clock.h"
#include "base/units.h"
#include "left_out.h"
#include "processes/tree.h"

#define PATIENCE_NS (20 * NS_PER_S)
#define MOST 40

/* Between the test and the process of threads. */
static struct part {
	_Atomic pid_t thread; /* once it runs */
	atomic_bool runs;     /* it spins; else it sleeps */
	_Atomic int64_t last_ns;
} * part;

static struct busy_threads busy;
static struct descendants list;
static int64_t now_ns;

static void enter(void)
{
	part = mmap(NULL, MOST * sizeof *part, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(part, MAP_FAILED);
	now_ns = NS_PER_S;
}

static void leave(void)
{
	busy_threads_free(&busy);
	busy_threads_free(&busy);
	descendants_free(&list);
	ck_assert(descendants_kill(clock_now() + PATIENCE_NS));
	munmap(part, MOST * sizeof *part);
}

static void play(struct part *mine)
{
	atomic_store(&mine->thread, (pid_t)syscall(SYS_gettid));
	for (;;) {
		while (atomic_load(&mine->runs))
			atomic_store(&mine->last_ns, clock_now());
		clock_sleep_until(clock_now() + 20 * NS_PER_MS);
	}
}

static void *play_thread(void *mine)
{
	play(mine);
	return NULL;
}

/* A process group of one process, whose first thread plays part 0. */
static pid_t start(size_t threads)
{
	for (size_t i = 0; i < threads; i++)
		atomic_store(&part[i].thread, 0);
	const pid_t pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		/* After a test that fails nobody kills it. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setpgid(0, 0);
		for (size_t i = 1; i < threads; i++) {
			pthread_t thread;
			if (pthread_create(&thread, NULL, play_thread, &part[i]) != 0)
				_exit(1);
		}
		play(&part[0]);
	}
	setpgid(pid, pid);
	const int64_t deadline = clock_now() + PATIENCE_NS;
	for (size_t i = 0; i < threads; i++)
		while (!atomic_load(&part[i].thread)) {
			ck_assert_int_lt(clock_now(), deadline);
			clock_sleep_until(clock_now() + NS_PER_MS);
		}
	return pid;
}

/* Waits until each of those that are to run has run for so long, while the others hardly can. */
static void let_run(size_t threads, int64_t for_ns)
{
	const int64_t began = clock_now();
	const int64_t deadline = began + PATIENCE_NS;
	for (size_t i = 0; i < threads; i++)
		while (atomic_load(&part[i].runs) && atomic_load(&part[i].last_ns) < began + for_ns) {
			ck_assert_int_lt(clock_now(), deadline);
			clock_sleep_until(clock_now() + NS_PER_MS);
		}
}

static void look(void)
{
	ck_assert_int_eq(descendants_list(getpid(), &list), 0);
	now_ns = busy.due_ns > now_ns ? busy.due_ns : now_ns;
	busy_threads_look(&busy, &list, now_ns);
}

static bool is_chosen(size_t index)
{
	for (size_t i = 0; i < busy.count; i++)
		if (busy.item[i].thread == atomic_load(&part[index].thread))
			return true;
	return false;
}

static bool has_run_times(void)
{
	if (access("/proc/self/schedstat", R_OK) == 0)
		return true;
	left_out("no /proc/PID/schedstat");
	return false;
}

START_TEST(those_that_run_are_chosen)
{
	if (!has_run_times())
		return;
	const pid_t pid = start(20);
	look();
	atomic_store(&part[3].runs, true);
	atomic_store(&part[17].runs, true);
	let_run(20, 300 * NS_PER_MS);
	look();
	ck_assert(is_chosen(3));
	ck_assert(is_chosen(17));
	ck_assert_uint_eq(busy.count, 2);
	ck_assert_int_eq(busy.item[0].process, pid);
	/* They change. */
	atomic_store(&part[3].runs, false);
	atomic_store(&part[5].runs, true);
	let_run(20, 300 * NS_PER_MS);
	look();
	look();
	let_run(20, 300 * NS_PER_MS);
	look();
	ck_assert(is_chosen(5));
	ck_assert(!is_chosen(3));
}
END_TEST

START_TEST(the_first_thread_is_none_of_them)
{
	if (!has_run_times())
		return;
	start(2);
	atomic_store(&part[0].runs, true);
	let_run(2, 100 * NS_PER_MS);
	look();
	ck_assert(!is_chosen(0));
	/* Where there is only one nothing is even looked at. */
	ck_assert(descendants_kill(clock_now() + PATIENCE_NS));
	start(1);
	look();
	ck_assert_uint_eq(busy.knows, 0);
}
END_TEST

START_TEST(of_many_the_busiest_are_chosen)
{
	if (!has_run_times())
		return;
	start(MOST);
	for (size_t i = 1; i < MOST; i++)
		atomic_store(&part[i].runs, true);
	let_run(MOST, 100 * NS_PER_MS);
	look();
	ck_assert_uint_eq(busy.knows, MOST - 1);
	ck_assert_uint_gt(busy.count, 1);
	ck_assert_uint_le(busy.count, BUSY_THREADS);
	for (size_t i = 1; i < busy.count; i++)
		ck_assert_uint_ge(busy.item[i - 1].ran_ns, busy.item[i].ran_ns);
}
END_TEST

START_TEST(looks_become_rare_where_nothing_changes)
{
	if (!has_run_times())
		return;
	start(2);
	atomic_store(&part[1].runs, true);
	let_run(2, 100 * NS_PER_MS);
	look();
	ck_assert_uint_eq(busy.count, 1);
	ck_assert_int_ge(busy.due_ns, now_ns + 100 * NS_PER_MS);
	const int64_t first = now_ns;
	/* Not before it is due. */
	const uint64_t ran = busy.known[0].ran_ns;
	let_run(2, 50 * NS_PER_MS);
	busy_threads_look(&busy, &list, busy.due_ns - 1);
	ck_assert_uint_eq(busy.known[0].ran_ns, ran);
	for (int i = 0; i < 8; i++) {
		let_run(2, 10 * NS_PER_MS);
		look();
	}
	ck_assert_int_ge(busy.due_ns, now_ns + NS_PER_S);
	ck_assert_int_ge(now_ns, first + 4 * NS_PER_S);
	ck_assert_uint_eq(busy.count, 1);
	/* Who sleeps now may run again: the last one that did stays. */
	atomic_store(&part[1].runs, false);
	look();
	for (int i = 0; i < 3 && busy.count; i++)
		look();
	ck_assert(is_chosen(1));
}
END_TEST

static size_t open_files(void)
{
	size_t count = 0;
	DIR *const directory = opendir("/proc/self/fd");
	ck_assert_ptr_nonnull(directory);
	while (readdir(directory))
		count++;
	closedir(directory);
	return count;
}

/* Ten looks a second, of some threads each: what one of them kept open would be all that may be open within minutes. */
START_TEST(a_look_leaves_nothing_open)
{
	start(8);
	look();
	const size_t before = open_files();
	for (int i = 0; i < 5; i++)
		look();
	ck_assert_uint_eq(open_files(), before);
}
END_TEST

/* The processor of those that don't stop at once is all that their first thread could run on, and that is to give way to everybody. */
static void share_a_processor(size_t threads)
{
	const struct sched_param none = {0};
	cpu_set_t allowed;
	cpu_set_t one;
	int cpu = CPU_SETSIZE - 1;
	ck_assert_int_eq(sched_getaffinity(0, sizeof allowed, &allowed), 0);
	while (!CPU_ISSET(cpu, &allowed))
		cpu--;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	for (size_t i = 0; i < threads; i++)
		ck_assert_int_eq(sched_setaffinity(atomic_load(&part[i].thread), sizeof one, &one), 0);
	ck_assert_int_eq(sched_setscheduler(atomic_load(&part[0].thread), SCHED_IDLE, &none), 0);
}

static int by_size(const void *left, const void *right)
{
	const int64_t *a = left;
	const int64_t *b = right;
	return (*a > *b) - (*a < *b);
}

/* How long a thread ran on after stops of the tree, as a median. */
static int64_t stop_again_and_again(struct tree *tree, bool settle)
{
	int64_t late[11];
	const size_t count = sizeof late / sizeof *late;
	for (size_t i = 0; i < count; i++) {
		let_run(2, 20 * NS_PER_MS);
		if (settle)
			tree_find_busy(tree, clock_now());
		tree_stop(tree, clock_now());
		const int64_t sent = clock_now();
		const int64_t deadline = sent + PATIENCE_NS;
		struct linux_process process = {0};
		while (process.state != 'T') {
			ck_assert_int_lt(clock_now(), deadline);
			clock_sleep_until(clock_now() + NS_PER_MS);
			ck_assert_int_eq(linux_process_read(tree->group, &process), 0);
		}
		int64_t last;
		do {
			last = atomic_load(&part[1].last_ns);
			clock_sleep_until(clock_now() + 200 * NS_PER_MS);
		} while (atomic_load(&part[1].last_ns) != last && clock_now() < deadline);
		late[i] = last - sent;
		tree_continue(tree);
	}
	qsort(late, count, sizeof *late, by_size);
	return late[count / 2];
}

START_TEST(who_runs_stops_though_the_first_thread_gets_no_processor)
{
	struct tree tree;
	if (!has_run_times())
		return;
	const pid_t pid = start(2);
	tree_init(&tree, pid);
	share_a_processor(2);
	atomic_store(&part[1].runs, true);
	const int64_t without = stop_again_and_again(&tree, false);
	let_run(2, 100 * NS_PER_MS);
	const int64_t with = stop_again_and_again(&tree, true);
	ck_assert_uint_eq(tree.busy.count, 1);
	ck_assert_int_lt(with, NS_PER_MS);
	ck_assert_int_lt(2 * with, without);
	ck_assert(descendants_kill(clock_now() + PATIENCE_NS));
	tree_free(&tree);
}
END_TEST

START_TEST(nobody_else_is_hit)
{
	if (!has_run_times())
		return;
	const pid_t pid = start(2);
	atomic_store(&part[1].runs, true);
	let_run(2, 100 * NS_PER_MS);
	look();
	ck_assert_uint_eq(busy.count, 1);
	/* Of another process, or another group. */
	busy_threads_stop(&busy, pid + 1);
	busy_threads_stop_group(&busy, getpgrp());
	let_run(2, 100 * NS_PER_MS);
	/* A process that is gone, or whose threads are. */
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	busy_threads_stop(&busy, pid);
	busy_threads_stop_group(&busy, pid);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("busy_threads");
	TCase *tcase = tcase_create("busy_threads");
	tcase_add_checked_fixture(tcase, enter, leave);
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, those_that_run_are_chosen);
	tcase_add_test(tcase, the_first_thread_is_none_of_them);
	tcase_add_test(tcase, of_many_the_busiest_are_chosen);
	tcase_add_test(tcase, looks_become_rare_where_nothing_changes);
	tcase_add_test(tcase, a_look_leaves_nothing_open);
	tcase_add_test(tcase, who_runs_stops_though_the_first_thread_gets_no_processor);
	tcase_add_test(tcase, nobody_else_is_hit);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
