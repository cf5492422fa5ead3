/* SPDX-License-Identifier: MIT */
#include "sssim/heap.h"

#include <stdbool.h>
#include <stdlib.h>

/* Children per node: fewer levels, and siblings share cache lines. */
#define WIDTH 4

int sim_heap_reserve(struct sim_heap *heap, size_t room)
{
	if (room <= heap->room)
		return 0;
	struct sim_heap_entry *entry = realloc(heap->entry, room * sizeof *entry);
	if (!entry)
		return -1;
	heap->entry = entry;
	heap->room = room;
	return 0;
}

static bool is_before(const struct sim_heap_entry *a, const struct sim_heap_entry *b)
{
	return a->key < b->key || (a->key == b->key && a->order < b->order);
}

static void set(struct sim_heap *heap, size_t at, const struct sim_heap_entry *entry)
{
	heap->entry[at] = *entry;
	entry->node->place = at + 1;
}

static size_t rise(struct sim_heap *heap, size_t at, const struct sim_heap_entry *entry)
{
	while (at > 0) {
		const size_t parent = (at - 1) / WIDTH;
		if (!is_before(entry, &heap->entry[parent]))
			break;
		set(heap, at, &heap->entry[parent]);
		at = parent;
	}
	return at;
}

static size_t sink(struct sim_heap *heap, size_t at, const struct sim_heap_entry *entry)
{
	for (;;) {
		const size_t first = at * WIDTH + 1;
		if (first >= heap->count)
			return at;
		const size_t end = first + WIDTH < heap->count ? first + WIDTH : heap->count;
		size_t least = first;
		for (size_t child = first + 1; child < end; child++)
			if (is_before(&heap->entry[child], &heap->entry[least]))
				least = child;
		if (!is_before(&heap->entry[least], entry))
			return at;
		set(heap, at, &heap->entry[least]);
		at = least;
	}
}

static void settle(struct sim_heap *heap, size_t at, const struct sim_heap_entry *entry)
{
	const size_t risen = rise(heap, at, entry);
	set(heap, risen == at ? sink(heap, at, entry) : risen, entry);
}

void sim_heap_put(struct sim_heap *heap, struct sim_node *node, int64_t key)
{
	const struct sim_heap_entry entry = {.key = key, .order = heap->order++, .node = node};
	settle(heap, node->place ? node->place - 1 : heap->count++, &entry);
}

void sim_heap_remove(struct sim_heap *heap, struct sim_node *node)
{
	if (!node->place)
		return;
	const size_t at = node->place - 1;
	node->place = 0;
	const struct sim_heap_entry last = heap->entry[--heap->count];
	if (at < heap->count)
		settle(heap, at, &last);
}
