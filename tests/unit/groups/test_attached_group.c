/* SPDX-License-Identifier: MIT */
/* Holding a group whose files are ordinary ones: what is written, and that what others write counts on. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/units.h"
#include "fake_root.h"
#include "groups/attached_group.h"
#include "self/records.h"

static char root[PATH_MAX];
static struct attached_group group;
static struct workload_group grip;

static void begin(enum actuator actuator)
{
	fake_root_make(root);
	fake_file(root, "/cpu.max", "80000 100000\n");
	fake_file(root, "/cgroup.freeze", "0\n");
	group = (struct attached_group){.unified = true, .usage = -1};
	snprintf(group.folder, sizeof group.folder, "%s", root);
	assert_true(group_identify(root, &group.id));
	const int lock = records_lock(true);
	assert_int_equal(group_keeper_open(&group.keeper, root, true, &group.id), 0);
	records_unlock(lock);
	assert_int_equal(attached_group_grip(&grip, &group, actuator), 0);
}

static void end(void)
{
	workload_group_close(&grip);
	group_keeper_remove(&group.keeper);
	group_keeper_close(&group.keeper);
	fake_remove(root, "");
}

/* Its first line. */
static void expect(const char *name, const char *text)
{
	char path[2 * PATH_MAX], line[64] = "";
	snprintf(path, sizeof path, "%s/%s", root, name);
	FILE *const file = fopen(path, "re");
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof line, file));
	fclose(file);
	line[strcspn(line, "\n")] = '\0';
	assert_string_equal(line, text);
}

static void limit(int64_t quota_ms)
{
	assert_int_equal(attached_group_limit(&group, &grip,
				 &(struct bandwidth){.quota_ns = quota_ms * NS_PER_MS, .period_ns = 100 * NS_PER_MS}),
		0);
}

static void a_limit_is_never_above_that_of_others(void **state)
{
	(void)state;
	begin(ACTUATOR_QUOTA);
	struct group_record *const record = group.keeper.record;
	/* What is in force isn't written again, which would hand out a new part. */
	limit(0);
	limit(90);
	assert_false(record->limited);
	limit(20);
	assert_true(record->limited);
	expect("cpu.max", "20000 100000");
	limit(90);
	expect("cpu.max", "80000 100000");
	limit(20);
	/* Somebody sets another one. */
	fake_file(root, "/cpu.max", "60000 100000\n");
	limit(70);
	assert_string_equal(record->limit[0], "60000 100000");
	expect("cpu.max", "60000 100000");
	limit(10);
	expect("cpu.max", "10000 100000");
	/* Whoever survives. */
	group_keeper_restore(&group.keeper);
	expect("cpu.max", "60000 100000");
	fake_file(root, "/cpu.max", "50000 100000\n");
	group_keeper_restore(&group.keeper);
	expect("cpu.max", "50000 100000");
	end();
}

/* The executor is dead before it could see it; or it had just written another one itself. */
static void a_limit_that_others_set_last_stays(void **state)
{
	(void)state;
	begin(ACTUATOR_QUOTA);
	limit(20);
	fake_file(root, "/cpu.max", "60000 100000\n");
	group_keeper_restore(&group.keeper);
	expect("cpu.max", "60000 100000");
	limit(30);
	strcpy(group.keeper.record->ours[1], "15000 100000");
	fake_file(root, "/cpu.max", "15000 100000\n");
	group_keeper_restore(&group.keeper);
	expect("cpu.max", "60000 100000");
	end();
	/* Version 1 has none between two writes of ours. */
	fake_root_make(root);
	fake_file(root, "/cpu.cfs_quota_us", "30000\n");
	fake_file(root, "/cpu.cfs_period_us", "50000\n");
	struct group_keeper keeper;
	struct group_id id;
	assert_true(group_identify(root, &id));
	assert_int_equal(group_keeper_open(&keeper, root, false, &id), 0);
	strcpy(keeper.record->ours[0], "10000");
	keeper.record->period_us = 20000;
	atomic_store(&keeper.record->limited, true);
	fake_file(root, "/cpu.cfs_quota_us", "40000\n");
	fake_file(root, "/cpu.cfs_period_us", "20000\n");
	group_keeper_restore(&keeper);
	expect("cpu.cfs_quota_us", "40000");
	expect("cpu.cfs_period_us", "50000");
	atomic_store(&keeper.record->limited, true);
	fake_file(root, "/cpu.cfs_quota_us", "-1\n");
	group_keeper_restore(&keeper);
	expect("cpu.cfs_quota_us", "30000");
	group_keeper_remove(&keeper);
	group_keeper_close(&keeper);
	fake_remove(root, "");
}

