/* SPDX-License-Identifier: MIT */
/*
 * ssburn: a workload that uses processor time in a known way, for demonstrations, tests and experiments.
 *
 * Work is counted in units, each a fixed number of dependent integer operations whose result depends on the seed, the iteration
 * and the unit's place in it, and on nothing else. The sum of all results is the checksum. So profiles and numbers of threads
 * differ in who does the work and when, never in what is done, and the checksum shows that all of it was done once.
 *
 * There are two ways to share the work. In most profiles every thread takes whole iterations (`iterate`), and a profile is a rule
 * for how many threads may do so. In `contended` all threads work on one iteration in rounds of some 100 us and wait for one
 * another between them (`take_turns`). Widths of rounds and phases come from the seed and advance with the work done, never with
 * a clock, so that a process that was stopped goes on exactly where it was.
 *
 * The first thread does no work. It waits for signals, the time limit and the end, which leaves the workers free of them.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/units.h"
#include "base/version.h"
#include "os/processors.h"
#include "record/iteration_log.h"

/* Each takes 5 cycles; together about 10 us on a processor of today. */
#define STEPS_PER_UNIT 8192
#define STEPS_PER_READ 16
#define THREADS_MAX 4096
#define MEMORY_MAX (INT64_C(16) << 30)
#define PHASE_MAX INT64_C(1000000000000)
#define SLEEP_MAX (86400 * NS_PER_S)
#define INSTANCE "SHOWSTOPPER_INSTANCE"
#define STACK_SIZE ((size_t)256 << 10)
/* How long workers may take to leave after a signal; only a blocked write of a record can keep them. */
#define LEAVE_NS (5 * NS_PER_S)

/* ---- Settings --------------------------------------------------------------------------------------------------------- */

struct burn;
struct worker;

struct profile {
	const char *name;
	void (*run)(struct worker *self);
	int64_t least, most; /* threads */
	int64_t threads;     /* by default; 0: as many as there are processors, `least` at least */
	bool phases, sleeps;
	const char *help;
};

static void iterate(struct worker *self);
static void take_turns(struct worker *self);

static const struct profile profiles[] = {
	{"single", iterate, 1, 1, 1, false, false, "one thread"},
	{"contended", take_turns, 2, THREADS_MAX, 4, false, false, "threads that wait for one another every 100 us or so"},
	{"parallel", iterate, 1, THREADS_MAX, 0, false, false, "independent threads, each with iterations of its own"},
	{"phased", iterate, 2, THREADS_MAX, 0, true, false, "as parallel, but how many threads run changes over seconds"},
	{"sleepy", iterate, 1, THREADS_MAX, 1, false, true, "as parallel, but each thread sleeps after an iteration"},
};
#define PROFILES (sizeof profiles / sizeof profiles[0])

#define UNSET (-1)

struct settings {
	const struct profile *profile;
	int64_t threads;
	int64_t work;       /* units per iteration */
	int64_t iterations; /* UNSET: endless */
	int64_t time_ns;    /* UNSET: no limit */
	int64_t phase;      /* units per thread and phase, in the mean */
	int64_t sleep_ns;   /* in the mean */
	int64_t memory;     /* bytes */
	int64_t seed;
	int64_t instance;
	const char *output; /* NULL: no records */
	bool checksum, verbose;
};

enum takes { FLAG, NUMBER, SIZE, TIME, TEXT, PROFILE, HELP, VERSION };

struct row {
	int letter; /* 0: long name only */
	enum takes takes;
	const char *name;
	size_t offset; /* in struct settings */
	int64_t least, most;
	const char *argument;
	const char *initial; /* default, NULL for none */
	const char *help;
};

#define MEMBER(member) offsetof(struct settings, member)

