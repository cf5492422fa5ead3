/* SPDX-License-Identifier: MIT */
#include "control/overdue.h"

#define AWAKE 0
#define FETCHED (-1)

void overdue_sleep(struct slot *slot, int64_t due_ns)
{
	atomic_store_explicit(&slot->due_ns, due_ns, memory_order_relaxed);
}

bool overdue_wake(struct slot *slot)
{
	return atomic_exchange_explicit(&slot->due_ns, AWAKE, memory_order_relaxed) == FETCHED;
}

/* The next live ones of the ring; only after somebody came or went. */
static void find_place(struct overdue *overdue)
{
	struct shared *shared = overdue->shared;
	const uint32_t generation = atomic_load(&shared->generation);
	if (overdue->placed && generation == overdue->generation)
		return;
	overdue->placed = true;
	overdue->generation = generation;
	overdue->watched = shared_neighbours(shared, overdue->index, OVERDUE_WATCHED, overdue->slot);
}

struct slot *overdue_find(struct overdue *overdue, int64_t now_ns)
{
	find_place(overdue);
	for (unsigned i = 0; i < overdue->watched; i++) {
		struct slot *slot = &overdue->shared->slot[overdue->slot[i]];
		int64_t due_ns = atomic_load_explicit(&slot->due_ns, memory_order_relaxed);
		if (due_ns > AWAKE && now_ns - due_ns > OVERDUE_NS &&
			atomic_compare_exchange_strong(&slot->due_ns, &due_ns, FETCHED))
			return slot;
	}
	return NULL;
}
