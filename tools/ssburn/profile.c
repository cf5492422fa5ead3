/* SPDX-License-Identifier: MIT */
#include "ssburn/profile.h"

#include <stddef.h>

#include "ssburn/independent.h"
#include "ssburn/server.h"
#include "ssburn/team.h"

const char *const profile_names[PROFILES + 1] = {
	[PROFILE_SINGLE] = "single",
	[PROFILE_CONTENDED] = "contended",
	[PROFILE_PARALLEL] = "parallel",
	[PROFILE_PHASED] = "phased",
	[PROFILE_SLEEPY] = "sleepy",
};

const struct profile profiles[PROFILES] = {
	[PROFILE_SINGLE] = {NULL, independent_run, 1, 1, 1, .help = "one thread"},
	[PROFILE_CONTENDED] = {team_begin, team_run, 2, THREADS_MAX, 4,
		.help = "threads that wait for one another every 100 us or so"},
	[PROFILE_PARALLEL] = {NULL, independent_run, 1, THREADS_MAX, 0,
		.help = "independent threads, each with iterations of its own"},
	[PROFILE_PHASED] = {independent_begin_phase, independent_run, 2, THREADS_MAX, 0, .phases = true,
		.help = "as parallel, but how many threads run changes over seconds"},
	[PROFILE_SLEEPY] = {NULL, independent_run, 1, THREADS_MAX, 1, .sleeps = true,
		.help = "as parallel, but each thread sleeps after an iteration"},
};

const struct profile profile_of_service = {NULL, server_run, 1, THREADS_MAX, 1, .help = "requests"};
