/* SPDX-License-Identifier: MIT */
/* What is known of a trial while it goes on, and how it passes its time. Of tests/faults alone. */
#ifndef STATE_H
#define STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "census.h"
#include "plan.h"
#include "strike.h"
#include "trial.h"

/* How long a step of waiting is. */
#define POLL_US 5000

struct trial {
	const struct settings *settings;
	struct result *result;
	struct plan plan;
	char mark[64];
	struct census census;
	int output;
	pid_t guardian, master;
	pid_t executor[EXECUTORS_MAX];
	pid_t attached;
	pid_t *standing; /* stopped at the last look before the last signal, by number */
	size_t standing_count;
	pid_t halted;       /* of a workload, stopped by the trial when nobody was left to continue it */
	bool guardian_gone; /* reaped */
	bool killed_guardian, killed_master, killed_executor[EXECUTORS_MAX];
	bool stood; /* one of the tool's processes was stopped */
	int64_t guardian_gone_us, fatal_us, request_us, begin_us;
	struct strikes strikes;
	bool own_shm;
	char group[256]; /* of the attached process; "": it is attached by its number */
};

/* The trial's own time, in which it never waits for more than 50 ms at once: when it was kept from running, so was the tool. */
int64_t trial_now_us(void);
void trial_pause_us(int64_t us);

/* Reaps meanwhile: orphans that end must not fill the table of processes. */
void trial_sleep_until(struct trial *trial, int64_t when_us);

/* Reaps the guardian and the orphans that came here. True when there are no children. */
bool trial_reap(struct trial *trial);
void trial_note_guardian(struct trial *trial);

/* Takes a census and finds out who is who. What was found stays found, also when its parents are gone. */
void trial_look(struct trial *trial);
bool trial_is_of_the_tool(const struct person *person);

/* Adds to the result's text. */
void trial_say(struct trial *trial, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