static const struct row rows[] = {
	{'p', PROFILE, "profile", MEMBER(profile), 0, 0, "NAME", "single", "how the threads work together, see below"},
	{'t', NUMBER, "threads", MEMBER(threads), 1, THREADS_MAX, "N", NULL, "working threads, default see below"},
	{'w', NUMBER, "work", MEMBER(work), 1, 1000000000, "UNITS", "4000", "units of work per iteration, about 10 us each"},
	{'n', NUMBER, "iterations", MEMBER(iterations), 1, INT64_MAX, "N", NULL, "end after so many iterations"},
	{0, TIME, "time", MEMBER(time_ns), 0, INT64_MAX, "TIME", NULL,
		"end after this long; an unfinished iteration doesn't count"},
	{0, NUMBER, "phase", MEMBER(phase), 1, PHASE_MAX, "UNITS", "200000", "phased: mean work of a phase, per running thread"},
	{0, TIME, "sleep", MEMBER(sleep_ns), 0, SLEEP_MAX, "TIME", "40m", "sleepy: mean length of a sleep"},
	{'m', SIZE, "memory", MEMBER(memory), 0, MEMORY_MAX, "SIZE", "0", "working set that all threads read from, such as 64M"},
	{'s', NUMBER, "seed", MEMBER(seed), 0, INT64_MAX, "N", "1", "what the work and its order are made from"},
	{'i', NUMBER, "instance", MEMBER(instance), 0, UINT_MAX, "N", NULL,
		"number of this instance, default $" INSTANCE " or 0"},
	{'o', TEXT, "output", MEMBER(output), 0, 0, "FILE", NULL, "write iteration records, CSV"},
	{'c', FLAG, "checksum", MEMBER(checksum), 0, 0, NULL, NULL,
		"print the number of iterations and their checksum at the end"},
	{'v', FLAG, "verbose", MEMBER(verbose), 0, 0, NULL, NULL, "say on stderr what is done and what was done"},
	{'h', HELP, "help", 0, 0, 0, NULL, NULL, "print this"},
	{'V', VERSION, "version", 0, 0, 0, NULL, NULL, "print the version"},
};
#define ROWS (sizeof rows / sizeof rows[0])

static void print_help(void)
{
	printf("usage: ssburn [OPTION]...\n"
	       "Uses processor time in a known way: a workload for demonstrations, tests and experiments.\n\n");
	for (size_t i = 0; i < ROWS; i++) {
		char name[48];
		snprintf(name, sizeof name, "--%s%s%s", rows[i].name, rows[i].argument ? " " : "",
			rows[i].argument ? rows[i].argument : "");
		if (rows[i].letter)
			printf("  -%c, %-18s %s", rows[i].letter, name, rows[i].help);
		else
			printf("      %-18s %s", name, rows[i].help);
		if (rows[i].initial)
			printf(" (%s)", rows[i].initial);
		printf("\n");
	}
	printf("\nprofiles, with their default number of threads:\n");
	for (size_t i = 0; i < PROFILES; i++) {
		char threads[32];
		if (profiles[i].threads > 0)
			snprintf(threads, sizeof threads, "%" PRId64, profiles[i].threads);
		else
			snprintf(threads, sizeof threads, "one per processor");
		printf("  %-10s %s (%s)\n", profiles[i].name, profiles[i].help, threads);
	}
}

/* A number of bytes with an optional binary unit. */
static int parse_size(const char *text, int64_t *bytes)
{
	static const char units[] = "KMGT";
	const size_t length = strlen(text);
	const char *unit = length > 1 ? strchr(units, text[length - 1]) : NULL;
	int64_t number;
	if (units_parse_int(text, length - (unit ? 1 : 0), &number, NULL) < 0)
		return -1;
	const int64_t factor = unit ? INT64_C(1024) << (10 * (unit - units)) : 1;
	if (__builtin_mul_overflow(number, factor, bytes)) {
		errno = ERANGE;
		return -1;
	}
	return 0;
}

