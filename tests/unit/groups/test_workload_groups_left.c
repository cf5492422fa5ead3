/* SPDX-License-Identifier: MIT */
/* What a run that was killed left goes with the next one, and nothing of others does. */
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

#include "groups/group_record.h"
#include "groups/group_tree.h"
#include "processes/descendants.h"
#include "self/records.h"
#include "workload_groups_test.h"

static unsigned folders; /* folders in which processes were killed … */
static size_t killed;    /* … and how many */

static void note_left(const struct group_left *left)
{
	ck_assert(left->own && strncmp(left->folder, place.folder, strlen(place.folder)) == 0);
	folders += left->killed > 0;
	killed += left->killed;
}

/* What the next run of this user does first. How many records of dead runs stay. */
static unsigned sweep(void)
{
	unsigned kept = 0;
	group_records_sweep(NULL, NULL, workload_groups_clear_left, note_left, &kept);
	return kept;
}

/* Makes a run's folder, freezes a process in it, and dies so that nobody cleans up; with `lives` it waits for that. */
static pid_t run(int told, bool lives)
{
	const pid_t pid = fork();
	if (pid != 0)
		return pid;
	struct workload_group group;
	char byte = 1;
	groups->guardian = getpid();
	if (sweep() != 0 || workload_groups_make(groups, &place) != 0)
		_exit(1);
	const pid_t frozen = start(&group, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	workload_group_freeze(&group, true);
	await_frozen(0);
	if (frozen < 0 || write(told, &byte, 1) != 1)
		_exit(1);
	if (lives)
		pause();
	_exit(0);
}

START_TEST(what_a_dead_run_left_goes_with_the_next)
{
	if (!find_place(_i))
		return;
	struct workload_groups *const mine = groups;
	char folder[2][PATH_MAX], byte;
	pid_t pid[2];
	int ends[2];
	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1UL), 0);
	ck_assert_int_eq(pipe(ends), 0);
	for (int lives = 0; lives < 2; lives++) {
		groups = workload_groups_new();
		ck_assert_ptr_nonnull(groups);
		pid[lives] = run(ends[1], lives);
		ck_assert_int_eq(read(ends[0], &byte, 1), 1);
		if (!lives)
			ck_assert_int_eq(waitpid(pid[0], NULL, 0), pid[0]);
		strcpy(folder[lives], groups->folder);
		if (!lives)
			ck_assert(exists(folder[0]));
		else
			ck_assert(!exists(folder[0])); /* the second was the next of the first */
		workload_groups_free(groups);
	}
	groups = mine;
	ck_assert_uint_eq(sweep(), 0);
	ck_assert_int_eq(workload_groups_make(groups, &place), 0);
	ck_assert(exists(folder[1]));
	ck_assert_str_ne(groups->folder, folder[1]);
	/* Now that it is dead. */
	kill(pid[1], SIGKILL);
	ck_assert_int_eq(waitpid(pid[1], NULL, 0), pid[1]);
	workload_groups_remove(groups);
	folders = killed = 0;
	ck_assert_uint_eq(sweep(), 0);
	ck_assert(!exists(folder[1]));
	/* With version 2, what is frozen dies by itself with the one that started it; nobody knows how far it is. */
	ck_assert_uint_le(folders, 1);
	ck_assert_uint_eq(killed, folders);
	ck_assert(folders == 1 || groups->unified);
	while (waitpid(-1, NULL, 0) > 0)
		;
	leave_place();
}
END_TEST

/* In that of others. */
static pid_t put_into(const char *path)
{
	struct workload_group group = WORKLOAD_GROUP_NONE;
	group.members = group_open(path, "cgroup.procs", O_WRONLY);
	const pid_t pid = start_in(&group);
	workload_group_close(&group);
	return pid;
}

static void make_folder(char path[static PATH_MAX], const char *name)
{
	ck_assert_int_lt(snprintf(path, PATH_MAX, "%.3500s/%s", place.folder, name), PATH_MAX);
	ck_assert_int_eq(mkdir(path, 0755), 0);
}

/* What is called as a run's, and isn't the group of which there is a record. */
START_TEST(nothing_of_others_is_killed)
{
	char folder[PATH_MAX], below[PATH_MAX];
	struct group_keeper keeper;
	if (!find_place(_i))
		return;
	make_folder(folder, "showstopper-1234-0");
	make_folder(below, "showstopper-1234-0/0");
	const pid_t pid[] = {put_into(folder), put_into(below)};
	ck_assert_uint_eq(sweep(), 0);
	const int lock = records_lock(true);
	ck_assert_int_eq(group_keeper_open_own(&keeper, folder), 0);
	records_unlock(lock);
	/* Another one had this name before. */
	ck_assert(group_identify(folder, &keeper.record->id));
	keeper.record->id.inode++;
	group_keeper_close(&keeper);
	ck_assert_uint_eq(sweep(), 0);
	ck_assert_uint_eq(folders, 0);
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(waitpid(pid[i], NULL, WNOHANG), 0);
	ck_assert(exists(below));
	/* That was the only difference. */
	const int again = records_lock(true);
	ck_assert_int_eq(group_keeper_open_own(&keeper, folder), 0);
	records_unlock(again);
	ck_assert(group_identify(folder, &keeper.record->id));
	/* That of a run which goes on is left alone. */
	ck_assert_uint_eq(sweep(), 0);
	ck_assert_uint_eq(folders, 0);
	group_keeper_close(&keeper);
	ck_assert_uint_eq(sweep(), 0);
	ck_assert_uint_eq(folders, 1);
	ck_assert_uint_eq(killed, 2);
	ck_assert(!exists(folder));
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(waitpid(pid[i], NULL, 0), pid[i]);
	leave_place();
}
END_TEST

