/* SPDX-License-Identifier: MIT */
#include "ssiterate/wait.h"

#include <poll.h>

#include "base/clock.h"
#include "base/units.h"
#include "processes/process_handle.h"
#include "ssiterate/command.h"
#include "ssiterate/lines.h"

#define VICTIM_POLL_NS (10 * NS_PER_MS)

/* Waits until that moment (INT64_MAX: for ever) and serves what happens. False when nothing did. */
static bool attend(struct iterate *iterate, int64_t until_ns)
{
	struct pollfd event[3] = {
		{.fd = iterate->signals, .events = POLLIN}, lines_event(&iterate->stream[0]), lines_event(&iterate->stream[1])};
	struct timespec left = {0};
	const int64_t left_ns = until_ns - clock_now();
	if (left_ns > 0) {
		left.tv_sec = left_ns / NS_PER_S;
		left.tv_nsec = left_ns % NS_PER_S;
	}
	if (ppoll(event, 3, until_ns == INT64_MAX ? NULL : &left, NULL) <= 0)
		return false;
	/* Output first: it was written before the command ended. */
	for (int i = 0; i < 2; i++)
		if (event[1 + i].revents)
			lines_serve(iterate, &iterate->stream[i]);
	if (event[0].revents)
		command_fetch_signals(iterate);
	return true;
}

static bool has_victims(const struct iterate *iterate)
{
	for (size_t i = 0; i < iterate->victims.count; i++) {
		const struct process victim = process_of(&iterate->victims.item[i].process);
		if (!process_has_ended(&victim))
			return true;
	}
	return false;
}

void wait_for_command(struct iterate *iterate)
{
	while (iterate->command > 0 || (iterate->kill_ns != INT64_MAX && has_victims(iterate))) {
		const int64_t now_ns = clock_now();
		if (now_ns >= iterate->deadline_ns)
			command_finish(iterate);
		if (now_ns >= iterate->kill_ns) {
			command_signal_all(iterate, SIGKILL);
			iterate->kill_ns = INT64_MAX;
		}
		int64_t until_ns = iterate->kill_ns;
		if (iterate->deadline_ns < until_ns && now_ns < iterate->deadline_ns)
			until_ns = iterate->deadline_ns;
		/* Whether the command's descendants are still there must be asked. */
		if (iterate->command <= 0 && now_ns + VICTIM_POLL_NS < until_ns)
			until_ns = now_ns + VICTIM_POLL_NS;
		attend(iterate, until_ns);
	}
}

void wait_for_output(struct iterate *iterate)
{
	/* What descendants write from now on would never end. */
	for (int i = 0; i < 2; i++)
		lines_bound(&iterate->stream[i]);
	for (;;) {
		const bool pending = lines_are_pending(&iterate->stream[0]) || lines_are_pending(&iterate->stream[1]);
		if (pending && iterate->told_by)
			break;
		if (!attend(iterate, pending ? INT64_MAX : 0) && !pending)
			break;
		if (!pending && iterate->stream[0].from < 0 && iterate->stream[1].from < 0)
			break;
	}
	for (int i = 0; i < 2; i++)
		if (iterate->stream[i].from >= 0)
			lines_close(iterate, &iterate->stream[i]);
}
