/* SPDX-License-Identifier: MIT */
#include "record/counted.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/log_columns.h"
#include "meters/counter_handover.h"

static const struct linux_counter_reading none;

/* Tried on ourselves: what can't be had is to be known before a workload is started. */
static int find_lacks(struct counted *counted, const char *root)
{
	struct linux_counter_set *const trial = linux_counter_set_open(root, &counted->events);
	const bool is_open = trial && (!linux_counter_set_has_room(trial, counted->workloads, "workload") ||
					      linux_counter_set_add(trial) == 0);
	bool is_lacking = true;
	for (size_t i = 0; is_open && i < counted->events.count; i++) {
		const char *const lacks = linux_counter_set_lacks(trial, i);
		snprintf(counted->lacks[i], sizeof counted->lacks[i], "%s", lacks ? lacks : "");
		is_lacking = is_lacking && lacks;
	}
	linux_counter_set_close(trial);
	if (is_open && !is_lacking)
		counted->set = linux_counter_set_open(root, &counted->events);
	return is_open && (is_lacking || counted->set) ? 0 : -1;
}

int counted_open(struct counted *counted, const char *root, const struct linux_counter_events *events, unsigned workloads,
	const unsigned *group)
{
	*counted = (struct counted){.events = *events, .workloads = workloads, .socket = malloc(workloads * sizeof(int))};
	for (unsigned i = 0; i < workloads; i++)
		if (group[i] >= counted->groups)
			counted->groups = group[i] + 1;
	counted->lacks = calloc(events->count, sizeof *counted->lacks);
	counted->group = calloc(workloads, sizeof *counted->group);
	counted->sum = calloc(workloads * events->count, sizeof *counted->sum);
	counted->interval = calloc((1 + counted->groups) * events->count, sizeof *counted->interval);
	if (!counted->lacks || !counted->socket || !counted->group || !counted->sum || !counted->interval)
		return -1;
	memcpy(counted->group, group, workloads * sizeof *group);
	return find_lacks(counted, root);
}

void counted_close(struct counted *counted)
{
	linux_counter_set_close(counted->set);
	for (unsigned i = counted->received; i < counted->forked; i++)
		close(counted->socket[i]);
	free(counted->socket);
	free(counted->lacks);
	free(counted->group);
	free(counted->sum);
	free(counted->interval);
	*counted = (struct counted){0};
}

/* ---- Executors -------------------------------------------------------------------------------------------------------- */

int counted_before_fork(struct counted *counted)
{
	return counted->set ? socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, counted->pair) : 0;
}

void counted_in_child(const struct counted *counted)
{
	if (!counted->set)
		return;
	counter_handover_send(counted->set, counted->pair[1]);
	close(counted->pair[0]);
	close(counted->pair[1]);
}

void counted_after_fork(struct counted *counted)
{
	if (!counted->set)
		return;
	close(counted->pair[1]);
	counted->socket[counted->forked++] = counted->pair[0];
}

/* What worked when it was tried, but not in an executor. */
static void note_lacks(struct counted *counted)
{
	for (size_t i = 0; i < counted->events.count; i++) {
		const char *const lacks = linux_counter_set_lacks(counted->set, i);
		if (!lacks || counted->lacks[i][0])
			continue;
		snprintf(counted->lacks[i], sizeof counted->lacks[i], "%s", lacks);
		diag("--log-counters: %s is unavailable: %s", counted->events.event[i].name, lacks);
	}
}

/* Executors have sent their counters before they started a workload. */
static void receive(struct counted *counted)
{
	if (!counted->set || counted->received == counted->forked)
		return;
	for (; counted->received < counted->forked; counted->received++) {
		if (counter_handover_receive(counted->set, counted->socket[counted->received]) != 0)
			return;
		close(counted->socket[counted->received]);
	}
	note_lacks(counted);
}

const char *counted_lacks(const struct counted *counted, size_t event)
{
	return counted->lacks[event][0] ? counted->lacks[event] : NULL;
}

/* ---- Intervals -------------------------------------------------------------------------------------------------------- */

/* The sum of all (0), or of a group (from 1), in the last interval. */
static struct linux_counter_reading *interval_of(const struct counted *counted, size_t whose, size_t event)
{
	return &counted->interval[whose * counted->events.count + event];
}

void counted_start(struct counted *counted)
{
	receive(counted);
	counted_take(counted, false);
}

void counted_take(struct counted *counted, bool counts)
{
	if (!counted->set)
		return;
	const int64_t now_ns = clock_now();
	const size_t events = counted->events.count;
	memset(counted->interval, 0, (1 + counted->groups) * events * sizeof *counted->interval);
	linux_counter_set_read(counted->set);
	for (unsigned i = 0; i < counted->received; i++) {
		for (size_t event = 0; event < events; event++) {
			const struct linux_counter_reading growth = linux_counter_set_take_of(counted->set, i, event);
			linux_counter_add(interval_of(counted, 0, event), &none, &growth);
			linux_counter_add(interval_of(counted, 1 + counted->group[i], event), &none, &growth);
			if (counts)
				linux_counter_add(&counted->sum[i * events + event], &none, &growth);
		}
	}
	counted->interval_s = (double)(now_ns - counted->since_ns) / 1e9;
	if (counts)
		counted->seconds += counted->interval_s;
	counted->since_ns = now_ns;
}

/* ---- Columns ---------------------------------------------------------------------------------------------------------- */

static size_t columns_of_event(const struct counted *counted)
{
	return counted->groups > 1 ? 1 + counted->groups : 1;
}

size_t counted_columns(const struct counted *counted)
{
	return counted->events.count * columns_of_event(counted);
}

void counted_column_name(const struct counted *counted, size_t column, char name[static COUNTED_COLUMN_MAX])
{
	const size_t whose = column % columns_of_event(counted);
	char event[LINUX_COUNTER_NAME_MAX];
	column_name(counted->events.event[column / columns_of_event(counted)].name, event, sizeof event);
	if (whose == 0)
		snprintf(name, COUNTED_COLUMN_MAX, "%s_per_s", event);
	else
		snprintf(name, COUNTED_COLUMN_MAX, "%s_g%zu_per_s", event, whose - 1);
}

double counted_column(const struct counted *counted, size_t column)
{
	const size_t event = column / columns_of_event(counted);
	const double count = counted_value(counted, event, interval_of(counted, column % columns_of_event(counted), event));
	return counted->interval_s > 0 ? count / counted->interval_s : NAN;
}

/* ---- Sums ------------------------------------------------------------------------------------------------------------- */

struct linux_counter_reading counted_of_workload(const struct counted *counted, unsigned workload, size_t event)
{
	return counted->sum[workload * counted->events.count + event];
}

static struct linux_counter_reading add_up(const struct counted *counted, bool all, unsigned group, size_t event)
{
	struct linux_counter_reading sum = none;
	for (unsigned i = 0; i < counted->workloads; i++) {
		const struct linux_counter_reading one = counted_of_workload(counted, i, event);
		if (all || counted->group[i] == group)
			linux_counter_add(&sum, &none, &one);
	}
	return sum;
}

struct linux_counter_reading counted_of_group(const struct counted *counted, unsigned group, size_t event)
{
	return add_up(counted, false, group, event);
}

struct linux_counter_reading counted_of_all(const struct counted *counted, size_t event)
{
	return add_up(counted, true, 0, event);
}

double counted_value(const struct counted *counted, size_t event, const struct linux_counter_reading *reading)
{
	return counted_lacks(counted, event) ? NAN : linux_counter_scaled(reading);
}
