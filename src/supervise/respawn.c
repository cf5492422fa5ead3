/* SPDX-License-Identifier: MIT */
/*
 * What ends at once again and again must not keep the machine busy with starting it: the load that is measured would be that of
 * starts. What works for a while is started again at once, because the gap would show in the load.
 */
#include "supervise/respawn.h"

#include "base/units.h"

#define DELAY_LEAST_NS (100 * NS_PER_MS)
#define DELAY_MOST_NS NS_PER_S
/* Who lives so long is past its difficulties. */
#define WELL_NS NS_PER_S

int64_t respawn_delay(int64_t previous_ns, int64_t lived_ns)
{
	if (lived_ns >= WELL_NS || previous_ns < DELAY_LEAST_NS)
		return DELAY_LEAST_NS;
	return previous_ns < DELAY_MOST_NS / 2 ? 2 * previous_ns : DELAY_MOST_NS;
}