static void what_others_froze_stays_frozen(void **state)
{
	(void)state;
	begin(ACTUATOR_FREEZER);
	struct group_record *const record = group.keeper.record;
	assert_int_equal(attached_group_freeze(&group, &grip, true), 0);
	expect("cgroup.freeze", "1");
	assert_true(record->frozen);
	assert_int_equal(attached_group_freeze(&group, &grip, false), 0);
	expect("cgroup.freeze", "0");
	assert_false(record->frozen);
	/* Somebody else of the run gives it back, and says so, just before it is frozen. */
	assert_int_equal(attached_group_freeze(&group, &grip, true), 0);
	atomic_store(&record->frozen, false);
	assert_int_equal(attached_group_freeze(&group, &grip, false), 0);
	expect("cgroup.freeze", "0");
	fake_file(root, "/cgroup.freeze", "1\n");
	assert_int_equal(attached_group_freeze(&group, &grip, true), 0);
	assert_false(record->frozen);
	assert_int_equal(attached_group_freeze(&group, &grip, false), 0);
	group_keeper_restore(&group.keeper);
	expect("cgroup.freeze", "1");
	/* Let go by them: it is ours again. */
	fake_file(root, "/cgroup.freeze", "0\n");
	assert_int_equal(attached_group_freeze(&group, &grip, true), 0);
	expect("cgroup.freeze", "1");
	group_keeper_restore(&group.keeper);
	expect("cgroup.freeze", "0");
	end();
}

/* Whoever sends a signal is killed in place of that. */
static void restore_and_die(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_send_signal, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(1);
	group_keeper_restore(&group.keeper);
	_exit(0);
}

static void stop_member(pid_t member)
{
	int status;
	group_keeper_hold(&group.keeper);
	assert_int_equal(kill(member, SIGSTOP), 0);
	assert_int_equal(waitpid(member, &status, WUNTRACED), member);
	assert_true(WIFSTOPPED(status));
}

static bool goes_on(pid_t member)
{
	int status;
	for (int i = 0; i < 100; i++) {
		if (waitpid(member, &status, WCONTINUED | WNOHANG) == member)
			return WIFCONTINUED(status);
		usleep(1000);
	}
	return false;
}

static void who_dies_in_letting_go_leaves_it_to_others(void **state)
{
	(void)state;
	int status;
	struct process process;
	struct linux_process now;
	begin(ACTUATOR_SIGNALS);
	const pid_t member = fork();
	if (member == 0)
		for (;;)
			pause();
	assert_int_equal(process_take(&process, member, &now), 0);
	assert_int_equal(attached_enter(group.keeper.file, 0, &process), 0);
	stop_member(member);
	const pid_t dying = fork();
	if (dying == 0)
		restore_and_die();
	assert_int_equal(waitpid(dying, &status, 0), dying);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
	assert_false(goes_on(member));
	group_keeper_restore(&group.keeper);
	assert_true(goes_on(member));
	/* Once is enough, until it is stopped again: whoever stops it then is somebody else. */
	assert_int_equal(kill(member, SIGSTOP), 0);
	assert_int_equal(waitpid(member, &status, WUNTRACED), member);
	group_keeper_restore(&group.keeper);
	assert_false(goes_on(member));
	group_keeper_hold(&group.keeper);
	group_keeper_restore(&group.keeper);
	assert_true(goes_on(member));
	kill(member, SIGKILL);
	waitpid(member, &status, 0);
	process_release(&process);
	end();
}

