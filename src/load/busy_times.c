/* SPDX-License-Identifier: MIT */
/*
 * All columns of a processor together pass as the clock does. Where they don't, one of them is wrong:
 *
 * - The idle column is too much where the load by it is below what a witness has seen of tasks, or, without a witness of all tasks, where the
 *   columns of all processors together pass by 1.03 of the clock or more (Linux 7.3 counts so). Then the busy columns are taken against the clock.
 * - They pass by 0.97 of it or less: they are taken against each other, unless the witness of all tasks agrees with the idle column.
 *   Ticks alone misread duty-cycled work by up to 2.7 pp, so that less than 3 % says nothing.
 * - Those of a processor pass by less than 0.9 or more than 1.1: nothing is known of it, and it is left out.
 *
 * They are judged over stretches of two seconds, in which the units of the columns (10 ms) don't matter, or as soon as they are far off. iowait may
 * fall while idle goes on (proc(5)); a column that falls has not grown.
 *
 * /proc/schedstat has the time of tasks up to the last switch of each processor. Since then at most one task runs, which the idle column
 * tells: so the work is counted by the columns, and held between what the tasks had run at the last switch and what one task can have run
 * since.
 */
#include "load/busy_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/latch.h"
#include "base/lease.h"
#include "base/units.h"

#define WINDOW_NS (2 * NS_PER_S)
#define FAST_FROM 1.03
#define SLOW_FROM 0.97
#define KNOWN_FROM 0.9
#define KNOWN_TO 1.1
/* Columns are far off, also before the end of a stretch, by such a part of it, and what units make of it. */
#define FAR_OFF 0.25
#define UNITS_S 0.1
/* Units and ticks leave all columns of a processor alone for less than this. */
#define STILL_S 0.06
/* A reading so late, without columns that passed meanwhile, follows a pause of the machine. */
#define PAUSE_S 1.0
/* By so much the idle columns fall behind the witness, and by so much more for each processor, before they are too fast. */
#define BEHIND_S 0.05
#define BEHIND_EACH_S 0.02
/* For so long that is held against them. */
#define FAST_NS (30 * NS_PER_S)
/* Of the time of tasks to the work by the columns, as interrupts may have it; by what share of a stretch's it changes. */
#define RATIO_FROM 0.5
#define RATIO_GAIN 0.25
/* A stretch tells of it where the last switch on each processor is not longer ago than this, and each was busy for so long. */
#define RATIO_SLACK_S 1.1
#define RATIO_LEAST_S 0.1

enum verdict { BELIEVED, FAST, SLOW, UNKNOWN };

struct busy_shared {
	struct latch record;
	struct {
		double ran, by_columns; /* work of this stretch up to the last switches, and by the columns, in s */
		_Atomic double value;   /* of these in the stretches before; 0: not known yet */
		atomic_bool looked;     /* a stretch has ended */
	} ratio;                        /* of whoever counts */
	struct lease lease;
	struct busy_cpu cpu[BUSY_PROCESSORS];
};

/* ---- Texts ------------------------------------------------------------------------------------------------------------ */

static int by_id(const void *a, const void *b)
{
	const struct linux_stat_cpu *x = a, *y = b;
	return (x->id > y->id) - (x->id < y->id);
}

static bool is_ascending(const struct busy_reading *reading)
{
	for (size_t i = 1; i < reading->count; i++)
		if (reading->cpu[i].id <= reading->cpu[i - 1].id)
			return false;
	return true;
}

static int parse_cpus(const char *text, size_t length, struct busy_reading *reading)
{
	const size_t count = linux_stat_parse_cpus(text, length, NULL, reading->cpu, reading->room);
	reading->count = count;
	if (count <= reading->room)
		return 0;
	reading->count = 0;
	struct linux_stat_cpu *const larger = realloc(reading->cpu, count * sizeof *larger);
	if (!larger)
		return -1;
	reading->cpu = larger;
	reading->room = count;
	return parse_cpus(text, length, reading);
}

