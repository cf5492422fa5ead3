/* SPDX-License-Identifier: MIT */
/* All services of a simulated run: what their clients saw, and the record of their requests. */
#ifndef SIM_SERVICES_H
#define SIM_SERVICES_H

#include <stdbool.h>

#include "sssim/service.h"

struct sim_services;

/* Large. Its clients are those of one service, or of several equal ones. */
struct sim_seen {
	struct sim_clients clients;
	const char *text; /* how the service was asked for */
	struct sim_services *owner;
	unsigned number; /* from 0; its url in the record */
};

/* Start with {0}. */
struct sim_services {
	struct sim_seen **seen;
	unsigned count;
	const char *path; /* of the record */
	struct request_log *log;
	bool failed; /* to write it, as was said */
};

/* One more, whose requests count from from_ns on; the text must outlive it. NULL with errno ENOMEM. */
struct sim_clients *sim_services_add(struct sim_services *services, const char *text, int64_t from_ns);

/* Begins the record, once all are there; a path of NULL begins none. 0, or -1 after a message. */
int sim_services_record(struct sim_services *services, const char *path);
/* Writes what is left of the record. 0, or -1 after a message, here or before: it isn't whole. */
int sim_services_end(struct sim_services *services);
void sim_services_free(struct sim_services *services);

#endif
