/* SPDX-License-Identifier: MIT */
/* What the threads of ssburn share, and the work itself. */
#ifndef SSBURN_BURN_H
#define SSBURN_BURN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "record/iteration_log.h"
#include "ssburn/options.h"
#include "ssburn/profile.h"

struct worker {
	struct burn *burn;
	pthread_t thread;
	unsigned number; /* from 0 */
	/* team: this worker's part in the round; under the lock. */
	pthread_cond_t turn;
	bool due;
	uint64_t first, units; /* of the iteration */
	uint64_t alone;        /* how many of them, the last ones, are done by one thread at a time */
};

struct burn {
	const struct settings *settings;
	const struct profile *profile;
	uint64_t seed;
	uint64_t *cells; /* working set, NULL for none */
	uint64_t cell_count;
	atomic_bool halted; /* leave now; changed under the lock */

	pthread_mutex_t lock;
	pthread_cond_t changed; /* for the independent, and for a service */
	unsigned working;       /* threads that have not returned */
	uint64_t next;          /* iteration to begin next */
	uint64_t limit;         /* number of iterations */
	/* independent */
	unsigned width;     /* workers below this number may begin an iteration */
	uint64_t phase;     /* number of the next phase, from 0 */
	uint64_t phase_end; /* first iteration that is not of the current phase */
	/* team */
	struct worker *workers;
	unsigned busy;          /* workers that have not finished the round */
	unsigned last;          /* where the round began */
	uint64_t planned;       /* units of the iteration given out so far */
	uint64_t sum;           /* of the iteration */
	int64_t start_ns;       /* of the iteration */
	bool over;              /* no more rounds */
	pthread_mutex_t shared; /* held while units are done alone */

	pthread_mutex_t record_lock;
	struct iteration_log log;
	uint64_t finished; /* iterations */
	uint64_t checksum;

	_Atomic uint64_t *counter; /* of a run that counts iterations; NULL: none does */

	struct server *server; /* NULL: work is not asked for by requests */

	int done; /* eventfd: the last worker has returned */
};

/* What a random number is for; each purpose has a stream of its own. */
enum purpose { FOR_UNIT, FOR_CELL, FOR_WIDTH, FOR_LENGTH, FOR_SLEEP, FOR_ROUND, FOR_TASK, FOR_SERVICE };

/* Sets the seed and fills the working set, both from the settings. */
void burn_seed(struct burn *burn);

/* A number that depends on the seed, a purpose and two places; the same in every run. */
uint64_t burn_draw(const struct burn *burn, enum purpose purpose, uint64_t a, uint64_t b);

/* The mean, give or take a half of it. */
uint64_t burn_around(uint64_t mean, uint64_t random);

/* The processor time of a request; they are numbered from 0 in the order in which they are served. */
int64_t burn_service_ns(const struct burn *burn, uint64_t request);

/* Does units of an iteration and adds their results to *sum; false when the work was halted. */
bool burn_work(const struct burn *burn, uint64_t iteration, uint64_t first, uint64_t count, uint64_t *sum);

/* An iteration is finished: counts it, adds its sum to the checksum, and writes its record. Any thread may call it. */
void burn_record(struct burn *burn, uint64_t iteration, int64_t start_ns, uint64_t sum);

#endif
