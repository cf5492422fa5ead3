/* SPDX-License-Identifier: MIT */
/* The URLs that requests go to, and which of them one goes to. */
#ifndef SSREQUEST_TARGETS_H
#define SSREQUEST_TARGETS_H

#include <stddef.h>
#include <stdint.h>

struct target {
	char *url;
	double weight; /* above 0 */
	double up_to;  /* the sum of the weights so far */
};

/* Start with {0}. */
struct targets {
	struct target *item;
	size_t count;
	double weight; /* of all */
};

/* Longest message, with its NUL. */
#define TARGETS_ERROR_MAX 512

/* Adds one, which is copied; there are REQUEST_LOG_URLS_MAX at most. 0, or -1 with a message. */
int targets_add(struct targets *targets, const char *url, double weight, char error[static TARGETS_ERROR_MAX]);

/*
 * Adds those in a file, `-` is standard input: a line each, a weight above 0 and an URL. What follows a # that begins a word is a comment; blank
 * lines are skipped. 0, or -1 with a message that says where, what was found and what was expected.
 */
int targets_read(struct targets *targets, const char *path, char error[static TARGETS_ERROR_MAX]);

void targets_free(struct targets *targets);

/* The one that a request goes to, by weight: the same for the same seed. */
unsigned targets_pick(const struct targets *targets, uint64_t seed, uint64_t request);

#endif
