/* SPDX-License-Identifier: MIT */
/* Random numbers of the simulator: streams that depend on the seed and their number alone (splitmix64). */
#ifndef SIM_RANDOM_H
#define SIM_RANDOM_H

#include <math.h>
#include <stdint.h>

#include "base/splitmix.h"

struct sim_random {
	uint64_t state;
};

static inline struct sim_random sim_random_stream(uint64_t seed, uint64_t number)
{
	return (struct sim_random){splitmix_mix(splitmix_mix(seed + SPLITMIX_STEP) ^ (number * UINT64_C(0xd1342543de82ef95)))};
}

static inline uint64_t sim_random_next(struct sim_random *random)
{
	return splitmix_next(&random->state);
}

/* From 0 to below 1. */
static inline double sim_random_real(struct sim_random *random)
{
	return (double)(sim_random_next(random) >> 11) * 0x1p-53;
}

/* From 0 to below limit, which is above 0. */
static inline uint64_t sim_random_below(struct sim_random *random, uint64_t limit)
{
	return (uint64_t)(sim_random_real(random) * (double)limit);
}

/* Exponentially distributed, mean 1. */
static inline double sim_random_exponential(struct sim_random *random)
{
	return -log1p(-sim_random_real(random));
}

#endif
