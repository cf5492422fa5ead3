/* SPDX-License-Identifier: MIT */
#include "load/tree_time.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>

#include "fake_root.h"
#include "load/stat.h"

static char root[PATH_MAX];
static struct linux_tree_time *tree;
static uint64_t forks;
static int parents[1000]; /* of the processes that there are, by number */
static bool below;        /* lists of children are to be followed … */
static bool has_lists;    /* … where there are any */

static void set_up(void)
{
	fake_root_make(root);
	tree = NULL;
	forks = 1000;
	memset(parents, 0, sizeof parents);
	below = has_lists = false;
}

/* Through all processes; by lists of children; or by them where a kernel has none. */
static void look(int way)
{
	below = way > 0;
	has_lists = way == 1;
}

static void tear_down(void)
{
	linux_tree_time_close(tree);
	fake_remove(root, "");
}

struct made_up {
	int pid, parent, session; /* session 0: 1; the group is the session */
	char state;               /* 0: S */
	double own, children;     /* seconds; halves of them in user and system */
	int start, threads;       /* 0: one thread */
};

/* Children are listed with the last of their parent's threads, which has the number of the process and one more for each other thread. */
static void list_children(int pid, int threads)
{
	char path[64], text[512] = "";
	if (!has_lists || !pid)
		return;
	for (int thread = 0; thread < threads; thread++) {
		snprintf(path, sizeof path, "/proc/%d/task/%d/children", pid, pid + thread);
		size_t length = 0;
		for (int child = 0; child < (int)(sizeof parents / sizeof *parents) && thread == threads - 1; child++)
			if (parents[child] == pid)
				length += (size_t)snprintf(text + length, sizeof text - length, "%d ", child);
		fake_file(root, path, text);
	}
}

static void process(struct made_up made_up)
{
	char path[64], text[512];
	const double hz = linux_stat_hz();
	const int own = (int)lround(made_up.own * hz), children = (int)lround(made_up.children * hz);
	const int session = made_up.session ? made_up.session : 1;
	snprintf(path, sizeof path, "/proc/%d/stat", made_up.pid);
	const int threads = made_up.threads ? made_up.threads : 1;
	snprintf(text, sizeof text, "%d (a (name) %d) %c %d %d %d 0 -1 4194304 98 0 0 0 %d %d %d %d 20 0 %d 0 %d 3133440 360\n",
		made_up.pid, made_up.pid, made_up.state ? made_up.state : 'S', made_up.parent, session, session, own / 2,
		own - own / 2, children / 2, children - children / 2, threads, made_up.start ? made_up.start : made_up.pid);
	fake_file(root, path, text);
	const int before = parents[made_up.pid];
	parents[made_up.pid] = made_up.parent;
	list_children(made_up.pid, threads);
	if (before)
		list_children(before, 1);
	list_children(made_up.parent, 1);
}

static void vanish(int pid)
{
	char path[64];
	parents[pid] = 0;
	snprintf(path, sizeof path, "/proc/%d", pid);
	fake_remove(root, path);
}

static void open_tree(int pid)
{
	tree = below ? linux_tree_time_open_below(root, pid, 4) : linux_tree_time_open(root, pid);
	ck_assert_ptr_nonnull(tree);
}

/* Reads, and checks what was used since the tree was opened and how many are alive. */
static void expect(double used, unsigned alive)
{
	struct linux_tree_time_reading reading;
	ck_assert_int_eq(linux_tree_time_read(tree, forks, &reading), 0);
	ck_assert_double_eq_tol(reading.used, used, 1e-6);
	ck_assert_uint_eq(reading.alive, alive);
	ck_assert_int_gt(reading.when_ns, 0);
}

START_TEST(nobody_there)
{
	errno = 0;
	ck_assert_ptr_null(linux_tree_time_open(root, 100));
	ck_assert_int_eq(errno, ENOENT);
	process((struct made_up){.pid = 100, .parent = 1, .state = 'Z'});
	ck_assert_ptr_null(linux_tree_time_open(root, 100));
	ck_assert_int_eq(errno, ESRCH);
	/* A number that no process can have here. */
	ck_assert_ptr_null(linux_tree_time_open("", INT_MAX));
}
END_TEST