int busy_parse(const char *text, size_t length, struct busy_reading *reading)
{
	if (linux_stat_parse(text, length, NULL, &reading->stat) != 0 || parse_cpus(text, length, reading) != 0)
		return -1;
	if (reading->count == 0 && reading->room == 0) {
		/* A kernel for one processor, with the summary alone. */
		reading->cpu = malloc(sizeof *reading->cpu);
		if (!reading->cpu)
			return -1;
		reading->room = 1;
	}
	if (reading->count == 0)
		reading->cpu[reading->count++] = (struct linux_stat_cpu){0, reading->stat.total};
	if (!is_ascending(reading))
		qsort(reading->cpu, reading->count, sizeof *reading->cpu, by_id);
	return 0;
}

void busy_reading_free(struct busy_reading *reading)
{
	free(reading->cpu);
	*reading = (struct busy_reading){0};
}

bool busy_has_cpu(const struct busy_reading *reading, unsigned id)
{
	const struct linux_stat_cpu key = {.id = id};
	return reading->count && bsearch(&key, reading->cpu, reading->count, sizeof key, by_id);
}

/* The time of tasks of the next processor in the text of /proc/schedstat; *at moves behind its line. */
static bool next_ran(const char **at, const char *end, unsigned *id, uint64_t *ran_ns)
{
	for (const char *newline; *at < end && (newline = memchr(*at, '\n', (size_t)(end - *at))) != NULL;) {
		const char *word = *at;
		uint64_t value = 0;
		int numbers = 0;
		*at = newline + 1;
		if (newline - word < 4 || memcmp(word, "cpu", 3) != 0)
			continue;
		word += 3;
		if (!linux_number(&word, newline, &value) || value >= BUSY_PROCESSORS)
			continue;
		*id = (unsigned)value;
		while (numbers < 7 && word < newline && *word == ' ') {
			word++;
			if (!linux_number(&word, newline, &value))
				break;
			numbers++;
		}
		if (numbers < 7)
			continue;
		*ran_ns = value;
		return true;
	}
	return false;
}

bool busy_schedstat_has(const struct busy_reading *reading, const char *text, size_t length)
{
	const char *at = text;
	unsigned id = 0;
	uint64_t ignored;
	for (size_t i = 0; i < reading->count; i++) {
		do
			if (!next_ran(&at, text + length, &id, &ignored))
				return false;
		while (id < reading->cpu[i].id);
		if (id > reading->cpu[i].id)
			return false;
	}
	return true;
}

/* ---- One processor ---------------------------------------------------------------------------------------------------- */

/* What its columns, and its tasks, did since the last reading; in s. */
struct step {
	double elapsed, busy, idle, steal, ran;
	bool is_plain; /* no column fell */
};

/* A column that fell has not grown. */
static double growth(uint64_t before, uint64_t now, double hz, bool *is_plain)
{
	*is_plain &= now >= before;
	return now >= before ? (double)(now - before) / hz : 0;
}

static struct step step_of(const struct busy_cpu *cpu, const struct linux_stat_times *now, double elapsed, double hz)
{
	const struct linux_stat_times *const from = &cpu->columns;
	struct step step = {.elapsed = elapsed, .is_plain = true};
	step.steal = growth(from->steal, now->steal, hz, &step.is_plain);
	step.idle = growth(from->idle, now->idle, hz, &step.is_plain) + growth(from->iowait, now->iowait, hz, &step.is_plain);
	step.busy = growth(from->user, now->user, hz, &step.is_plain) + growth(from->nice, now->nice, hz, &step.is_plain) +
		    growth(from->system, now->system, hz, &step.is_plain) + growth(from->irq, now->irq, hz, &step.is_plain) +
		    growth(from->softirq, now->softirq, hz, &step.is_plain) + step.steal;
	return step;
}

static void begin(struct busy_cpu *cpu)
{
	cpu->excess = cpu->slack = cpu->still = 0;
	cpu->window = -1;
	cpu->verdict = BELIEVED;
	cpu->stood = cpu->is_odd = false;
}

/* Whether this step says nothing: the processor was away meanwhile, its counters began anew, or the machine stood still. */
static bool is_leap(struct busy_cpu *cpu, const struct linux_stat_times *now, const struct step *step)
{
	if (now->idle < cpu->columns.idle || step->idle > 1.5 * step->elapsed + 0.05) {
		begin(cpu);
		return true;
	}
	const bool stood = step->elapsed >= PAUSE_S && step->busy + step->idle < step->elapsed / 2;
	if (stood && cpu->stood)
		cpu->verdict = UNKNOWN;
	if (stood)
		cpu->window = -1;
	cpu->stood = stood;
	return stood;
}

