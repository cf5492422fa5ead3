/* SPDX-License-Identifier: MIT */
/*
 * A job that one of several processes does at a time: who has claimed it, and when.
 *
 * A process can be stopped at any moment and for any time, also while it has the claim. So a claim lapses: one that is older than a
 * limit may be taken over. Who comes back late learns that the claim isn't its own any more, and leaves things as they are. Nobody waits.
 */
#ifndef BASE_LEASE_H
#define BASE_LEASE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The least limit that makes sense: longer than any process loses its processor on a machine that is merely busy. */
#define LEASE_LIMIT_NS (250 * INT64_C(1000000))

/* Holders are numbered from 1. */
#define LEASE_HOLDER_BITS 24
#define LEASE_TIME_BITS (64 - LEASE_HOLDER_BITS)

/* Zero: nobody's. Above, the time of the claim in microseconds, which wraps after twelve days; below, the holder. */
struct lease {
	_Atomic uint64_t claim;
};

/* How long ago a claim was made. Clocks of two processes may have been read in the other order: then it is below 0. */
static inline int64_t lease_age_ns(uint64_t claim, int64_t now_ns)
{
	const uint64_t since_us = ((uint64_t)(now_ns / 1000) - (claim >> LEASE_HOLDER_BITS)) << LEASE_HOLDER_BITS;
	return (int64_t)since_us / (INT64_C(1) << LEASE_HOLDER_BITS) * 1000;
}

/* Takes the claim when it is nobody's, or has lapsed. 0, or what names this claim and no other. */
static inline uint64_t lease_take(struct lease *lease, uint32_t holder, int64_t now_ns, int64_t limit_ns)
{
	uint64_t before = atomic_load(&lease->claim);
	const uint64_t mine = ((uint64_t)(now_ns / 1000) << LEASE_HOLDER_BITS) | holder;
	if (before && lease_age_ns(before, now_ns) < limit_ns)
		return 0;
	return atomic_compare_exchange_strong(&lease->claim, &before, mine) ? mine : 0;
}

/* Whether nobody has taken it over. */
static inline bool lease_holds(const struct lease *lease, uint64_t claim)
{
	return atomic_load(&lease->claim) == claim;
}

/* Gives it back; one that was taken over stays where it is. */
static inline void lease_give(struct lease *lease, uint64_t claim)
{
	atomic_compare_exchange_strong(&lease->claim, &claim, 0);
}

/* Frees what a process that has died held, and nobody else's. */
static inline void lease_free(struct lease *lease, uint32_t holder)
{
	const uint64_t claim = atomic_load(&lease->claim);
	if ((claim & ((UINT64_C(1) << LEASE_HOLDER_BITS) - 1)) == holder)
		lease_give(lease, claim);
}

#endif
