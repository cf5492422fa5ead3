/* SPDX-License-Identifier: MIT */
/* A tree that somebody else started. */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

#include "processes/attached.h"
#include "tree_test.h"

/* The tree that start() started, as one that is attached. */
static struct attached attached;

static void attach(pid_t first)
{
	struct attached *opened;
	tree_free(&tree);
	ck_assert_int_eq(attached_open(&first, 1, 0, &opened), 0);
	attached = *opened;
	free(opened);
	ck_assert_int_eq(tree_attach(&tree, &attached, clock_now()), 0);
}

static void detach(void)
{
	process_release(&attached.process);
	close(attached.table);
}

START_TEST(an_attached_tree_is_stopped_one_by_one)
{
	attach(start(with_an_escapee, 3));
	ck_assert_uint_eq(tree.outsiders, 3);
	ck_assert(all_are(false));
	stop_until_all_are();
	/* Those who survive us know all of them. */
	attached_continue(attached.table);
	ck_assert(tree.stopped);
	const int64_t deadline = clock_now() + PATIENCE_NS;
	while (!all_are(false) && clock_now() < deadline)
		clock_sleep_until(clock_now() + NS_PER_MS);
	ck_assert(all_are(false));
	stop_until_all_are();
	continue_all();
	ck_assert(tree_lives(&tree, clock_now()));
	detach();
}
END_TEST

START_TEST(who_loses_its_parent_stays_attached)
{
	int status;
	const pid_t first = start(with_an_escapee, 3);
	attach(first);
	const int first_fd = tree.outsider[0].process.fd;
	ck_assert_int_eq(tree.outsider[0].process.pid, first);
	kill(first, SIGKILL);
	ck_assert_int_eq(waitpid(first, &status, 0), first);
	ck_assert(tree_lives(&tree, clock_now()));
	ck_assert_uint_eq(tree.outsiders, 2);
	ck_assert_int_ne(tree.outsider[0].process.pid, first);
	ck_assert_int_eq(fcntl(first_fd, F_GETFD), -1);
	stop_until_all_are();
	continue_all();
	tree_signal(&tree, SIGTERM, clock_now());
	for (int i = 0; i < 2; i++)
		ck_assert_int_gt(waitpid(-1, &status, 0), 0);
	ck_assert(!tree_lives(&tree, clock_now()));
	ck_assert_uint_eq(tree.outsiders, 0);
	/* Nobody is left: nothing to do, and nobody to be hit. */
	tree_stop(&tree, clock_now());
	tree_continue(&tree);
	attached_continue(attached.table);
	detach();
}
END_TEST

START_TEST(places_in_the_table_are_used_again)
{
	struct stat status;
	attach(start(wait_for_orders, 1));
	for (int i = 0; i < 20; i++) {
		const pid_t pid = fork_and(sleep_for_ever);
		struct linux_process process;
		ck_assert_int_eq(linux_process_read(pid, &process), 0);
		/* As if it had been found below: a member from now on. */
		tree.outsider = realloc(tree.outsider, 2 * sizeof *tree.outsider);
		ck_assert_ptr_nonnull(tree.outsider);
		tree.outsider[1] = (struct tree_outsider){.process = process_of(&process)};
		tree.outsiders = 2;
		ck_assert(tree_lives(&tree, clock_now()));
		ck_assert_uint_eq(tree.outsiders, 2);
		stop_until_all_are();
		attached_continue(attached.table);
		kill(pid, SIGKILL);
		ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
		ck_assert(tree_lives(&tree, clock_now()));
		ck_assert_uint_eq(tree.outsiders, 1);
	}
	ck_assert_int_eq(fstat(attached.table, &status), 0);
	ck_assert_int_le(status.st_size, ATTACHED_TABLE + 3 * 16);
	tree_continue(&tree);
	detach();
}
END_TEST

static void expect_entry(const struct tree_outsider *outsider)
{
	struct process entry;
	const off_t at = ATTACHED_TABLE + (off_t)(outsider->place * sizeof entry);
	ck_assert_int_eq(pread(attached.table, &entry, sizeof entry, at), sizeof entry);
	ck_assert_int_eq(entry.pid, outsider->process.pid);
}

/* Those who survive us would leave it stopped. */
START_TEST(who_is_in_the_table_stays_there_without_a_descriptor_when_another_comes)
{
	const size_t members = 1 + 2 * MANY;
	const struct rlimit few = {.rlim_cur = 32, .rlim_max = 32};
	struct linux_process process;
	attach(start(with_many_escapees, members));
	ck_assert(tree_lives(&tree, clock_now()));
	for (size_t i = 1; i < members; i++)
		process_release(&tree.outsider[i].process);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	stop_until_all_are();
	ck_assert_uint_eq(tree.outsiders, members);
	/* One more comes, for which the table has no room. (Check writes files, too, when it asserts.) */
	struct rlimit usual;
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &usual), 0);
	const struct rlimit full = {.rlim_cur = ATTACHED_TABLE + members * sizeof(struct process), .rlim_max = usual.rlim_max};
	const pid_t other = fork_and(sleep_for_ever);
	ck_assert_int_eq(linux_process_read(other, &process), 0);
	tree.outsider = realloc(tree.outsider, (members + 1) * sizeof *tree.outsider);
	ck_assert_ptr_nonnull(tree.outsider);
	memmove(&tree.outsider[2], &tree.outsider[1], (members - 1) * sizeof *tree.outsider);
	tree.outsider[1] = (struct tree_outsider){.process = process_of(&process)};
	tree.outsiders = members + 1;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &full);
	const bool lives = tree_lives(&tree, clock_now());
	setrlimit(RLIMIT_FSIZE, &usual);
	ck_assert(lives);
	ck_assert_uint_eq(tree.outsiders, members);
	for (size_t i = 0; i < members; i++) {
		ck_assert_int_ne(tree.outsider[i].process.pid, other);
		expect_entry(&tree.outsider[i]);
	}
	continue_all();
	detach();
}
END_TEST

/* In a control group they are listed by age, and the younger one may have the smaller number. */
START_TEST(a_parent_that_is_stopped_later_is_not_waited_for)
{
	int64_t fastest = INT64_MAX;
	attach(start(with_an_escapee, 3));
	const struct tree_outsider parent = tree.outsider[1];
	tree.outsider[1] = tree.outsider[2];
	tree.outsider[2] = parent;
	for (int i = 0; i < 20; i++) {
		const int64_t began = clock_now();
		tree_stop(&tree, began);
		const int64_t took = clock_now() - began;
		fastest = took < fastest ? took : fastest;
		stop_until_all_are();
		continue_all();
		ck_assert_int_eq(tree.outsider[1].parent, tree.outsider[2].process.pid);
	}
	ck_assert_int_lt(fastest, 5 * NS_PER_MS);
	detach();
}
END_TEST

int main(void)
{
	left_out_begin();
	TCase *tests = tcase_create("all");
	tcase_add_test(tests, an_attached_tree_is_stopped_one_by_one);
	tcase_add_test(tests, who_loses_its_parent_stays_attached);
	tcase_add_test(tests, places_in_the_table_are_used_again);
	tcase_add_test(tests, who_is_in_the_table_stays_there_without_a_descriptor_when_another_comes);
	tcase_add_test(tests, a_parent_that_is_stopped_later_is_not_waited_for);
	return run_tests(tests);
}
