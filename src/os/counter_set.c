/* SPDX-License-Identifier: MIT */
#include "os/counter_set.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cpus.h"
#include "os/counter_pmu.h"

/* Descriptors that the program needs beside those of counters. */
#define OTHER_FILES 64

struct counter {
	int fd; /* -1: it isn't open */
	struct linux_counter_reading last;
};

/* Counters of all events, of one processor or of what is started. */
struct place {
	int whom; /* as linux_counter_open has it */
	bool is_wanted;
	struct counter counter[LINUX_COUNTER_EVENTS_MAX];
};

struct linux_counter_set {
	const char *root;
	struct linux_counter_events events;
	struct sst_cpus *cpus[LINUX_COUNTER_EVENTS_MAX]; /* that the PMU counts on; NULL: all */
	struct linux_counter_growth growth[LINUX_COUNTER_EVENTS_MAX];
	char lacks[LINUX_COUNTER_EVENTS_MAX][LINUX_COUNTER_ERROR_MAX]; /* "": nothing was found to be in the way */
	bool unresolved[LINUX_COUNTER_EVENTS_MAX];
	struct place *place;
	size_t places;
};

static bool counts_there(const struct linux_counter_set *set, size_t event, int whom)
{
	return !set->unresolved[event] && (whom < 0 || !set->cpus[event] || cpus_contain(set->cpus[event], (unsigned)whom));
}

static void open_place(struct linux_counter_set *set, struct place *place, int whom)
{
	*place = (struct place){.whom = whom, .is_wanted = true};
	for (size_t i = 0; i < set->events.count; i++) {
		struct counter *const counter = &place->counter[i];
		counter->fd = -1;
		if (!counts_there(set, i, whom))
			continue;
		counter->fd = linux_counter_open(&set->events.event[i], whom);
		if (counter->fd >= 0)
			linux_counter_read(counter->fd, &counter->last);
		else
			linux_counter_explain(&set->events.event[i], whom, set->root, errno, set->lacks[i]);
	}
}

static void close_place(const struct linux_counter_set *set, const struct place *place)
{
	for (size_t i = 0; i < set->events.count; i++)
		if (place->counter[i].fd >= 0)
			close(place->counter[i].fd);
}

struct linux_counter_set *linux_counter_set_open(const char *root, const struct linux_counter_events *events, bool of_started)
{
	struct linux_counter_set *const set = calloc(1, sizeof *set);
	if (!set)
		return NULL;
	set->root = root;
	set->events = *events;
	for (size_t i = 0; i < events->count; i++)
		if (events->event[i].is_of_pmu)
			set->unresolved[i] =
				linux_counter_pmu_resolve(root, &set->events.event[i], &set->cpus[i], set->lacks[i]) != 0;
	if (!of_started)
		return set;
	set->place = malloc(sizeof *set->place);
	if (!set->place) {
		linux_counter_set_close(set);
		return NULL;
	}
	open_place(set, &set->place[set->places++], LINUX_COUNTER_OF_STARTED);
	return set;
}

void linux_counter_set_close(struct linux_counter_set *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < set->places; i++)
		close_place(set, &set->place[i]);
	for (size_t i = 0; i < set->events.count; i++)
		free(set->cpus[i]);
	free(set->place);
	free(set);
}

/* ---- Processors ------------------------------------------------------------------------------------------------------- */

static struct place *find_place(struct linux_counter_set *set, unsigned id)
{
	for (size_t i = 0; i < set->places; i++)
		if (set->place[i].whom == (int)id)
			return &set->place[i];
	return NULL;
}

/* Those that are gone; the others move together. */
static void drop_places(struct linux_counter_set *set)
{
	size_t kept = 0;
	for (size_t i = 0; i < set->places; i++) {
		if (set->place[i].is_wanted)
			set->place[kept++] = set->place[i];
		else
			close_place(set, &set->place[i]);
	}
	set->places = kept;
}

/* Said at once and of all events, rather than by some of them that find no descriptor left. */
static bool has_room(struct linux_counter_set *set, size_t processors)
{
	struct rlimit limit;
	const size_t needed = processors * set->events.count;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || needed + OTHER_FILES <= limit.rlim_cur)
		return true;
	for (size_t i = 0; i < set->events.count; i++)
		snprintf(set->lacks[i], sizeof set->lacks[i],
			"%zu event%s on %zu processor%s take %zu open files and some more, and ulimit -n allows %llu",
			set->events.count, set->events.count == 1 ? "" : "s", processors, processors == 1 ? "" : "s", needed,
			(unsigned long long)limit.rlim_cur);
	return false;
}

/* As nearly always: nothing has changed. */
static bool is_followed(const struct linux_counter_set *set, const unsigned *id, size_t count)
{
	for (size_t i = 0; i < count && i < set->places; i++)
		if (set->place[i].whom != (int)id[i])
			return false;
	return set->places == count;
}

int linux_counter_set_follow(struct linux_counter_set *set, const unsigned *id, size_t count)
{
	size_t known = 0;
	if (is_followed(set, id, count))
		return 0;
	for (size_t i = 0; i < set->places; i++)
		set->place[i].is_wanted = false;
	for (size_t i = 0; i < count; i++) {
		struct place *const place = find_place(set, id[i]);
		known += place != NULL;
		if (place)
			place->is_wanted = true;
	}
	drop_places(set);
	if (known == count || !has_room(set, count))
		return 0;
	struct place *const larger = realloc(set->place, count * sizeof *larger);
	if (!larger)
		return -1;
	set->place = larger;
	for (size_t i = 0; i < count; i++)
		if (!find_place(set, id[i]))
			open_place(set, &set->place[set->places++], (int)id[i]);
	return 0;
}

/* ---- Reading ---------------------------------------------------------------------------------------------------------- */

const char *linux_counter_set_lacks(const struct linux_counter_set *set, size_t event)
{
	bool is_counted = false;
	for (size_t i = 0; i < set->places; i++) {
		const bool counts = counts_there(set, event, set->place[i].whom);
		if (counts && set->place[i].counter[event].fd < 0)
			return set->lacks[event];
		is_counted |= counts;
	}
	if (is_counted)
		return NULL;
	return set->lacks[event][0] ? set->lacks[event] : "it counts on none of these processors";
}

/* The kernel's times, rather than ours: nothing comes between them and the numbers. */
static void read_event(struct linux_counter_set *set, size_t event)
{
	struct linux_counter_reading now;
	uint64_t longest_ns = 0;
	for (size_t i = 0; i < set->places; i++) {
		struct counter *const counter = &set->place[i].counter[event];
		if (counter->fd < 0 || linux_counter_read(counter->fd, &now) != 0)
			continue;
		linux_counter_add(&set->growth[event].sum, &counter->last, &now);
		if (now.enabled > counter->last.enabled && now.enabled - counter->last.enabled > longest_ns)
			longest_ns = now.enabled - counter->last.enabled;
		counter->last = now;
	}
	set->growth[event].longest_ns += longest_ns;
}

void linux_counter_set_read(struct linux_counter_set *set)
{
	for (size_t event = 0; event < set->events.count; event++)
		read_event(set, event);
}

struct linux_counter_growth linux_counter_set_take(struct linux_counter_set *set, size_t event)
{
	const struct linux_counter_growth growth = set->growth[event];
	set->growth[event] = (struct linux_counter_growth){0};
	return growth;
}
