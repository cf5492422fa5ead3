/* SPDX-License-Identifier: MIT */
/*
 * `contended` and `phased` go in rounds: a round has some of the threads, each with a piece of work, and when the last of
 * them is done the next round begins. Pieces of a fraction of a millisecond are threads that hand off to one another; pieces of
 * seconds are phases. Sleepers and background loads are threads of their own.
 */
#include "sssim/workload.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_MAX "4096"
#define PIECE_LEAST_NS 1000
/* Threads of a background load that work more of their time than this would fall behind for long. */
#define BACKGROUND_SHARE 0.8

/* A process that runs. */
struct actor {
	const struct sim_workload *workload;
	struct sim_random random;
	int64_t origin_ns;
	unsigned busy;               /* threads that are in the round */
	int64_t *arrival_ns;         /* background: of each thread's next burst; NULL else */
	struct sim_service *service; /* NULL for other models */
};

struct sim_model {
	const char *help;
	const struct sst_option *options;
	void (*start)(struct sim_process *process);
	void (*done)(struct sim_process *process, struct sim_thread *thread);
};

static struct actor *actor_of(const struct sim_process *process)
{
	return process->model;
}

static int64_t at_least(double ns, int64_t least)
{
	return ns > (double)least ? (int64_t)ns : least;
}

/* ---- Endless threads -------------------------------------------------------------------------------------------------- */

static void start_all(struct sim_process *process)
{
	for (unsigned i = 0; i < process->threads; i++)
		sim_thread_wake(&process->thread[i], SIM_ENDLESS);
}

static void never_done(struct sim_process *process, struct sim_thread *thread)
{
	(void)process;
	sim_thread_wake(thread, SIM_ENDLESS);
}

/* ---- Rounds ----------------------------------------------------------------------------------------------------------- */

static void begin_round(struct sim_process *process, unsigned width)
{
	struct actor *actor = actor_of(process);
	const unsigned first = (unsigned)sim_random_below(&actor->random, process->threads);
	actor->busy = width;
	for (unsigned i = 0; i < width; i++) {
		const double work = (double)actor->workload->work_ns * sim_random_exponential(&actor->random);
		sim_thread_wake(&process->thread[(first + i) % process->threads], at_least(work, PIECE_LEAST_NS));
	}
}

static void begin_short_round(struct sim_process *process)
{
	struct actor *actor = actor_of(process);
	unsigned width = 1;
	if (process->threads > 1 && sim_random_real(&actor->random) >= actor->workload->serial)
		width = 2 + (unsigned)sim_random_below(&actor->random, process->threads - 1);
	begin_round(process, width);
}

static void end_piece(struct sim_process *process, struct sim_thread *thread)
{
	(void)thread;
	if (--actor_of(process)->busy == 0)
		begin_short_round(process);
}

/* A phase is as long for all of its threads, and between half and one and a half of the mean. */
static void begin_phase(struct sim_process *process)
{
	struct actor *actor = actor_of(process);
	const double length = (double)actor->workload->work_ns * (0.5 + sim_random_real(&actor->random));
	actor->busy = 1 + (unsigned)sim_random_below(&actor->random, process->threads);
	for (unsigned i = 0; i < actor->busy; i++)
		sim_thread_wake(&process->thread[i], at_least(length, PIECE_LEAST_NS));
}

static void end_phase(struct sim_process *process, struct sim_thread *thread)
{
	(void)thread;
	if (--actor_of(process)->busy == 0)
		begin_phase(process);
}

/* ---- Sleepers --------------------------------------------------------------------------------------------------------- */

/* From half to one and a half of the mean. */
static int64_t spread(struct actor *actor, int64_t mean_ns)
{
	return at_least((double)mean_ns * (0.5 + sim_random_real(&actor->random)), PIECE_LEAST_NS);
}

static void end_sleep(struct sim_event *timer)
{
	struct sim_thread *thread = SIM_OWNER(timer, struct sim_thread, timer);
	struct actor *actor = actor_of(thread->process);
	sim_thread_wake(thread, spread(actor, actor->workload->work_ns));
}

static void fall_asleep(struct sim_process *process, struct sim_thread *thread)
{
	struct actor *actor = actor_of(process);
	thread->timer.fire = end_sleep;
	sim_event_arm(process->machine, &thread->timer, process->machine->now_ns + spread(actor, actor->workload->sleep_ns));
}

/* ---- Services --------------------------------------------------------------------------------------------------------- */

static void start_service(struct sim_process *process)
{
	sim_service_start(actor_of(process)->service);
}

static void end_request(struct sim_process *process, struct sim_thread *thread)
{
	sim_service_end_request(actor_of(process)->service, thread);
}

