/* SPDX-License-Identifier: MIT */
/*
 * Slots are in one of two lists: those in use, in the order in which their requests arrived, so that the first is the next to be given up;
 * and free ones, by when they became free. As the free slot that has been so for longest is taken first, it tells when there was room.
 */
#include "ssrequest/generator.h"

#include <stdlib.h>

#define NO_SLOT UINT32_MAX

struct slot {
	uint32_t before, next; /* in its list */
	bool is_free;
	int64_t freed_ns; /* INT64_MIN: it was never in use */
	int64_t awake_ns; /* the caller had been so long when it was taken */
	struct request request;
};

struct slots {
	uint32_t first, last;
};

struct generator {
	struct generator_settings settings;
	struct schedule *schedule;
	struct slots used, free;
	unsigned unanswered;
	bool is_pending, has_ended;
	struct request pending;           /* planned, and neither sent nor dropped yet */
	int64_t end_ns;                   /* what is still postponed then will not be sent */
	int64_t none_before_ns;           /* the schedule is to be asked again then */
	uint64_t planned;                 /* requests */
	int64_t stood_until_ns, stood_ns; /* the caller: until when, and how long in all */
	struct slot slot[];
};

static void unlink_slot(struct generator *generator, struct slots *list, uint32_t at)
{
	const struct slot *const slot = &generator->slot[at];
	*(slot->before == NO_SLOT ? &list->first : &generator->slot[slot->before].next) = slot->next;
	*(slot->next == NO_SLOT ? &list->last : &generator->slot[slot->next].before) = slot->before;
}

/* Behind another one; NO_SLOT: as the first. */
static void link_slot(struct generator *generator, struct slots *list, uint32_t at, uint32_t behind)
{
	struct slot *const slot = &generator->slot[at];
	slot->before = behind;
	slot->next = behind == NO_SLOT ? list->first : generator->slot[behind].next;
	*(slot->next == NO_SLOT ? &list->last : &generator->slot[slot->next].before) = at;
	*(behind == NO_SLOT ? &list->first : &generator->slot[behind].next) = at;
}

/* A schedule that is over by its number of requests has all of them sent; whether it is so can only be counted. */
static bool ends_by_number(const struct schedule *schedule)
{
	struct schedule rest = *schedule;
	int64_t when_ns;
	if (rest.settings.most == UINT64_MAX)
		return false;
	while (schedule_next(&rest, &when_ns) != SCHEDULE_END)
		;
	return rest.count >= rest.settings.most;
}

struct generator *generator_new(const struct generator_settings *settings, struct schedule *schedule)
{
	struct generator *const generator = calloc(1, sizeof *generator + settings->limit * sizeof(struct slot));
	if (!generator)
		return NULL;
	generator->settings = *settings;
	generator->schedule = schedule;
	generator->end_ns = ends_by_number(schedule) ? INT64_MAX : schedule->settings.length_ns;
	generator->used = generator->free = (struct slots){NO_SLOT, NO_SLOT};
	for (uint32_t i = 0; i < settings->limit; i++) {
		generator->slot[i].is_free = true;
		generator->slot[i].freed_ns = INT64_MIN;
		link_slot(generator, &generator->free, i, generator->free.last);
	}
	return generator;
}

void generator_free(struct generator *generator)
{
	free(generator);
}

static void release(struct generator *generator, uint32_t at, int64_t when_ns)
{
	struct slot *const slot = &generator->slot[at];
	unlink_slot(generator, &generator->used, at);
	slot->is_free = true;
	slot->freed_ns = when_ns;
	uint32_t behind = generator->free.last;
	while (behind != NO_SLOT && generator->slot[behind].freed_ns > when_ns)
		behind = generator->slot[behind].before;
	link_slot(generator, &generator->free, at, behind);
	generator->unanswered--;
}

void generator_answered(struct generator *generator, unsigned slot, int64_t when_ns)
{
	if (!generator->slot[slot].is_free)
		release(generator, slot, when_ns);
}

void generator_stood_still(struct generator *generator, int64_t until_ns, int64_t length_ns)
{
	generator->stood_until_ns = until_ns;
	generator->stood_ns += length_ns;
}

unsigned generator_unanswered(const struct generator *generator)
{
	return generator->unanswered;
}

