/* SPDX-License-Identifier: MIT */
#include "ssburn/independent.h"

#include <errno.h>
#include <time.h>

#include "base/clock.h"
#include "base/units.h"

static struct timespec to_timespec(int64_t ns)
{
	return (struct timespec){.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S};
}

void independent_begin_phase(struct burn *burn)
{
	const struct settings *const settings = burn->settings;
	const uint64_t threads = (uint64_t)settings->threads;
	const uint64_t random = burn_draw(burn, FOR_WIDTH, burn->phase, 0);
	if (burn->phase == 0)
		burn->width = (unsigned)(1 + random % threads);
	else /* any number but the one before */
		burn->width = (unsigned)(1 + (burn->width + random % (threads - 1)) % threads);
	const uint64_t units = burn_around((uint64_t)settings->phase, burn_draw(burn, FOR_LENGTH, burn->phase, 0));
	const uint64_t each = units / (uint64_t)settings->work;
	burn->phase_end = burn->next + (each > 0 ? each : 1) * burn->width;
	burn->phase++;
}

static bool ended(const struct burn *burn)
{
	return burn->halted || burn->next >= burn->limit;
}

/* Waits until this worker may begin an iteration; false when there is none left. */
static bool claim(struct worker *self, uint64_t *iteration, int64_t *start_ns)
{
	struct burn *const burn = self->burn;
	pthread_mutex_lock(&burn->lock);
	while (!ended(burn) && self->number >= burn->width)
		pthread_cond_wait(&burn->changed, &burn->lock);
	const bool claimed = !ended(burn);
	if (claimed) {
		*start_ns = clock_now();
		*iteration = burn->next++;
		const bool new_phase = burn->next == burn->phase_end;
		if (new_phase)
			independent_begin_phase(burn);
		if (new_phase || ended(burn))
			pthread_cond_broadcast(&burn->changed);
	}
	pthread_mutex_unlock(&burn->lock);
	return claimed;
}

static void take_a_nap(struct burn *burn, uint64_t iteration)
{
	const uint64_t length = burn_around((uint64_t)burn->settings->sleep_ns, burn_draw(burn, FOR_SLEEP, iteration, 0));
	const struct timespec until = to_timespec(clock_now() + (int64_t)length);
	pthread_mutex_lock(&burn->lock);
	while (!ended(burn) && pthread_cond_clockwait(&burn->changed, &burn->lock, CLOCK_MONOTONIC, &until) != ETIMEDOUT)
		;
	pthread_mutex_unlock(&burn->lock);
}

void independent_run(struct worker *self)
{
	struct burn *const burn = self->burn;
	uint64_t iteration;
	int64_t start_ns;
	while (claim(self, &iteration, &start_ns)) {
		uint64_t sum = 0;
		if (!burn_work(burn, iteration, 0, (uint64_t)burn->settings->work, &sum))
			return;
		burn_record(burn, iteration, start_ns, sum);
		if (burn->profile->sleeps)
			take_a_nap(burn, iteration);
	}
}