/* ---- Background ------------------------------------------------------------------------------------------------------- */

static int64_t burst_gap(struct actor *actor)
{
	const struct sim_workload *workload = actor->workload;
	const double share = workload->load / (double)workload->threads; /* of the processor that a thread has for itself */
	return (int64_t)((double)workload->work_ns / share * (0.5 + sim_random_real(&actor->random)));
}

/* The next time from `at_ns` at which the load is there, or SIM_ENDLESS. */
static int64_t next_presence(const struct actor *actor, int64_t at_ns)
{
	const struct sim_workload *workload = actor->workload;
	int64_t since = at_ns - actor->origin_ns;
	int64_t start = workload->start_ns;
	if (workload->repeat_ns != SST_UNSET && since > start)
		start += (since - start) / workload->repeat_ns * workload->repeat_ns;
	const int64_t length = workload->end_ns == SST_UNSET ? SIM_ENDLESS : workload->end_ns - workload->start_ns;
	if (since < start)
		return actor->origin_ns + start;
	if (since - start < length)
		return at_ns;
	return workload->repeat_ns == SST_UNSET ? SIM_ENDLESS : actor->origin_ns + start + workload->repeat_ns;
}

static void begin_burst(struct sim_event *timer)
{
	struct sim_thread *thread = SIM_OWNER(timer, struct sim_thread, timer);
	struct actor *actor = actor_of(thread->process);
	sim_thread_wake(thread, actor->workload->work_ns);
}

/* Bursts arrive at their own rate, whether or not the machine keeps up. */
static void end_burst(struct sim_process *process, struct sim_thread *thread)
{
	struct actor *actor = actor_of(process);
	int64_t *arrival_ns = &actor->arrival_ns[thread - process->thread];
	const int64_t next = next_presence(actor, *arrival_ns + burst_gap(actor));
	if (next == SIM_ENDLESS)
		return;
	*arrival_ns = next;
	thread->timer.fire = begin_burst;
	sim_event_arm(process->machine, &thread->timer, next);
}

static void start_background(struct sim_process *process)
{
	struct actor *actor = actor_of(process);
	for (unsigned i = 0; i < process->threads; i++) {
		/* As if a burst had just ended when the load begins. */
		actor->arrival_ns[i] = next_presence(actor, process->machine->now_ns);
		end_burst(process, &process->thread[i]);
	}
}

/* ---- The table -------------------------------------------------------------------------------------------------------- */

#define ITERATION                                                                                                                \
	SST_OPTION("iteration", TIME, struct sim_workload, iteration_ns,                                                         \
		"work of a thread for an iteration, as -f throughput counts", .initial = "50m", .least = "10u", .most = "1h")

static const struct sst_option single_options[] = {ITERATION, {0}};
static const struct sst_option parallel_options[] = {
	SST_OPTION("threads", INT, struct sim_workload, threads, "how many; default: as many as processors", .least = "1",
		.most = THREADS_MAX),
	ITERATION,
	{0},
};
static const struct sst_option contended_options[] = {
	SST_OPTION("threads", INT, struct sim_workload, threads, "how many", .initial = "4", .least = "2", .most = THREADS_MAX),
	SST_OPTION("work", TIME, struct sim_workload, work_ns, "mean work of a thread before it waits for the others",
		.initial = "500u", .least = "10u", .most = "1h"),
	SST_OPTION("serial", LOAD, struct sim_workload, serial,
		"share of the rounds that one thread has alone; the others have two threads or more", .initial = "50%"),
	ITERATION,
	{0},
};
static const struct sst_option phased_options[] = {
	SST_OPTION("threads", INT, struct sim_workload, threads, "the most that run; how many do is drawn anew for each phase",
		.initial = "4", .least = "1", .most = THREADS_MAX),
	SST_OPTION("phase", TIME, struct sim_workload, work_ns, "mean length of a phase, in CPU time of each thread",
		.initial = "2s", .least = "1m", .most = "1d"),
	ITERATION,
	{0},
};
static const struct sst_option sleeper_options[] = {
	SST_OPTION("work", TIME, struct sim_workload, work_ns, "mean work before a thread sleeps", .initial = "10m",
		.least = "10u", .most = "1h"),
	SST_OPTION("sleep", TIME, struct sim_workload, sleep_ns, "mean length of a sleep, which a stop doesn't hold up",
		.initial = "40m", .least = "10u", .most = "1h"),
	SST_OPTION("threads", INT, struct sim_workload, threads, "how many", .initial = "1", .least = "1", .most = THREADS_MAX),
	ITERATION,
	{0},
};
/* In the order of enum sim_arrivals. */
static const char *const arrivals[] = {"even", "poisson", NULL};
static const struct sst_option service_options[] = {
	SST_OPTION("rate", REAL, struct sim_workload, rate, "requests a second, whether or not it keeps up", .required = true,
		.least = "0.001", .most = "1000000"),
	SST_OPTION("mean", TIME, struct sim_workload, work_ns, "mean processor time of a request", .initial = "5m", .least = "1u",
		.most = "1d"),
	SST_OPTION("distribution", TEXT, struct sim_workload, distribution,
		"of it: constant, exponential, lognormal:sigma=S or pareto:shape=A", .initial = "constant"),
	SST_OPTION("arrivals", CHOICE, struct sim_workload, arrivals, "equal or exponential gaps", .choices = arrivals,
		.initial = "even"),
	SST_OPTION("threads", INT, struct sim_workload, threads,
		"that serve, a request each; default: as many as the machine has processors", .least = "1", .most = THREADS_MAX),
	SST_OPTION("queue", INT, struct sim_workload, queue, "a request that finds so many waiting is turned away",
		.initial = "100000", .least = "1", .most = "10000000"),
	{0},
};
static const struct sst_option background_options[] = {
	SST_OPTION("load", LOAD, struct sim_workload, load, "of the machine", .required = true),
	SST_OPTION("start", TIME, struct sim_workload, start_ns, "since control began", .initial = "0", .least = "0"),
	SST_OPTION("end", TIME, struct sim_workload, end_ns, "likewise; default: never", .least = "0"),
	SST_OPTION("repeat", TIME, struct sim_workload, repeat_ns, "it comes again after this, counted from start to start",
		.least = "1m"),
	SST_OPTION("burst", TIME, struct sim_workload, work_ns, "what a thread works at a time", .initial = "5m", .least = "10u",
		.most = "1h"),
	SST_OPTION("threads", INT, struct sim_workload, threads,
		"how many; default: as few as make the load in four fifths of their time", .least = "1", .most = THREADS_MAX),
	{0},
};

