/* SPDX-License-Identifier: MIT */
/*
 * A record in shared memory that several processes write, each of which may be stopped in the middle of that for any time, and that any
 * number read without waiting.
 *
 * Each writer has a page of its own with two copies, and one word names the newest: whose page, which copy, and a sequence number. A
 * writer fills a copy of its page that isn't the newest, and then exchanges the word, provided that it is still the one it began with. So
 * one who is late, or dead, has written where nobody reads, and changes nothing. Readers retry only when somebody posts meanwhile.
 */
#ifndef BASE_BOARD_H
#define BASE_BOARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/latch.h"

#define BOARD_PAGE_BITS 24

struct board {
	_Atomic uint64_t newest; /* sequence, page, copy */
};

/* All zero before its first use. */
struct board_page {
	_Alignas(64) _Atomic uint64_t copy[2][LATCH_WORDS];
};

static inline uint32_t board_writer(uint64_t newest)
{
	return (uint32_t)(newest >> 1) & ((UINT32_C(1) << BOARD_PAGE_BITS) - 1);
}

/* The newest record of `words` 64-bit words. Returns what names it, for board_post. */
static inline uint64_t board_read(const struct board *board, const struct board_page *page, void *value, size_t words)
{
	uint64_t before;
	uint64_t after;
	do {
		before = atomic_load_explicit(&board->newest, memory_order_acquire);
		const _Atomic uint64_t *const copy = page[board_writer(before)].copy[before & 1];
		char *to = value;
		for (size_t i = 0; i < words; i++, to += sizeof(uint64_t)) {
			const uint64_t word = atomic_load_explicit(&copy[i], memory_order_relaxed);
			memcpy(to, &word, sizeof word);
		}
		atomic_thread_fence(memory_order_acquire);
		after = atomic_load_explicit(&board->newest, memory_order_relaxed);
	} while (before != after);
	return before;
}

/*
 * Posts a record from one's own page, `writer`, in place of the one that was `read`. False when that isn't the newest any more, which then
 * stays. The writer has posted nothing since it read.
 */
static inline bool board_post(
	struct board *board, struct board_page *page, uint32_t writer, uint64_t read, const void *value, size_t words)
{
	/* Nobody else posts this page: unless it is the newest, both copies are free. */
	const unsigned at = board_writer(read) == writer && !(read & 1);
	const uint64_t sequence = (read >> (BOARD_PAGE_BITS + 1)) + 1;
	const uint64_t mine = sequence << (BOARD_PAGE_BITS + 1) | (uint64_t)writer << 1 | at;
	const char *from = value;
	/* What took this copy away must be seen before anything that is written to it. */
	atomic_thread_fence(memory_order_release);
	for (size_t i = 0; i < words; i++, from += sizeof(uint64_t)) {
		uint64_t word;
		memcpy(&word, from, sizeof word);
		atomic_store_explicit(&page[writer].copy[at][i], word, memory_order_relaxed);
	}
	return atomic_compare_exchange_strong(&board->newest, &read, mine);
}

#endif
