/* SPDX-License-Identifier: MIT */
/* SplitMix64. Its numbers are part of what a seed means, of a trace as of a simulation: they must not change. */
#ifndef BASE_SPLITMIX_H
#define BASE_SPLITMIX_H

#include <math.h>
#include <stdint.h>

/* What the state grows by from one number to the next. */
#define SPLITMIX_STEP UINT64_C(0x9e3779b97f4a7c15)

/* A bijection in which every bit of the result depends on every bit of x. */
static inline uint64_t splitmix_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* The next number of the sequence that began with the seed as its state. */
static inline uint64_t splitmix_next(uint64_t *state)
{
	*state += SPLITMIX_STEP;
	return splitmix_mix(*state);
}

/* One of the numbers below `count`, each equally likely but for 2^-64 of it. */
static inline uint64_t splitmix_below(uint64_t *state, uint64_t count)
{
	return (uint64_t)(((unsigned __int128)splitmix_next(state) * count) >> 64);
}

/* Random numbers of the simulator: streams that depend on the seed and their number alone (splitmix64). */

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