/* When the first of those in use is given up. */
static int64_t next_deadline(const struct generator *generator)
{
	const uint32_t first = generator->used.first;
	if (first == NO_SLOT)
		return INT64_MAX;
	const int64_t arrival_ns = generator->slot[first].request.arrival_ns;
	const int64_t since_ns = arrival_ns > generator->stood_until_ns ? arrival_ns : generator->stood_until_ns;
	/* Who stands still again and again gives up nevertheless. */
	const int64_t last_ns = generator->slot[first].awake_ns + generator->stood_ns + generator->settings.timeout_ns;
	return (since_ns < last_ns ? since_ns : last_ns) + generator->settings.timeout_ns;
}

static struct generator_action give_up(struct generator *generator)
{
	const uint32_t first = generator->used.first;
	const struct request request = generator->slot[first].request;
	release(generator, first, next_deadline(generator));
	return (struct generator_action){.act = GENERATOR_GIVE_UP, .request = request, .slot = first};
}

static struct generator_action drop(struct generator *generator, int64_t when_ns)
{
	generator->is_pending = false;
	generator->pending.arrival_ns = when_ns;
	return (struct generator_action){.act = GENERATOR_DROP, .request = generator->pending};
}

static struct generator_action send(struct generator *generator, uint32_t at, int64_t arrival_ns, int64_t now_ns)
{
	struct slot *const slot = &generator->slot[at];
	generator->is_pending = false;
	generator->pending.arrival_ns = arrival_ns;
	unlink_slot(generator, &generator->free, at);
	slot->is_free = false;
	slot->awake_ns = now_ns - generator->stood_ns;
	slot->request = generator->pending;
	link_slot(generator, &generator->used, at, generator->used.last);
	generator->unanswered++;
	return (struct generator_action){.act = GENERATOR_SEND, .request = slot->request, .slot = at};
}

static struct generator_action sleep_until(const struct generator *generator, int64_t until_ns)
{
	const int64_t deadline_ns = next_deadline(generator);
	return (struct generator_action){.act = GENERATOR_SLEEP, .until_ns = deadline_ns < until_ns ? deadline_ns : until_ns};
}

/* What is to become of the one that is planned for now or has been. */
static struct generator_action serve_pending(struct generator *generator, int64_t now_ns)
{
	const int64_t planned_ns = generator->pending.planned_ns;
	const uint32_t at = generator->free.first;
	const int64_t end_ns = generator->end_ns;
	if (at == NO_SLOT) {
		if (generator->settings.drops)
			return drop(generator, planned_ns);
		return now_ns >= end_ns ? drop(generator, end_ns) : sleep_until(generator, end_ns);
	}
	const int64_t freed_ns = generator->slot[at].freed_ns;
	if (freed_ns <= planned_ns)
		return send(generator, at, planned_ns, now_ns);
	if (generator->settings.drops)
		return drop(generator, planned_ns);
	return freed_ns >= end_ns ? drop(generator, end_ns) : send(generator, at, freed_ns, now_ns);
}

/* Asks the schedule, unless it is too early for that. */
static void plan(struct generator *generator, int64_t now_ns)
{
	int64_t when_ns = 0;
	while (!generator->is_pending && !generator->has_ended && generator->none_before_ns <= now_ns) {
		switch (schedule_next(generator->schedule, &when_ns)) {
		case SCHEDULE_REQUEST:
			generator->is_pending = true;
			generator->pending = (struct request){.number = generator->planned++, .planned_ns = when_ns};
			break;
		case SCHEDULE_NONE_BEFORE:
			generator->none_before_ns = when_ns;
			break;
		case SCHEDULE_END:
			generator->has_ended = true;
			break;
		}
	}
}

struct generator_action generator_stop(struct generator *generator, int64_t now_ns)
{
	plan(generator, now_ns);
	if (generator->is_pending && generator->pending.planned_ns <= now_ns)
		return drop(generator, now_ns);
	generator->is_pending = false;
	generator->has_ended = true;
	return (struct generator_action){.act = GENERATOR_END};
}

struct generator_action generator_next(struct generator *generator, int64_t now_ns)
{
	if (next_deadline(generator) <= now_ns)
		return give_up(generator);
	plan(generator, now_ns);
	if (generator->is_pending && generator->pending.planned_ns <= now_ns)
		return serve_pending(generator, now_ns);
	if (generator->is_pending)
		return sleep_until(generator, generator->pending.planned_ns);
	if (generator->has_ended && generator->unanswered == 0)
		return (struct generator_action){.act = GENERATOR_END};
	return sleep_until(generator, generator->has_ended ? INT64_MAX : generator->none_before_ns);
}
