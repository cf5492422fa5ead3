/* SPDX-License-Identifier: MIT */
#include "ssburn/run.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/file_uses.h"
#include "base/output.h"
#include "base/units.h"
#include "record/iteration_log.h"
#include "self/iteration_counter.h"
#include "self/signals.h"
#include "ssburn/burn.h"
#include "ssburn/profile.h"
#include "ssburn/server.h"
#include "ssburn/team.h"

#define STACK_SIZE ((size_t)256 << 10)
/* How long workers may take to leave after a signal; only a blocked write of a record can keep them. */
#define LEAVE_NS (5 * NS_PER_S)

static void *worker_main(void *argument)
{
	struct worker *const worker = argument;
	struct burn *const burn = worker->burn;
	burn->profile->run(worker);
	pthread_mutex_lock(&burn->lock);
	if (--burn->working == 0)
		eventfd_write(burn->done, 1);
	pthread_mutex_unlock(&burn->lock);
	return NULL;
}

static void halt(struct burn *burn)
{
	pthread_mutex_lock(&burn->lock);
	burn->halted = true;
	pthread_cond_broadcast(&burn->changed);
	team_wake(burn);
	pthread_mutex_unlock(&burn->lock);
}

/* Rounded up; -1: for ever. */
static int milliseconds_until(int64_t deadline_ns)
{
	if (deadline_ns == INT64_MAX)
		return -1;
	const int64_t left_ns = deadline_ns - clock_now();
	const int64_t left_ms = left_ns / NS_PER_MS + (left_ns % NS_PER_MS > 0);
	return left_ms < 0 ? 0 : left_ms > INT_MAX ? INT_MAX : (int)left_ms;
}

