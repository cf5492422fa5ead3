/* SPDX-License-Identifier: MIT */
/*
 * What fails at once again and again must not keep the machine busy with starting it, nor may what does next to nothing: the load that
 * is measured would be that of starts. What works is started again soon, because the gap would show in the load.
 */
#include "control/respawn.h"

#include "base/units.h"

#define DELAY_LEAST_NS (100 * NS_PER_MS)
#define DELAY_MOST_NS NS_PER_S
/* Who lives so long is past its difficulties. */
#define WELL_NS NS_PER_S
/* A start takes a millisecond or two. */
#define WORK_NS (10 * NS_PER_MS)

int64_t respawn_delay(int64_t previous_ns, const struct respawn_life *life)
{
	const bool worked = !life->failed && life->cpu_ns >= WORK_NS;
	if (worked || life->lived_ns >= WELL_NS || previous_ns < DELAY_LEAST_NS)
		return DELAY_LEAST_NS;
	return previous_ns < DELAY_MOST_NS / 2 ? 2 * previous_ns : DELAY_MOST_NS;
}
