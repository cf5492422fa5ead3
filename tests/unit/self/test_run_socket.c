/* SPDX-License-Identifier: MIT */
/* The user's folder is that of the machine: a run that can't be is what this is tried with. */
#include <limits.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "self/run_socket.h"

static char error[RUN_SOCKET_ERROR_MAX];

static int tear_down(void **state)
{
	(void)state;
	run_socket_remove(getpid());
	return 0;
}

static int listen_here(void)
{
	const int listening = run_socket_listen(getpid(), error);
	if (listening < 0)
		fail_msg("%s", error);
	return listening;
}

static void what_is_said_arrives(void **state)
{
	char text[8] = "";
	(void)state;
	const int listening = listen_here();
	assert_int_equal(run_socket_accept(listening), -1);
	const int to = run_socket_connect(getpid(), error);
	assert_true(to >= 0);
	assert_int_equal(send(to, "40%\n", 4, 0), 4);
	const int from = run_socket_accept(listening);
	assert_true(from >= 0);
	assert_int_equal(recv(from, text, sizeof text, 0), 4);
	assert_string_equal(text, "40%\n");
	assert_int_equal(recv(from, text, sizeof text, 0), -1); /* and nobody waits */
	close(from);
	close(to);
	close(listening);
}

static void nobody_else_can_reach_it(void **state)
{
	struct sockaddr_un address = {0};
	socklen_t size = sizeof address;
	struct stat status;
	(void)state;
	const int listening = listen_here();
	assert_int_equal(getsockname(listening, (struct sockaddr *)&address, &size), 0);
	/* It was bound under the name that it has until it listens. */
	assert_int_equal(lstat(address.sun_path, &status), -1);
	strcpy(strrchr(address.sun_path, '.'), ".socket");
	assert_int_equal(lstat(address.sun_path, &status), 0);
	assert_true(S_ISSOCK(status.st_mode) && (status.st_mode & 0777) == 0600 && status.st_uid == geteuid());
	*strrchr(address.sun_path, '/') = '\0';
	assert_int_equal(lstat(address.sun_path, &status), 0);
	assert_true(S_ISDIR(status.st_mode) && !(status.st_mode & 022) && status.st_uid == geteuid());
	close(listening);
}

static void a_second_one_doesnt_take_its_place(void **state)
{
	(void)state;
	const int listening = listen_here();
	assert_int_equal(run_socket_listen(getpid(), error), -1);
	assert_non_null(strstr(error, "File exists"));
	const int to = run_socket_connect(getpid(), error);
	assert_true(to >= 0);
	assert_true(run_socket_accept(listening) >= 0);
	close(to);
	close(listening);
}

static void that_of_a_dead_run_is_removed(void **state)
{
	(void)state;
	close(listen_here());
	assert_int_equal(run_socket_connect(getpid(), error), -1);
	assert_non_null(strstr(error, "found no socket of it"));
	close(listen_here());
}

static void what_isnt_there_is_said(void **state)
{
	(void)state;
	run_socket_remove(getpid());
	assert_int_equal(run_socket_connect(getpid(), error), -1);
	assert_non_null(strstr(error, "found no socket of it"));
	assert_int_equal(run_socket_connect(INT_MAX, error), -1);
	assert_non_null(strstr(error, "found no such process"));
}

/* Each looks for dead ones while the others make theirs. */
static void many_begin_at_once(void **state)
{
	enum { RUNS = 8, ROUNDS = 100 };
	pid_t child[RUNS];
	(void)state;
	for (int i = 0; i < RUNS; i++) {
		child[i] = fork();
		assert_true(child[i] >= 0);
		if (child[i])
			continue;
		alarm(60);
		int lost = 0;
		for (int round = 0; round < ROUNDS; round++) {
			const int listening = run_socket_listen(getpid(), error);
			const int to = listening < 0 ? -1 : run_socket_connect(getpid(), error);
			lost += to < 0;
			close(to);
			run_socket_remove(getpid());
			close(listening);
		}
		_exit(lost ? 1 : 0);
	}
	bool is_lost = false;
	for (int i = 0; i < RUNS; i++) {
		int status;
		assert_int_equal(waitpid(child[i], &status, 0), child[i]);
		is_lost |= status != 0;
	}
	assert_false(is_lost);
}

int main(void)
{
#define AND_REMOVE(test) cmocka_unit_test_teardown(test, tear_down)
	const struct CMUnitTest tests[] = {
		AND_REMOVE(what_is_said_arrives),
		AND_REMOVE(nobody_else_can_reach_it),
		AND_REMOVE(a_second_one_doesnt_take_its_place),
		AND_REMOVE(that_of_a_dead_run_is_removed),
		AND_REMOVE(what_isnt_there_is_said),
		AND_REMOVE(many_begin_at_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
