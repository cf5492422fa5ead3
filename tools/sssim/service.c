/* SPDX-License-Identifier: MIT */
#include "sssim/service.h"

#include <stdlib.h>

#include "base/units.h"

struct request {
	uint64_t number; /* of those that count; NOT_COUNTED: it came before */
	int64_t arrival_ns, work_ns;
};
#define NOT_COUNTED UINT64_MAX

struct sim_service {
	struct sim_event arrival;
	struct sim_process *process;
	struct sim_service_settings settings;
	struct sim_clients *clients; /* or NULL */
	struct sim_random gaps, work;
	int64_t began_ns;
	long double asked; /* the sum of the gaps, in requests, up to the next one */
	/* A ring: */
	struct request *waiting;
	uint64_t first, count;
	uint64_t answered;         /* since it was made, seen or not */
	struct request *served;    /* by thread */
	struct sim_thread **spare; /* threads without a request; a stack */
	unsigned spares;
};

/* ---- Clients ---------------------------------------------------------------------------------------------------------- */

static void record(const struct sim_service *service, const struct request *request, enum request_fate fate)
{
	const struct sim_clients *const clients = service->clients;
	const int64_t arrival_ns = request->arrival_ns;
	if (clients->record)
		clients->record(clients->context, &(struct request_record){.request = request->number,
							  .planned_ns = arrival_ns,
							  .arrival_ns = arrival_ns,
							  .sent_ns = fate == REQUEST_DROPPED ? REQUEST_LOG_NEVER : arrival_ns,
							  .end_ns = service->process->machine->now_ns,
							  .fate = fate,
							  .bytes = REQUEST_LOG_UNKNOWN});
}

static void answer(const struct sim_service *service, const struct request *request)
{
	if (request->number == NOT_COUNTED)
		return;
	response_times_add(&service->clients->response, service->process->machine->now_ns - request->arrival_ns);
	record(service, request, REQUEST_GOOD);
}

static void turn_away(const struct sim_service *service, const struct request *request)
{
	if (request->number == NOT_COUNTED)
		return;
	service->clients->turned_away++;
	record(service, request, REQUEST_DROPPED);
}

/* ---- Arrivals --------------------------------------------------------------------------------------------------------- */

static void arm_arrival(struct sim_service *service)
{
	const long double since_ns = service->asked / (long double)service->settings.rate * NS_PER_S;
	sim_event_arm(service->process->machine, &service->arrival, service->began_ns + (int64_t)llroundl(since_ns));
}

static struct request make_request(struct sim_service *service)
{
	struct sim_clients *const clients = service->clients;
	const int64_t now_ns = service->process->machine->now_ns;
	const int64_t work_ns = service_time_draw(&service->settings.work, sim_random_next(&service->work));
	const bool counts = clients && now_ns >= clients->from_ns;
	return (struct request){
		.number = counts ? clients->arrived++ : NOT_COUNTED, .arrival_ns = now_ns, .work_ns = work_ns > 0 ? work_ns : 1};
}

static struct request *served_by(const struct sim_service *service, const struct sim_thread *thread)
{
	return &service->served[thread - service->process->thread];
}

static void arrive(struct sim_event *event)
{
	struct sim_service *const service = SIM_OWNER(event, struct sim_service, arrival);
	const struct request request = make_request(service);
	service->asked += service->settings.arrivals == SIM_ARRIVALS_POISSON ? sim_random_exponential(&service->gaps) : 1;
	arm_arrival(service);
	if (service->spares) {
		struct sim_thread *const thread = service->spare[--service->spares];
		*served_by(service, thread) = request;
		sim_thread_wake(thread, request.work_ns);
	} else if (service->count < service->settings.most_waiting) {
		service->waiting[(service->first + service->count++) % service->settings.most_waiting] = request;
	} else {
		turn_away(service, &request);
	}
}

void sim_service_end_request(struct sim_service *service, struct sim_thread *thread)
{
	struct request *const request = served_by(service, thread);
	answer(service, request);
	service->answered++;
	if (service->count == 0) {
		service->spare[service->spares++] = thread;
		return;
	}
	*request = service->waiting[service->first];
	service->first = (service->first + 1) % service->settings.most_waiting;
	service->count--;
	sim_thread_go_on(thread, request->work_ns);
}

uint64_t sim_service_answered(const struct sim_service *service)
{
	return service->answered;
}

/* ---- Life ------------------------------------------------------------------------------------------------------------- */

struct sim_service *sim_service_new(
	struct sim_process *process, const struct sim_service_settings *settings, uint64_t random_stream)
{
	const uint64_t seed = process->machine->config.seed;
	struct sim_service *const service = calloc(1, sizeof *service);
	if (!service)
		return NULL;
	*service = (struct sim_service){.arrival = {.fire = arrive},
		.process = process,
		.settings = *settings,
		.gaps = sim_random_stream(seed, random_stream),
		.work = sim_random_stream(seed, ~random_stream),
		.waiting = calloc(settings->most_waiting, sizeof *service->waiting),
		.served = calloc(process->threads, sizeof *service->served),
		.spare = calloc(process->threads, sizeof(struct sim_thread *))};
	if (service->waiting && service->served && service->spare && sim_machine_reserve(process->machine, 1) == 0)
		return service;
	sim_service_free(service);
	return NULL;
}

void sim_service_free(struct sim_service *service)
{
	if (!service)
		return;
	free(service->waiting);
	free(service->served);
	free(service->spare);
	free(service);
}

void sim_service_show(struct sim_service *service, struct sim_clients *clients)
{
	service->clients = clients;
}

void sim_service_start(struct sim_service *service)
{
	/* The first thread on top. */
	while (service->spares < service->process->threads) {
		service->spare[service->spares] = &service->process->thread[service->process->threads - service->spares - 1];
		service->spares++;
	}
	service->began_ns = service->process->machine->now_ns;
	service->asked = service->settings.arrivals == SIM_ARRIVALS_POISSON ? sim_random_exponential(&service->gaps)
									    : sim_random_real(&service->gaps);
	arm_arrival(service);
}