/* What the columns say, by the verdict. */
static struct sst_sample by_columns(enum busy_source source, const struct busy_cpu *cpu, const struct step *step)
{
	switch (cpu->verdict) {
	case UNKNOWN:
		return (struct sst_sample){0};
	case SLOW:
		return (struct sst_sample){step->busy, step->busy + step->idle};
	case FAST:
		return (struct sst_sample){step->busy, step->elapsed};
	default:
		return source == BUSY_TICKS ? (struct sst_sample){step->busy, step->busy + step->idle}
					    : (struct sst_sample){step->elapsed - step->idle, step->elapsed};
	}
}

/* The work since the last reading, which was counted by other means: tasks ran at least for `ran`, and since the last switches for `slack` at most. */
static double hold_between(double *excess, double work, double ran, double slack)
{
	const double before = *excess;
	*excess = fmin(fmax(before + work - ran, 0), slack);
	return ran + *excess - before;
}

/*
 * By the time of tasks; columns that aren't believed say nothing of the task that runs. Those that are have interrupts, too, by whose share
 * they would run ahead of the tasks as far as they may.
 */
static struct sst_sample by_tasks(struct busy_cpu *cpu, const struct step *step, const struct sst_sample *columns, double ratio)
{
	const double work = cpu->verdict == UNKNOWN ? step->ran : ratio * columns->work;
	cpu->slack = step->ran > 0 ? step->elapsed : cpu->slack + step->elapsed;
	return (struct sst_sample){hold_between(&cpu->excess, work, step->ran, cpu->slack), step->elapsed};
}

static double ratio_of(const struct busy_shared *shared)
{
	const double ratio = atomic_load_explicit(&shared->ratio.value, memory_order_relaxed);
	return ratio > 0 ? ratio : 1;
}

bool busy_has_ratio(const struct busy_times *times)
{
	return atomic_load_explicit(&times->shared->ratio.looked, memory_order_relaxed);
}

/* ---- Verdicts --------------------------------------------------------------------------------------------------------- */

/* How the stretch ends. */
struct judgement {
	double elapsed;   /* its length, in s */
	double since;     /* time since the last reading, in s */
	bool is_over;     /* it ends now */
	double share;     /* where it ends: of the clock, that the columns of all processors passed together */
	bool has_witness; /* of all tasks */
	bool agrees;      /* … with the idle columns */
	bool is_fast;     /* the witness says that these are too fast */
};

/* Whether columns that passed so long in a stretch can't be those of a processor. */
static bool is_odd(double window, double elapsed)
{
	return window < KNOWN_FROM * elapsed || window > KNOWN_TO * elapsed;
}

/* A witness that hasn't seen much of the work misses tasks, and decides nothing: their groups were gone before it could read them. */
static enum verdict judge(struct busy_cpu *cpu, const struct judgement *by)
{
	const bool by_witness = by->has_witness && by->agrees, was_odd = cpu->is_odd;
	cpu->is_odd = is_odd(cpu->window, by->elapsed) && !by_witness;
	/* Once may be chance: on one of many processors ticks miss much of the work, or meet it too often. */
	if (cpu->is_odd)
		return was_odd ? UNKNOWN : cpu->verdict;
	if (by->is_fast || (!by_witness && by->share >= FAST_FROM))
		return FAST;
	return by->share <= SLOW_FROM && !by_witness ? SLOW : BELIEVED;
}

/* A processor that was there from the beginning; else the next stretch decides. */
static void judge_cpu(struct busy_cpu *cpu, const struct step *step, const struct judgement *by)
{
	if (cpu->window >= 0)
		cpu->window += step->busy + step->idle;
	const bool is_far_off = cpu->window >= 0 && fabs(cpu->window - by->elapsed) > FAR_OFF * by->elapsed + UNITS_S;
	const bool is_judged = by->is_over && cpu->window >= 0;
	if (cpu->still > STILL_S || (is_far_off && !is_judged))
		cpu->verdict = UNKNOWN;
	else if (is_judged)
		cpu->verdict = judge(cpu, by);
	else if (by->is_fast && cpu->verdict == BELIEVED)
		cpu->verdict = FAST;
	if (by->is_over)
		cpu->window = 0;
}

/*
 * The idle columns can't have seen less work than the witness: what they are ahead of it never falls by more than units and ticks explain. A
 * witness of some tasks may itself be late, but never ahead of what they have run since the beginning.
 */
