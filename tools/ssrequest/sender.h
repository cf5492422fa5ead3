/* SPDX-License-Identifier: MIT */
/* What sends requests and hears of their answers, by HTTP or by a command for each. All are told apart by their slots. */
#ifndef SSREQUEST_SENDER_H
#define SSREQUEST_SENDER_H

#include <stdint.h>

#include "ssrequest/request_log.h"

struct sender_answer {
	enum request_fate fate;
	long status;
	int64_t bytes; /* REQUEST_LOG_UNKNOWN of a command */
};

/* Who hears of answers, at once. */
struct sender_owner {
	void (*answered)(void *context, unsigned slot, const struct sender_answer *answer);
	void *context;
};

struct sender {
	void *self;
	/* Sends it; an answer, such as a failure, may come before this returns. When it was sent, or began to be, on CLOCK_MONOTONIC. */
	int64_t (*send)(void *self, unsigned slot, unsigned url, uint64_t number);
	/* Forgets it: no answer will come. */
	void (*give_up)(void *self, unsigned slot);
	/* A descriptor that it has put into the epoll has these events. NULL: it has none there. */
	void (*serve)(void *self, int fd, uint32_t events);
	/* When it wants to be woken up on CLOCK_MONOTONIC, INT64_MAX for never, and does what it has to do then. NULL: never. */
	int64_t (*due)(const void *self);
	void (*wake)(void *self);
	/* A child of the process has ended. NULL: it has none. */
	void (*reap)(void *self);
	/* Ends what is still under way and frees all. `grace_ns` of a run that was interrupted, else 0; `signals` is a signalfd, by which one
	 * ends the grace. */
	void (*close)(void *self, int64_t grace_ns, int signals);
};

#endif
