/* SPDX-License-Identifier: MIT */
/*
 * Each counter stands alone, in no group: a group that doesn't fit the processor's counters as a whole would never count at all.
 *
 * What is started is counted from its exec on: the counter is opened off, is inherited by every child, and exec turns on that of the
 * process which calls it. So who opens it, and forks without exec, isn't counted, and no process that it starts is missed.
 *
 * Where one process switches to another with counters inherited from the same ones, the kernel exchanges them instead of turning
 * one off and the other on. The exec of a child would then use up the one turn of the original, and nothing that is started later
 * be counted. (Seen on Linux 6.18: one of fifty.) It doesn't where one of them has a counter that isn't inherited.
 */
#include "meters/counter_set.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cpus.h"
#include "meters/counter_event.h"
#include "self/source.h"

/* ---- One counter ---------------------------------------------------------------------------------------------------- */

int linux_counter_open(const struct linux_counter_event *event, const struct linux_counter_scope *scope)
{
	const bool is_of_started = scope->is_of_started;
	struct perf_event_attr attributes = {
		.size = sizeof attributes,
		.type = event->type,
		.config = event->config,
		.config1 = event->config1,
		.config2 = event->config2,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_kernel = event->only_user,
		.exclude_hv = event->only_user,
		.exclude_user = event->only_kernel,
		.disabled = is_of_started,
		.inherit = is_of_started,
		.enable_on_exec = is_of_started,
	};
	const pid_t pid = is_of_started ? 0 : -1;
	const int cpu = is_of_started ? -1 : (int)scope->cpu;
	return (int)syscall(SYS_perf_event_open, &attributes, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/*
 * A descriptor, or -1 with errno, that whoever opens counters of what it starts opens before them, and keeps open. Without it the
 * kernel may exchange its counters for those of a child.
 */
static int open_guard(void)
{
	struct perf_event_attr attributes = {.size = sizeof attributes,
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1};
	return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

int linux_counter_read(int fd, struct linux_counter_reading *reading)
{
	ssize_t got;
	_Static_assert(sizeof *reading == 3 * sizeof(uint64_t), "as the kernel writes it");
	do
		got = read(fd, reading, sizeof *reading);
	while (got < 0 && errno == EINTR);
	if (got == (ssize_t)sizeof *reading)
		return 0;
	if (got >= 0)
		errno = ENODATA;
	return -1;
}

/* ---- Why not ---------------------------------------------------------------------------------------------------------- */

int linux_counter_paranoid(const char *root)
{
	char text[32];
	if (!linux_source_line(root, "/proc/sys/kernel/perf_event_paranoid", text, sizeof text))
		return -2;
	return (int)strtol(text, NULL, 10);
}

int linux_counter_paranoid_most(const struct linux_counter_event *event, bool is_of_started)
{
	return !is_of_started ? 0 : event->only_user ? 2 : 1;
}

static const char *why(const struct linux_counter_event *event, int error)
{
	switch (error) {
	case ENOENT:
	case ENXIO:
		return linux_counter_is_software(event)
			       ? "this kernel has no such event"
			       : "this machine has no such hardware event, as most virtual machines have none";
	case EINVAL:
		return "the processor or the kernel can't count this, or not this way";
	case ENOSYS:
		return "this kernel was built without performance events";
	case EOPNOTSUPP:
		return "the processor's counters can't do this";
	case E2BIG:
		return "this kernel doesn't know such attributes of events yet";
	case EBUSY:
		return "another program keeps the counter for itself";
	case EMFILE:
		return "too many open files (ulimit -n)";
	default:
		return strerror(error);
	}
}

void linux_counter_explain(const struct linux_counter_event *event, bool is_of_started, const char *root, int error,
	char text[static LINUX_COUNTER_ERROR_MAX])
{
	const int paranoid = linux_counter_paranoid(root), most = linux_counter_paranoid_most(event, is_of_started);
	if (error != EACCES && error != EPERM)
		snprintf(text, LINUX_COUNTER_ERROR_MAX, "%s", why(event, error));
	else if (paranoid > most)
		snprintf(text, LINUX_COUNTER_ERROR_MAX,
			"kernel.perf_event_paranoid is %d, and this needs %d or less, or CAP_PERFMON%s", paranoid, most,
			most == 1 && paranoid == 2
				? "; with :u behind its name the event leaves the kernel out, and needs neither"
				: "");
	else
		snprintf(text, LINUX_COUNTER_ERROR_MAX, "perf_event_open is not permitted, as in many containers");
}

/* ---- Numbers ---------------------------------------------------------------------------------------------------------- */

void linux_counter_add(
	struct linux_counter_reading *sum, const struct linux_counter_reading *before, const struct linux_counter_reading *now)
{
	/* None of them ever goes back, but for a counter that is another one now. */
	if (now->value < before->value || now->enabled < before->enabled || now->running < before->running)
		return;
	sum->value += now->value - before->value;
	sum->enabled += now->enabled - before->enabled;
	sum->running += now->running - before->running;
}

double linux_counter_scaled(const struct linux_counter_reading *growth)
{
	if (growth->running == 0)
		return growth->enabled == 0 ? 0 : NAN;
	return (double)growth->value / linux_counter_share(growth);
}

double linux_counter_share(const struct linux_counter_reading *growth)
{
	return growth->enabled == 0 || growth->running >= growth->enabled ? 1 : (double)growth->running / (double)growth->enabled;
}

/* Descriptors that the program needs beside those of counters. */
#define OTHER_FILES 64

/* ---- A set ---------------------------------------------------------------------------------------------------------- */

struct counter {
	int fd; /* -1: it isn't open */
	struct linux_counter_reading last, growth;
};

/* Counters of all events, of a processor or of what a process starts. */
struct place {
	struct linux_counter_scope scope;
	bool is_void; /* there is nothing to count */
	bool is_wanted;
	struct counter counter[LINUX_COUNTER_EVENTS_MAX];
};

struct linux_counter_set {
	const char *root;
	struct linux_counter_events events;
	struct sst_cpus *cpus[LINUX_COUNTER_EVENTS_MAX]; /* that the PMU counts on; NULL: all */
	bool unresolved[LINUX_COUNTER_EVENTS_MAX];
	char lacks[LINUX_COUNTER_EVENTS_MAX][LINUX_COUNTER_ERROR_MAX]; /* "": nothing was found to be in the way */
	struct linux_counter_growth left[LINUX_COUNTER_EVENTS_MAX];    /* by processors that have gone */
	struct place *place;
	size_t places;
	int guard; /* -1 for none */
};

static bool counts_there(const struct linux_counter_set *set, size_t event, const struct linux_counter_scope *scope)
{
	return !set->unresolved[event] &&
	       (scope->is_of_started || !set->cpus[event] || cpus_contain(set->cpus[event], scope->cpu));
}

/* Counts with a descriptor from now on, or notes why there is none. */
static void begin_counter(struct linux_counter_set *set, size_t event, const struct linux_counter_scope *scope,
	struct counter *counter, int fd, int error)
{
	counter->fd = fd;
	if (fd >= 0)
		linux_counter_read(fd, &counter->last);
	else
		linux_counter_explain(&set->events.event[event], scope->is_of_started, set->root, error, set->lacks[event]);
}

/* A descriptor, or -1 with errno. */
static int open_counter(struct linux_counter_set *set, size_t event, const struct linux_counter_scope *scope)
{
	if (scope->is_of_started && set->guard < 0 && (set->guard = open_guard()) < 0)
		return -1;
	return linux_counter_open(&set->events.event[event], scope);
}

static void open_place(struct linux_counter_set *set, struct linux_counter_scope scope)
{
	struct place *const place = &set->place[set->places++];
	*place = (struct place){.scope = scope, .is_wanted = true};
	for (size_t i = 0; i < set->events.count; i++) {
		struct counter *const counter = &place->counter[i];
		counter->fd = -1;
		if (!counts_there(set, i, &scope))
			continue;
		const int fd = open_counter(set, i, &scope);
		begin_counter(set, i, &scope, counter, fd, errno);
	}
}

static void close_place(const struct linux_counter_set *set, const struct place *place)
{
	for (size_t i = 0; i < set->events.count; i++)
		if (place->counter[i].fd >= 0)
			close(place->counter[i].fd);
}

struct linux_counter_set *linux_counter_set_open(const char *root, const struct linux_counter_events *events)
{
	struct linux_counter_set *const set = calloc(1, sizeof *set);
	if (!set)
		return NULL;
	set->root = root;
	set->guard = -1;
	set->events = *events;
	for (size_t i = 0; i < events->count; i++)
		if (events->event[i].is_of_pmu)
			set->unresolved[i] =
				linux_counter_pmu_resolve(root, &set->events.event[i], &set->cpus[i], set->lacks[i]) != 0;
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
	if (set->guard >= 0)
		close(set->guard);
	free(set->place);
	free(set);
}

bool linux_counter_set_has_room(struct linux_counter_set *set, size_t places, const char *what)
{
	struct rlimit limit;
	const size_t needed = places * set->events.count;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || needed + OTHER_FILES <= limit.rlim_cur)
		return true;
	for (size_t i = 0; i < set->events.count; i++)
		snprintf(set->lacks[i], sizeof set->lacks[i],
			"%zu event%s of %zu %s%s take %zu open files and some more, and ulimit -n allows %llu", set->events.count,
			set->events.count == 1 ? "" : "s", places, what, places == 1 ? "" : "s", needed,
			(unsigned long long)limit.rlim_cur);
	return false;
}

static int reserve(struct linux_counter_set *set, size_t places)
{
	struct place *const larger = realloc(set->place, places * sizeof *larger);
	if (!larger)
		return -1;
	set->place = larger;
	return 0;
}

/* ---- What is started -------------------------------------------------------------------------------------------------- */

static const struct linux_counter_scope of_started = {.is_of_started = true};

int linux_counter_set_add(struct linux_counter_set *set)
{
	if (reserve(set, set->places + 1) != 0)
		return -1;
	open_place(set, of_started);
	return 0;
}

void linux_counter_set_open_started(
	struct linux_counter_set *set, struct linux_counter_opened opened[static LINUX_COUNTER_EVENTS_MAX])
{
	for (size_t i = 0; i < LINUX_COUNTER_EVENTS_MAX; i++) {
		const bool is_known = i < set->events.count && !set->unresolved[i];
		const int fd = is_known ? open_counter(set, i, &of_started) : -1;
		opened[i] = (struct linux_counter_opened){fd, fd >= 0 ? 0 : is_known ? errno : ENOENT};
	}
}

int linux_counter_set_add_opened(struct linux_counter_set *set, const struct linux_counter_opened *opened)
{
	if (reserve(set, set->places + 1) != 0)
		return -1;
	struct place *const place = &set->place[set->places++];
	*place = (struct place){.scope = of_started, .is_wanted = true, .is_void = !opened};
	for (size_t i = 0; i < set->events.count; i++) {
		place->counter[i].fd = -1;
		if (opened && !set->unresolved[i])
			begin_counter(set, i, &of_started, &place->counter[i], opened[i].fd, opened[i].error);
	}
	return 0;
}

/* ---- Processors ------------------------------------------------------------------------------------------------------- */

static struct place *find_place(struct linux_counter_set *set, unsigned cpu)
{
	for (size_t i = 0; i < set->places; i++)
		if (set->place[i].scope.cpu == cpu)
			return &set->place[i];
	return NULL;
}

static void add_growth(struct linux_counter_growth *sum, struct linux_counter_reading *growth)
{
	const struct linux_counter_reading none = {0};
	linux_counter_add(&sum->sum, &none, growth);
	if (growth->enabled > sum->longest_ns)
		sum->longest_ns = growth->enabled;
	*growth = none;
}

/* Those that are gone leave what they counted; the others move together. */
static void drop_places(struct linux_counter_set *set)
{
	size_t kept = 0;
	for (size_t i = 0; i < set->places; i++) {
		struct place *const place = &set->place[i];
		if (place->is_wanted) {
			set->place[kept++] = *place;
			continue;
		}
		for (size_t event = 0; event < set->events.count; event++)
			add_growth(&set->left[event], &place->counter[event].growth);
		close_place(set, place);
	}
	set->places = kept;
}

/* As nearly always: nothing has changed. */
static bool is_followed(const struct linux_counter_set *set, const unsigned *id, size_t count)
{
	for (size_t i = 0; i < count && i < set->places; i++)
		if (set->place[i].scope.cpu != id[i])
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
	if (known == count || !linux_counter_set_has_room(set, count, "processor"))
		return 0;
	if (reserve(set, count) != 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (!find_place(set, id[i]))
			open_place(set, (struct linux_counter_scope){.cpu = id[i]});
	return 0;
}

/* ---- Reading ---------------------------------------------------------------------------------------------------------- */

const char *linux_counter_set_lacks(const struct linux_counter_set *set, size_t event)
{
	bool is_counted = false;
	for (size_t i = 0; i < set->places; i++) {
		const bool counts = !set->place[i].is_void && counts_there(set, event, &set->place[i].scope);
		if (counts && set->place[i].counter[event].fd < 0)
			return set->lacks[event];
		is_counted |= counts;
	}
	if (is_counted)
		return NULL;
	return set->lacks[event][0] ? set->lacks[event] : "there is nothing here that it counts";
}

void linux_counter_set_read(struct linux_counter_set *set)
{
	struct linux_counter_reading now;
	for (size_t i = 0; i < set->places; i++) {
		for (size_t event = 0; event < set->events.count; event++) {
			struct counter *const counter = &set->place[i].counter[event];
			if (counter->fd < 0 || linux_counter_read(counter->fd, &now) != 0)
				continue;
			linux_counter_add(&counter->growth, &counter->last, &now);
			counter->last = now;
		}
	}
}

struct linux_counter_growth linux_counter_set_take(struct linux_counter_set *set, size_t event)
{
	struct linux_counter_growth growth = set->left[event];
	set->left[event] = (struct linux_counter_growth){0};
	for (size_t i = 0; i < set->places; i++)
		add_growth(&growth, &set->place[i].counter[event].growth);
	return growth;
}

struct linux_counter_reading linux_counter_set_take_of(struct linux_counter_set *set, size_t place, size_t event)
{
	struct linux_counter_growth growth = {0};
	add_growth(&growth, &set->place[place].counter[event].growth);
	return growth.sum;
}