/* It is shown as a zombie from the end of its first thread on. */
START_TEST(first_thread_ends_before_others)
{
	process((struct made_up){.pid = 1, .own = 500});
	process((struct made_up){.pid = 100, .parent = 1, .own = 7, .state = 'Z', .threads = 2});
	open_tree(100);
	process((struct made_up){.pid = 100, .parent = 1, .own = 9, .state = 'Z', .threads = 2});
	expect(2, 1);
	process((struct made_up){.pid = 100, .parent = 1, .own = 10, .state = 'Z'});
	expect(3, 0);
}
END_TEST

START_TEST(one_process)
{
	look(_i);
	process((struct made_up){.pid = 1, .own = 500});
	process((struct made_up){.pid = 100, .parent = 1, .own = 7, .children = 9});
	open_tree(100);
	expect(0, 1);
	process((struct made_up){.pid = 100, .parent = 1, .own = 7.5, .children = 9});
	process((struct made_up){.pid = 1, .own = 600});
	expect(0.5, 1);
	expect(0.5, 1);
	/* The clock of a kernel that corrects itself: never back. */
	process((struct made_up){.pid = 100, .parent = 1, .own = 7.4, .children = 9});
	expect(0.5, 1);
	process((struct made_up){.pid = 100, .parent = 1, .own = 7.6, .children = 9});
	expect(0.6, 1);
}
END_TEST

START_TEST(children_come_and_go)
{
	look(_i);
	process((struct made_up){.pid = 100, .parent = 1, .own = 1});
	process((struct made_up){.pid = 101, .parent = 100, .own = 3});
	process((struct made_up){.pid = 200, .parent = 1, .own = 3});
	open_tree(100);
	expect(0, 2);
	/* A new child with one of its own counts from its beginning; strangers and their children don't. */
	forks += 3;
	process((struct made_up){.pid = 102, .parent = 101, .own = 0.25});
	process((struct made_up){.pid = 103, .parent = 102, .own = 0.5});
	process((struct made_up){.pid = 201, .parent = 200, .own = 5});
	expect(0.75, 4);
	/* One that was waited for: the last 0.5 s are in the parent's count. */
	vanish(103);
	process((struct made_up){.pid = 102, .parent = 101, .own = 0.25, .children = 1});
	expect(1.25, 3);
	/* Two generations at once, with time of both that was not seen before. */
	vanish(102);
	vanish(101);
	process((struct made_up){.pid = 100, .parent = 1, .own = 1, .children = 3 + 0.25 + 1 + 0.13});
	expect(1.38, 1);
	/* A child that nobody ever saw. */
	forks++;
	process((struct made_up){.pid = 100, .parent = 1, .own = 1, .children = 5.38});
	expect(2.38, 1);
}
END_TEST

/* A child dies between the reading of its parent and its own: the parent's count comes with the next reading. */
START_TEST(dies_while_reading)
{
	look(_i);
	process((struct made_up){.pid = 100, .parent = 1, .own = 1});
	process((struct made_up){.pid = 101, .parent = 100, .own = 3});
	open_tree(100);
	vanish(101);
	expect(0, 1);
	process((struct made_up){.pid = 100, .parent = 1, .own = 1, .children = 3.5});
	expect(0.5, 1);
}
END_TEST

/* A parent that ignores SIGCHLD never gets its children's time; that must not eat the time of those it waits for later. */
START_TEST(nobody_waits)
{
	look(_i);
	process((struct made_up){.pid = 100, .parent = 1, .own = 1});
	process((struct made_up){.pid = 101, .parent = 100, .own = 3});
	open_tree(100);
	vanish(101);
	expect(0, 1);
	expect(0, 1);
	process((struct made_up){.pid = 100, .parent = 1, .own = 1, .children = 1});
	struct linux_tree_time_reading reading;
	ck_assert_int_eq(linux_tree_time_read(tree, forks, &reading), 0);
	ck_assert_double_le(reading.used, 1);
	ck_assert_double_ge(reading.used, 1 - 2 / linux_stat_hz() - 1e-9);
}
END_TEST

