/* SPDX-License-Identifier: MIT */
/* What is granted to whom. Each test is a process of its own, whose attributes it may change; without the privileges some need, those
 * are left out. (What a workload gets back is tested with its start, in test_workloads_spawn.) */
#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <check.h>

#include "base/descriptors.h"
#include "left_out.h"
#include "processes/descendants.h"
#include "self/scheduling.h"

#define PATIENCE_S 20

static struct scheduling user;

/* Takes away the right to raise priorities beyond the limits. */
static bool be_ordinary(rlim_t nice_limit)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];
	const struct rlimit none = {0};
	const struct rlimit nice = {nice_limit, nice_limit};
	if (setrlimit(RLIMIT_RTPRIO, &none) != 0 || setrlimit(RLIMIT_NICE, &nice) != 0 || syscall(SYS_capget, &header, data) != 0)
		return false;
	data[CAP_SYS_NICE / 32].effective &= ~(1u << CAP_SYS_NICE % 32);
	return syscall(SYS_capset, &header, data) == 0;
}

/* The number that the next one opened would have. */
static int next_descriptor(void)
{
	const int next = dup(STDERR_FILENO);
	close(next);
	return next;
}

static bool is_root(void)
{
	return geteuid() == 0;
}

START_TEST(nothing_is_granted_to_an_ordinary_user)
{
	if (!be_ordinary(0)) {
		left_out("the right to nice values can't be given up");
		return;
	}
	scheduling_save(&user);
	ck_assert_int_eq(scheduling_raise_nice().grant, GRANT_NOTHING);
	ck_assert_int_eq(scheduling_raise(&user).grant, GRANT_NOTHING);
	ck_assert_int_eq(getpriority(PRIO_PROCESS, 0), user.nice);
	ck_assert_int_eq(sched_getscheduler(0), user.policy);
	scheduling_step_down();
	ck_assert_int_eq(sched_getscheduler(0), user.policy);
	/* Timer slack is everybody's own. */
	ck_assert_int_eq(prctl(PR_GET_TIMERSLACK), 1);
}
END_TEST

START_TEST(a_limit_on_nice_values_is_made_use_of)
{
	if (!is_root() || !be_ordinary(20 + 5)) {
		left_out("limits can't be raised");
		return;
	}
	scheduling_save(&user);
	const struct scheduling_grant grant = scheduling_raise(&user);
	ck_assert_int_eq(grant.grant, GRANT_NICE);
	ck_assert_int_eq(grant.value, -5);
	ck_assert_int_eq(getpriority(PRIO_PROCESS, 0), -5);
}
END_TEST

START_TEST(who_is_at_the_limit_gets_no_more)
{
	if (!is_root() || setpriority(PRIO_PROCESS, 0, -5) != 0 || !be_ordinary(20 + 5)) {
		left_out("priorities can't be raised");
		return;
	}
	scheduling_save(&user);
	ck_assert_int_eq(scheduling_raise(&user).grant, GRANT_NOTHING);
	ck_assert_int_eq(getpriority(PRIO_PROCESS, 0), -5);
}
END_TEST

START_TEST(root_stands_above_a_real_time_user)
{
	struct sched_param param = {.sched_priority = 20};
	scheduling_save(&user);
	/* Said, and not done: nothing here may run in real time for long. */
	user.policy = SCHED_RR;
	user.priority = 20;
	const struct scheduling_grant grant = scheduling_raise(&user);
	if (grant.grant != GRANT_FIFO) {
		left_out("real-time priorities aren't permitted");
		return;
	}
	ck_assert_int_eq(grant.value, 21);
	ck_assert_int_eq(sched_getscheduler(0), SCHED_FIFO | SCHED_RESET_ON_FORK);
	sched_getparam(0, &param);
	ck_assert_int_eq(param.sched_priority, 21);
	user.priority = 99;
	ck_assert_int_eq(scheduling_raise(&user).value, 98);
	scheduling_step_down();
	ck_assert_int_eq(sched_getscheduler(0) & ~SCHED_RESET_ON_FORK, SCHED_OTHER);
}
END_TEST

START_TEST(as_many_descriptors_as_there_may_be)
{
	struct rlimit limit;
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = 40;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	scheduling_save(&user);
	ck_assert_uint_eq(user.files.rlim_cur, 40);
	descriptors_raise_limit();
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_uint_eq(limit.rlim_cur, limit.rlim_max);
	scheduling_restore(&user);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_uint_eq(limit.rlim_cur, 40);
}
END_TEST

