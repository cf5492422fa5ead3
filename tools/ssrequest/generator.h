/* SPDX-License-Identifier: MIT */
/*
 * What is to be done next about requests: a state machine in virtual time, without system calls. It is told what happened (an answer, of
 * whatever kind) and asked what to do now: send a request, drop one, give one up, or sleep. Times are ns since the start, from 0.
 *
 * A request has two times of its own. It is planned for a moment, whatever happens; and it arrives then, or, where as many as are allowed are
 * unanswered, when one of these is answered or given up. When the caller really sends it is a third one, which is none of this file's.
 * Both are worked out from when things happened and not from when we are asked, so that a caller who is late doesn't change them. A caller who stood
 * still says so: answers may have come that it has yet to see.
 */
#ifndef SSREQUEST_GENERATOR_H
#define SSREQUEST_GENERATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "ssrequest/schedule.h"

struct generator_settings {
	unsigned limit;     /* unanswered requests, at least 1 */
	int64_t timeout_ns; /* a request is given up so long after it arrived, or after the caller stood still; above 0 */
	bool drops;         /* beyond the limit requests are dropped; else they are postponed */
};

struct request {
	uint64_t number; /* from 0, in the order of the schedule */
	int64_t planned_ns, arrival_ns;
};

enum generator_act {
	GENERATOR_SEND,
	GENERATOR_DROP,    /* never sent; it arrives at the moment that it was to be sent at */
	GENERATOR_GIVE_UP, /* sent, and unanswered for too long; its slot is free now */
	GENERATOR_SLEEP,
	GENERATOR_END, /* all that were planned are answered, dropped or given up */
};

struct generator_action {
	enum generator_act act;
	struct request request; /* of SEND, DROP and GIVE_UP */
	unsigned slot;          /* of SEND and GIVE_UP: below the limit, the request's own until it is answered or given up */
	int64_t until_ns;       /* of SLEEP, or until something happens; INT64_MAX: only that */
};

struct generator;

/* The schedule stays the caller's and is asked by this alone. NULL with errno ENOMEM. */
struct generator *generator_new(const struct generator_settings *settings, struct schedule *schedule);
void generator_free(struct generator *generator);

/* What to do at that time, to be asked again until it is to sleep. */
struct generator_action generator_next(struct generator *generator, int64_t now_ns);

/* The request of that slot was answered, or failed, at that time. */
void generator_answered(struct generator *generator, unsigned slot, int64_t when_ns);

/*
 * The caller stood still until that time, for so long: who is unanswered, or was to be sent meanwhile, is given up no sooner than a timeout
 * later, but at the latest when the caller had two timeouts in which it didn't stand still.
 */
void generator_stood_still(struct generator *generator, int64_t until_ns, int64_t length_ns);

/*
 * No more are sent at that time or later: DROP for each that was planned up to then and not sent, to be called again until it says END.
 * Those that are unanswered stay so until they are answered or given up.
 */
struct generator_action generator_stop(struct generator *generator, int64_t now_ns);

unsigned generator_unanswered(const struct generator *generator);

#endif