/* Stores an option's value; complains in the name of `source` (--threads, or an environment variable). */
static int set_value(struct settings *settings, const struct row *row, const char *source, const char *text)
{
	void *const member = (char *)settings + row->offset;
	char least[UNITS_TEXT_MAX], most[UNITS_TEXT_MAX];
	int64_t value = 0;
	switch (row->takes) {
	case NUMBER:
		if (units_parse_int(text, strlen(text), &value, NULL) == 0 && value >= row->least && value <= row->most)
			break;
		diag("%s: '%s' is no whole number from %" PRId64 " to %" PRId64, source, text, row->least, row->most);
		return -1;
	case SIZE:
		if (parse_size(text, &value) == 0 && value >= row->least && value <= row->most)
			break;
		diag("%s: '%s' is no number of bytes from %" PRId64 " to %" PRId64 "G, such as 64M", source, text, row->least,
			row->most >> 30);
		return -1;
	case TIME:
		if (units_parse_time(text, strlen(text), &value, NULL) == 0 && value >= row->least && value <= row->most)
			break;
		diag("%s: '%s' is not %s, from %s to %s", source, text, UNITS_TIME_EXPECTED, units_print_time(row->least, least),
			units_print_time(row->most, most));
		return -1;
	case TEXT:
		if (!*text) {
			diag("%s: the name of a file is missing", source);
			return -1;
		}
		*(const char **)member = text;
		return 0;
	case PROFILE:
		for (size_t i = 0; i < PROFILES; i++) {
			if (strcmp(text, profiles[i].name) == 0) {
				*(const struct profile **)member = &profiles[i];
				return 0;
			}
		}
		diag("%s: there is no profile '%s' (see ssburn --help)", source, text);
		return -1;
	case FLAG:
		*(bool *)member = true;
		return 0;
	case HELP:
	case VERSION:
		return 0;
	}
	*(int64_t *)member = value;
	return 0;
}

static const struct row *find_row(const char *name)
{
	for (size_t i = 0; i < ROWS; i++) {
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	}
	return NULL;
}

static bool is_unset(const struct settings *settings, const struct row *row)
{
	const void *const member = (const char *)settings + row->offset;
	switch (row->takes) {
	case NUMBER:
	case SIZE:
	case TIME:
		return *(const int64_t *)member == UNSET;
	case TEXT:
	case PROFILE:
		return *(const void *const *)member == NULL;
	default:
		return false;
	}
}

/* Checks what doesn't go together, and sets what was not given. */
static int complete(struct settings *settings)
{
	const bool has_phase = settings->phase != UNSET, has_sleep = settings->sleep_ns != UNSET;
	for (size_t i = 0; i < ROWS; i++) {
		if (rows[i].initial && is_unset(settings, &rows[i]) &&
			set_value(settings, &rows[i], rows[i].name, rows[i].initial) < 0)
			return -1;
	}
	const struct profile *const profile = settings->profile;
	if (settings->threads == UNSET) {
		settings->threads = profile->threads > 0 ? profile->threads : linux_processors_usable();
		if (settings->threads < profile->least)
			settings->threads = profile->least;
		if (settings->threads > profile->most)
			settings->threads = profile->most;
	}
	if (settings->threads < profile->least || settings->threads > profile->most) {
		diag("--threads: the profile %s has %" PRId64 "%s, not %" PRId64, profile->name, profile->least,
			profile->least == profile->most ? "" : " or more", settings->threads);
		return -1;
	}
	if (has_phase && !profile->phases) {
		diag("--phase: the profile %s has no phases", profile->name);
		return -1;
	}
	if (has_sleep && !profile->sleeps) {
		diag("--sleep: the profile %s doesn't sleep", profile->name);
		return -1;
	}
	const char *const number = getenv(INSTANCE);
	if (settings->instance == UNSET && number)
		return set_value(settings, find_row("instance"), INSTANCE, number);
	if (settings->instance == UNSET)
		settings->instance = 0;
	return 0;
}