static void compare_witness(struct busy_total *total, double witness, bool is_whole, bool begins)
{
	if (begins)
		total->lead_most = NAN;
	if (isnan(witness))
		return;
	total->lead = total->idle_work - witness;
	if (isnan(total->lead_most) || (is_whole && total->lead > total->lead_most)) {
		total->lead_most = total->lead;
	} else if (total->lead_most - total->lead > BEHIND_S + BEHIND_EACH_S * total->processors) {
		total->fast_ns = total->when_ns;
		if (is_whole)
			total->lead_most = total->lead;
	}
}

static struct judgement start_judgement(const struct busy_total *total, bool is_whole, int64_t when_ns)
{
	const double elapsed = (double)(when_ns - total->window_ns) / 1e9;
	return (struct judgement){.elapsed = elapsed,
		.since = (double)(when_ns - total->when_ns) / 1e9,
		.is_over = when_ns - total->window_ns >= WINDOW_NS,
		.has_witness = is_whole && total->number > 0 && !isnan(total->lead_most),
		.agrees = total->lead - total->window_lead < (1 - SLOW_FROM) * elapsed * total->processors,
		.is_fast = total->fast_ns && when_ns - total->fast_ns < FAST_NS};
}

/* ---- All processors --------------------------------------------------------------------------------------------------- */

/* What the measured ones did since the last reading. */
struct sums {
	struct sst_sample work;
	double idle_work, by_columns, tasks, steal, ran, slack;
	unsigned online, unknown;
	uint64_t trouble;
	bool is_plain; /* all of them were there, and are believed */
	bool has_leap; /* some weren't, or their columns leapt */
};

static bool is_measured(const struct busy_times *times, unsigned id)
{
	return !times->cpus || cpus_contain(times->cpus, id);
}

static void add(
	struct sums *sums, const struct busy_cpu *cpu, const struct step *step, const struct sst_sample *work, double tasks)
{
	sums->work.work += work->work;
	sums->work.capacity += work->capacity;
	sums->tasks += tasks;
	sums->idle_work += step->elapsed - step->idle;
	sums->steal += step->steal;
	sums->ran += step->ran;
	sums->slack += cpu->slack;
	sums->is_plain &= step->is_plain && cpu->verdict == BELIEVED;
}

/* `ran_ns` is 0 where /proc/schedstat isn't read. */
static void count_cpu(struct busy_times *times, const struct busy_total *total, const struct linux_stat_cpu *now, uint64_t ran_ns,
	const struct judgement *by, struct sums *sums)
{
	struct busy_cpu *const cpu = &times->shared->cpu[now->id];
	struct step step = step_of(cpu, &now->times, by->since, times->hz);
	const bool is_new = cpu->number == 0 || cpu->number != total->number;
	const bool counts = is_measured(times, now->id);
	const bool by_schedstat = times->source == BUSY_SCHEDSTAT && ran_ns > 0;
	step.ran = ran_ns > cpu->ran_ns ? (double)(ran_ns - cpu->ran_ns) / 1e9 : 0;
	if (is_new)
		begin(cpu);
	if (!is_new && !is_leap(cpu, &now->times, &step)) {
		const double still = cpu->still;
		cpu->still = step.busy + step.idle > 0 ? 0 : still + step.elapsed;
		const bool was_known = cpu->verdict != UNKNOWN;
		judge_cpu(cpu, &step, by);
		struct sst_sample work = by_columns(times->source, cpu, &step);
		/* Columns that stand still said that all time was worked. */
		if (was_known && cpu->verdict == UNKNOWN && cpu->still > 0 && times->source == BUSY_IDLE)
			work = (struct sst_sample){-still, -still};
		const double by_columns = work.work;
		const struct sst_sample tasks = by_tasks(cpu, &step, &work, ratio_of(times->shared));
		if (by_schedstat)
			work = tasks;
		cpu->work += work.work;
		cpu->known += work.capacity;
		if (counts) {
			add(sums, cpu, &step, &work, tasks.work);
			sums->by_columns += by_columns;
		}
	} else {
		sums->is_plain &= !counts;
		sums->has_leap |= counts;
		if (by->is_over)
			cpu->window = 0;
	}
	cpu->columns = now->times;
	cpu->ran_ns = ran_ns;
	cpu->number = total->number + 1;
	if (!counts)
		return;
	sums->online++;
	sums->unknown += cpu->verdict == UNKNOWN && !by_schedstat;
	sums->trouble |= cpu->verdict == FAST ? BUSY_FAST : cpu->verdict == SLOW ? BUSY_SLOW : 0;
}