/* Restarts it: another group of that name, with a limit and frozen by others. */
static void make_again(void)
{
	char aside[PATH_MAX + 8];
	snprintf(aside, sizeof aside, "%s.before", root);
	assert_int_equal(rename(root, aside), 0);
	assert_int_equal(mkdir(root, 0755), 0);
	fake_remove(aside, "");
	fake_file(root, "/cpu.max", "30000 100000\n");
	fake_file(root, "/cgroup.freeze", "1\n");
}

static void one_that_was_made_again_is_left_alone(void **state)
{
	(void)state;
	begin(ACTUATOR_QUOTA);
	limit(20);
	atomic_store(&group.keeper.record->frozen, true);
	make_again();
	assert_true(group_keeper_restore(&group.keeper));
	expect("cpu.max", "30000 100000");
	expect("cgroup.freeze", "1");
	end();
}

/* ---- Records of dead runs ---------------------------------------------------------------------------------------------- */

static struct group_left last_left;

static void note_left(const struct group_left *left)
{
	last_left = *left;
}

/* How many records of it were of something held, of which `kept` stay. */
static unsigned sweep(unsigned *kept)
{
	struct group_id id;
	last_left = (struct group_left){0};
	*kept = 0;
	return group_identify(root, &id) ? group_records_sweep(&group.id, NULL, workload_groups_clear_left, note_left, kept)
					 : group_records_sweep(NULL, root, workload_groups_clear_left, note_left, kept);
}

/* A group that is held by a run of which nothing lives; its record is at `path`. */
static bool held_by_the_dead(char path[static PATH_MAX])
{
	begin(ACTUATOR_FREEZER);
	strcpy(path, group.keeper.path);
	if (!path[0])
		return false;
	assert_int_equal(attached_group_freeze(&group, &grip, true), 0);
	return true;
}

/* A run that has ended removes its record more than once, and by then the name may be that of the next run's. */
static void the_record_of_the_next_run_stays(void **state)
{
	(void)state;
	struct group_keeper next;
	char path[PATH_MAX];
	begin(ACTUATOR_FREEZER);
	strcpy(path, group.keeper.path);
	if (!path[0]) {
		end();
		skip();
	}
	group_keeper_remove(&group.keeper);
	assert_int_equal(access(path, F_OK), -1);
	const int lock = records_lock(true);
	assert_int_equal(group_keeper_open(&next, root, true, &group.id), 0);
	records_unlock(lock);
	group_keeper_remove(&group.keeper);
	assert_int_equal(access(path, F_OK), 0);
	assert_true(group_is_claimed(&group.id));
	group_keeper_remove(&next);
	assert_int_equal(access(path, F_OK), -1);
	group_keeper_close(&next);
	end();
}

static void end_of_the_dead(void)
{
	workload_group_close(&grip);
	group_keeper_close(&group.keeper);
	fake_remove(root, "");
}

static void a_record_goes_when_all_was_given_back(void **state)
{
	(void)state;
	char path[PATH_MAX], aside[PATH_MAX + 8];
	unsigned kept;
	if (!held_by_the_dead(path)) {
		end_of_the_dead();
		skip();
	}
	/* That of a run is locked until all of it is dead, and nobody else can claim the group. */
	assert_true(group_is_claimed(&group.id));
	assert_int_equal(sweep(&kept), 0);
	struct group_keeper other;
	assert_int_equal(group_keeper_open(&other, root, true, &group.id), -1);
	assert_int_equal(errno, EEXIST);
	/* As from a mount namespace with other groups. */
	group.keeper.record->root.inode++;
	group_keeper_close(&group.keeper);
	assert_false(group_is_claimed(&group.id));

	/* It can't be written. */
	fake_remove(root, "/cgroup.freeze");
	fake_file(root, "/cgroup.freeze/in", "");
	assert_int_equal(sweep(&kept), 1);
	assert_int_equal(kept, 1);
	assert_int_equal(last_left.error, EISDIR);
	assert_int_equal(access(path, F_OK), 0);
	/* It can't be seen. */
	fake_remove(root, "/cgroup.freeze");
	fake_file(root, "/cgroup.freeze", "1\n");
	snprintf(aside, sizeof aside, "%s.aside", root);
	assert_int_equal(rename(root, aside), 0);
	assert_int_equal(sweep(&kept), 1);
	assert_int_equal(kept, 1);
	assert_int_equal(last_left.error, ENOENT);
	assert_false(last_left.is_gone);
	/* Nor where another one has its name. */
	assert_int_equal(mkdir(root, 0755), 0);
	fake_file(root, "/cgroup.freeze", "1\n");
	assert_int_equal(group_records_sweep(NULL, root, workload_groups_clear_left, note_left, &kept), 1);
	expect("cgroup.freeze", "1");
	assert_int_equal(access(path, F_OK), 0);
	fake_remove(root, "");
	assert_int_equal(rename(aside, root), 0);
	assert_int_equal(sweep(&kept), 1);
	assert_int_equal(kept, 0);
	assert_true(last_left.thawed);
	expect("cgroup.freeze", "0");
	assert_int_equal(access(path, F_OK), -1);
	end_of_the_dead();
}

