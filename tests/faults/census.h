/* SPDX-License-Identifier: MIT */
/*
 * Who is there: all processes below the caller, and all that carry its mark in their environment. Reads /proc by itself and shares no
 * code with the program under test, which would share its blind spots.
 */
#ifndef CENSUS_H
#define CENSUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CENSUS_MARK "FAULTS_MARK"

struct person {
	pid_t pid, parent, group, session;
	char state;     /* as in /proc/PID/stat */
	uint64_t start; /* ticks since boot */
	uint64_t threads;
	bool exiting; /* so far gone that it has no environment any more */
	bool killed;  /* has been sent SIGKILL, and dies when it is given a processor */
	char name[17];
	int instance; /* SHOWSTOPPER_INSTANCE, or -1 */
	bool below;   /* descends from the caller */
	bool marked;  /* has the mark */
};

struct census {
	struct person *item;
	size_t count, capacity;
};

/* By number of process. Zombies are listed. `mark` is the value of CENSUS_MARK to look for. Ends the program when memory runs out. */
void census_take(struct census *census, const char *mark);
void census_free(struct census *census);

const struct person *census_find(const struct census *census, pid_t pid);
/* Only waits to be reaped, or is about to. */
bool person_has_ended(const struct person *person);
bool person_is_stopped(const struct person *person);
/* In a control group that is frozen, which its state doesn't show. */
bool person_is_frozen(const struct person *person);

#endif