/*
 * The first line is cut to the unit once, and not for each processor. It is used where all processors are measured, none of their columns fell,
 * and it says what they say but for their units (that of lxcfs may be all zeros).
 */
static void use_summary(const struct busy_times *times, struct busy_total *total, uint64_t summary, struct sums *sums)
{
	const double elapsed = sums->work.capacity;
	const double idle_work = elapsed - (double)(int64_t)(summary - total->summary) / times->hz;
	if (times->source == BUSY_TICKS || times->cpus || !sums->is_plain) {
		total->apart = 0;
		return;
	}
	total->apart += idle_work - sums->idle_work;
	if (fabs(total->apart) > 2 * (sums->online + 1) / times->hz)
		return;
	sums->idle_work = idle_work;
	if (times->source == BUSY_IDLE)
		sums->work.work = idle_work;
}

/* Where a stretch ends: the columns of all measured processors that were there throughout, and can be those of processors, as a share of the clock. */
static double share_of_all(const struct busy_times *times, const struct busy_total *total, const struct judgement *by)
{
	double columns = 0, elapsed = 0;
	for (size_t i = 0; i < times->reading.count && times->reading.cpu[i].id < BUSY_PROCESSORS; i++) {
		const struct linux_stat_cpu *const now = &times->reading.cpu[i];
		const struct busy_cpu *const cpu = &times->shared->cpu[now->id];
		const struct step step = step_of(cpu, &now->times, by->since, times->hz);
		const double window = cpu->window + step.busy + step.idle;
		if (!is_measured(times, now->id) || cpu->number != total->number || cpu->window < 0 ||
			is_odd(window, by->elapsed))
			continue;
		columns += window;
		elapsed += by->elapsed;
	}
	return elapsed > 0 ? columns / elapsed : 1;
}

/*
 * What the time of tasks is of the work by the columns, stretch by stretch. Where a task has run without a switch for long, or that is so little work
 * that units of the columns count for much, a stretch tells nothing.
 */
static void compare_columns(struct busy_shared *shared, const struct sums *sums, const struct judgement *by, bool begins)
{
	const double ran = shared->ratio.ran + sums->ran, by_columns = shared->ratio.by_columns + sums->by_columns;
	const double last = atomic_load_explicit(&shared->ratio.value, memory_order_relaxed);
	/* Where the tasks have more, the columns don't run ahead. */
	const double ratio = by_columns > RATIO_LEAST_S * sums->online ? fmin(ran / by_columns, 1) : 0;
	const bool is_whole = !begins && !sums->has_leap;
	shared->ratio.ran = is_whole && !by->is_over ? ran : 0;
	shared->ratio.by_columns = is_whole && !by->is_over ? by_columns : 0;
	if (!by->is_over || !is_whole)
		return;
	const bool tells = sums->slack <= RATIO_SLACK_S * sums->online && ratio >= RATIO_FROM;
	const double now = !tells ? last : last > 0 ? last + RATIO_GAIN * (ratio - last) : ratio;
	atomic_store_explicit(&shared->ratio.value, now, memory_order_relaxed);
	atomic_store_explicit(&shared->ratio.looked, true, memory_order_relaxed);
}

