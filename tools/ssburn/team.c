/* SPDX-License-Identifier: MIT */
#include "ssburn/team.h"

#include <stddef.h>

#include "base/clock.h"

/*
 * Gives out the next round: half of them go to one thread alone (a hand-over), the others to several that meet at its end (a
 * rendezvous). Parts are 1 to 16 units long, so that all wait for the slowest, and up to half of a part is done under one mutex.
 * Under the lock, when nobody is at work.
 */
static void begin_round(struct burn *burn, const struct worker *self)
{
	const struct settings *const settings = burn->settings;
	const unsigned threads = (unsigned)settings->threads;
	const uint64_t total = (uint64_t)settings->work;
	const uint64_t random = burn_draw(burn, FOR_ROUND, burn->next, burn->planned);
	const unsigned width = random & 1 ? 1 : 2 + (unsigned)((random >> 1) % (threads - 1));
	burn->last = (burn->last + 1 + (unsigned)((random >> 32) % (threads - 1))) % threads;
	burn->busy = 0;
	for (unsigned i = 0; i < width && burn->planned < total; i++) {
		struct worker *const worker = &burn->workers[(burn->last + i) % threads];
		const uint64_t part = burn_draw(burn, FOR_TASK, burn->next, burn->planned);
		worker->first = burn->planned;
		worker->units = 1 + part % 16;
		if (worker->units > total - burn->planned)
			worker->units = total - burn->planned;
		worker->alone = (part >> 32) % (worker->units / 2 + 1);
		worker->due = true;
		burn->planned += worker->units;
		burn->busy++;
		if (worker != self)
			pthread_cond_signal(&worker->turn);
	}
}

static void begin_iteration(struct burn *burn, const struct worker *self)
{
	burn->start_ns = clock_now();
	burn->planned = 0;
	burn->sum = 0;
	begin_round(burn, self);
}

void team_begin(struct burn *burn)
{
	begin_iteration(burn, NULL);
}

void team_wake(struct burn *burn)
{
	for (unsigned i = 0; i < (unsigned)burn->settings->threads; i++)
		pthread_cond_signal(&burn->workers[i].turn);
}

/* The last worker of a round says what comes next. Under the lock. */
static void end_round(struct burn *burn, const struct worker *self)
{
	if (burn->planned < (uint64_t)burn->settings->work) {
		begin_round(burn, self);
		return;
	}
	burn_record(burn, burn->next, burn->start_ns, burn->sum);
	burn->next++;
	burn->over = burn->next >= burn->limit;
	if (burn->over)
		team_wake(burn);
	else
		begin_iteration(burn, self);
}

void team_run(struct worker *self)
{
	struct burn *const burn = self->burn;
	pthread_mutex_lock(&burn->lock);
	for (;;) {
		while (!self->due && !burn->over && !burn->halted)
			pthread_cond_wait(&self->turn, &burn->lock);
		if (burn->over || burn->halted)
			break;
		self->due = false;
		const uint64_t iteration = burn->next;
		const uint64_t together = self->units - self->alone;
		pthread_mutex_unlock(&burn->lock);

		uint64_t sum = 0;
		bool whole = burn_work(burn, iteration, self->first, together, &sum);
		if (self->alone > 0) {
			pthread_mutex_lock(&burn->shared);
			whole = burn_work(burn, iteration, self->first + together, self->alone, &sum) && whole;
			pthread_mutex_unlock(&burn->shared);
		}

		pthread_mutex_lock(&burn->lock);
		if (!whole)
			break;
		burn->sum += sum;
		if (--burn->busy == 0)
			end_round(burn, self);
	}
	pthread_mutex_unlock(&burn->lock);
}
