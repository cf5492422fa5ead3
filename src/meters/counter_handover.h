/* SPDX-License-Identifier: MIT */
/*
 * Counters of what another process starts: it opens them, and sends them through a socket that keeps messages apart. Opening them for another
 * process would need rights to trace it, which those of a program with capabilities don't have.
 */
#ifndef METERS_COUNTER_HANDOVER_H
#define METERS_COUNTER_HANDOVER_H

#include "meters/counter_set.h"

/* Sends the counters of a set once, or at least why there are none. 0, or -1 with errno. */
int counter_handover_send(struct linux_counter_set *set, int socket);

/* Counts by what was sent before; where nothing was, that place counts nothing. 0, or -1 with errno ENOMEM. */
int counter_handover_receive(struct linux_counter_set *set, int socket);

#endif