START_TEST(the_out_of_memory_killer_s_score)
{
	struct scheduling now;
	const int next = next_descriptor();
	FILE *const file = fopen("/proc/self/oom_score_adj", "w");
	ck_assert_ptr_nonnull(file);
	fputs("300", file);
	/* Everybody may raise it. */
	ck_assert_int_eq(fclose(file), 0);
	scheduling_save(&user);
	ck_assert_int_eq(user.oom_score, 300);
	if (!scheduling_spare_from_oom()) {
		left_out("the out-of-memory killer's score can't be lowered");
		return;
	}
	scheduling_save(&now);
	ck_assert_int_lt(now.oom_score, 0);
	scheduling_restore(&user);
	scheduling_save(&now);
	ck_assert_int_eq(now.oom_score, user.oom_score);
	ck_assert_int_eq(next_descriptor(), next);
}
END_TEST

/* One that isn't root, and is asked for a command that would raise it. */
static void become_somebody(void)
{
	ck_assert_int_eq(setresuid(65534, 65534, 65534), 0);
	/* Or /proc/self isn't its own. */
	ck_assert_int_eq(prctl(PR_SET_DUMPABLE, 1UL), 0);
}

START_TEST(who_could_have_the_right_is_told_how)
{
	char text[SCHEDULING_REMEDY_MAX];
	char path[PATH_MAX] = "", command[2 * PATH_MAX];
	if (!is_root()) {
		left_out("only root can be somebody else");
		return;
	}
	ck_assert_int_gt(readlink("/proc/self/exe", path, sizeof path - 1), 0);
	/* Root needs no right; and some can't be given it: what has none in its bounding set, or gets none by executing a file. */
	ck_assert(!scheduling_remedy(text));
	if (_i == 1)
		ck_assert_int_eq(prctl(PR_CAPBSET_DROP, (unsigned long)CAP_SYS_NICE, 0UL, 0UL, 0UL), 0);
	if (_i == 2)
		ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL), 0);
	const int can =
		prctl(PR_CAPBSET_READ, (unsigned long)CAP_SYS_NICE) == 1 && prctl(PR_GET_NO_NEW_PRIVS, 0UL, 0UL, 0UL, 0UL) == 0;
	become_somebody();
	ck_assert_int_eq(scheduling_remedy(text), can);
	snprintf(command, sizeof command, "sudo setcap cap_sys_nice+ep %s", path);
	if (can)
		ck_assert_str_eq(text, command);
	else if (_i == 0)
		left_out("nobody gets the right to priorities here");
}
END_TEST

/* 0: none. */
static pid_t child_of(pid_t parent)
{
	struct descendants list = {0};
	const pid_t child = descendants_list(parent, &list) == 0 && list.count > 0 ? list.item[0].process.pid : 0;
	descendants_free(&list);
	return child;
}

/* Who tries is past what it sets of itself once its priority is raised. */
START_TEST(who_tries_dies_with_who_asks)
{
	const time_t deadline = time(NULL) + PATIENCE_S;
	scheduling_save(&user);
	if (scheduling_try(&user).grant != GRANT_FIFO) {
		left_out("there is no right to real-time priorities");
		return;
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1UL);
	for (bool met = false; !met;) {
		const pid_t asks = fork();
		if (asks == 0)
			for (;;)
				scheduling_try(&user);
		pid_t tries;
		while (!(tries = child_of(asks)) || kill(tries, SIGSTOP) != 0)
			;
		met = (sched_getscheduler(tries) & ~SCHED_RESET_ON_FORK) == SCHED_FIFO;
		kill(asks, SIGKILL);
		ck_assert_int_eq(waitpid(asks, NULL, 0), asks);
		if (!met)
			kill(tries, SIGKILL);
		while (waitpid(tries, NULL, WNOHANG) == 0)
			ck_assert(time(NULL) < deadline);
	}
}
END_TEST

int main(void)
{
	left_out_begin();
	Suite *suite = suite_create("linux_scheduling");
	TCase *tests = tcase_create("linux_scheduling");
	tcase_set_timeout(tests, 3 * PATIENCE_S);
	tcase_add_test(tests, nothing_is_granted_to_an_ordinary_user);
	tcase_add_test(tests, a_limit_on_nice_values_is_made_use_of);
	tcase_add_test(tests, who_is_at_the_limit_gets_no_more);
	tcase_add_test(tests, root_stands_above_a_real_time_user);
	tcase_add_test(tests, as_many_descriptors_as_there_may_be);
	tcase_add_test(tests, the_out_of_memory_killer_s_score);
	tcase_add_test(tests, who_tries_dies_with_who_asks);
	tcase_add_loop_test(tests, who_could_have_the_right_is_told_how, 0, 3);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return left_out_status(failed);
}
