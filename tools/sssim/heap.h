/* SPDX-License-Identifier: MIT */
/*
 * A min-heap of nodes that lie in their owners and can be moved or taken out at any time. Equal keys leave in the order in which
 * they came.
 */
#ifndef SIM_HEAP_H
#define SIM_HEAP_H

#include <stddef.h>
#include <stdint.h>

/* Zero before its first use. */
struct sim_node {
	size_t place; /* in the heap, from 1; 0 while outside */
};

struct sim_heap_entry {
	int64_t key;
	uint64_t order;
	struct sim_node *node;
};

/* Start with {0}; free `entry` at the end. */
struct sim_heap {
	struct sim_heap_entry *entry;
	size_t count, room;
	uint64_t order;
};

/* Makes room for so many nodes; no other function here needs memory. 0, or -1 with errno ENOMEM. */
int sim_heap_reserve(struct sim_heap *heap, size_t room);

/* Puts a node in, or gives one that is in a new key. There must be room. */
void sim_heap_put(struct sim_heap *heap, struct sim_node *node, int64_t key);
/* Does nothing to a node that is outside. */
void sim_heap_remove(struct sim_heap *heap, struct sim_node *node);

/* The node with the least key, or NULL. */
static inline struct sim_node *sim_heap_first(const struct sim_heap *heap)
{
	return heap->count ? heap->entry[0].node : NULL;
}

#endif
