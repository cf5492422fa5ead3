/* SPDX-License-Identifier: MIT */
/*
 * A record in shared memory with one writer at a time and any number of readers that never wait.
 *
 * There are two copies; the sequence number says which one readers take. A writer fills the other one and then flips. So a writer
 * that dies half-way leaves the last whole record, which an ordinary seqlock does not. Readers retry only when a write
 * completes during the read.
 */
#ifndef BASE_LATCH_H
#define BASE_LATCH_H

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#define LATCH_WORDS 20

/* A lock would be held for ever by a process that is killed. */
_Static_assert(
	ATOMIC_LLONG_LOCK_FREE == 2 && ATOMIC_INT_LOCK_FREE == 2, "processes share atomic values of 64 bits without locks");

struct latch {
	_Alignas(64) _Atomic uint32_t sequence;
	_Atomic uint64_t copy[2][LATCH_WORDS];
};

/* `value` is `words` 64-bit words, at most LATCH_WORDS. The latch must be zero before its first use. */
static inline void latch_write(struct latch *latch, const void *value, size_t words)
{
	const uint32_t sequence = atomic_load_explicit(&latch->sequence, memory_order_relaxed) + 1;
	const char *from = value;
	/* The last flip must be seen before anything that is written to the copy it took away. */
	atomic_thread_fence(memory_order_release);
	for (size_t i = 0; i < words; i++, from += sizeof(uint64_t)) {
		uint64_t word;
		memcpy(&word, from, sizeof word);
		atomic_store_explicit(&latch->copy[sequence & 1][i], word, memory_order_relaxed);
	}
	atomic_store_explicit(&latch->sequence, sequence, memory_order_release);
}

static inline void latch_read(const struct latch *latch, void *value, size_t words)
{
	uint32_t before;
	uint32_t after;
	do {
		before = atomic_load_explicit(&latch->sequence, memory_order_acquire);
		char *to = value;
		for (size_t i = 0; i < words; i++, to += sizeof(uint64_t)) {
			const uint64_t word = atomic_load_explicit(&latch->copy[before & 1][i], memory_order_relaxed);
			memcpy(to, &word, sizeof word);
		}
		atomic_thread_fence(memory_order_acquire);
		after = atomic_load_explicit(&latch->sequence, memory_order_relaxed);
	} while (before != after);
}

/* How a struct is given to a latch: its size in words, checked. */
#define LATCH_SIZE(type)                                                                                                         \
	(sizeof(type) / sizeof(uint64_t) + 0 * sizeof(struct {                                                                   \
		_Static_assert(sizeof(type) % sizeof(uint64_t) == 0 && sizeof(type) / sizeof(uint64_t) <= LATCH_WORDS, "latch"); \
		int unused;                                                                                                      \
	}))

#endif
