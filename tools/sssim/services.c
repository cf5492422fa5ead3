/* SPDX-License-Identifier: MIT */
#include "sssim/services.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/output.h"

static int complain(struct sim_services *services)
{
	if (!services->failed)
		diag("%s: can't write the requests: %s", output_name(services->path), strerror(errno));
	services->failed = true;
	return -1;
}

static void take_request(void *context, const struct request_record *request)
{
	const struct sim_seen *const seen = context;
	struct sim_services *const services = seen->owner;
	struct request_record record = *request;
	record.url = seen->number;
	if (services->log && request_log_add(services->log, &record) != 0)
		complain(services);
}

struct sim_clients *sim_services_add(struct sim_services *services, const char *text, int64_t from_ns)
{
	struct sim_seen **const grown = realloc(services->seen, (services->count + 1) * sizeof(struct sim_seen *));
	if (!grown)
		return NULL;
	services->seen = grown;
	struct sim_seen *const seen = calloc(1, sizeof *seen);
	if (!seen)
		return NULL;
	seen->text = text;
	seen->owner = services;
	seen->number = services->count;
	seen->clients.from_ns = from_ns;
	seen->clients.record = take_request;
	seen->clients.context = seen;
	services->seen[services->count++] = seen;
	return &seen->clients;
}

int sim_services_record(struct sim_services *services, const char *path)
{
	services->path = path;
	if (!path)
		return 0;
	services->log = request_log_open(path, REQUEST_LOG_CSV, true);
	if (!services->log)
		return complain(services);
	request_log_without_wall(services->log);
	for (unsigned i = 0; i < services->count; i++)
		if (request_log_name(services->log, services->seen[i]->text) != 0)
			return complain(services);
	return 0;
}

int sim_services_end(struct sim_services *services)
{
	struct request_log *const log = services->log;
	services->log = NULL;
	if (request_log_close(log) != 0)
		complain(services);
	return services->failed ? -1 : 0;
}

void sim_services_free(struct sim_services *services)
{
	request_log_close(services->log);
	for (unsigned i = 0; i < services->count; i++)
		free(services->seen[i]);
	free(services->seen);
}