/* Returns the option that asks for something else than work (help, version), NULL for none; *result is -1 after a complaint. */
static const struct row *parse_arguments(int count, char **arguments, struct settings *settings, int *result)
{
	struct option long_options[ROWS + 1] = {0};
	char letters[2 * ROWS + 3] = "+:";
	size_t used = strlen(letters);
	for (size_t i = 0; i < ROWS; i++) {
		long_options[i].name = rows[i].name;
		long_options[i].has_arg = rows[i].argument ? required_argument : no_argument;
		long_options[i].val = (int)(UCHAR_MAX + 1 + i);
		if (rows[i].letter) {
			letters[used++] = (char)rows[i].letter;
			if (rows[i].argument)
				letters[used++] = ':';
		}
	}
	*result = -1;
	for (;;) {
		const char *const word = optind < count ? arguments[optind] : "";
		const int found = getopt_long(count, arguments, letters, long_options, NULL);
		if (found == -1)
			break;
		const bool is_long = strncmp(word, "--", 2) == 0;
		const struct row *row = NULL;
		for (size_t i = 0; i < ROWS; i++) {
			const int code = found == '?' || found == ':' ? optopt : found;
			if (code != 0 && (code == rows[i].letter || code == long_options[i].val))
				row = &rows[i];
		}
		/* getopt_long takes abbreviations, which would change their meaning when an option is added. */
		if (is_long && (!row || strlen(row->name) != strcspn(word + 2, "="))) {
			diag("unknown option '%.*s' (see ssburn --help)", (int)strcspn(word, "="), word);
			return NULL;
		}
		if (!row) {
			diag("unknown option '-%c' (see ssburn --help)", optopt);
			return NULL;
		}
		if (found == ':') {
			diag("--%s: %s is missing", row->name, row->argument);
			return NULL;
		}
		if (found == '?') {
			diag("--%s: takes no value", row->name);
			return NULL;
		}
		char source[32];
		snprintf(source, sizeof source, "--%s", row->name);
		if (set_value(settings, row, source, optarg) < 0)
			return NULL;
		if (row->takes == HELP || row->takes == VERSION) {
			*result = 0;
			return row;
		}
	}
	if (optind < count) {
		diag("unexpected argument '%s' (see ssburn --help)", arguments[optind]);
		return NULL;
	}
	*result = complete(settings);
	return NULL;
}

/* ---- What the threads share ------------------------------------------------------------------------------------------- */

struct worker {
	struct burn *burn;
	pthread_t thread;
	unsigned number; /* from 0 */
	/* take_turns: this worker's part in the round; under the lock. */
	pthread_cond_t turn;
	bool due;
	uint64_t first, units; /* of the iteration */
	uint64_t alone;        /* how many of them, the last ones, are done by one thread at a time */
};

struct burn {
	const struct settings *settings;
	uint64_t seed;
	uint64_t *cells; /* working set, NULL for none */
	uint64_t cell_count;
	atomic_bool halted; /* leave now; changed under the lock */

	pthread_mutex_t lock;
	pthread_cond_t changed; /* for `iterate` */
	unsigned working;       /* threads that have not returned */
	uint64_t next;          /* iteration to begin next */
	uint64_t limit;         /* number of iterations */
	/* iterate */
	unsigned width;     /* workers below this number may begin an iteration */
	uint64_t phase;     /* number of the next phase, from 0 */
	uint64_t phase_end; /* first iteration that is not of the current phase */
	/* take_turns */
	struct worker *workers;
	unsigned busy;          /* workers that have not finished the round */
	unsigned last;          /* where the round began */
	uint64_t planned;       /* units of the iteration given out so far */
	uint64_t sum;           /* of the iteration */
	int64_t start_ns;       /* of the iteration */
	bool over;              /* no more rounds */
	pthread_mutex_t shared; /* held while units are done alone */

