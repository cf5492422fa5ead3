/* SPDX-License-Identifier: MIT */
#include "cpuload/counted.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/log_columns.h"

/* The numbers of the processors that are measured and online. */
static int list_processors(struct counted *counted, const struct busy_reading *reading)
{
	if (reading->count > counted->room) {
		unsigned *const larger = realloc(counted->id, reading->count * sizeof *larger);
		if (!larger)
			return -1;
		counted->id = larger;
		counted->room = reading->count;
	}
	const struct sst_cpus *const cpus = counted->settings->cpus;
	counted->ids = 0;
	for (size_t i = 0; i < reading->count; i++)
		if (!cpus || cpus_contain(cpus, reading->cpu[i].id))
			counted->id[counted->ids++] = reading->cpu[i].id;
	return 0;
}

static void open_idle(struct counted *counted)
{
	counted->idle = linux_idle_states_open(counted->settings->sysroot, counted->id, counted->ids);
	if (!counted->idle)
		diag("column idle is unavailable: no processor has a cpuidle/state0 below %s/sys/devices/system/cpu",
			counted->settings->sysroot);
}

static void open_counters(struct counted *counted)
{
	const struct linux_counter_events *const events = &counted->settings->counters;
	counted->counters = linux_counter_set_open(counted->settings->sysroot, events);
	if (!counted->counters || linux_counter_set_follow(counted->counters, counted->id, counted->ids) != 0) {
		diag("columns of counters are unavailable: %s", strerror(errno));
		return;
	}
	for (size_t i = 0; i < events->count; i++) {
		const char *const lacks = linux_counter_set_lacks(counted->counters, i);
		if (lacks)
			diag("column %s is unavailable: %s", events->event[i].name, lacks);
	}
}

void counted_open(struct counted *counted, const struct settings *settings, const struct busy_reading *reading)
{
	*counted = (struct counted){.settings = settings};
	if (list_processors(counted, reading) != 0)
		diag("columns of counters and idle states are unavailable: %s", strerror(errno));
	else if (settings->column[COLUMN_IDLE])
		open_idle(counted);
	if (settings->counters.count > 0)
		open_counters(counted);
}

void counted_close(struct counted *counted)
{
	linux_counter_set_close(counted->counters);
	linux_idle_states_close(counted->idle);
	free(counted->id);
	*counted = (struct counted){0};
}

/* ---- Columns ---------------------------------------------------------------------------------------------------------- */

static size_t count_states(const struct counted *counted)
{
	return counted->idle ? linux_idle_states_count(counted->idle) : 0;
}

size_t counted_columns(const struct counted *counted)
{
	return 2 * count_states(counted) + counted->settings->counters.count;
}

size_t counted_name(const struct counted *counted, struct row_column *column)
{
	char name[LINUX_COUNTER_NAME_MAX];
	size_t used = 0;
	for (size_t i = 0; i < count_states(counted); i++) {
		const char *const state = linux_idle_states_name(counted->idle, i);
		struct row_column *const share = &column[used++], *const entries = &column[used++];
		column_name(state, name, sizeof name);
		*share = (struct row_column){.decimals = 6, .table_decimals = 2, .table_scale = 100};
		*entries = (struct row_column){.decimals = 3, .table_decimals = 1, .table_scale = 1};
		snprintf(share->name, sizeof share->name, "idle_%.50s", name);
		snprintf(share->title, sizeof share->title, "%.50s %%", state);
		snprintf(entries->name, sizeof entries->name, "idle_%.50s_per_s", name);
		snprintf(entries->title, sizeof entries->title, "%.50s/s", state);
	}
	for (size_t i = 0; i < counted->settings->counters.count; i++) {
		const char *const event = counted->settings->counters.event[i].name;
		struct row_column *const rate = &column[used++];
		column_name(event, name, sizeof name);
		*rate = (struct row_column){.decimals = 3, .table_decimals = 1, .table_scale = 1};
		snprintf(rate->name, sizeof rate->name, "%s_per_s", name);
		snprintf(rate->title, sizeof rate->title, "%s/s", event);
	}
	return used;
}

/* ---- Values ----------------------------------------------------------------------------------------------------------- */

int counted_read(struct counted *counted, const struct busy_reading *reading)
{
	const bool is_asked = counted->counters || counted->idle;
	if (!is_asked || list_processors(counted, reading) != 0)
		return is_asked ? -1 : 0;
	if (counted->idle && linux_idle_states_read(counted->idle, counted->id, counted->ids, clock_now()) != 0)
		return -1;
	if (!counted->counters)
		return 0;
	/* Those of a processor that has gone tell what they counted before. */
	linux_counter_set_read(counted->counters);
	return linux_counter_set_follow(counted->counters, counted->id, counted->ids);
}

static void tell_of_sharing(struct counted *counted, const char *event, double share)
{
	if (share >= 1 || counted->is_shared || counted->settings->quiet)
		return;
	counted->is_shared = true;
	diag("%s was counted for %.0f %% of the time, as there are more events than the processor can count at once; rows have "
	     "estimates from that",
		event, 100 * share);
}

size_t counted_take(struct counted *counted, double *value)
{
	const struct linux_counter_events *const events = &counted->settings->counters;
	size_t used = 0;
	for (size_t i = 0; i < count_states(counted); i++) {
		const struct linux_idle_growth growth = linux_idle_states_growth(counted->idle, i);
		value[used++] = growth.share;
		value[used++] = growth.entries;
	}
	for (size_t i = 0; i < events->count; i++) {
		double *const rate = &value[used++];
		*rate = NAN;
		if (!counted->counters)
			continue;
		const struct linux_counter_growth growth = linux_counter_set_take(counted->counters, i);
		if (linux_counter_set_lacks(counted->counters, i) || growth.longest_ns == 0)
			continue;
		*rate = linux_counter_scaled(&growth.sum) / ((double)growth.longest_ns / 1e9);
		tell_of_sharing(counted, events->event[i].name, linux_counter_share(&growth.sum));
	}
	return used;
}