START_TEST(orphans_stay)
{
	look(_i);
	process((struct made_up){.pid = 1});
	process((struct made_up){.pid = 100, .parent = 1});
	process((struct made_up){.pid = 101, .parent = 100});
	process((struct made_up){.pid = 102, .parent = 101});
	open_tree(100);
	vanish(101);
	process((struct made_up){.pid = 102, .parent = 1, .own = 2});
	expect(2, 2);
	/* Also when the first one is gone. Who is waited for by a stranger takes its last time along. */
	vanish(100);
	process((struct made_up){.pid = 1, .children = 50});
	process((struct made_up){.pid = 102, .parent = 1, .own = 3});
	expect(3, 1);
	forks++;
	process((struct made_up){.pid = 103, .parent = 102, .own = 1});
	expect(4, 2);
	vanish(102);
	process((struct made_up){.pid = 103, .parent = 1, .own = 1.5});
	expect(4.5, 1);
}
END_TEST

START_TEST(strangers_stay_strangers)
{
	process((struct made_up){.pid = 100, .parent = 1});
	process((struct made_up){.pid = 200, .parent = 1});
	process((struct made_up){.pid = 201, .parent = 200, .own = 1000});
	open_tree(100);
	/* The tree's process becomes the parent of an orphan, as a subreaper does. */
	forks += 300; /* so many that numbers may have been used again */
	vanish(200);
	process((struct made_up){.pid = 201, .parent = 100, .own = 1001});
	expect(0, 1);
}
END_TEST

START_TEST(numbers_used_again)
{
	look(_i);
	process((struct made_up){.pid = 100, .parent = 1});
	process((struct made_up){.pid = 101, .parent = 100, .own = 5});
	process((struct made_up){.pid = 200, .parent = 1, .own = 5});
	open_tree(100);
	/* The child's number has a stranger now, and the stranger's a child. */
	forks += 300;
	process((struct made_up){.pid = 100, .parent = 1, .children = 5.5});
	process((struct made_up){.pid = 101, .parent = 1, .own = 80, .start = 5000});
	process((struct made_up){.pid = 200, .parent = 100, .own = 0.25, .start = 5001});
	expect(0.75, 2);
	/* The number of one of the tree went to another one of it: found at the next look. */
	process((struct made_up){.pid = 200, .parent = 100, .own = 0.1, .start = 6000});
	process((struct made_up){.pid = 100, .parent = 1, .children = 5.75});
	expect(0.75, 1);
	process((struct made_up){.pid = 200, .parent = 100, .own = 0.5, .start = 6000});
	expect(1.25, 2);
}
END_TEST

/* Daemons lose their parent before anybody sees them; sessions and groups of the tree tell them. */
START_TEST(unseen_parents)
{
	process((struct made_up){.pid = 1, .session = 1});
	process((struct made_up){.pid = 50, .parent = 1, .session = 50});
	process((struct made_up){.pid = 100, .parent = 50, .session = 100});
	open_tree(100);
	forks += 2;
	process((struct made_up){.pid = 102, .parent = 1, .session = 100, .own = 1});
	process((struct made_up){.pid = 103, .parent = 1, .session = 50, .own = 20});
	expect(1, 2);
}
END_TEST

/* A child of a thread that isn't the first. */
START_TEST(children_of_threads)
{
	look(1);
	process((struct made_up){.pid = 100, .parent = 1, .threads = 3});
	open_tree(100);
	forks++;
	parents[150] = 100;
	process((struct made_up){.pid = 100, .parent = 1, .threads = 3});
	fake_file(root, "/proc/150/stat", "150 (x) S 100 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 150 0 0\n");
	expect(0, 2);
	process((struct made_up){.pid = 150, .parent = 100, .own = 2});
	expect(2, 2);
}
END_TEST