	pthread_mutex_t record_lock;
	struct iteration_log log;
	uint64_t finished; /* iterations */
	uint64_t checksum;

	int done; /* eventfd: the last worker has returned */
};

static struct timespec to_timespec(int64_t ns)
{
	return (struct timespec){.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S};
}

/* A bijection in which every bit of the result depends on every bit of x (the finalizer of splitmix64). */
static uint64_t mix(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* A number that depends on the seed, a purpose and two places; the same in every run. */
static uint64_t draw(const struct burn *burn, uint64_t purpose, uint64_t a, uint64_t b)
{
	return mix(mix(mix(burn->seed ^ purpose) ^ a) ^ b);
}

enum purpose { FOR_UNIT, FOR_CELL, FOR_WIDTH, FOR_LENGTH, FOR_SLEEP, FOR_ROUND, FOR_TASK };

/* Mean, give or take a half of it. */
static uint64_t around(uint64_t mean, uint64_t random)
{
	return mean / 2 + random % (mean + 1);
}

static uint64_t unit(const struct burn *burn, uint64_t iteration, uint64_t number)
{
	uint64_t x = draw(burn, FOR_UNIT, iteration, number);
	for (int i = 0; i < STEPS_PER_UNIT / STEPS_PER_READ; i++) {
		for (int j = 0; j < STEPS_PER_READ; j++)
			x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
		if (burn->cells)
			x ^= burn->cells[(x >> 32) * burn->cell_count >> 32];
	}
	return x;
}

/* Adds the results of units to *sum; false when the work was halted. */
static bool work(const struct burn *burn, uint64_t iteration, uint64_t first, uint64_t count, uint64_t *sum)
{
	for (uint64_t i = 0; i < count; i++) {
		if (atomic_load_explicit(&burn->halted, memory_order_relaxed))
			return false;
		*sum += unit(burn, iteration, first + i);
	}
	return true;
}

/* The end of an iteration is what happens here, so that ends don't go back from record to record. */
static void record(struct burn *burn, uint64_t iteration, int64_t start_ns, uint64_t sum)
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
	/* The load goes on without its records: it may be part of an experiment. The exit status tells. */
	if (burn->settings->output && iteration_log_write(&burn->log, &record) < 0 && burn->log.lost == 1)
		diag("%s: iteration records are being lost: %s", burn->settings->output, strerror(errno));
	pthread_mutex_unlock(&burn->record_lock);
}

/* ---- Profiles in which every thread has iterations of its own ---------------------------------------------------------- */

/* The next phase; its length is that of its work, rounded to iterations. Under the lock. */
static void begin_phase(struct burn *burn)
{
	const struct settings *const settings = burn->settings;
	const uint64_t threads = (uint64_t)settings->threads;
	const uint64_t random = draw(burn, FOR_WIDTH, burn->phase, 0);
	if (burn->phase == 0)
		burn->width = (unsigned)(1 + random % threads);
	else /* any number but the one before */
		burn->width = (unsigned)(1 + (burn->width + random % (threads - 1)) % threads);
	const uint64_t units = around((uint64_t)settings->phase, draw(burn, FOR_LENGTH, burn->phase, 0));
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
			begin_phase(burn);
		if (new_phase || ended(burn))
			pthread_cond_broadcast(&burn->changed);
	}
	pthread_mutex_unlock(&burn->lock);
	return claimed;
}

static void take_a_nap(struct burn *burn, uint64_t iteration)
{
	const uint64_t length = around((uint64_t)burn->settings->sleep_ns, draw(burn, FOR_SLEEP, iteration, 0));
	const struct timespec until = to_timespec(clock_now() + (int64_t)length);
	pthread_mutex_lock(&burn->lock);
	while (!ended(burn) && pthread_cond_timedwait(&burn->changed, &burn->lock, &until) != ETIMEDOUT)
		;
	pthread_mutex_unlock(&burn->lock);
}