static void count(struct busy_times *times, const struct busy_news *news, int64_t when_ns, struct busy_total *total)
{
	const struct busy_reading *const reading = &times->reading;
	const bool is_whole = news->is_whole || news->schedstat;
	struct judgement by = start_judgement(total, is_whole, when_ns);
	if (by.is_over)
		by.share = share_of_all(times, total, &by);
	const char *at = news->schedstat, *const end = at ? at + news->length : NULL;
	const uint64_t summary = linux_stat_idle(&reading->stat.total);
	const bool is_first = total->when_ns == 0, is_moved = times->moves != total->moves;
	unsigned id = 0;
	uint64_t ran_ns = 0;
	bool has_ran = at && next_ran(&at, end, &id, &ran_ns);
	struct sums sums = {.is_plain = !is_first};
	for (size_t i = 0; i < reading->count && reading->cpu[i].id < BUSY_PROCESSORS; i++) {
		while (has_ran && id < reading->cpu[i].id)
			has_ran = next_ran(&at, end, &id, &ran_ns);
		const uint64_t ran = has_ran && id == reading->cpu[i].id ? ran_ns : 0;
		count_cpu(times, total, &reading->cpu[i], ran, &by, &sums);
	}
	use_summary(times, total, summary, &sums);
	if (news->schedstat && sums.is_plain)
		sums.tasks = hold_between(&total->excess, ratio_of(times->shared) * sums.idle_work, sums.ran, sums.slack);
	if (times->source == BUSY_SCHEDSTAT)
		sums.work.work = sums.tasks;
	/* Of processors of before and of now there is no difference. */
	if (!is_first && !is_moved) {
		total->work += sums.work.work;
		total->capacity += sums.work.capacity;
		total->steal += sums.steal;
		total->idle_work += sums.idle_work;
		total->tasks += sums.tasks;
	}
	compare_columns(times->shared, &sums, &by, is_first || is_moved);
	if (by.is_over) {
		total->agrees = by.agrees;
		total->window_ns = when_ns;
		total->window_lead = total->lead;
	}
	total->number++;
	total->when_ns = when_ns;
	total->moves = times->moves;
	total->processors = sums.online;
	total->summary = summary;
	total->trouble = sums.trouble | (sums.unknown ? BUSY_UNKNOWN : 0) |
			 (sums.unknown && sums.unknown == sums.online ? BUSY_STOPPED : 0);
	compare_witness(total, news->schedstat && isnan(news->witness) ? total->tasks : news->witness, is_whole,
		is_first || is_moved || sums.has_leap);
}

/* ---- Readers ---------------------------------------------------------------------------------------------------------- */

int busy_open(struct busy_times *times)
{
	*times = (struct busy_times){.hz = linux_stat_hz()};
	void *const memory = mmap(NULL, sizeof *times->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return -1;
	times->shared = memory;
	return 0;
}

void busy_close(struct busy_times *times)
{
	if (times->shared)
		munmap(times->shared, sizeof *times->shared);
	busy_reading_free(&times->reading);
	times->shared = NULL;
}

void busy_last(const struct busy_times *times, struct busy_total *total)
{
	latch_read(&times->shared->record, total, LATCH_SIZE(struct busy_total));
}

int busy_count(struct busy_times *times, const char *text, size_t length, int64_t when_ns, const struct busy_news *news,
	struct busy_total *total)
{
	if (busy_parse(text, length, &times->reading) != 0)
		return -1;
	busy_last(times, total);
	const uint64_t claim = lease_take(&times->shared->lease, (uint32_t)getpid(), when_ns, LEASE_LIMIT_NS);
	if (!claim)
		return 0;
	/* Somebody may have counted just before. */
	busy_last(times, total);
	struct busy_total next = *total;
	if (when_ns > total->when_ns)
		count(times, news, when_ns, &next);
	if (when_ns > total->when_ns && lease_holds(&times->shared->lease, claim)) {
		latch_write(&times->shared->record, &next, LATCH_SIZE(struct busy_total));
		*total = next;
	}
	lease_give(&times->shared->lease, claim);
	return 0;
}

bool busy_of(const struct busy_times *times, unsigned id, double *work, double *known)
{
	if (!busy_has_cpu(&times->reading, id) || id >= BUSY_PROCESSORS)
		return false;
	*work = times->shared->cpu[id].work;
	*known = times->shared->cpu[id].known;
	return true;
}

void busy_describe_unknown(const struct busy_times *times, char *text, size_t size)
{
	unsigned *const id = calloc(times->reading.count + 1, sizeof *id);
	size_t found = 0;
	for (size_t i = 0; id && i < times->reading.count; i++) {
		const unsigned processor = times->reading.cpu[i].id;
		if (processor < BUSY_PROCESSORS && is_measured(times, processor) &&
			times->shared->cpu[processor].verdict == UNKNOWN)
			id[found++] = processor;
	}
	struct sst_cpus *const cpus = found ? cpus_make(id, found) : NULL;
	char list[64];
	snprintf(text, size, "processor%s %s", found == 1 ? "" : "s", cpus ? cpus_print_short(cpus, list, sizeof list) : "of it");
	free(cpus);
	free(id);
}