/* Waits for the end of all workers, and makes them end when it is time. Returns the signal that came, or 0. */
static int supervise(struct burn *burn, int signals)
{
	struct pollfd sources[] = {{.fd = burn->done, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
	const int64_t begin_ns = clock_now();
	const int64_t limit_ns = burn->settings->time_ns;
	int64_t deadline_ns = limit_ns == UNSET || limit_ns > INT64_MAX - begin_ns ? INT64_MAX : begin_ns + limit_ns;
	int caught = 0;
	for (;;) {
		/* Not ppoll, which begins anew with what was left when the process was stopped. */
		const int ready = poll(sources, 2, milliseconds_until(deadline_ns));
		struct signalfd_siginfo received;
		if (ready > 0 && sources[0].revents)
			return caught;
		if (ready > 0 && read(signals, &received, sizeof received) == (ssize_t)sizeof received) {
			/* Further ones change nothing: timeout(1), for one, sends its signal twice. */
			if (caught)
				continue;
			caught = (int)received.ssi_signo;
			deadline_ns = clock_now() + LEAVE_NS;
			halt(burn);
		} else if (ready == 0 && clock_now() >= deadline_ns) {
			if (caught)
				signals_end_by(caught);
			deadline_ns = INT64_MAX;
			halt(burn);
		}
	}
}

static void init_sharing(struct burn *burn)
{
	const struct settings *const settings = burn->settings;
	burn_seed(burn);
	burn->limit = settings->iterations == UNSET ? UINT64_MAX : (uint64_t)settings->iterations;
	burn->width = (unsigned)settings->threads;
	burn->phase_end = UINT64_MAX;
	pthread_mutex_init(&burn->lock, NULL);
	pthread_mutex_init(&burn->shared, NULL);
	pthread_mutex_init(&burn->record_lock, NULL);
	pthread_cond_init(&burn->changed, NULL);
	for (unsigned i = 0; i < (unsigned)settings->threads; i++) {
		burn->workers[i].burn = burn;
		burn->workers[i].number = i;
		pthread_cond_init(&burn->workers[i].turn, NULL);
	}
	if (burn->profile->begin)
		burn->profile->begin(burn);
}

/* Starts the workers; returns how many could be started. */
static unsigned start(struct burn *burn)
{
	const unsigned threads = (unsigned)burn->settings->threads;
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	unsigned started = 0;
	pthread_mutex_lock(&burn->lock);
	while (started < threads) {
		const int error =
			pthread_create(&burn->workers[started].thread, &attributes, worker_main, &burn->workers[started]);
		if (error) {
			diag("thread %u of %u can't be started: %s", started + 1, threads, strerror(error));
			burn->halted = true;
			break;
		}
		started++;
	}
	burn->working = started;
	pthread_mutex_unlock(&burn->lock);
	pthread_attr_destroy(&attributes);
	return started;
}

static void report(const struct burn *burn, int64_t wall_ns, int64_t used_ns)
{
	if (burn->server)
		server_report(burn->server, wall_ns);
	else
		diag("%" PRIu64 " iterations in %.3f s, %.3f s of processor time, checksum %016" PRIx64, burn->finished,
			(double)wall_ns / NS_PER_S, (double)used_ns / NS_PER_S, burn->checksum);
}

static int refuse_records(const struct settings *settings)
{
	return diag_refuse("%s: can't write iteration records: %s", output_name(settings->output), strerror(errno));
}

/* 0, or -1 after a message: records can't be written, or would go where messages go, or the checksum. */
static int check_output(const struct settings *settings)
{
	struct file_uses uses = {0};
	char error[FILE_USES_ERROR_MAX];
	file_uses_add(&uses, FILE_IS_WRITTEN, "--output", settings->output);
	file_uses_add_standard(&uses, STDOUT_FILENO);
	file_uses_add_standard(&uses, STDERR_FILENO);
	if (file_uses_check(&uses, error) != 0)
		return diag_refuse("%s", error);
	return settings->output && output_check(settings->output) != 0 ? refuse_records(settings) : 0;
}

/* Takes what the run needs. A service listens first: a file of records is not emptied for one that can't. 0, or -1 after a message. */
static int prepare(struct burn *burn)
{
	const struct settings *const settings = burn->settings;
	burn->workers = calloc((size_t)settings->threads, sizeof *burn->workers);
	burn->cells = burn->cell_count > 0 ? calloc(burn->cell_count, sizeof *burn->cells) : NULL;
	if (burn->done < 0 || !burn->workers || (burn->cell_count > 0 && !burn->cells))
		return diag_refuse("can't start: %s", strerror(errno));
	if (check_output(settings) != 0)
		return -1;
	init_sharing(burn);
	if (settings->listens) {
		burn->server = server_open(burn);
		if (!burn->server)
			return -1;
	}
	if (settings->output && iteration_log_open(&burn->log, settings->output) < 0)
		return refuse_records(settings);
	return 0;
}

static void say_what_is_done(const struct settings *settings)
{
	if (settings->listens)
		return;
	diag("instance %" PRId64 ", profile %s, threads %" PRId64 ", units per iteration %" PRId64 ", seed %" PRId64,
		settings->instance, profile_names[settings->profile], settings->threads, settings->work, settings->seed);
}

/* From the first thread's start to the last one's end. Returns the exit status. */
static int work(struct burn *burn, int signal_file, int *caught)
{
	const struct settings *const settings = burn->settings;
	const int64_t begin_ns = clock_now(), used_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	const unsigned started = start(burn);
	if (started > 0)
		*caught = supervise(burn, signal_file);
	for (unsigned i = 0; i < started; i++)
		pthread_join(burn->workers[i].thread, NULL);
	const int64_t wall_ns = clock_now() - begin_ns;
	if (burn->server)
		server_close(burn->server);
	if (settings->verbose)
		report(burn, wall_ns, clock_ns(CLOCK_PROCESS_CPUTIME_ID) - used_ns);
	return started == (unsigned)settings->threads ? 0 : EXIT_TROUBLE;
}

void ssburn_draw(const struct settings *settings)
{
	struct burn burn = {.settings = settings};
	burn_seed(&burn);
	printf("iteration,service_s\n");
	for (int64_t i = 0; i < settings->draws && !ferror(stdout); i++)
		printf("%" PRId64 ",%.9f\n", i, (double)burn_service_ns(&burn, (uint64_t)i) / NS_PER_S);
}

int ssburn_run(const struct settings *settings, int *caught)
{
	struct burn burn = {
		.settings = settings,
		.profile = settings->listens ? &profile_of_service : &profiles[settings->profile],
		.cell_count = ((uint64_t)settings->memory + sizeof *burn.cells - 1) / sizeof *burn.cells,
		.log.file = -1,
		.counter = iteration_counter_find(),
		.done = eventfd(0, EFD_CLOEXEC),
	};
	int status = EXIT_TROUBLE;
	sigset_t signals;
	signals_ending(&signals);
	const int signal_file = signalfd(-1, &signals, SFD_CLOEXEC);
	if (signal_file < 0)
		diag("can't start: %s", strerror(errno));
	else if (prepare(&burn) == 0) {
		if (burn.server)
			server_say(burn.server);
		if (settings->verbose)
			say_what_is_done(settings);
		/* Not before: a FIFO that is opened may wait for its other end. */
		pthread_sigmask(SIG_BLOCK, &signals, NULL);
		status = work(&burn, signal_file, caught);
		if (burn.log.lost > 0) /* said when the first one was */
			status = EXIT_TROUBLE;
		if (iteration_log_close(&burn.log) < 0) {
			diag("%s: iteration records may be lost: %s", output_name(settings->output), strerror(errno));
			status = EXIT_TROUBLE;
		}
		if (settings->checksum && !*caught)
			printf("iterations %" PRIu64 " checksum %016" PRIx64 "\n", burn.finished, burn.checksum);
	}
	iteration_log_close(&burn.log);
	server_free(burn.server);
	free(burn.cells);
	free(burn.workers);
	if (signal_file >= 0)
		close(signal_file);
	if (burn.done >= 0)
		close(burn.done);
	return status;
}