static void iterate(struct worker *self)
{
	struct burn *const burn = self->burn;
	uint64_t iteration;
	int64_t start_ns;
	while (claim(self, &iteration, &start_ns)) {
		uint64_t sum = 0;
		if (!work(burn, iteration, 0, (uint64_t)burn->settings->work, &sum))
			return;
		record(burn, iteration, start_ns, sum);
		if (burn->settings->profile->sleeps)
			take_a_nap(burn, iteration);
	}
}

/* ---- Threads that wait for one another -------------------------------------------------------------------------------- */

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
	const uint64_t random = draw(burn, FOR_ROUND, burn->next, burn->planned);
	const unsigned width = random & 1 ? 1 : 2 + (unsigned)((random >> 1) % (threads - 1));
	burn->last = (burn->last + 1 + (unsigned)((random >> 32) % (threads - 1))) % threads;
	burn->busy = 0;
	for (unsigned i = 0; i < width && burn->planned < total; i++) {
		struct worker *const worker = &burn->workers[(burn->last + i) % threads];
		const uint64_t part = draw(burn, FOR_TASK, burn->next, burn->planned);
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

static void begin_team_iteration(struct burn *burn, const struct worker *self)
{
	burn->start_ns = clock_now();
	burn->planned = 0;
	burn->sum = 0;
	begin_round(burn, self);
}

static void wake_team(struct burn *burn)
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
	record(burn, burn->next, burn->start_ns, burn->sum);
	burn->next++;
	burn->over = burn->next >= burn->limit;
	if (burn->over)
		wake_team(burn);
	else
		begin_team_iteration(burn, self);
}

static void take_turns(struct worker *self)
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
		bool whole = work(burn, iteration, self->first, together, &sum);
		if (self->alone > 0) {
			pthread_mutex_lock(&burn->shared);
			whole = work(burn, iteration, self->first + together, self->alone, &sum) && whole;
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

/* ---- The run ---------------------------------------------------------------------------------------------------------- */

static void *worker_main(void *argument)
{
	struct worker *const worker = argument;
	struct burn *const burn = worker->burn;
	burn->settings->profile->run(worker);
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
	wake_team(burn);
	pthread_mutex_unlock(&burn->lock);
}

/* Signals that end the program by default, less those that whoever started it wants to be ignored. */
static void ending_signals(sigset_t *set)
{
	static const int ending[] = {SIGTERM, SIGINT, SIGHUP};
	sigemptyset(set);
	for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++) {
		struct sigaction action;
		if (sigaction(ending[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(set, ending[i]);
	}
}

static void die_by(int number)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, number);
	signal(number, SIG_DFL);
	raise(number);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
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
				die_by(caught);
			deadline_ns = INT64_MAX;
			halt(burn);
		}
	}
}

/* Timed waits go by the clock that doesn't jump. */
static void init_condition(pthread_cond_t *condition)
{
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(condition, &attributes);
	pthread_condattr_destroy(&attributes);
}

static void init_sharing(struct burn *burn)
{
	const struct settings *const settings = burn->settings;
	burn->seed = mix(mix((uint64_t)settings->seed) + (uint64_t)settings->instance);
	burn->limit = settings->iterations == UNSET ? UINT64_MAX : (uint64_t)settings->iterations;
	burn->width = (unsigned)settings->threads;
	burn->phase_end = UINT64_MAX;
	pthread_mutex_init(&burn->lock, NULL);
	pthread_mutex_init(&burn->shared, NULL);
	pthread_mutex_init(&burn->record_lock, NULL);
	init_condition(&burn->changed);
	for (unsigned i = 0; i < (unsigned)settings->threads; i++) {
		burn->workers[i].burn = burn;
		burn->workers[i].number = i;
		init_condition(&burn->workers[i].turn);
	}
	for (uint64_t i = 0; i < burn->cell_count; i++)
		burn->cells[i] = draw(burn, FOR_CELL, i, 0);
	if (settings->profile->phases)
		begin_phase(burn);
	if (settings->profile->run == take_turns)
		begin_team_iteration(burn, NULL);
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
	diag("%" PRIu64 " iterations in %.3f s, %.3f s of processor time, checksum %016" PRIx64, burn->finished,
		(double)wall_ns / NS_PER_S, (double)used_ns / NS_PER_S, burn->checksum);
}

