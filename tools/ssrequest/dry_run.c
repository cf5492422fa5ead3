/* SPDX-License-Identifier: MIT */
#include "ssrequest/dry_run.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/units.h"
#include "self/scheduling.h"

/* So many are counted, for so long; who asks for more has an endless run in mind. */
#define COUNTED_MAX UINT64_C(100000000)
#define COUNTING_NS (5 * NS_PER_S)

/* 0: the schedule has no end. *is_all: it was counted until that. */
static uint64_t count_requests(const struct schedule_settings *settings, bool *is_all)
{
	struct schedule schedule;
	const int64_t deadline_ns = clock_now() + COUNTING_NS;
	int64_t when_ns = 0;
	*is_all = true;
	if (settings->length_ns == INT64_MAX && settings->most == UINT64_MAX)
		return 0;
	schedule_init(&schedule, settings);
	for (unsigned i = 1; schedule_next(&schedule, &when_ns) != SCHEDULE_END && *is_all; i++)
		*is_all = schedule.count < COUNTED_MAX && (i % 1024 != 0 || clock_now() < deadline_ns);
	return schedule.count;
}

static void print_when(const struct settings *settings, const struct schedule_settings *schedule)
{
	char text[UNITS_TEXT_MAX];
	bool is_all;
	const uint64_t requests = count_requests(schedule, &is_all);
	if (settings->trace)
		printf("rate        %.10g a second times the loads of trace module %s %s\n", settings->peak, settings->trace,
			settings->trace_options ? settings->trace_options : "");
	else
		printf("rate        %.10g a second\n", settings->rate);
	const struct tool_option *row = ssrequest_options;
	while (row->offset != offsetof(struct settings, arrivals) || row->takes != TOOL_CHOICE)
		row++;
	printf("arrivals    %s, seed %" PRId64 "\n", row->choices[settings->arrivals], settings->seed);
	printf("run time    %s\n",
		schedule->length_ns == INT64_MAX ? "until it is interrupted" : units_print_time(schedule->length_ns, text));
	if (requests || !is_all)
		printf("requests    %" PRIu64 "%s\n", requests, is_all ? "" : " or more: the rest was not counted");
	printf("unanswered  at most %" PRId64 "; others are %s\n", settings->limit,
		settings->beyond == BEYOND_DROP ? "dropped" : "postponed");
	printf("given up    after %s\n", units_print_time(settings->timeout_ns, text));
}

void dry_run_show(const struct settings *settings, const struct schedule_settings *schedule)
{
	struct scheduling user;
	print_when(settings, schedule);
	for (size_t i = 0; i < settings->targets.count; i++)
		printf("%s         %zu: %s, %.4g %%\n", i == 0 ? "url" : "   ", i, settings->targets.item[i].url,
			100 * settings->targets.item[i].weight / settings->targets.weight);
	if (settings->command) {
		fputs("command    ", stdout);
		for (char **word = settings->command; *word; word++)
			printf(" %s", *word);
		putchar('\n');
	}
	scheduling_save(&user);
	const struct scheduling_grant grant = scheduling_try(&user);
	printf("priority    %s\n", grant.grant == GRANT_FIFO   ? "real-time"
				   : grant.grant == GRANT_NICE ? "a low nice value"
							       : "that of any program");
}
