/* SPDX-License-Identifier: MIT */
/*
 * Runs a command on a kernel that seems to keep no lists of children (CONFIG_PROC_CHILDREN off): for it and all that it starts there is no
 * file /proc/…/children.
 *
 * usage: without_lists COMMAND [ARG]...
 *
 * A filter of system calls sees no paths. So it asks a process beside the command, which reads them, and which ends with the last of those
 * that have the filter.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* What glibc opens files with, and asks for them. */
static const struct {
	unsigned call;
	unsigned path; /* which of its arguments */
} calls[] = {
#ifdef SYS_open
	{SYS_open, 0},
	{SYS_access, 0},
#endif
	{SYS_openat, 1},
	{SYS_faccessat, 1},
	{SYS_faccessat2, 1},
};
#define CALLS (sizeof calls / sizeof *calls)

/* Gives the descriptor by which the filter asks. */
static int set_filter(void)
{
	struct sock_filter filter[2 * CALLS + 2] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
	size_t at = 1;
	for (size_t i = 0; i < CALLS; i++) {
		filter[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i].call, 0, 1);
		filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	}
	filter[at] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

/* ---- The process beside --------------------------------------------------------------------------------------------------- */

static bool is_list(const struct seccomp_notif *request)
{
	static const char end[] = "/children";
	char text[64] = "";
	unsigned path = 0;
	for (size_t i = 0; i < CALLS; i++)
		if ((unsigned)request->data.nr == calls[i].call)
			path = calls[i].path;
	/* A longer path is no list, and one that ends with the memory is read as far as it goes. */
	const unsigned long from = (unsigned long)request->data.args[path], page = (from | 4095) + 1;
	const size_t first = page - from < sizeof text - 1 ? page - from : sizeof text - 1;
	const struct iovec here = {text, sizeof text - 1};
	const struct iovec there[] = {{(void *)from, first}, {(void *)page, sizeof text - 1 - first}};
	if (process_vm_readv((pid_t)request->pid, &here, 1, there, 2, 0) <= 0)
		return false;
	const size_t length = strlen(text);
	return strncmp(text, "/proc/", 6) == 0 && length > sizeof end && strcmp(text + length - (sizeof end - 1), end) == 0;
}

static void answer(int filter)
{
	struct seccomp_notif request;
	memset(&request, 0, sizeof request);
	if (ioctl(filter, SECCOMP_IOCTL_NOTIF_RECV, &request) != 0)
		return;
	struct seccomp_notif_resp response = {.id = request.id};
	if (is_list(&request))
		response.error = -ENOENT;
	else
		response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	/* Who asked may be dead. */
	ioctl(filter, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

static _Noreturn void answer_all(int filter)
{
	struct pollfd asked = {.fd = filter, .events = POLLIN};
	while (poll(&asked, 1, -1) >= 0 || errno == EINTR) {
		if (asked.revents & POLLIN)
			answer(filter);
		else if (asked.revents & (POLLHUP | POLLERR))
			_exit(0);
	}
	_exit(125);
}

/* ---- Both ------------------------------------------------------------------------------------------------------------------ */

union one_descriptor {
	struct cmsghdr head;
	char room[CMSG_SPACE(sizeof(int))];
};

static int send_descriptor(int to, int fd)
{
	char byte = 0;
	struct iovec data = {&byte, 1};
	union one_descriptor control = {.head = {CMSG_LEN(sizeof fd), SOL_SOCKET, SCM_RIGHTS}};
	memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
	const struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof control.room};
	return sendmsg(to, &message, 0) == 1 ? 0 : -1;
}

static int receive_descriptor(int from)
{
	char byte;
	int fd = -1;
	struct iovec data = {&byte, 1};
	union one_descriptor control;
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof control.room};
	if (recvmsg(from, &message, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&message))
		memcpy(&fd, CMSG_DATA(&control.head), sizeof fd);
	return fd;
}

/* It is no child of the command's, and hears no signals that are meant for it. */
static void start_beside(int channel)
{
	const pid_t child = fork();
	if (child != 0) {
		waitpid(child, NULL, 0);
		return;
	}
	if (setsid() < 0 || fork() != 0)
		_exit(0);
	const int filter = receive_descriptor(channel);
	/* Whoever reads what the command says waits for its end, not for that of this one. */
	for (int fd = 0; fd < 64; fd++)
		if (fd != filter)
			close(fd);
	if (filter < 0)
		_exit(0);
	answer_all(filter);
}

int main(int argc, char **argv)
{
	int channel[2];
	if (argc < 2) {
		fputs("usage: without_lists COMMAND [ARG]...\n", stderr);
		return 125;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0) {
		perror("without_lists");
		return 125;
	}
	start_beside(channel[0]);
	const int filter = set_filter();
	if (filter < 0 || send_descriptor(channel[1], filter) != 0) {
		perror("without_lists: seccomp");
		return 125;
	}
	close(filter);
	close(channel[0]);
	close(channel[1]);
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
