/* SPDX-License-Identifier: MIT */
/*
 * Any text is a list of events or refused with a message. What is taken has names of its own, which say the same events again, and which
 * make different names of columns. Behind a slash at the beginning the text is a PMU's format, which no value may break.
 */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log_columns.h"
#include "meters/counter_event.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool condition)
{
	if (!condition)
		abort();
}

static void check_event(const struct linux_counter_event *event)
{
	static struct linux_counter_events again;
	char error[LINUX_COUNTER_ERROR_MAX], column[LINUX_COUNTER_NAME_MAX];
	check(strlen(event->name) < LINUX_COUNTER_NAME_MAX);
	check(linux_counter_events_parse(event->name, &again, error) == 0 && again.count == 1);
	check(again.event[0].type == event->type && again.event[0].config == event->config);
	check(again.event[0].only_user == event->only_user && again.event[0].is_of_pmu == event->is_of_pmu);
	check(strcmp(again.event[0].name, event->name) == 0);
	column_name(event->name, column, sizeof column);
	check(isalnum((unsigned char)*column));
	for (const char *at = column; *at; at++)
		check(isalnum((unsigned char)*at) || *at == '_');
}

static void check_list(const char *text)
{
	static struct linux_counter_events events;
	char error[LINUX_COUNTER_ERROR_MAX] = "";
	if (linux_counter_events_parse(text, &events, error) != 0) {
		check(*error);
		return;
	}
	check(events.count > 0 && events.count <= LINUX_COUNTER_EVENTS_MAX);
	for (size_t i = 0; i < events.count; i++)
		check_event(&events.event[i]);
}

static void check_format(const char *text)
{
	struct linux_counter_event ones = {.config = UINT64_MAX, .config1 = UINT64_MAX, .config2 = UINT64_MAX}, zeros = {0};
	check(linux_counter_pmu_place(text, 0, &ones) == linux_counter_pmu_place(text, 0, &zeros));
	check(!zeros.config && !zeros.config1 && !zeros.config2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *const text = strndup((const char *)data, size);
	check(text);
	if (*text == '/')
		check_format(text + 1);
	else
		check_list(text);
	free(text);
	return 0;
}
