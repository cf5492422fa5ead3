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
#include <stdbool.h>
#include <stddef.h>
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

static inline void latch_load(void *value, const _Atomic uint64_t *copy, size_t words)
{
	char *to = value;
	for (size_t i = 0; i < words; i++, to += sizeof(uint64_t)) {
		const uint64_t word = atomic_load_explicit(&copy[i], memory_order_relaxed);
		memcpy(to, &word, sizeof word);
	}
}

static inline void latch_store(_Atomic uint64_t *copy, const void *value, size_t words)
{
	const char *from = value;
	for (size_t i = 0; i < words; i++, from += sizeof(uint64_t)) {
		uint64_t word;
		memcpy(&word, from, sizeof word);
		atomic_store_explicit(&copy[i], word, memory_order_relaxed);
	}
}

/* `value` is `words` 64-bit words, at most LATCH_WORDS. The latch must be zero before its first use. */
static inline void latch_write(struct latch *latch, const void *value, size_t words)
{
	const uint32_t sequence = atomic_load_explicit(&latch->sequence, memory_order_relaxed) + 1;
	/* The last flip must be seen before anything that is written to the copy it took away. */
	atomic_thread_fence(memory_order_release);
	latch_store(latch->copy[sequence & 1], value, words);
	atomic_store_explicit(&latch->sequence, sequence, memory_order_release);
}

static inline void latch_read(const struct latch *latch, void *value, size_t words)
{
	uint32_t before;
	uint32_t after;
	do {
		before = atomic_load_explicit(&latch->sequence, memory_order_acquire);
		latch_load(value, latch->copy[before & 1], words);
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

/*
 * A snapshot: a record in shared memory that several processes write, each of which may be stopped in the middle of that for any time, and that any
 * number read without waiting.
 *
 * Each writer has a page of its own with two copies, and one word names the newest: whose page, which copy, and a sequence number. A
 * writer fills a copy of its page that isn't the newest, and then exchanges the word, provided that it is still the one it began with. So
 * one who is late, or dead, has written where nobody reads, and changes nothing. Readers retry only when somebody posts meanwhile.
 */

#define SNAPSHOT_PAGE_BITS 24

struct snapshot {
	_Atomic uint64_t newest; /* sequence, page, copy */
};

/* All zero before its first use. */
struct snapshot_page {
	_Alignas(64) _Atomic uint64_t copy[2][LATCH_WORDS];
};

static inline uint32_t snapshot_writer(uint64_t newest)
{
	return (uint32_t)(newest >> 1) & ((UINT32_C(1) << SNAPSHOT_PAGE_BITS) - 1);
}

/* The newest record of `words` 64-bit words. Returns what names it, for snapshot_post. */
static inline uint64_t snapshot_read(const struct snapshot *snapshot, const struct snapshot_page *page, void *value, size_t words)
{
	uint64_t before;
	uint64_t after;
	do {
		before = atomic_load_explicit(&snapshot->newest, memory_order_acquire);
		latch_load(value, page[snapshot_writer(before)].copy[before & 1], words);
		atomic_thread_fence(memory_order_acquire);
		after = atomic_load_explicit(&snapshot->newest, memory_order_relaxed);
	} while (before != after);
	return before;
}

/*
 * Posts a record from one's own page, `writer`, in place of the one that was `read`. False when that isn't the newest any more, which then
 * stays. The writer has posted nothing since it read.
 */
static inline bool snapshot_post(
	struct snapshot *snapshot, struct snapshot_page *page, uint32_t writer, uint64_t read, const void *value, size_t words)
{
	/* Nobody else posts this page: unless it is the newest, both copies are free. */
	const unsigned at = snapshot_writer(read) == writer && !(read & 1);
	const uint64_t sequence = (read >> (SNAPSHOT_PAGE_BITS + 1)) + 1;
	const uint64_t mine = sequence << (SNAPSHOT_PAGE_BITS + 1) | (uint64_t)writer << 1 | at;
	/* What took this copy away must be seen before anything that is written to it. */
	atomic_thread_fence(memory_order_release);
	latch_store(page[writer].copy[at], value, words);
	return atomic_compare_exchange_strong(&snapshot->newest, &read, mine);
}

#endif
