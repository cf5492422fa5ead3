/* SPDX-License-Identifier: MIT */
/* Electric power: energy counters (RAPL, /sys/class/powercap) or sensors (/sys/class/hwmon). */
#ifndef METERS_POWER_H
#define METERS_POWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINUX_POWER_ERROR_MAX 512
/* Energy counters of 32 bits wrap around within a few minutes; they must be polled at least so often. */
#define LINUX_POWER_POLL_NS INT64_C(30000000000)

struct linux_power;

/*
 * Opens the source: `source` is "rapl" (the sum of the packages; where there are none that of the platform, "psys") or the name of a hwmon
 * chip (the sum of its sensors); NULL takes the first that can be read of rapl and the chips known to measure processors
 * or the machine. `root` stands before /sys. NULL with a message that says why there is none.
 */
struct linux_power *linux_power_open(const char *root, const char *source, char error[static LINUX_POWER_ERROR_MAX]);
void linux_power_close(struct linux_power *power);

/*
 * Takes what the energy counters have counted meanwhile, or what the sensors show now; costs one read of each. linux_power_watts of
 * sensors needs no polling, linux_power_joules the more the less steady the power is.
 */
void linux_power_poll(struct linux_power *power);

/*
 * Mean power in W since the last call (of energy counters; since linux_power_open at first) or at this moment (of sensors). NaN when a
 * reading failed or no time passed.
 */
double linux_power_watts(struct linux_power *power);

/*
 * Energy in J since the last call, or since linux_power_open, and the time that it took. Of sensors it is their power, taken as a straight
 * line from poll to poll. NaN when a reading failed since then or no time passed.
 */
double linux_power_joules(struct linux_power *power, double *seconds);

/* A part of the machine whose energy is counted (RAPL): a package, its cores, its memory ("dram"), the platform. */
#define LINUX_POWER_NAME_MAX 24
struct linux_power_zone {
	char name[LINUX_POWER_NAME_MAX]; /* as the kernel has it; dram-0, dram-1, … of several packages; unique */
	struct linux_power *power;
};

/*
 * Opens all zones that can be read, packages first. Their number, and the zones, to be closed; or 0 with a message. Parts are in the zone
 * that they are part of, so that nothing may be added up.
 */
size_t linux_power_zones_open(const char *root, struct linux_power_zone **zones, char error[static LINUX_POWER_ERROR_MAX]);
void linux_power_zones_close(struct linux_power_zone *zones, size_t count);

/*
 * Pure: by how much a counter grew that starts again from 0 after `range` (0: it never does). False when it went back though it
 * doesn't start again.
 */
bool linux_power_growth(uint64_t before, uint64_t now, uint64_t range, uint64_t *growth);

#endif