/* Opens the log, works, and returns the exit status; *caught is the signal that ended it, or 0. */
static int run(const struct settings *settings, int *caught)
{
	struct burn burn = {
		.settings = settings,
		.cell_count = ((uint64_t)settings->memory + sizeof *burn.cells - 1) / sizeof *burn.cells,
		.log.file = -1,
		.done = eventfd(0, EFD_CLOEXEC),
	};
	int status = EXIT_TROUBLE;
	sigset_t signals;
	ending_signals(&signals);
	const int signal_file = signalfd(-1, &signals, SFD_CLOEXEC);
	burn.workers = calloc((size_t)settings->threads, sizeof *burn.workers);
	burn.cells = burn.cell_count > 0 ? calloc(burn.cell_count, sizeof *burn.cells) : NULL;
	if (burn.done < 0 || signal_file < 0 || !burn.workers || (burn.cell_count > 0 && !burn.cells)) {
		diag("can't start: %s", strerror(errno));
		goto out;
	}
	if (settings->output && iteration_log_open(&burn.log, settings->output) < 0) {
		diag("%s: can't write iteration records: %s", settings->output, strerror(errno));
		goto out;
	}
	init_sharing(&burn);
	if (settings->verbose)
		diag("instance %" PRId64 ", profile %s, threads %" PRId64 ", units per iteration %" PRId64 ", seed %" PRId64,
			settings->instance, settings->profile->name, settings->threads, settings->work, settings->seed);
	const int64_t begin_ns = clock_now(), used_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	const unsigned started = start(&burn);
	if (started > 0)
		*caught = supervise(&burn, signal_file);
	for (unsigned i = 0; i < started; i++)
		pthread_join(burn.workers[i].thread, NULL);
	if (started == (unsigned)settings->threads)
		status = 0;
	if (settings->verbose)
		report(&burn, clock_now() - begin_ns, clock_ns(CLOCK_PROCESS_CPUTIME_ID) - used_ns);
	if (burn.log.lost > 0) /* said when the first one was */
		status = EXIT_TROUBLE;
	if (iteration_log_close(&burn.log) < 0) {
		diag("%s: iteration records may be lost: %s", settings->output, strerror(errno));
		status = EXIT_TROUBLE;
	}
	if (settings->checksum && !*caught)
		printf("iterations %" PRIu64 " checksum %016" PRIx64 "\n", burn.finished, burn.checksum);
out:
	iteration_log_close(&burn.log);
	free(burn.cells);
	free(burn.workers);
	if (signal_file >= 0)
		close(signal_file);
	if (burn.done >= 0)
		close(burn.done);
	return status;
}

int main(int count, char **arguments)
{
	struct settings settings = {
		.threads = UNSET,
		.work = UNSET,
		.iterations = UNSET,
		.time_ns = UNSET,
		.phase = UNSET,
		.sleep_ns = UNSET,
		.memory = UNSET,
		.seed = UNSET,
		.instance = UNSET,
	};
	diag_name("ssburn");
	int status, caught = 0;
	const struct row *const wanted = parse_arguments(count, arguments, &settings, &status);
	if (status < 0)
		return EXIT_TROUBLE;
	if (wanted && wanted->takes == HELP)
		print_help();
	else if (wanted)
		printf("ssburn %s\n", version_text);
	else
		status = run(&settings, &caught);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		diag("can't write to standard output: %s", strerror(errno));
		return EXIT_TROUBLE;
	}
	if (caught && status == 0)
		die_by(caught);
	return status;
}
