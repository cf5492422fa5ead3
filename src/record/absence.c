/* SPDX-License-Identifier: MIT */
#include "record/absence.h"

#include "base/units.h"
#include "record/warnings.h"

/* What is looked at together: a program of some seconds that is started again is not gone for long. */
#define LOOK_NS (5 * NS_PER_S)

bool absence_add(struct absence *absence, const struct record *record, struct absence_found *found)
{
	const double length_ns = (double)record->length_ns;
	absence->length_ns += record->length_ns;
	absence->gone_ns += (1 - record->alive) * length_ns;
	absence->missing += (record->target - record->load) * length_ns;
	if (absence->length_ns < LOOK_NS)
		return false;
	const double all_ns = (double)absence->length_ns;
	*found = (struct absence_found){all_ns / NS_PER_S, absence->gone_ns / all_ns, 100 * absence->missing / all_ns};
	const bool due = !absence->noticed && found->gone > NOTABLE_SHARE && found->missing_pp > NOTABLE_ERROR_PP;
	*absence = (struct absence){.noticed = absence->noticed || due};
	return due;
}
