/* SPDX-License-Identifier: MIT */
/* The load estimate that all executors share (design: section 7; paper 000, Section 3.2.2). */
#ifndef CONTROL_ESTIMATE_H
#define CONTROL_ESTIMATE_H

#include "base/units.h"
#include "control/shared.h"

/* When nobody has looked for so long, nobody could: the machine stood still, and that is no sample. */
#define ESTIMATE_STANDSTILL_NS NS_PER_S
/* When no load has been known for so long, control has nothing to go by … */
#define ESTIMATE_UNKNOWN_NS (2 * NS_PER_S)
/* … and so much later the run ends, or goes on without feedback. */
#define ESTIMATE_BLIND_NS (10 * NS_PER_S)

struct estimator {
	const struct sst_feedback *feedback;
	void *state;
	const struct sst_env *env;
	struct shared *shared;
	uint32_t owner;                      /* not 0; differs between processes */
	int64_t (*clock)(void *context);     /* the one that all share */
	int64_t (*cpu_clock)(void *context); /* processor time, to measure what a reading costs */
	/*
	 * Mean target load between two moments, NaN when some of it is free or before control: then the sample is left out of all sums. NULL:
	 * none is, and nothing is ever owed.
	 */
	double (*target)(void *context, int64_t from_ns, int64_t to_ns);
	void *context; /* of all three */
};

/*
 * Stores the newest estimate. When the shared record is older than max(the module's interval, 100 × the processor time of a reading, less
 * of it among many executors on many processors) and nobody else is at it, takes a sample first, unless that is dear. 0, or -1 with
 * errno when a sample was due and the source could not be read (*record is valid all the same).
 */
int estimate_get(struct estimator *estimator, int64_t now_ns, struct estimate_record *record);

/*
 * Takes a sample that is due and dear: to be called when nothing waits for it, least of all an edge. One who has an edge at until_ns,
 * before the reading would be over, leaves it to others for a while. As estimate_get, 0 or -1.
 */
int estimate_catch_up(struct estimator *estimator, int64_t now_ns, int64_t until_ns);

/* Whether the newest reading gave no sample, or there has been none for ESTIMATE_UNKNOWN_NS and what readings take. */
bool estimate_is_unknown(const struct estimator *estimator, const struct estimate_record *record, int64_t now_ns);

/* How old the newest reading is; as old as the machine when there is none. */
int64_t estimate_age(struct shared *shared, int64_t now_ns);

/*
 * Nobody looked for a while before now_ns (the run was paused, the machine stood still): no sample reaches over that. The load, what is
 * owed and what the executors have learnt stay as they were.
 */
void estimate_break(struct shared *shared, int64_t now_ns);

/* Lets others take samples again after the process with this owner number has died. */
void estimate_release(struct shared *shared, uint32_t owner);

#endif
