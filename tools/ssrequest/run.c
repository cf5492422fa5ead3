/* SPDX-License-Identifier: MIT */
/*
 * One loop: what the generator says is to be done now is done, then it is slept until the next moment that somebody wants (a timer of
 * CLOCK_MONOTONIC), or a socket, an ended command or a signal comes. After a few of each the other has its turn, so that neither many requests
 * at once keep answers waiting for long, nor answers those that are due.
 */
#include "ssrequest/run.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptors.h"
#include "base/diag.h"
#include "base/file_uses.h"
#include "base/output.h"
#include "base/units.h"
#include "processes/affinity.h"
#include "processes/command.h"
#include "self/scheduling.h"
#include "self/signals.h"
#include "ssrequest/commands.h"
#include "ssrequest/dry_run.h"
#include "ssrequest/generator.h"
#include "ssrequest/http.h"
#include "ssrequest/outcome.h"
#include "ssrequest/progress.h"
#include "ssrequest/rates.h"
#include "workloads/spawn.h"

#define EXIT_MISSED 3
#define ACTS_AT_A_TIME 16
#define EVENTS_AT_A_TIME 16
/* Records that wait are written when there is so much time, or after as long. */
#define SPARE_NS (200 * NS_PER_US)
/* We look at the clock at least as often; who comes later than that by as much stood still. */
#define LOOK_NS (100 * NS_PER_MS)
/* Stretches without a request behind the last one. */
#define LOOKS_AHEAD 100000
#define RECORDS_WAIT_NS (100 * NS_PER_MS)

/* A request that is under way. */
struct under_way {
	bool is_active;
	struct request request;
	unsigned url;
	int64_t sent_ns; /* CLOCK_MONOTONIC, or REQUEST_LOG_NEVER: it is being sent */
};

struct run {
	const struct settings *settings;
	struct rates rates;
	struct schedule schedule;
	struct generator *generator;
	struct sender sender;
	struct under_way *slot;
	struct outcome *outcome;
	struct request_log *log; /* NULL: none */
	FILE *export;            /* NULL: none */
	struct progress_line line;
	struct scheduling user;
	struct linux_mask mask;
	int epoll, timer, signals;
	int64_t origin_ns;  /* CLOCK_MONOTONIC */
	int64_t records_ns; /* records are written then at the latest */
	int64_t awaited_ns; /* we look at the clock by then; the last look, where we don't wait */
	int64_t used_ns;    /* our processor time at the last look */
	int64_t ended_ns;   /* the loop ended, since the start */
	int told_by;        /* the signal that told us to end, or 0 */
	bool is_lossy;      /* records were lost, and that was said */
};

static int64_t since_start(const struct run *run)
{
	return clock_now() - run->origin_ns;
}

/* ---- Records ---------------------------------------------------------------------------------------------------------- */

static void complain_about_records(struct run *run)
{
	if (!run->is_lossy)
		record_files_complain(&run->settings->files);
	run->is_lossy = true;
}

static void record(struct run *run, struct request_record *what, const struct request *request)
{
	what->request = request->number;
	what->planned_ns = run->origin_ns + request->planned_ns;
	what->arrival_ns = run->origin_ns + request->arrival_ns;
	outcome_add(run->outcome, what);
	if (!run->log)
		return;
	if (!request_log_is_pending(run->log))
		run->records_ns = what->end_ns + RECORDS_WAIT_NS;
	if (request_log_add(run->log, what) != 0)
		complain_about_records(run);
}

static void answered(void *context, unsigned number, const struct sender_answer *answer)
{
	struct run *const run = context;
	struct under_way *const slot = &run->slot[number];
	const int64_t now_ns = clock_now();
	if (!slot->is_active)
		return;
	struct request_record what = {.url = slot->url,
		.sent_ns = slot->sent_ns == REQUEST_LOG_NEVER ? now_ns : slot->sent_ns,
		.end_ns = now_ns,
		.fate = answer->fate,
		.status = answer->status,
		.bytes = answer->bytes};
	slot->is_active = false;
	record(run, &what, &slot->request);
	generator_answered(run->generator, number, now_ns - run->origin_ns);
}

/* ---- What the generator wants ----------------------------------------------------------------------------------------- */

static unsigned url_of(const struct run *run, uint64_t request)
{
	const struct targets *const targets = &run->settings->targets;
	return targets->count > 1 ? targets_pick(targets, (uint64_t)run->settings->seed, request) : 0;
}

