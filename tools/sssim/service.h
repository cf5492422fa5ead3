/* SPDX-License-Identifier: MIT */
/*
 * A service on a simulated machine: requests arrive at their own rate, whether or not it keeps up, and wait in one queue, first come, first
 * served, which its threads take them from. Each takes the thread that serves it some work, drawn when it arrives: so the same seed
 * makes the same requests, whatever else the machine does. Gaps and work have random numbers of their own.
 */
#ifndef SIM_SERVICE_H
#define SIM_SERVICE_H

#include <stdint.h>

#include "ssburn/service_time.h"
#include "ssrequest/request_log.h"
#include "ssrequest/response_times.h"
#include "sssim/machine.h"

enum sim_arrivals { SIM_ARRIVALS_EVEN, SIM_ARRIVALS_POISSON };

struct sim_service_settings {
	double rate; /* requests a second, above 0 */
	enum sim_arrivals arrivals;
	struct service_time work; /* of a request */
	uint64_t most_waiting;    /* a request that finds so many waiting is turned away */
};

/* What clients see of a service, or of several. Large; start with the first three set and all else 0. */
struct sim_clients {
	int64_t from_ns;                                                    /* requests that arrive from here on count */
	void (*record)(void *context, const struct request_record *record); /* when one ends; its url is 0. NULL: nobody asks */
	void *context;
	uint64_t arrived, turned_away;
	struct response_times response; /* of those that were answered */
};

struct sim_service;

/* Serves with all threads of a process, and takes an event of the machine; nothing arrives yet. NULL with errno ENOMEM. */
struct sim_service *sim_service_new(
	struct sim_process *process, const struct sim_service_settings *settings, uint64_t random_stream);
void sim_service_free(struct sim_service *service);

/* NULL: nobody looks. They must outlive the service. */
void sim_service_show(struct sim_service *service, struct sim_clients *clients);

/* Requests arrive from now on: the first one after a part of a gap. */
void sim_service_start(struct sim_service *service);

/* How many requests it has answered since it was made. */
uint64_t sim_service_answered(const struct sim_service *service);

/* A thread has done its work, as sim_process says by `done`. */
void sim_service_end_request(struct sim_service *service, struct sim_thread *thread);

#endif