/*
 * A shell lives on; below it one process ends before its child does, so that the child comes to the top and is waited for there. All
 * of this between two readings: nothing is counted twice.
 */
START_TEST(waited_for_further_up)
{
	look(_i);
	process((struct made_up){.pid = 100, .parent = 1});
	process((struct made_up){.pid = 101, .parent = 100});
	process((struct made_up){.pid = 102, .parent = 101});
	process((struct made_up){.pid = 103, .parent = 102, .own = 1});
	open_tree(100);
	process((struct made_up){.pid = 103, .parent = 102, .own = 9});
	expect(8, 4);
	vanish(102);
	vanish(103);
	process((struct made_up){.pid = 100, .parent = 1, .children = 9.5});
	expect(8.5, 2);
	expect(8.5, 2);
}
END_TEST

/* While the machine makes no process nobody new is looked for. */
START_TEST(looks_only_after_forks)
{
	look(_i);
	process((struct made_up){.pid = 100, .parent = 1});
	open_tree(100);
	expect(0, 1);
	process((struct made_up){.pid = 101, .parent = 100, .own = 1});
	expect(0, 1);
	forks++;
	expect(1, 2);
	process((struct made_up){.pid = 102, .parent = 100, .own = 1});
	forks = 0; /* not known: looks always */
	expect(2, 3);
	process((struct made_up){.pid = 103, .parent = 100, .own = 1});
	expect(3, 4);
}
END_TEST

START_TEST(ends)
{
	look(_i);
	struct linux_tree_time_reading reading;
	process((struct made_up){.pid = 100, .parent = 1});
	open_tree(100);
	process((struct made_up){.pid = 100, .parent = 1, .own = 1, .state = 'Z'});
	ck_assert_int_eq(linux_tree_time_read(tree, forks, &reading), 0);
	ck_assert_uint_eq(reading.alive, 0);
	ck_assert_uint_eq(reading.known, 1);
	ck_assert_double_eq_tol(reading.used, 1, 1e-6);
	vanish(100);
	ck_assert_int_eq(linux_tree_time_read(tree, forks, &reading), 0);
	ck_assert_uint_eq(reading.known, 0);
	ck_assert_double_eq_tol(reading.used, 1, 1e-6);
}
END_TEST

/* Parents in a circle, which no kernel makes. */
START_TEST(circle)
{
	look(_i);
	process((struct made_up){.pid = 100, .parent = 102, .own = 1});
	process((struct made_up){.pid = 101, .parent = 100, .own = 1});
	process((struct made_up){.pid = 102, .parent = 101, .own = 1});
	open_tree(100);
	forks++;
	process((struct made_up){.pid = 103, .parent = 100, .own = 1});
	expect(1, 4);
	vanish(103);
	expect(1, 3);
	vanish(100);
	vanish(101);
	vanish(102);
	expect(1, 0);
}
END_TEST

/* Real processes. */

