/* SPDX-License-Identifier: MIT */
/* What is a mark, and of whom. Ordinary folders do as groups: only what may be removed depends on who is in a group. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

#include "groups/group_tree.h"

#define NOBODY 65534

static char folder[] = "/tmp/test_group_mark.XXXXXX";

static void path_of(char path[static PATH_MAX], const char *name)
{
	snprintf(path, PATH_MAX, "%s/%s", folder, name);
}

static void set_up(void)
{
	memcpy(strrchr(folder, '.') + 1, "XXXXXX", 6);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chmod(folder, 0755), 0);
}

static void tear_down(void)
{
	char command[PATH_MAX];
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	ck_assert_int_eq(system(command), 0); // NOLINT(cert-env33-c): a name of our own
}

static void make(const char *name)
{
	char path[PATH_MAX];
	path_of(path, name);
	ck_assert_int_eq(mkdir(path, 0755), 0);
}

static bool has(const char *name)
{
	char path[PATH_MAX];
	path_of(path, name);
	return access(path, F_OK) == 0;
}

static bool is_left(void)
{
	const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	const bool left = group_mark_is_left(fd);
	/* It can be looked at again. */
	ck_assert_int_eq(group_mark_is_left(fd), left);
	close(fd);
	return left;
}

START_TEST(names_are_taken_strictly)
{
	static const char *const marks[] = {"guardian-1-0", "guardian-4711-123456", "guardian-2147483647-18446744073709551615"};
	static const char *const others[] = {"", "guardian", "guardian-", "guardian-1", "guardian-1-", "guardian--1",
		"guardian-0-1", "guardian-1-1.slice", "guardian-1-1-1", "guardian-1-1 ", "guardian- 1-1", "guardian-+1-1",
		"guardian--1-1", "guardian-2147483648-1", "guardian-1-18446744073709551616", "guardian-1x-1", "Guardian-1-1",
		"xguardian-1-1", "0"};
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		ck_assert_msg(group_mark_is(marks[i]), "%s", marks[i]);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		ck_assert_msg(!group_mark_is(others[i]), "%s", others[i]);
}
END_TEST

START_TEST(a_guardian_that_lives_has_left_nothing)
{
	struct group_mark mark;
	ck_assert(!is_left());
	ck_assert_int_eq(group_mark_of(&mark, getpid()), 0);
	ck_assert_int_eq(mark.guardian, getpid());
	ck_assert_int_eq(group_mark_make(folder, &mark), 0);
	ck_assert_int_eq(group_mark_make(folder, &mark), -1);
	char long_folder[PATH_MAX];
	memset(long_folder, 'x', sizeof long_folder - 1);
	long_folder[sizeof long_folder - 1] = '\0';
	errno = 0;
	ck_assert_int_eq(group_mark_make(long_folder, &mark), -1);
	ck_assert_int_eq(errno, ENAMETOOLONG);
	ck_assert(!is_left());
}
END_TEST

START_TEST(one_that_ended_has)
{
	struct group_mark mark;
	int ends[2];
	ck_assert_int_eq(pipe(ends), 0);
	const pid_t pid = fork();
	if (pid == 0) {
		char byte;
		close(ends[1]);
		_exit((int)read(ends[0], &byte, 1));
	}
	close(ends[0]);
	ck_assert_int_eq(group_mark_of(&mark, pid), 0);
	ck_assert_int_eq(group_mark_make(folder, &mark), 0);
	ck_assert(!is_left());
	close(ends[1]);
	/* Nobody has waited for it yet: it has ended all the same. */
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
	ck_assert(is_left());
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert(is_left());
	ck_assert_int_eq(group_mark_of(&mark, pid), -1);
}
END_TEST

START_TEST(a_number_that_was_given_again_is_another_process)
{
	struct group_mark mark;
	ck_assert_int_eq(group_mark_of(&mark, getpid()), 0);
	mark.start_ticks--;
	ck_assert_int_eq(group_mark_make(folder, &mark), 0);
	ck_assert(is_left());
	/* Where there are two, both must have ended. */
	mark.start_ticks++;
	ck_assert_int_eq(group_mark_make(folder, &mark), 0);
	ck_assert(!is_left());
}
END_TEST

START_TEST(only_a_folder_is_a_mark)
{
	char path[PATH_MAX];
	path_of(path, "guardian-1-1");
	ck_assert_int_eq(symlink("/", path), 0);
	path_of(path, "guardian-2-1");
	close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
	ck_assert(!is_left());
	make("guardian-3-1");
	ck_assert(is_left());
}
END_TEST

/* As this user and as another one. */
static bool is_left_to(uid_t user)
{
	int status;
	const pid_t pid = fork();
	if (pid == 0)
		_exit(setuid(user) == 0 ? is_left() : 2);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) < 2);
	return WEXITSTATUS(status);
}

START_TEST(what_another_user_marked_is_none_of_ours)
{
	char path[PATH_MAX];
	if (geteuid() != 0) {
		printf("left out: only root can become another user\n");
		return;
	}
	make("guardian-1-1");
	path_of(path, "guardian-1-1");
	ck_assert(is_left());
	ck_assert(!is_left_to(NOBODY));
	ck_assert_int_eq(chown(path, NOBODY, NOBODY), 0);
	ck_assert(!is_left());
	ck_assert(!is_left_to(NOBODY));
	ck_assert_int_eq(chown(folder, NOBODY, NOBODY), 0);
	ck_assert(!is_left());
	ck_assert(is_left_to(NOBODY));
	ck_assert_int_eq(chown(path, 0, 0), 0);
	ck_assert(!is_left());
	ck_assert(!is_left_to(NOBODY));
}
END_TEST

START_TEST(it_goes_when_it_is_alone)
{
	char path[PATH_MAX];
	make("guardian-1-1");
	make("0");
	group_mark_remove(folder);
	ck_assert(has("guardian-1-1"));
	path_of(path, "0");
	ck_assert_int_eq(rmdir(path), 0);
	path_of(path, "cgroup.procs");
	FILE *const members = fopen(path, "we");
	ck_assert_ptr_nonnull(members);
	/* As one that can't be seen from here is shown. */
	fputs("0\n", members);
	fclose(members);
	group_mark_remove(folder);
	ck_assert(has("guardian-1-1"));
	ck_assert_int_eq(truncate(path, 0), 0);
	group_mark_remove(folder);
	ck_assert(!has("guardian-1-1"));
	group_mark_remove("/nowhere");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("group_mark");
	TCase *tests = tcase_create("group_mark");
	tcase_set_timeout(tests, 60);
	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, names_are_taken_strictly);
	tcase_add_test(tests, a_guardian_that_lives_has_left_nothing);
	tcase_add_test(tests, one_that_ended_has);
	tcase_add_test(tests, a_number_that_was_given_again_is_another_process);
	tcase_add_test(tests, only_a_folder_is_a_mark);
	tcase_add_test(tests, what_another_user_marked_is_none_of_ours);
	tcase_add_test(tests, it_goes_when_it_is_alone);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
