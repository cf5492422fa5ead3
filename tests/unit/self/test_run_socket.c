/* SPDX-License-Identifier: MIT */
/* The user's folder is that of the machine: a run that can't be is what this is tried with. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
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
static int listening;

static int tear_down(void **state)
{
	(void)state;
	run_socket_remove(getpid());
	return 0;
}

static int open_here(void)
{
	const int file = run_socket_open(getpid(), error);
	if (file < 0)
		fail_msg("%s", error);
	return file;
}

/* A process below this one, which is the run, says the line: its status is 0, or 1 when that wasn't taken. */
static pid_t say(pid_t to, const char *line)
{
	const pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		alarm(60);
		_exit(run_socket_say(to ? to : getpid(), line, error) == 0 ? 0 : 1);
	}
	return child;
}

static int status_of(pid_t child)
{
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static ssize_t wait_for(int file, char *text, size_t size, int *answer)
{
	ssize_t length;
	while ((length = run_socket_take(file, text, size, answer)) < 0)
		usleep(1000);
	return length;
}

static void what_is_said_arrives_and_is_answered(void **state)
{
	char text[8] = "";
	int answer;
	(void)state;
	const int file = open_here();
	assert_int_equal(run_socket_take(file, text, sizeof text, &answer), -1);
	assert_int_equal(errno, EAGAIN);
	for (int is_taken = 0; is_taken < 2; is_taken++) {
		/* To the run itself, and to a process of it. */
		const pid_t child = say(is_taken ? getpid() : 0, "40%");
		assert_int_equal(wait_for(file, text, sizeof text, &answer), 3);
		assert_memory_equal(text, "40%", 3);
		assert_true(answer >= 0 && (fcntl(answer, F_GETFD) & FD_CLOEXEC));
		run_socket_answer(answer, is_taken);
		assert_int_equal(status_of(child), is_taken ? 0 : 1);
	}
	close(file);
}

static int count_files(void)
{
	int count = 0;
	for (int fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

/* Sends text with so many descriptors of a socket, whose other end is returned. */
static int send_with(const char *text, size_t length, size_t descriptors)
{
	char space[CMSG_SPACE(3 * sizeof(int))] = {0};
	struct sockaddr_un address = {0};
	struct iovec piece = {(char *)text, length};
	struct msghdr message = {.msg_name = &address, .msg_namelen = sizeof address, .msg_iov = &piece, .msg_iovlen = 1};
	socklen_t size = sizeof address;
	int ends[2];
	const int from = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_int_equal(getsockname(listening, (struct sockaddr *)&address, &size), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	message.msg_control = space;
	message.msg_controllen = CMSG_SPACE(descriptors * sizeof(int));
	struct cmsghdr *const header = CMSG_FIRSTHDR(&message);
	*header = (struct cmsghdr){
		.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(descriptors * sizeof(int))};
	for (size_t i = 0; i < descriptors; i++)
		memcpy(CMSG_DATA(header) + i * sizeof(int), &ends[1], sizeof(int));
	assert_int_equal(sendmsg(from, &message, 0), length);
	close(from);
	close(ends[1]);
	return ends[0];
}

/* Of what isn't one line with one socket nothing is taken, and no descriptor stays. */
static void odd_datagrams_leave_nothing(void **state)
{
	static char text[16];
	static const char cut[] = "0.5\n0.6\n0.7\n0.8\n0.9\n";
	int answer;
	(void)state;
	listening = open_here();
	for (size_t descriptors = 1; descriptors <= 3; descriptors++) {
		const int before = count_files();
		const int end = send_with("0.5", 3, descriptors);
		assert_int_equal(run_socket_take(listening, text, sizeof text, &answer), 3);
		assert_int_equal(answer >= 0, descriptors == 1);
		run_socket_answer(answer, true);
		close(end);
		assert_int_equal(count_files(), before);
	}
	/* One that is cut; and one whose sender has gone. */
	const int end = send_with(cut, sizeof cut - 1, 1);
	assert_int_equal(run_socket_take(listening, text, sizeof text, &answer), 0);
	assert_int_equal(recv(end, text, 1, 0), 1);
	assert_int_equal(*text, '0');
	close(end);
	close(send_with("0.5", 3, 1));
	assert_int_equal(run_socket_take(listening, text, sizeof text, &answer), 0);
	close(listening);
}

/* Who is asked may end meanwhile. */
static void an_end_is_no_answer(void **state)
{
	(void)state;
	const int file = open_here();
	const pid_t child = say(getpid(), "40%");
	usleep(100000);
	close(file);
	assert_int_equal(status_of(child), 1);
}

static void nobody_else_can_reach_it(void **state)
{
	struct sockaddr_un address = {0};
	socklen_t size = sizeof address;
	struct stat status;
	(void)state;
	const int file = open_here();
	assert_int_equal(getsockname(file, (struct sockaddr *)&address, &size), 0);
	assert_int_equal(lstat(address.sun_path, &status), 0);
	assert_true(S_ISSOCK(status.st_mode) && (status.st_mode & 0777) == 0600 && status.st_uid == geteuid());
	*strrchr(address.sun_path, '/') = '\0';
	assert_int_equal(lstat(address.sun_path, &status), 0);
	assert_true(S_ISDIR(status.st_mode) && !(status.st_mode & 022) && status.st_uid == geteuid());
	close(file);
}

static void a_second_one_doesnt_take_its_place(void **state)
{
	(void)state;
	const int file = open_here();
	assert_int_equal(run_socket_open(getpid(), error), -1);
	assert_non_null(strstr(error, "Address already in use"));
	close(file);
}

static void that_of_a_dead_run_is_removed(void **state)
{
	(void)state;
	close(open_here());
	assert_int_equal(run_socket_say(getpid(), "40%", error), -1);
	assert_non_null(strstr(error, "found no run of it"));
	close(open_here());
}

static void what_isnt_there_is_said(void **state)
{
	(void)state;
	run_socket_remove(getpid());
	assert_int_equal(run_socket_say(getpid(), "40%", error), -1);
	assert_non_null(strstr(error, "found no run of it"));
	assert_int_equal(run_socket_say(INT_MAX, "40%", error), -1);
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
			struct sockaddr_un address = {0};
			socklen_t size = sizeof address;
			const int file = run_socket_open(getpid(), error);
			lost += file < 0 || getsockname(file, (struct sockaddr *)&address, &size) != 0 ||
				access(address.sun_path, F_OK) != 0;
			run_socket_remove(getpid());
			close(file);
		}
		_exit(lost ? 1 : 0);
	}
	int lost = 0;
	for (int i = 0; i < RUNS; i++)
		lost += status_of(child[i]);
	assert_int_equal(lost, 0);
}

int main(void)
{
#define AND_REMOVE(test) cmocka_unit_test_teardown(test, tear_down)
	const struct CMUnitTest tests[] = {
		AND_REMOVE(what_is_said_arrives_and_is_answered),
		AND_REMOVE(odd_datagrams_leave_nothing),
		AND_REMOVE(an_end_is_no_answer),
		AND_REMOVE(nobody_else_can_reach_it),
		AND_REMOVE(a_second_one_doesnt_take_its_place),
		AND_REMOVE(that_of_a_dead_run_is_removed),
		AND_REMOVE(what_isnt_there_is_said),
		AND_REMOVE(many_begin_at_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
