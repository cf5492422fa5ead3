/* SPDX-License-Identifier: MIT */
/* Files are opened for each reading: they go away with their processor, and a thousand of them would be too many to keep. */
#include "cpuload/idle_states.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "self/source.h"

#define PATH_SIZE 96

struct state {
	bool is_there;
	uint64_t time_us, entries;
};

/* What a processor said, its states in the order of the names. */
struct processor {
	unsigned id;
	struct state state[LINUX_IDLE_STATES_MAX];
};

struct reading {
	struct processor *processor;
	size_t count;
	int64_t when_ns;
};

struct linux_idle_states {
	const char *root;
	char name[LINUX_IDLE_STATES_MAX][LINUX_IDLE_NAME_MAX];
	size_t names;
	struct reading before, now;
};

static const char *path_of(unsigned id, size_t state, const char *file, char path[static PATH_SIZE])
{
	snprintf(path, PATH_SIZE, "/sys/devices/system/cpu/cpu%u/cpuidle/state%zu/%s", id, state, file);
	return path;
}

static bool read_name(const char *root, unsigned id, size_t state, char name[static LINUX_IDLE_NAME_MAX])
{
	char path[PATH_SIZE];
	return linux_source_line(root, path_of(id, state, "name", path), name, LINUX_IDLE_NAME_MAX);
}

static bool read_number(const char *root, unsigned id, size_t state, const char *file, uint64_t *value)
{
	char path[PATH_SIZE];
	return linux_source_number(root, path_of(id, state, file, path), value);
}

/* The place of a name among those that are known, or their number. */
static size_t find_name(const struct linux_idle_states *states, const char *name)
{
	size_t i = 0;
	while (i < states->names && strcmp(states->name[i], name) != 0)
		i++;
	return i;
}

/* Kinds of cores have lists of their own; a state is known by its name. */
static void learn_names(struct linux_idle_states *states, unsigned id)
{
	char name[LINUX_IDLE_NAME_MAX];
	for (size_t i = 0; i < LINUX_IDLE_STATES_MAX && read_name(states->root, id, i, name); i++)
		if (find_name(states, name) == states->names && states->names < LINUX_IDLE_STATES_MAX)
			memcpy(states->name[states->names++], name, sizeof name);
}

struct linux_idle_states *linux_idle_states_open(const char *root, const unsigned *id, size_t count)
{
	struct linux_idle_states *const states = calloc(1, sizeof *states);
	if (!states)
		return NULL;
	states->root = root;
	for (size_t i = 0; i < count; i++)
		learn_names(states, id[i]);
	if (states->names > 0)
		return states;
	free(states);
	errno = ENOENT;
	return NULL;
}

void linux_idle_states_close(struct linux_idle_states *states)
{
	if (!states)
		return;
	free(states->before.processor);
	free(states->now.processor);
	free(states);
}

size_t linux_idle_states_count(const struct linux_idle_states *states)
{
	return states->names;
}

const char *linux_idle_states_name(const struct linux_idle_states *states, size_t state)
{
	return states->name[state];
}

static void read_processor(const struct linux_idle_states *states, unsigned id, struct processor *processor)
{
	char name[LINUX_IDLE_NAME_MAX];
	*processor = (struct processor){.id = id};
	for (size_t i = 0; i < LINUX_IDLE_STATES_MAX && read_name(states->root, id, i, name); i++) {
		const size_t place = find_name(states, name);
		if (place == states->names)
			continue;
		struct state *const state = &processor->state[place];
		state->is_there = read_number(states->root, id, i, "time", &state->time_us) &&
				  read_number(states->root, id, i, "usage", &state->entries);
	}
}

int linux_idle_states_read(struct linux_idle_states *states, const unsigned *id, size_t count, int64_t when_ns)
{
	struct processor *const processor = calloc(count ? count : 1, sizeof *processor);
	if (!processor)
		return -1;
	for (size_t i = 0; i < count; i++)
		read_processor(states, id[i], &processor[i]);
	free(states->before.processor);
	states->before = states->now;
	states->now = (struct reading){.processor = processor, .count = count, .when_ns = when_ns};
	return 0;
}

/* The state of the same processor in the reading before; NULL where it has no growth: it wasn't there, or has begun anew. */
static const struct state *find_before(const struct linux_idle_states *states, size_t at, size_t state)
{
	const struct processor *const now = &states->now.processor[at];
	const struct processor *found = NULL;
	if (at < states->before.count && states->before.processor[at].id == now->id)
		found = &states->before.processor[at];
	for (size_t i = 0; !found && i < states->before.count; i++)
		if (states->before.processor[i].id == now->id)
			found = &states->before.processor[i];
	if (!found || !found->state[state].is_there || !now->state[state].is_there)
		return NULL;
	const bool grows = now->state[state].time_us >= found->state[state].time_us &&
			   now->state[state].entries >= found->state[state].entries;
	return grows ? &found->state[state] : NULL;
}

struct linux_idle_growth linux_idle_states_growth(const struct linux_idle_states *states, size_t state)
{
	const double seconds = ((double)states->now.when_ns - (double)states->before.when_ns) / 1e9;
	double time_s = 0, entries = 0;
	size_t processors = 0;
	for (size_t i = 0; i < states->now.count; i++) {
		const struct state *const before = find_before(states, i, state);
		const struct state *const now = &states->now.processor[i].state[state];
		if (!before)
			continue;
		time_s += (double)(now->time_us - before->time_us) / 1e6;
		entries += (double)(now->entries - before->entries);
		processors++;
	}
	if (processors == 0 || !(seconds > 0))
		return (struct linux_idle_growth){NAN, NAN};
	return (struct linux_idle_growth){time_s / seconds / (double)processors, entries / seconds};
}
