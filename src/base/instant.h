/* SPDX-License-Identifier: MIT */
/* Notation of moments on the wall clock: @1767225600, 18:30, 18:30:15, 2026-01-01T00:00:00, the last also with Z for UTC. */
#ifndef BASE_INSTANT_H
#define BASE_INSTANT_H

#include <stdint.h>

#define INSTANT_EXPECTED "@SECONDS since 1970, HH:MM[:SS] or YYYY-MM-DDTHH:MM:SS[Z]"

/*
 * The moment in ns since 1970. Times without Z are local; a time without a date is the next such one after now_ns.
 * 0, or -1 with errno: EINVAL (malformed, or no such time), ERANGE (a number too large).
 */
int instant_parse(const char *text, int64_t now_ns, int64_t *when_ns);

#endif