/* ---- Killed between any two system calls ------------------------------------------------------------------------------- */

/* Shared by all processes of a trial: the workload is where it belongs. */
static atomic_bool *is_settled;

/* A process that goes into a group, as a workload does. It outlives its parent, as what left its session would. */
static pid_t start_workload(const struct workload_group *group)
{
	const pid_t pid = fork();
	if (pid == 0) {
		if (workload_group_enter(group) != 0)
			_exit(1);
		close_range(STDERR_FILENO + 1, ~0U, 0);
		atomic_store(is_settled, true);
		pause();
		_exit(1);
	}
	while (pid > 0 && !atomic_load(is_settled))
		clock_sleep_until(clock_now() + NS_PER_MS / 10);
	return pid;
}

/* A whole run, by one process. `clears`: its groups go as if an executor was left alone with them. */
static void live(bool clears)
{
	struct workload_group group;
	struct workload_groups *const own = workload_groups_new();
	if (!own || workload_groups_make(own, &place) != 0 || workload_group_make(&group, own, 0) != 0)
		_exit(1);
	const pid_t workload = start_workload(&group);
	if (workload < 0 || workload_group_freeze(&group, true) != 0)
		_exit(1);
	workload_group_close(&group);
	if (clears) {
		workload_groups_clear(own, clock_now() + LIMIT_NS);
	} else {
		group_tree_release(own->folder);
		kill(workload, SIGKILL);
		waitpid(workload, NULL, 0);
		workload_groups_remove(own);
	}
	_exit(0);
}

/* Until what a process has forked is settled or has ended: who is on the way still has the lock. */
static void settle_child(pid_t pid)
{
	const int64_t limit_ns = clock_now() + LIMIT_NS;
	struct descendants list = {0};
	while (descendants_list(pid, &list) == 0 && list.count > 0 && !atomic_load(is_settled) &&
		!linux_process_has_ended(&list.item[0].process) && clock_now() < limit_ns)
		clock_sleep_until(clock_now() + NS_PER_MS / 10);
	descendants_free(&list);
}

/* Lets it run until it enters or leaves a system call for the n-th time, and kills it there. 0: it has ended before; -1: can't be tried. */
static int kill_at(unsigned stops, bool clears)
{
	int status;
	atomic_store(is_settled, false);
	const pid_t pid = fork();
	if (pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
			_exit(2);
		raise(SIGSTOP);
		live(clears);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status))
		return -1;
	/* Signals aren't passed on: that its child has ended is none that it heeds. */
	for (unsigned i = 0; i < stops && WIFSTOPPED(status); i++) {
		ck_assert_int_eq(ptrace(PTRACE_SYSCALL, pid, NULL, NULL), 0);
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	}
	if (WIFEXITED(status)) {
		ck_assert_int_eq(WEXITSTATUS(status), 0);
		return 0;
	}
	settle_child(pid);
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return 1;
}

START_TEST(the_next_run_removes_what_a_kill_left)
{
	int result = 1;
	unsigned stops;
	if (!find_place(_i % 2 + 1))
		return;
	is_settled = mmap(NULL, sizeof *is_settled, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(is_settled, MAP_FAILED);
	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1UL), 0);
	for (stops = 1; result > 0; stops++) {
		result = kill_at(stops, _i / 2);
		ck_assert_uint_eq(sweep(), 0);
		/* Only a folder in which there is nothing can be removed. */
		const bool is_clean = rmdir(place.folder) == 0;
		if (!is_clean) {
			group_tree_kill(place.folder, NULL);
			group_tree_release(place.folder);
		}
		ck_assert_msg(is_clean, "killed at stop %u: something is left in %s", stops, place.folder);
		while (waitpid(-1, NULL, 0) > 0)
			;
		ck_assert_int_eq(mkdir(place.folder, 0755), 0);
	}
	if (result < 0)
		printf("left out: no process can be traced here\n");
	else
		ck_assert_uint_gt(stops, 100);
	munmap(is_settled, sizeof *is_settled);
	leave_place();
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("workload_groups");
	tcase_add_loop_test(tests, what_a_dead_run_left_goes_with_the_next, 1, 3);
	tcase_add_loop_test(tests, nothing_of_others_is_killed, 1, 3);
	tcase_add_loop_test(tests, the_next_run_removes_what_a_kill_left, 0, 4);
	return run_tests(tests);
}
