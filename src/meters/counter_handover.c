/* SPDX-License-Identifier: MIT */
#include "meters/counter_handover.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* What goes through the socket: of each event 0, with a descriptor beside it, or why there is none. */
struct offer {
	int error[LINUX_COUNTER_EVENTS_MAX];
};
union ancillary {
	char space[CMSG_SPACE(LINUX_COUNTER_EVENTS_MAX * sizeof(int))];
	struct cmsghdr aligned;
};

/* 0, or -1 with errno. */
static int send_offer(int socket, struct offer *offer, const int *fd, size_t count)
{
	union ancillary ancillary = {0};
	struct iovec data = {.iov_base = offer, .iov_len = sizeof *offer};
	struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
	if (count > 0) {
		message.msg_control = ancillary.space;
		message.msg_controllen = CMSG_SPACE(count * sizeof *fd);
		struct cmsghdr *const header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(count * sizeof *fd);
		memcpy(CMSG_DATA(header), fd, count * sizeof *fd);
	}
	return sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)sizeof *offer ? 0 : -1;
}

int counter_handover_send(struct linux_counter_set *set, int socket)
{
	struct linux_counter_opened opened[LINUX_COUNTER_EVENTS_MAX];
	struct offer offer = {0};
	int fd[LINUX_COUNTER_EVENTS_MAX];
	size_t count = 0;
	linux_counter_set_open_started(set, opened);
	for (size_t i = 0; i < LINUX_COUNTER_EVENTS_MAX; i++) {
		offer.error[i] = opened[i].error;
		if (opened[i].fd >= 0)
			fd[count++] = opened[i].fd;
	}
	int result = send_offer(socket, &offer, fd, count);
	/* Then at least why. */
	if (result != 0 && count > 0) {
		for (size_t i = 0; i < LINUX_COUNTER_EVENTS_MAX; i++)
			offer.error[i] = offer.error[i] ? offer.error[i] : errno;
		result = send_offer(socket, &offer, NULL, 0);
	}
	for (size_t i = 0; i < count; i++)
		close(fd[i]);
	return result;
}

/* The descriptors that came with a message, in their order; how many. */
static size_t take_descriptors(struct msghdr *message, int fd[static LINUX_COUNTER_EVENTS_MAX])
{
	const struct cmsghdr *const header = CMSG_FIRSTHDR(message);
	if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
		return 0;
	const size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof *fd;
	memcpy(fd, CMSG_DATA(header), count * sizeof *fd);
	return count;
}

int counter_handover_receive(struct linux_counter_set *set, int socket)
{
	struct linux_counter_opened opened[LINUX_COUNTER_EVENTS_MAX];
	struct offer offer;
	union ancillary ancillary;
	int fd[LINUX_COUNTER_EVENTS_MAX];
	struct iovec data = {.iov_base = &offer, .iov_len = sizeof offer};
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1, .msg_control = ancillary.space, .msg_controllen = sizeof ancillary.space};
	if (recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != (ssize_t)sizeof offer)
		return linux_counter_set_add_opened(set, NULL);
	const size_t count = take_descriptors(&message, fd);
	for (size_t i = 0, used = 0; i < LINUX_COUNTER_EVENTS_MAX; i++) {
		const bool is_there = !offer.error[i] && used < count;
		opened[i].fd = is_there ? fd[used++] : -1;
		opened[i].error = offer.error[i] ? offer.error[i] : EMFILE;
	}
	return linux_counter_set_add_opened(set, opened);
}
