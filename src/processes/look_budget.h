/* SPDX-License-Identifier: MIT */
/*
 * What looks through trees of processes may cost, for all executors together: 5 % of one processor. A look is paid by the processor time
 * it took, afterwards; what hasn't been paid yet keeps others from looking, the less urgent ones first. Lies in shared memory; zero is a
 * budget nobody has used. Pure: the caller brings the time.
 */
#ifndef PROCESSES_LOOK_BUDGET_H
#define PROCESSES_LOOK_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Looks may take one part in so many of a processor's time. */
#define LOOK_SHARE 20

/* The most urgent first. */
enum look_reason {
	LOOK_OVERDUE, /* nobody has looked for long */
	LOOK_FORKS,   /* somebody on the machine has forked, perhaps one of the tree */
	LOOK_AGAIN,   /* the tree changed during the last look */
};

struct look_budget {
	_Atomic int64_t paid_ns; /* when everything so far will have been paid */
};

/* Whether one may look now. Without a budget (NULL) one may. */
bool look_budget_grants(const struct look_budget *budget, enum look_reason reason, int64_t now_ns);

/* Pays for a look, also for one that nothing could wait for. */
void look_budget_pay(struct look_budget *budget, int64_t cpu_ns, int64_t now_ns);

#endif
