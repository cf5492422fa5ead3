/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_root.h"
#include "self/run_folder.h"

#define USER 65534

static char root[PATH_MAX], session[PATH_MAX + 16], temporary[PATH_MAX + 16];

/* A session's folder and one for temporary files, of a user who isn't root. */
static void begin(void)
{
	fake_root_make(root);
	snprintf(session, sizeof session, "%s/session", root);
	snprintf(temporary, sizeof temporary, "%s/temporary", root);
	assert_int_equal(chmod(root, 0755) | mkdir(session, 0700) | mkdir(temporary, 0700), 0);
	assert_int_equal(setenv("XDG_RUNTIME_DIR", session, 1) | setenv("TMPDIR", temporary, 1), 0);
	if (geteuid() == 0)
		assert_int_equal(chown(session, USER, USER) | chown(temporary, USER, USER) | seteuid(USER), 0);
}

static void end(void)
{
	assert_int_equal(getuid() == 0 ? seteuid(0) : 0, 0);
	assert_int_equal(unsetenv("XDG_RUNTIME_DIR") | unsetenv("TMPDIR"), 0);
	fake_remove(root, "");
}

static void expect_made(const char *base, bool has_user)
{
	char folder[PATH_MAX], expected[2 * PATH_MAX];
	snprintf(expected, sizeof expected, has_user ? "%s/showstopper-%u" : "%s/showstopper", base, (unsigned)geteuid());
	assert_true(run_folder_make(folder, "", PATH_MAX));
	assert_string_equal(folder, expected);
	assert_true(run_folder_is_private(folder, geteuid()));
	run_folder_remove();
	assert_int_equal(access(folder, F_OK), -1);
}

static void the_variables_are_honoured(void **state)
{
	(void)state;
	begin();
	expect_made(session, false);
	/* The session of another user. */
	assert_int_equal(chmod(session, 0500), 0);
	setenv("XDG_RUNTIME_DIR", getuid() == 0 ? "/root" : "/", 1);
	if (access("/run/user/65534", F_OK) != 0)
		expect_made(temporary, true);
	assert_int_equal(chmod(session, 0700), 0);
	end();
}

/* Another user makes a folder of that name first, or it can be written by others. */
static void one_that_others_can_write_is_none(void **state)
{
	char folder[PATH_MAX];
	(void)state;
	begin();
	snprintf(folder, sizeof folder, "%.4000s/showstopper", session);
	assert_int_equal(mkdir(folder, 0755) | chmod(folder, 0777), 0);
	assert_true(run_folder_make(folder, "", PATH_MAX));
	assert_null(strstr(folder, session));
	run_folder_remove();
	end();
}

static void a_path_that_is_too_long_is_none(void **state)
{
	char folder[PATH_MAX];
	(void)state;
	begin();
	assert_true(!run_folder_make(folder, "", strlen(temporary)) || strncmp(folder, root, strlen(root)) != 0);
	run_folder_remove();
	end();
}

static void that_of_root_is_in_run(void **state)
{
	char folder[PATH_MAX];
	(void)state;
	assert_true(run_folder_place(0, 0, folder));
	assert_string_equal(folder, "/run/showstopper");
	/* Of another user, our variables say nothing. */
	setenv("XDG_RUNTIME_DIR", "/nowhere", 1);
	for (size_t at = 0; run_folder_place(at, 12345, folder); at++)
		assert_null(strstr(folder, "/nowhere"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_variables_are_honoured),
		cmocka_unit_test(one_that_others_can_write_is_none),
		cmocka_unit_test(a_path_that_is_too_long_is_none),
		cmocka_unit_test(that_of_root_is_in_run),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
