/* SPDX-License-Identifier: MIT */
/* The profiles: which of the two ways to share the work, and for how many threads. */
#ifndef SSBURN_PROFILE_H
#define SSBURN_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#define THREADS_MAX 4096

struct burn;
struct worker;

struct profile {
	void (*begin)(struct burn *burn); /* before there are threads; NULL: nothing to do */
	void (*run)(struct worker *self); /* a thread's life */
	int64_t least, most;              /* threads */
	int64_t threads;                  /* by default; 0: as many as there are processors, `least` at least */
	bool phases, sleeps;
	const char *help;
};

/* What --listen does in place of one of these. */
extern const struct profile profile_of_service;

enum { PROFILE_SINGLE, PROFILE_CONTENDED, PROFILE_PARALLEL, PROFILE_PHASED, PROFILE_SLEEPY, PROFILES };

extern const struct profile profiles[PROFILES];
extern const char *const profile_names[PROFILES + 1]; /* NULL-terminated */

#endif