static void send(struct run *run, const struct generator_action *action)
{
	struct under_way *const slot = &run->slot[action->slot];
	/* After a pause many are due at once, and the last of them has waited for the others. */
	if (since_start(run) > action->request.arrival_ns + LOOK_NS)
		generator_stood_still(run->generator, since_start(run), 0);
	*slot = (struct under_way){.is_active = true,
		.request = action->request,
		.url = url_of(run, action->request.number),
		.sent_ns = REQUEST_LOG_NEVER};
	slot->sent_ns = run->sender.send(run->sender.self, action->slot, slot->url, action->request.number);
}

static void drop(struct run *run, const struct request *request)
{
	struct request_record what = {.url = url_of(run, request->number),
		.sent_ns = REQUEST_LOG_NEVER,
		.end_ns = clock_now(),
		.fate = REQUEST_DROPPED,
		.bytes = REQUEST_LOG_UNKNOWN};
	record(run, &what, request);
}

static void give_up(struct run *run, const struct generator_action *action)
{
	struct under_way *const slot = &run->slot[action->slot];
	struct request_record what = {.url = slot->url,
		.sent_ns = slot->sent_ns,
		.end_ns = clock_now(),
		.fate = REQUEST_TIMEOUT,
		.bytes = REQUEST_LOG_UNKNOWN};
	run->sender.give_up(run->sender.self, action->slot);
	slot->is_active = false;
	record(run, &what, &slot->request);
}

/*
 * Whoever stops us (Ctrl-Z, a debugger) keeps us from seeing answers, which is no fault of theirs. What we do ourselves meanwhile, such as
 * reading long answers, is no pause.
 */
static void look_for_pause(struct run *run)
{
	const int64_t now_ns = clock_now(), used_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	const int64_t late_ns = now_ns - run->awaited_ns - (used_ns - run->used_ns);
	run->awaited_ns = now_ns;
	run->used_ns = used_ns;
	if (late_ns <= LOOK_NS)
		return;
	run->outcome->stood_still++;
	run->outcome->stood_still_ns += late_ns;
	generator_stood_still(run->generator, now_ns - run->origin_ns, late_ns);
}

/* Does what there is to do, up to a few things. When there is more, 0; INT64_MIN when all is over. */
static int64_t act(struct run *run)
{
	for (int i = 0; i < ACTS_AT_A_TIME; i++) {
		/* Before each: a pause may come in the middle of one, and what it holds up must not be given up for it. */
		look_for_pause(run);
		const struct generator_action action = generator_next(run->generator, since_start(run));
		switch (action.act) {
		case GENERATOR_SEND:
			send(run, &action);
			break;
		case GENERATOR_DROP:
			drop(run, &action.request);
			break;
		case GENERATOR_GIVE_UP:
			give_up(run, &action);
			break;
		case GENERATOR_SLEEP:
			return action.until_ns == INT64_MAX ? INT64_MAX : run->origin_ns + action.until_ns;
		case GENERATOR_END:
			return INT64_MIN;
		}
	}
	return 0;
}

/* ---- The loop --------------------------------------------------------------------------------------------------------- */

/* Those that are under way are forgotten; they are neither recorded nor counted. Those that were to be sent by now are dropped. */
static void interrupt(struct run *run)
{
	const int64_t now_ns = since_start(run);
	for (struct generator_action action; (action = generator_stop(run->generator, now_ns)).act == GENERATOR_DROP;)
		drop(run, &action.request);
	for (int64_t i = 0; i < run->settings->limit; i++)
		run->outcome->under_way += run->slot[i].is_active;
}

static void fetch_signals(struct run *run)
{
	struct signalfd_siginfo info;
	while (read(run->signals, &info, sizeof info) == (ssize_t)sizeof info) {
		if (info.ssi_signo == SIGCHLD) {
			if (run->sender.reap)
				run->sender.reap(run->sender.self);
		} else if (!run->told_by) {
			run->told_by = (int)info.ssi_signo;
		}
	}
}

static void arm(const struct run *run, int64_t when_ns)
{
	/* A time of 0 would disarm it. */
	const struct itimerspec when = {
		.it_value = {.tv_sec = when_ns > 0 ? when_ns / NS_PER_S : 0, .tv_nsec = when_ns > 0 ? when_ns % NS_PER_S : 1}};
	const struct itimerspec never = {0};
	timerfd_settime(run->timer, TFD_TIMER_ABSTIME, when_ns == INT64_MAX ? &never : &when, NULL);
}

