/* SPDX-License-Identifier: MIT */
#include "ssburn/burn.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/splitmix.h"
#include "self/iteration_counter.h"

/* Each takes 5 cycles; together about 10 us on a processor of today. */
#define STEPS_PER_UNIT 8192
#define STEPS_PER_READ 16

static uint64_t mix(uint64_t x)
{
	return splitmix_mix(x + SPLITMIX_STEP);
}

uint64_t burn_draw(const struct burn *burn, enum purpose purpose, uint64_t a, uint64_t b)
{
	return mix(mix(mix(burn->seed ^ (uint64_t)purpose) ^ a) ^ b);
}

void burn_seed(struct burn *burn)
{
	const struct settings *const settings = burn->settings;
	burn->seed = mix(mix((uint64_t)settings->seed) + (uint64_t)settings->instance);
	for (uint64_t i = 0; i < burn->cell_count; i++)
		burn->cells[i] = burn_draw(burn, FOR_CELL, i, 0);
}

uint64_t burn_around(uint64_t mean, uint64_t random)
{
	return mean / 2 + random % (mean + 1);
}

int64_t burn_service_ns(const struct burn *burn, uint64_t request)
{
	return service_time_draw(&burn->settings->service, burn_draw(burn, FOR_SERVICE, request, 0));
}

static uint64_t unit(const struct burn *burn, uint64_t iteration, uint64_t number)
{
	uint64_t x = burn_draw(burn, FOR_UNIT, iteration, number);
	for (int i = 0; i < STEPS_PER_UNIT / STEPS_PER_READ; i++) {
		for (int j = 0; j < STEPS_PER_READ; j++)
			x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
		if (burn->cells)
			x ^= burn->cells[(x >> 32) * burn->cell_count >> 32];
	}
	return x;
}

bool burn_work(const struct burn *burn, uint64_t iteration, uint64_t first, uint64_t count, uint64_t *sum)
{
	for (uint64_t i = 0; i < count; i++) {
		if (atomic_load_explicit(&burn->halted, memory_order_relaxed))
			return false;
		*sum += unit(burn, iteration, first + i);
	}
	return true;
}

/* The end of an iteration is what happens here, so that ends don't go back from record to record. */
void burn_record(struct burn *burn, uint64_t iteration, int64_t start_ns, uint64_t sum)
{
	pthread_mutex_lock(&burn->record_lock);
	const struct iteration_record record = {
		.instance = (unsigned)burn->settings->instance,
		.iteration = iteration,
		.start_ns = start_ns,
		.end_ns = clock_now(),
	};
	burn->finished++;
	burn->checksum += sum;
	iteration_counter_raise(burn->counter, 1);
	/* The load goes on without its records: it may be part of an experiment. The exit status tells. */
	if (burn->settings->output && iteration_log_write(&burn->log, &record) < 0 && burn->log.lost == 1)
		diag("%s: iteration records are being lost: %s", burn->settings->output, strerror(errno));
	pthread_mutex_unlock(&burn->record_lock);
}
