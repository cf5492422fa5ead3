/* SPDX-License-Identifier: MIT */
/*
 * What test_executor plays: how a run is set up, what happens in it, what the executor is to do then, and how long its workload was there and
 * ran, as the log has it. Words of the scripts: `+40` ms pass; `exit` and `fail` end the workload; `end100` says that the run ends in so many
 * ms, `cpu5` that so many were used. Actions have the moment in ms before them; `go!` continues also what runs.
 */
#ifndef TESTS_EXECUTOR_SEQUENCES_H
#define TESTS_EXECUTOR_SEQUENCES_H

#include <stdbool.h>

struct setting {
	bool respawn, staggered, attached, free, quota, stubborn;
	int warmup_ms;
};

static const struct sequence {
	const char *name;
	struct setting setting;
	const char *script, *actions;
	int alive_ms, running_ms;
} sequences[] = {
	{"an ordinary run", {0}, "+50 run +237 term", "0:stop 50:go! 87:stop 148:go! 161:stop 250:go! 287:stop 287:TERM", 237,
		87},
	{"a warm-up runs free", {.warmup_ms = 70}, "+50 run +30 nudge +60 term", "0:stop 50:go 120:go! 140:TERM", 90, 90},
	{"a free stretch of the trace", {0}, "run +50 free +100 held +30 term",
		"0:stop 0:go! 37:stop 98:go 158:stop 171:go! 180:TERM", 180, 106},
	{"answers that come too late", {0}, "run +10 late3 +50 term", "0:stop 0:go! 37:stop 37:go! 37:stop 37:go! 60:TERM", 60,
		60},
	{"answers that never come in time", {0}, "late99 run +2 term",
		"0:stop 0:go! 0:stop 0:go! 0:stop 0:go! 0:stop 0:go! 0:stop 0:go! 1:stop 1:go! 1:stop 1:go! 1:stop 1:go! 1:stop "
		"1:go! 1:stop 2:go! 2:stop 2:go! 2:stop 2:go! 2:stop 2:go! 2:stop 2:go! 2:TERM",
		2, 1},
	{"told to end in the hold", {0}, "+50 term", "0:stop 50:TERM", 0, 0},
	{"killed in the hold", {0}, "+50 kill", "0:stop 50:KILL", 0, 0},
	{"told to end while stopped", {0}, "run +40 term +100", "0:stop 0:go! 37:stop 40:TERM", 40, 37},
	{"killed while stopped", {0}, "run +40 kill", "0:stop 0:go! 37:stop 40:KILL", 40, 37},
	{"who ignores it is killed after the grace period", {.stubborn = true}, "run +40 term +100 nudge +399 nudge +1",
		"0:stop 0:go! 37:stop 40:TERM 540:KILL", 540, 537},
	{"the grace period is cut short", {.stubborn = true}, "run +40 term +100 kill", "0:stop 0:go! 37:stop 40:TERM 140:KILL",
		140, 137},
	{"a pause doesn't count", {0}, "run +40 pause +1000 nudge +7 resume +20 term",
		"0:stop 0:go! 37:stop 40:stop 1047:go! 1060:stop 1067:TERM", 60, 50},
	{"paused while it runs", {0}, "run +20 pause +1000 resume +50 pause +300 resume +11 term",
		"0:stop 0:go! 20:stop 1020:go! 1070:stop 1370:go! 1381:TERM", 81, 81},
	{"a pause in the warm-up", {.warmup_ms = 70}, "run +20 pause +1000 resume +60 term",
		"0:stop 0:go 20:stop 1020:go 1070:go! 1080:TERM", 80, 80},
	{"a pause in the hold", {0}, "+20 pause +1000 resume +5 run +10 term", "0:stop 1025:go! 1035:TERM", 10, 10},
	{"paused before the hold ends", {0}, "+20 pause run +500 resume +10 term", "0:stop 20:stop 520:go! 530:TERM", 10, 10},
	{"told to end in a pause", {.stubborn = true}, "run +40 pause +1000 term +600",
		"0:stop 0:go! 37:stop 40:stop 1040:TERM 1540:KILL", 640, 637},
	{"killed in a pause", {0}, "run +40 pause +1000 kill", "0:stop 0:go! 37:stop 40:stop 1040:KILL", 40, 37},
	{"staggered starts run", {.staggered = true}, "+50 run +40 term", "50:stop 87:go! 90:TERM", 90, 53},
	{"a pause between staggered starts", {.staggered = true}, "+20 pause +1000 resume +30 run +40 term",
		"20:stop 1020:go 1050:stop 1087:go! 1090:TERM", 90, 53},
	{"a workload of a free group", {.free = true}, "+20 run +500 pause +70 resume +30 term",
		"0:stop 20:go 520:stop 590:go 620:TERM", 530, 530},
	{"a free group after the warm-up", {.free = true, .warmup_ms = 70}, "run +500 term", "0:stop 0:go 500:TERM", 500, 500},
	{"an attached one runs, and is let go", {.attached = true}, "+50 run +60 term", "50:stop 87:go! 110:LET GO", 110, 73},
	{"an attached one is let go rather than killed", {.attached = true}, "run +60 kill", "0:stop 37:go! 60:LET GO", 60, 23},
	{"an attached one is let go in a pause", {.attached = true}, "run +10 pause +60 term", "0:stop 10:stop 70:LET GO", 10, 0},
	{"an attached one ends, and isn't started again", {.attached = true, .respawn = true}, "run +60 exit +200",
		"0:stop 37:go!", 60, 23},
	{"it ends by itself", {0}, "run +60 exit", "0:stop 0:go! 37:stop", 60, 37},
	{"it ends in the hold", {0}, "+60 exit", "0:stop", 0, 0},
	{"it ends in a pause", {0}, "run +20 pause +60 exit", "0:stop 0:go! 20:stop", 20, 20},
	{"a respawn after a long life", {.respawn = true}, "run +120 exit +100 term",
		"0:stop 0:go! 37:stop 98:go! 111:stop 120:start 120:stop 200:go! 220:TERM", 220, 70},
	{"a respawn in the part of the epoch in which it ran", {.respawn = true}, "run +101 exit +20 term",
		"0:stop 0:go! 37:stop 98:go! 101:start 111:stop 121:TERM", 121, 50},
	{"a respawn after a short life waits", {.respawn = true}, "run +20 exit +50 nudge +40 term",
		"0:stop 0:go! 100:start 100:stop 100:go! 110:TERM", 30, 30},
	{"respawns of what fails at once", {.free = true, .respawn = true},
		"run fail +200 cpu50 fail +400 fail +900 fail +1100 term",
		"0:stop 0:go 100:start 100:stop 100:go 300:start 300:stop 300:go 700:start 700:stop 700:go 1500:start 2600:TERM",
		2300, 2300},
	{"what works is started again soon", {.respawn = true}, "run cpu50 exit +110 cpu50 exit +110 cpu50 exit +110 term",
		"0:stop 0:go! 100:start 100:stop 100:go! 200:start 200:stop 200:go! 213:stop 300:start 300:stop 300:go! 330:TERM",
		60, 53},
	{"what did nothing waits longer, whatever was used before", {.free = true, .respawn = true},
		"run +1100 cpu900 exit +10 exit +110 exit +210 exit +410 term",
		"0:stop 0:go 1100:start 1300:start 1300:stop 1300:go 1700:start 1700:stop 1700:go 1840:TERM", 1380, 1380},
	{"told to end while waiting", {.respawn = true}, "run +20 exit +30 term", "0:stop 0:go! 50:TERM", 20, 20},
	{"killed while waiting", {.respawn = true}, "run +20 exit +30 kill", "0:stop 0:go! 50:KILL", 20, 20},
	{"a respawn waits for the end of a pause", {.respawn = true}, "run +20 exit +30 pause +500 resume +20 term",
		"0:stop 0:go! 50:stop 550:start 550:stop 550:go! 570:TERM", 40, 40},
	{"it ends in a pause, and comes back after it", {.respawn = true},
		"run +20 pause +500 exit +10 nudge +10 resume +20 term",
		"0:stop 0:go! 20:stop 540:start 540:stop 540:go! 560:TERM", 40, 40},
	{"a respawn in the hold is held", {.respawn = true}, "+20 exit +90 run +10 term",
		"0:stop 100:start 100:stop 110:go! 120:TERM", 10, 10},
	{"a respawn between staggered starts runs", {.respawn = true, .staggered = true}, "+20 exit +90 run +10 term",
		"100:start 100:stop 100:go 110:stop 120:TERM", 40, 30},
	{"a pause while it waits between staggered starts", {.respawn = true, .staggered = true},
		"+20 exit +10 pause +200 resume +40 run +5 term", "30:stop 230:start 230:stop 230:go 270:stop 275:TERM", 65, 60},
	{"a respawn of a free group", {.respawn = true, .free = true}, "run +20 exit +90 term",
		"0:stop 0:go 100:start 100:stop 100:go 110:TERM", 30, 30},
	{"the end of the hold comes while it waits", {.respawn = true}, "+20 exit +10 run +100 term",
		"0:stop 100:start 100:stop 100:go! 130:TERM", 30, 30},
	{"it can't be started again", {.respawn = true}, "run +20 exit refuse +200", "0:stop 0:go! 100:refused", 20, 20},
	{"an end that was asked for is followed by no start", {.respawn = true}, "run +20 term", "0:stop 0:go! 20:TERM", 20, 20},
	{"a master that is silent after the end", {.free = true}, "run end100 +1099 nudge +1", "0:stop 0:go 1100:TERM", 1100,
		1100},
	{"a master that is silent has a pause before it", {.free = true}, "run end100 +50 pause +5000 resume +1049 nudge +1",
		"0:stop 0:go 50:stop 5050:go 6100:TERM", 1100, 1100},
	{"left without a guardian", {.free = true}, "run alone +2999 nudge +1", "0:stop 0:go 3000:TERM", 3000, 3000},
	{"left without a guardian in the hold", {0}, "alone +2999 nudge +1", "0:stop 3000:TERM", 0, 0},
	{"left without a guardian, and told to end", {.free = true, .stubborn = true}, "run alone +100 term +3500",
		"0:stop 0:go 100:TERM 600:KILL", 3600, 3600},
	{"it stood still, and comes back", {0}, "run +50 still +40 term", "0:stop 0:go! 37:stop 90:TERM", 90, 37},
	{"it stood still, and the pause found it so", {0}, "run +50 pause still +400 resume +40 term",
		"0:stop 0:go! 37:stop 50:stop 450:go! 463:stop 490:TERM", 90, 50},
	{"fetched from home, and back", {0}, "run +20 fetched +200 fetched +300 nudge +1 nudge +10 term",
		"0:stop 0:go! 20:away 37:stop 98:go! 111:stop 200:go! 220:away 237:stop 298:go! 311:stop 400:go! 437:stop "
		"498:go! 511:stop 521:home 531:TERM",
		531, 150},
	{"it fetches another one", {0}, "run +20 late +20 +400 term",
		"0:stop 0:go! 37:stop 37:fetch 98:go! 111:stop 200:go! 237:stop 298:go! 311:stop 400:go! 437:stop 440:TERM", 440,
		137},
	{"a bandwidth", {.quota = true}, "+50 run +150 pause +80 resume +110 term",
		"0:stop 50:limit 50:go! 150:go! 200:stop 280:go! 330:go! 390:TERM", 260, 260},
	{"a bandwidth after a respawn", {.quota = true, .respawn = true}, "run +150 exit +20 exit +110 term",
		"0:stop 0:limit 0:go! 100:go! 150:start 150:limit 280:TERM", 170, 170},
	{"a bandwidth in a free stretch", {.quota = true}, "run +150 free +110 held +100 term",
		"0:stop 0:limit 0:go! 100:go! 200:unlimit 270:limit 270:go! 300:go! 360:TERM", 360, 360},
	{"a bandwidth is no more in the grace period", {.quota = true, .stubborn = true}, "run +150 term +500",
		"0:stop 0:limit 0:go! 100:go! 150:TERM 650:KILL", 650, 650},
	{"who ends by itself doesn't go back", {.free = true, .stubborn = true},
		"run end100 +1100 pause +200 resume +299 nudge +1", "0:stop 0:go 1100:TERM 1600:KILL", 1600, 1600},
	{"a failure doesn't slow what works after it", {.free = true, .respawn = true},
		"run cpu50 fail +210 cpu50 exit +110 cpu50 exit +110 term",
		"0:stop 0:go 100:start 100:stop 100:go 210:start 320:start 430:TERM", 330, 330},
	{"the wait is a second at most", {.free = true, .respawn = true},
		"run fail +110 fail +210 fail +410 fail +810 fail +1010 fail +1010 fail +1010 term",
		"0:stop 0:go 100:start 100:stop 100:go 300:start 300:stop 300:go 700:start 700:stop 700:go 1500:start 1500:stop "
		"1500:go 2500:start 2500:stop 2500:go 3500:start 3500:stop 3500:go 4500:start 4500:stop 4500:go 4570:TERM",
		280, 280},
	{"after a second of life the waits begin anew", {.free = true, .respawn = true},
		"run fail +110 fail +210 fail +1400 fail +110 fail +210 fail +110 term",
		"0:stop 0:go 100:start 100:stop 100:go 300:start 300:stop 300:go 700:start 700:stop 700:go 1720:start 1920:start "
		"1920:stop 1920:go 2150:TERM",
		1280, 1280},
	{"10 ms are work, and 9 are none", {.free = true, .respawn = true},
		"run cpu9 exit +110 cpu9 exit +210 cpu10 exit +110 cpu10 exit +110 term",
		"0:stop 0:go 100:start 100:stop 100:go 300:start 300:stop 300:go 400:start 400:stop 400:go 500:start 500:stop "
		"500:go 540:TERM",
		100, 100},
};

#endif