const char *const sim_model_names[] = {"single", "parallel", "contended", "phased", "sleeper", "service", NULL};
#define MODELS (sizeof sim_model_names / sizeof *sim_model_names - 1)

/* In the same order. */
static const struct sim_model models[MODELS] = {
	{"one thread that always runs", single_options, start_all, never_done},
	{"independent threads that always run", parallel_options, start_all, never_done},
	{"threads that wait for one another", contended_options, begin_short_round, end_piece},
	{"how many threads run changes over seconds", phased_options, begin_phase, end_phase},
	{"threads that work and sleep in turn", sleeper_options, NULL, fall_asleep},
	{"threads that serve requests, whose response times are told", service_options, start_service, end_request},
};

static const struct sim_model background = {"", background_options, start_background, end_burst};

static int parse_distribution(struct sim_workload *workload, char error[static OPTION_ERROR_MAX])
{
	workload->service.mean_ns = workload->work_ns;
	if (service_time_parse(workload->distribution, &workload->service) == 0)
		return 0;
	snprintf(error, OPTION_ERROR_MAX, "option 'distribution': '%.100s' is malformed: expected " SERVICE_TIME_EXPECTED,
		workload->distribution);
	return -1;
}

static int parse_options(struct sim_workload *workload, const struct sim_model *model, const char *options, const char *text,
	char error[static OPTION_ERROR_MAX])
{
	struct option_memory memory = {0};
	char reason[OPTION_ERROR_MAX];
	*workload = (struct sim_workload){
		.model = model, .text = text, .threads = 1, .start_ns = 0, .end_ns = SST_UNSET, .repeat_ns = SST_UNSET};
	int result = option_parse(model->options, options, workload, &memory, reason);
	if (result == 0 && sim_workload_is_service(workload))
		result = parse_distribution(workload, reason);
	workload->distribution = NULL;
	option_free(&memory);
	if (result != 0)
		snprintf(error, OPTION_ERROR_MAX, "'%.100s': %.350s", text, reason);
	return result;
}

/* The model that the text begins with, or NULL; *options is what stands behind it, NULL for nothing. */
static const struct sim_model *find_model(const char *text, const char **options)
{
	const size_t length = strcspn(text, ":");
	*options = text[length] ? text + length + 1 : NULL;
	for (size_t i = 0; i < MODELS; i++)
		if (strlen(sim_model_names[i]) == length && memcmp(sim_model_names[i], text, length) == 0)
			return &models[i];
	return NULL;
}

