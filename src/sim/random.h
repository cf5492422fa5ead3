/* SPDX-License-Identifier: MIT */
/* Random numbers of the simulator: streams that depend on the seed and their number alone (splitmix64). */
#ifndef SIM_RANDOM_H
#define SIM_RANDOM_H

#include <math.h>
#include <stdint.h>

struct sim_random {
	uint64_t state;
};

static inline uint64_t sim_random_mix(uint64_t x)
{
	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static inline struct sim_random sim_random_stream(uint64_t seed, uint64_t number)
{
	return (struct sim_random){
		sim_random_mix(sim_random_mix(seed + UINT64_C(0x9e3779b97f4a7c15)) ^ (number * UINT64_C(0xd1342543de82ef95)))};
}

static inline uint64_t sim_random_next(struct sim_random *random)
{
	random->state += UINT64_C(0x9e3779b97f4a7c15);
	return sim_random_mix(random->state);
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