/* Waits until then, or for what comes, and serves that. */
static void rest(struct run *run, int64_t until_ns)
{
	struct epoll_event event[EVENTS_AT_A_TIME];
	if (until_ns != 0)
		arm(run, until_ns);
	const int count = epoll_wait(run->epoll, event, EVENTS_AT_A_TIME, until_ns == 0 ? 0 : -1);
	for (int i = 0; i < count; i++) {
		uint64_t expirations;
		if (event[i].data.fd == run->signals)
			fetch_signals(run);
		else if (event[i].data.fd != run->timer)
			run->sender.serve(run->sender.self, event[i].data.fd, event[i].events);
		else if (read(run->timer, &expirations, sizeof expirations) < 0)
			continue;
	}
}

static int64_t sooner(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Does what isn't urgent, if there is time until then. Until when one can sleep. */
static int64_t do_the_rest(struct run *run, int64_t until_ns)
{
	const int64_t now_ns = clock_now();
	if (run->log && request_log_is_pending(run->log)) {
		if ((until_ns - now_ns > SPARE_NS || now_ns >= run->records_ns) && request_log_flush(run->log) != 0)
			complain_about_records(run);
	}
	if (now_ns - run->origin_ns >= run->line.next_ns)
		progress_line_draw(&run->line, run->outcome, now_ns - run->origin_ns, run->schedule.settings.length_ns,
			generator_unanswered(run->generator));
	return run->line.next_ns == INT64_MAX ? until_ns : sooner(until_ns, run->origin_ns + run->line.next_ns);
}

static void loop(struct run *run)
{
	run->awaited_ns = run->origin_ns;
	run->used_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	while (!run->told_by) {
		int64_t until_ns = act(run);
		if (until_ns == INT64_MIN)
			return;
		if (run->sender.due && run->sender.due(run->sender.self) <= clock_now())
			run->sender.wake(run->sender.self);
		if (run->sender.due)
			until_ns = sooner(until_ns, run->sender.due(run->sender.self));
		const int64_t wake_ns = do_the_rest(run, until_ns);
		look_for_pause(run);
		const int64_t now_ns = run->awaited_ns;
		const int64_t look_ns = sooner(wake_ns, now_ns + LOOK_NS);
		run->awaited_ns = until_ns == 0 || look_ns < now_ns ? now_ns : look_ns;
		rest(run, until_ns == 0 ? 0 : look_ns);
	}
	interrupt(run);
}

/* ---- Opening and closing ---------------------------------------------------------------------------------------------- */

/* Refuses what can be seen to fail before a file is emptied. 0, or the status to exit with after a message. */
static int check(const struct run *run)
{
	const struct settings *const settings = run->settings;
	struct file_uses uses = {0};
	char command[PATH_MAX];
	const int found = settings->command ? command_verify(settings->command[0], NULL) : 0;
	if (found != 0)
		return found;
	if (!settings->command && http_check(settings) != 0)
		return EXIT_TROUBLE;
	if (settings->command && command_find(settings->command[0], NULL, command) == 0)
		file_uses_add(&uses, FILE_IS_READ, "the command", command);
	if (settings->trace)
		module_files(&run->rates.module, &uses);
	file_uses_add(&uses, FILE_IS_READ, "--urls", settings->url_file);
	file_uses_add(&uses, FILE_IS_READ, "--cacert", settings->cacert);
	if (settings->body && settings->body[0] == '@')
		file_uses_add(&uses, FILE_IS_READ, "--body", settings->body + 1);
	return record_files_check(&settings->files, &uses) == 0 ? 0 : EXIT_TROUBLE;
}

static int name_targets(struct run *run)
{
	const struct settings *const settings = run->settings;
	int result = 0;
	for (unsigned i = 0; result == 0 && i < settings->targets.count; i++)
		result = request_log_name(run->log, settings->targets.item[i].url);
	if (settings->command) {
		char *const line = command_text(settings->command);
		result = line ? request_log_name(run->log, line) : -1;
		const int error = errno;
		free(line);
		errno = error;
	}
	return result;
}

static int open_outputs(struct run *run)
{
	const struct settings *const settings = run->settings;
	if (settings->files.output) {
		run->log = request_log_open(
			settings->files.output, settings->format == FORMAT_CSV ? REQUEST_LOG_CSV : REQUEST_LOG_JSONL, false);
		if (!run->log || name_targets(run) != 0)
			return record_files_refuse_output(&settings->files);
	}
	if (settings->files.export_json) {
		run->export = output_stream(settings->files.export_json);
		if (!run->export)
			return record_files_refuse_export(&settings->files);
	}
	return 0;
}

static int watch(const struct run *run, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
	return epoll_ctl(run->epoll, EPOLL_CTL_ADD, fd, &event);
}

/* Signals are fetched between two events. */
static int take_signals(struct run *run)
{
	sigset_t fetched;
	struct sigaction quit;
	signals_ending(&fetched);
	/* Nobody else is meant by Ctrl-\ at a long run, whose figures would be lost. */
	if (sigaction(SIGQUIT, NULL, &quit) == 0 && quit.sa_handler != SIG_IGN)
		sigaddset(&fetched, SIGQUIT);
	sigaddset(&fetched, SIGCHLD);
	sigprocmask(SIG_BLOCK, &fetched, NULL);
	signal(SIGCHLD, SIG_DFL);
	run->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	run->signals = signalfd(-1, &fetched, SFD_CLOEXEC | SFD_NONBLOCK);
	if (run->timer >= 0 && run->signals >= 0 && watch(run, run->timer) == 0 && watch(run, run->signals) == 0)
		return 0;
	return diag_refuse("can't wait for signals and sockets: %s", strerror(errno));
}

static int open_sender(struct run *run)
{
	const struct settings *const settings = run->settings;
	const struct sender_owner owner = {.answered = answered, .context = run};
	return settings->command ? commands_open(&run->sender, settings, &owner, &run->user, &run->mask)
				 : http_open(&run->sender, settings, &owner, run->epoll);
}

static int prepare(struct run *run)
{
	const struct settings *const settings = run->settings;
	const struct generator_settings limits = {
		.limit = (unsigned)settings->limit, .timeout_ns = settings->timeout_ns, .drops = settings->beyond == BEYOND_DROP};
	run->slot = calloc((size_t)settings->limit, sizeof *run->slot);
	run->outcome = calloc(1, sizeof *run->outcome);
	run->generator = generator_new(&limits, &run->schedule);
	if (!run->slot || !run->outcome || !run->generator || linux_mask_take(&run->mask) != 0)
		return diag_refuse("%s", strerror(errno));
	/* What commands get back. */
	signals_unblock_file_limit();
	scheduling_save(&run->user);
	signals_block_file_limit();
	if (settings->cpus && linux_affinity_set(0, settings->cpus) != 0)
		return diag_refuse("--cpus: these processors can't be used: %s", strerror(errno));
	descriptors_raise_limit();
	/* No write ends us. */
	signal(SIGPIPE, SIG_IGN);
	run->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (run->epoll < 0)
		return diag_refuse("can't wait for sockets: %s", strerror(errno));
	/* Signals are taken last: a FIFO that is opened may wait for its other end, which they have to be able to end. */
	return open_sender(run) == 0 && open_outputs(run) == 0 && take_signals(run) == 0 ? 0 : -1;
}

static void warn_of_lateness(const struct run *run)
{
	char remedy[SCHEDULING_REMEDY_MAX];
	if (!outcome_is_late(run->outcome))
		return;
	const bool has_remedy = scheduling_remedy(remedy);
	diag("warning: the generator was late, and its lateness is part of the response times: give it processors of its own "
	     "(--cpus), which the server doesn't use%s%s, or ask for a lower rate",
		has_remedy ? ", or real-time priority: " : "", has_remedy ? remedy : "");
}

static void warn_of_pauses(const struct outcome *outcome)
{
	if (outcome->stood_still > 0)
		diag("warning: the generator stood still for %.1f s (%" PRIu64
		     " %s): what was due meanwhile was sent later%s, and "
		     "answers were seen later",
			(double)outcome->stood_still_ns / NS_PER_S, outcome->stood_still,
			outcome->stood_still == 1 ? "time" : "times", outcome->fate[REQUEST_DROPPED] > 0 ? " or dropped" : "");
}

/* Up to where the next request would have been, if there were more; or their end, where that comes before it. */
static int64_t next_ns(const struct run *run)
{
	struct schedule next = run->schedule;
	int64_t when_ns;
	next.settings.most = UINT64_MAX;
	/* All of a second come at its beginning together. */
	if (next.settings.arrivals == ARRIVALS_CONCURRENT)
		return next.batch_ns + NS_PER_S;
	for (int i = 0; i < LOOKS_AHEAD; i++) {
		const enum schedule_answer answer = schedule_next(&next, &when_ns);
		if (answer == SCHEDULE_REQUEST)
			return when_ns;
		if (answer == SCHEDULE_END)
			break;
	}
	return next.settings.length_ns < INT64_MAX ? next.settings.length_ns : run->ended_ns;
}

/* What is said and written in the end. The status to exit with. */
static int conclude(struct run *run, char *const *words)
{
	const struct settings *const settings = run->settings;
	struct outcome *const outcome = run->outcome;
	const struct schedule_settings *const schedule = &run->schedule.settings;
	const bool ends_by_number = !run->told_by && run->schedule.count >= schedule->most;
	const bool ends_by_length = !run->told_by && !ends_by_number && schedule->length_ns < INT64_MAX;
	const int64_t ended_ns = run->ended_ns < schedule->length_ns ? run->ended_ns : schedule->length_ns;
	outcome->planned_ns = ends_by_length ? schedule->length_ns : ends_by_number ? next_ns(run) : ended_ns;
	/* The last request of a schedule that ends by its length may be answered before that. */
	outcome->wall_ns = ends_by_length && run->ended_ns < schedule->length_ns ? schedule->length_ns : run->ended_ns;
	const int64_t good_ns = outcome->last_good_ns - run->origin_ns;
	outcome->good_ns = good_ns > outcome->planned_ns ? good_ns : outcome->planned_ns;
	if (request_log_close(run->log) != 0)
		complain_about_records(run);
	run->log = NULL;
	if (!settings->quiet)
		outcome_print(outcome);
	if (!settings->quiet) {
		warn_of_pauses(outcome);
		warn_of_lateness(run);
	}
	if (run->export && outcome_export(outcome, run->export, settings->files.export_json, words, settings->seed) != 0) {
		record_files_refuse_export(&settings->files);
		run->is_lossy = true;
	}
	run->export = NULL;
	const bool is_met = run->told_by || required_is_met(&settings->required, outcome);
	return run->is_lossy ? EXIT_TROUBLE : is_met ? 0 : EXIT_MISSED;
}

static int send_all(struct run *run, char *const *words)
{
	/* A terminal that is held keeps no request waiting. */
	diag_never_wait();
	progress_line_init(&run->line, !run->settings->quiet);
	scheduling_raise(&run->user);
	run->origin_ns = clock_now();
	loop(run);
	run->ended_ns = since_start(run);
	scheduling_restore_attributes(&run->user);
	progress_line_remove(&run->line);
	/* Before anything is said: whoever waits for the end of the commands gets it at once. */
	run->sender.close(run->sender.self, run->told_by ? run->settings->grace_ns : 0, run->signals);
	run->sender.self = NULL;
	return conclude(run, words);
}

static void close_all(struct run *run)
{
	if (run->sender.self)
		run->sender.close(run->sender.self, 0, run->signals);
	request_log_close(run->log);
	if (run->export)
		fclose(run->export);
	generator_free(run->generator);
	rates_close(&run->rates);
	linux_mask_free(&run->mask);
	free(run->slot);
	free(run->outcome);
	const int fds[] = {run->epoll, run->timer, run->signals};
	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

int run(const struct settings *settings, char *const *words)
{
	struct run run = {.settings = settings, .epoll = -1, .timer = -1, .signals = -1};
	struct schedule_settings schedule;
	int status = EXIT_TROUBLE;
	if (rates_open(&run.rates, settings, &schedule) == 0 && (status = check(&run)) == 0) {
		schedule_init(&run.schedule, &schedule);
		if (settings->dry_run)
			dry_run_show(settings, &schedule);
		else
			status = prepare(&run) == 0 ? send_all(&run, words) : EXIT_TROUBLE;
	}
	close_all(&run);
	if (run.told_by && !run.is_lossy) {
		signals_end_by(run.told_by);
		return 128 + run.told_by;
	}
	return status;
}