int sim_workload_parse(struct sim_workload *workload, const char *text, unsigned processors, char error[static OPTION_ERROR_MAX])
{
	const char *options;
	const struct sim_model *const model = find_model(text, &options);
	if (model) {
		if (parse_options(workload, model, options, text, error) != 0)
			return -1;
		if (workload->threads == SST_UNSET)
			workload->threads = processors;
		return 0;
	}
	int used = snprintf(error, OPTION_ERROR_MAX, "'%.100s': expected MODEL[:OPTIONS] with one of the models", text);
	for (size_t i = 0; i < MODELS; i++)
		used += snprintf(error + used, OPTION_ERROR_MAX - (size_t)used, "%s %s", i ? "," : "", sim_model_names[i]);
	return -1;
}

int sim_background_parse(
	struct sim_workload *workload, const char *text, unsigned processors, char error[static OPTION_ERROR_MAX])
{
	const char *options;
	if (find_model(text, &options))
		return sim_workload_parse(workload, text, processors, error);
	if (parse_options(workload, &background, text, text, error) != 0)
		return -1;
	if (workload->threads == SST_UNSET)
		workload->threads = (int64_t)ceil(workload->load * processors / BACKGROUND_SHARE);
	const char *wrong = NULL;
	if (workload->load <= 0)
		wrong = "expected a load above 0";
	else if (workload->load * processors > (double)workload->threads)
		wrong = "expected more threads: one makes at most the load of one processor";
	else if (workload->end_ns != SST_UNSET && workload->end_ns <= workload->start_ns)
		wrong = "expected an end after the start";
	else if (workload->repeat_ns != SST_UNSET &&
		 (workload->end_ns == SST_UNSET || workload->end_ns - workload->start_ns >= workload->repeat_ns))
		wrong = "expected an end that comes before it repeats";
	if (!wrong) {
		workload->load *= processors;
		return 0;
	}
	snprintf(error, OPTION_ERROR_MAX, "'%.100s': %s", text, wrong);
	return -1;
}

bool sim_workload_is_service(const struct sim_workload *workload)
{
	return workload->model->done == end_request;
}

static struct sim_service *make_service(struct sim_process *process, uint64_t number)
{
	const struct sim_workload *const workload = actor_of(process)->workload;
	return sim_service_new(process,
		&(struct sim_service_settings){.rate = workload->rate,
			.arrivals = (enum sim_arrivals)workload->arrivals,
			.work = workload->service,
			.most_waiting = (uint64_t)workload->queue},
		number);
}

struct sim_process *sim_workload_add(
	struct sim_machine *machine, const struct sim_workload *workload, uint64_t number, int64_t origin_ns)
{
	const unsigned threads = (unsigned)workload->threads;
	struct actor *actor = calloc(1, sizeof *actor);
	if (!actor)
		return NULL;
	*actor = (struct actor){
		.workload = workload,
		.random = sim_random_stream(machine->config.seed, number),
		.origin_ns = origin_ns,
		.arrival_ns = calloc(threads, sizeof *actor->arrival_ns),
	};
	struct sim_process *process = actor->arrival_ns ? sim_process_add(machine, threads, workload->model->done, actor) : NULL;
	if (!process || (sim_workload_is_service(workload) && !(actor->service = make_service(process, number)))) {
		free(actor->arrival_ns);
		free(actor);
		return NULL;
	}
	if (workload->model->start)
		workload->model->start(process);
	else
		for (unsigned i = 0; i < threads; i++)
			workload->model->done(process, &process->thread[i]);
	return process;
}

int64_t sim_workload_finished(const struct sim_process *process)
{
	const struct actor *const actor = actor_of(process);
	if (actor->service)
		return (int64_t)sim_service_answered(actor->service);
	int64_t finished = 0;
	for (unsigned i = 0; i < process->threads; i++)
		finished += sim_thread_work_ns(&process->thread[i]) / actor->workload->iteration_ns;
	return finished;
}

double sim_workload_progress(const struct sim_process *process)
{
	const struct actor *const actor = actor_of(process);
	return actor->service ? (double)sim_service_answered(actor->service)
			      : (double)sim_process_work_ns(process) / (double)actor->workload->iteration_ns;
}

void sim_workload_show(struct sim_process *process, struct sim_clients *clients)
{
	if (actor_of(process)->service)
		sim_service_show(actor_of(process)->service, clients);
}

void sim_workload_free(struct sim_process *process)
{
	struct actor *actor = actor_of(process);
	sim_service_free(actor->service);
	free(actor->arrival_ns);
	free(actor);
	process->model = NULL;
}

void sim_workload_help(FILE *to)
{
	for (size_t i = 0; i < MODELS; i++) {
		fprintf(to, "%s: %s\n", sim_model_names[i], models[i].help);
		option_help(models[i].options, to);
	}
	fputs("background, where it is none of these: a load that nobody controls\n", to);
	option_help(background.options, to);
}