/* Names and numbers of folders and processes come again after the next boot. */
static void a_record_of_another_boot_is_removed(void **state)
{
	(void)state;
	char path[PATH_MAX];
	unsigned kept;
	if (!held_by_the_dead(path)) {
		end_of_the_dead();
		skip();
	}
	group.keeper.record->boot[0] ^= 1;
	group_keeper_close(&group.keeper);
	assert_int_equal(sweep(&kept), 0);
	expect("cgroup.freeze", "1");
	assert_int_equal(access(path, F_OK), -1);
	end_of_the_dead();
}

/* One that a process is in, which waits to be killed; 0 where none can be made. */
static pid_t begin_namespace(void)
{
	int ready[2];
	pid_t inside = 0;
	assert_int_equal(pipe(ready), 0);
	const pid_t outside = fork();
	if (outside == 0) {
		if (unshare(CLONE_NEWPID) != 0)
			_exit(0);
		inside = fork();
		if (inside == 0) {
			alarm(20);
			pause();
			_exit(0);
		}
		_exit(write(ready[1], &inside, sizeof inside) == sizeof inside ? 0 : 1);
	}
	waitpid(outside, NULL, 0);
	close(ready[1]);
	inside = read(ready[0], &inside, sizeof inside) == sizeof inside ? inside : 0;
	close(ready[0]);
	return inside;
}

static void a_record_of_another_namespace_waits_for_its_end(void **state)
{
	(void)state;
	char path[PATH_MAX], file[64];
	struct group_id pids;
	unsigned kept;
	/* Before there is a lock that it would inherit. */
	const pid_t inside = begin_namespace();
	const bool has_record = held_by_the_dead(path);
	snprintf(file, sizeof file, "/proc/%d/ns/pid", (int)inside);
	if (!inside || !has_record || !group_identify(file, &pids)) {
		group_keeper_restore(&group.keeper);
		end();
		skip();
	}
	group.keeper.record->pids = pids.inode;
	group_keeper_hold(&group.keeper);
	group_keeper_close(&group.keeper);
	assert_int_equal(sweep(&kept), 1);
	assert_int_equal(kept, 1);
	assert_true(last_left.is_outside);
	expect("cgroup.freeze", "1");
	assert_int_equal(access(path, F_OK), 0);
	kill(inside, SIGKILL);
	for (int i = 0; i < 1000 && kept; i++) {
		assert_int_equal(sweep(&kept), 1);
		usleep(1000);
	}
	assert_int_equal(kept, 0);
	expect("cgroup.freeze", "0");
	assert_int_equal(access(path, F_OK), -1);
	end_of_the_dead();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_limit_is_never_above_that_of_others),
		cmocka_unit_test(the_record_of_the_next_run_stays),
		cmocka_unit_test(a_limit_that_others_set_last_stays),
		cmocka_unit_test(what_others_froze_stays_frozen),
		cmocka_unit_test(who_dies_in_letting_go_leaves_it_to_others),
		cmocka_unit_test(one_that_was_made_again_is_left_alone),
		cmocka_unit_test(a_record_goes_when_all_was_given_back),
		cmocka_unit_test(a_record_of_another_boot_is_removed),
		cmocka_unit_test(a_record_of_another_namespace_waits_for_its_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
