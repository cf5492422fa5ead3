/* SPDX-License-Identifier: MIT */
#include "control/heartbeat.h"

#include <stddef.h>
#include <sys/mman.h>

#include "base/units.h"

/* Between two looks: while it counts, and while nobody expects the end. */
#define LOOK_NS (100 * NS_PER_MS)
#define IDLE_LOOK_NS NS_PER_S

struct heartbeat *heartbeat_new(void)
{
	void *const memory =
		mmap(NULL, sizeof(struct heartbeat), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

void heartbeat_free(struct heartbeat *heartbeat)
{
	if (heartbeat)
		munmap(heartbeat, sizeof *heartbeat);
}

void heartbeat_beat(struct heartbeat *heartbeat)
{
	atomic_fetch_add_explicit(&heartbeat->beats, 1, memory_order_relaxed);
}

bool heartbeat_is_over(const struct heartbeat *heartbeat, int64_t now_ns)
{
	const int64_t end_ns = atomic_load(&heartbeat->end_ns);
	return end_ns && now_ns - end_ns >= HEARTBEAT_EXECUTORS_NS;
}

void heartbeat_ask(struct heartbeat_watch *watch)
{
	if (!watch->asked)
		watch->silent_ns = 0;
	watch->asked = true;
}

void heartbeat_forget(struct heartbeat_watch *watch, int64_t now_ns)
{
	watch->seen_ns = now_ns;
	watch->silent_ns = 0;
}

static bool counts(const struct heartbeat_watch *watch, const struct heartbeat *heartbeat, int64_t now_ns)
{
	const int64_t end_ns = atomic_load(&heartbeat->end_ns);
	return watch->asked || atomic_load(&heartbeat->starting) || (end_ns && now_ns >= end_ns);
}

bool heartbeat_has_stopped(struct heartbeat_watch *watch, const struct heartbeat *heartbeat, int64_t now_ns)
{
	const uint64_t beats = atomic_load_explicit(&heartbeat->beats, memory_order_relaxed);
	const int64_t passed_ns = now_ns - watch->seen_ns;
	if (beats != watch->beats || !counts(watch, heartbeat, now_ns))
		watch->silent_ns = 0;
	else
		watch->silent_ns += passed_ns < 2 * LOOK_NS ? passed_ns : 2 * LOOK_NS;
	watch->beats = beats;
	watch->seen_ns = now_ns;
	return watch->silent_ns >= (watch->asked ? HEARTBEAT_ASKED_NS : HEARTBEAT_UNASKED_NS);
}

int64_t heartbeat_next_look(const struct heartbeat_watch *watch, const struct heartbeat *heartbeat, int64_t now_ns)
{
	const int64_t end_ns = atomic_load(&heartbeat->end_ns);
	if (counts(watch, heartbeat, now_ns))
		return LOOK_NS;
	return end_ns && end_ns - now_ns < IDLE_LOOK_NS ? end_ns - now_ns : IDLE_LOOK_NS;
}

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