static double processor_time(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void burn(double seconds)
{
	while (processor_time() < seconds)
		;
}

static uint64_t forks_of_this_machine(void)
{
	static char text[1 << 20];
	struct linux_stat stat;
	FILE *const file = fopen("/proc/stat", "r");
	fake_require(file != NULL, "/proc/stat");
	const size_t length = fread(text, 1, sizeof text, file);
	fclose(file);
	fake_require(linux_stat_parse(text, length, NULL, &stat) == 0, "/proc/stat");
	return stat.forks;
}

/* Three children of 60 ms, one of them with a child of its own; then 40 ms itself. */
static void family(int done, int leave)
{
	for (int i = 0; i < 3; i++) {
		const pid_t child = fork();
		if (child == 0) {
			const pid_t grandchild = i == 1 ? fork() : 1;
			burn(grandchild == 0 ? 0.03 : 0.06);
			if (grandchild > 1)
				waitpid(grandchild, NULL, 0);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	burn(processor_time() + 0.04);
	char byte = 0;
	if (write(done, &byte, 1) != 1 || read(leave, &byte, 1) < 0)
		_exit(1);
	_exit(0);
}

START_TEST(real_processes)
{
	int begin[2], done[2], leave[2];
	char byte = 0;
	ck_assert(pipe(begin) == 0 && pipe(done) == 0 && pipe(leave) == 0);
	const pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		close(leave[1]); /* ends when the test does */
		close(begin[1]);
		if (read(begin[0], &byte, 1) == 1)
			family(done[1], leave[0]);
		_exit(1);
	}
	tree = _i ? linux_tree_time_open_below("", child, 3) : linux_tree_time_open("", child);
	ck_assert_ptr_nonnull(tree);
	ck_assert_int_eq(write(begin[1], &byte, 1), 1);
	struct linux_tree_time_reading reading;
	double last = 0;
	/* Readings at any moments of it; the counter never goes back. */
	for (bool is_done = false; !is_done;) {
		fcntl(done[0], F_SETFL, O_NONBLOCK);
		is_done = read(done[0], &byte, 1) == 1;
		ck_assert_int_eq(linux_tree_time_read(tree, forks_of_this_machine(), &reading), 0);
		ck_assert_double_ge(reading.used, last);
		last = reading.used;
		nanosleep(&(struct timespec){.tv_nsec = 7000000}, NULL);
	}
	ck_assert_uint_eq(reading.alive, 1);
	/* 3 × 60 + 30 + 40 ms, what forking takes, and two ticks more or less per generation. */
	ck_assert_double_ge(reading.used, 0.25 - 0.04);
	ck_assert_double_le(reading.used, 0.25 + 0.04 + 0.25);
	close(leave[1]);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	ck_assert_int_eq(linux_tree_time_read(tree, forks_of_this_machine(), &reading), 0);
	ck_assert_uint_eq(reading.known, 0);
	ck_assert_double_ge(reading.used, last);
}
END_TEST

/* A number that was a stranger's is looked at again after some hundred forks, also where there was a look every few of them. */
START_TEST(a_strangers_number_is_given_again)
{
	struct linux_tree_time_reading reading;
	process((struct made_up){.pid = 100, .parent = 1});
	process((struct made_up){.pid = 300, .parent = 1, .own = 70});
	open_tree(100);
	expect(0, 1);
	vanish(300);
	process((struct made_up){.pid = 300, .parent = 100, .own = 1, .start = 5000});
	for (int i = 0; i < 4; i++) {
		forks += 90;
		ck_assert_int_eq(linux_tree_time_read(tree, forks, &reading), 0);
	}
	expect(1, 2);
}
END_TEST

int main(void)
{
	Suite *const suite = suite_create("linux_tree_time");
	TCase *const tests = tcase_create("all");
	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, nobody_there);
	tcase_add_test(tests, first_thread_ends_before_others);
	tcase_add_test(tests, a_strangers_number_is_given_again);
	tcase_add_loop_test(tests, one_process, 0, 3);
	tcase_add_loop_test(tests, children_come_and_go, 0, 3);
	tcase_add_loop_test(tests, dies_while_reading, 0, 3);
	tcase_add_loop_test(tests, nobody_waits, 0, 3);
	tcase_add_loop_test(tests, orphans_stay, 0, 3);
	tcase_add_test(tests, strangers_stay_strangers);
	tcase_add_loop_test(tests, numbers_used_again, 0, 3);
	tcase_add_test(tests, unseen_parents);
	tcase_add_test(tests, children_of_threads);
	tcase_add_loop_test(tests, waited_for_further_up, 0, 3);
	tcase_add_loop_test(tests, looks_only_after_forks, 0, 3);
	tcase_add_loop_test(tests, ends, 0, 3);
	tcase_add_loop_test(tests, circle, 0, 3);
	tcase_add_loop_test(tests, real_processes, 0, 2);
	suite_add_tcase(suite, tests);
	SRunner *const runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed > 0;
}
