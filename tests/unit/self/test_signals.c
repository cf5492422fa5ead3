/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

#include "self/signals.h"

static const int all[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD};
#define ALL (sizeof all / sizeof *all)
#define ENDING 3 /* the first of them */

/* Check has handlers of its own. */
static void enter(void)
{
	for (size_t i = 0; i < ALL; i++)
		signal(all[i], SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
}

/* Exactly the first ones of `all` are in the set, less one (0: none). */
static void expect_set(const sigset_t *set, size_t count, int less)
{
	for (int number = 1; number < SIGRTMIN; number++) {
		int expected = 0;
		for (size_t i = 0; i < count; i++)
			expected |= all[i] == number && number != less;
		ck_assert_msg(sigismember(set, number) == expected, "signal %d", number);
	}
}

START_TEST(three_signals_end_a_program)
{
	sigset_t set;
	signals_ending(&set);
	expect_set(&set, ENDING, 0);
	for (size_t i = 0; i < ALL; i++)
		ck_assert_int_eq(signals_is_ending(all[i]), i < ENDING);
	ck_assert(!signals_is_ending(0));
}
END_TEST

START_TEST(what_is_ignored_stays_ignored)
{
	sigset_t set;
	struct signals_kept kept;
	struct sigaction action;
	/* SIGCHLD, the last of them, is fetched all the same. */
	signal(all[_i], SIG_IGN);
	signals_ending(&set);
	expect_set(&set, ENDING, all[_i]);
	signals_take(&kept, &set);
	expect_set(&set, ALL, all[_i] == SIGCHLD ? 0 : all[_i]);
	sigaction(all[_i], NULL, &action);
	ck_assert(action.sa_handler == (all[_i] == SIGCHLD ? SIG_DFL : SIG_IGN));
	signals_give_back(&kept);
	sigaction(all[_i], NULL, &action);
	ck_assert(action.sa_handler == SIG_IGN);
}
END_TEST

START_TEST(a_command_gets_back_what_there_was)
{
	sigset_t set, mask, before;
	struct signals_kept kept;
	struct sigaction action;
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR2);
	sigaddset(&mask, SIGWINCH);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	sigprocmask(SIG_SETMASK, NULL, &before);
	signal(SIGPIPE, _i ? SIG_IGN : SIG_DFL);
	signal(SIGCHLD, _i ? SIG_IGN : SIG_DFL);
	signals_take(&kept, &set);
	sigaction(SIGPIPE, NULL, &action);
	ck_assert(action.sa_handler == SIG_IGN);
	sigaction(SIGCHLD, NULL, &action);
	ck_assert(action.sa_handler == SIG_DFL);
	sigprocmask(SIG_SETMASK, NULL, &mask);
	for (size_t i = 0; i < ALL; i++)
		ck_assert_int_eq(sigismember(&mask, all[i]), 1);
	ck_assert_int_eq(sigismember(&mask, SIGWINCH), 1);

	signals_give_back(&kept);
	sigaction(SIGPIPE, NULL, &action);
	ck_assert(action.sa_handler == (_i ? SIG_IGN : SIG_DFL));
	sigaction(SIGCHLD, NULL, &action);
	ck_assert(action.sa_handler == (_i ? SIG_IGN : SIG_DFL));
	sigprocmask(SIG_SETMASK, NULL, &mask);
	for (int number = 1; number < SIGRTMIN; number++)
		ck_assert_int_eq(sigismember(&mask, number), sigismember(&before, number));
}
END_TEST

/* Blocked by the user (_i & 1), and with the other signals of a program that runs commands (_i & 2). */
START_TEST(a_limit_of_file_sizes_ends_nobody)
{
	sigset_t set, mask;
	struct signals_kept kept;
	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	sigprocmask(_i & 1 ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
	signals_block_file_limit();
	signals_block_file_limit();
	if (_i & 2)
		signals_take(&kept, &set);
	sigprocmask(SIG_SETMASK, NULL, &mask);
	ck_assert_int_eq(sigismember(&mask, SIGXFSZ), 1);
	if (_i & 2)
		signals_give_back(&kept);
	else
		signals_unblock_file_limit();
	sigprocmask(SIG_SETMASK, NULL, &mask);
	ck_assert_int_eq(sigismember(&mask, SIGXFSZ), _i & 1);
}
END_TEST

/* Blocked (_i & 1), ignored (_i & 2) or neither. */
START_TEST(a_process_ends_by_a_signal)
{
	for (size_t i = 0; i < ENDING; i++) {
		int status;
		const pid_t child = fork();
		if (child == 0) {
			sigset_t set;
			sigfillset(&set);
			sigprocmask(_i & 1 ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
			if (_i & 2)
				signal(all[i], SIG_IGN);
			signals_end_by(all[i]);
			_exit(0);
		}
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		ck_assert(WIFSIGNALED(status));
		ck_assert_int_eq(WTERMSIG(status), all[i]);
	}
}
END_TEST

int main(void)
{
	Suite *const suite = suite_create("signals");
	TCase *const tests = tcase_create("all");
	tcase_add_checked_fixture(tests, enter, NULL);
	tcase_add_test(tests, three_signals_end_a_program);
	tcase_add_loop_test(tests, what_is_ignored_stays_ignored, 0, (int)ALL);
	tcase_add_loop_test(tests, a_command_gets_back_what_there_was, 0, 2);
	tcase_add_loop_test(tests, a_limit_of_file_sizes_ends_nobody, 0, 4);
	tcase_add_loop_test(tests, a_process_ends_by_a_signal, 0, 4);
	suite_add_tcase(suite, tests);
	SRunner *const runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
