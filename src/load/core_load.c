/* SPDX-License-Identifier: MIT */
#include "load/core_load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cpus.h"
#include "self/host_text.h"

/* ---- Which processors share a core ---------------------------------------------------------------------------------- */

/* The processors of the core that this one is on, to be freed; NULL with errno. */
static struct sst_cpus *read_siblings(const struct sst_env *env, unsigned processor)
{
	char path[96];
	/* Called core_cpus_list since Linux 5.3, but there under this name, too. */
	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", processor);
	return host_cpus(env, path);
}

static int make_room(struct linux_cores *cores, const struct linux_stat_cpu *processor, size_t processors)
{
	for (size_t i = 0; i < processors; i++) {
		if (processor[i].id >= CPUS_LIMIT) {
			errno = EINVAL;
			return -1;
		}
		if (processor[i].id >= cores->room)
			cores->room = (size_t)processor[i].id + 1;
	}
	cores->core = malloc((cores->room + 1) * sizeof *cores->core);
	if (!cores->core)
		return -1;
	for (size_t i = 0; i < cores->room; i++)
		cores->core[i] = LINUX_CORES_NONE;
	return 0;
}

int linux_cores_read(
	struct linux_cores *cores, const struct sst_env *env, const struct linux_stat_cpu *processor, size_t processors)
{
	*cores = (struct linux_cores){0};
	if (make_room(cores, processor, processors) != 0)
		return -1;
	for (size_t i = 0; i < processors; i++) {
		const unsigned first = processor[i].id;
		if (cores->core[first] != LINUX_CORES_NONE)
			continue;
		struct sst_cpus *siblings = read_siblings(env, first);
		if (!siblings)
			return -1;
		/* Of the others only those that are asked for. */
		for (size_t other = i; other < processors; other++) {
			const unsigned id = processor[other].id;
			if (id != first && !cpus_contain(siblings, id))
				continue;
			cores->core[id] = cores->count;
			cores->are_shared |= id != first;
		}
		cores->count++;
		free(siblings);
	}
	return 0;
}

void linux_cores_free(struct linux_cores *cores)
{
	free(cores->core);
	*cores = (struct linux_cores){0};
}

/* What the counters' unit can make of an interval's end. */
#define CARRY_MOST_S 0.02

/*
 * Two intervals that are longer together were not made so by the cost of readings: nobody was awake to read, as few workloads start and
 * stop so seldom. Then readings are where they do, and what is between is right as it is.
 */
#define EXTRAPOLATED_MOST_S 0.08

/* So long the load is taken to be as before, when nothing is known. */
#define UNKNOWN_MOST_S 0.1

/* All that was counted up to the end of an interval. */
struct record {
	int64_t when_ns; /* 0: no interval has begun */
	int64_t work_ns;
	double cores;
	int64_t known_ns;   /* time of cores in which their work was known */
	double load;        /* in the last interval, 0 to 1; below 0: not known */
	double unknown_s;   /* for how long nothing has been known */
	double last_s;      /* its length … */
	double last_busy_s; /* … and the work in it, as the product of its shares is; below 0: none */
	uint64_t interval;  /* its number, from 1 on */
};

static size_t shared_size(const struct linux_core_load *load)
{
	return sizeof *load->shared + load->cores.room * sizeof load->shared->cpu[0];
}

static int map_shared(struct linux_core_load *load)
{
	void *memory = mmap(NULL, shared_size(load), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return -1;
	load->shared = memory;
	return 0;
}

static bool is_measured(const struct busy_times *busy, unsigned id)
{
	return !busy->cpus || cpus_contain(busy->cpus, id);
}

static int find_cores(struct linux_core_load *load, const struct sst_env *env, const struct busy_times *busy)
{
	struct linux_stat_cpu *const cpu = calloc(busy->reading.count + 1, sizeof *cpu);
	size_t count = 0;
	for (size_t i = 0; cpu && i < busy->reading.count; i++)
		if (is_measured(busy, busy->reading.cpu[i].id))
			cpu[count++] = busy->reading.cpu[i];
	const int result = cpu ? linux_cores_read(&load->cores, env, cpu, count) : -1;
	const int saved = errno;
	free(cpu);
	errno = saved;
	return result;
}

int linux_core_load_open(struct linux_core_load *load, const struct sst_env *env, const struct busy_times *busy,
	char error[static LINUX_CORE_LOAD_ERROR_MAX])
{
	if (find_cores(load, env, busy) != 0) {
		snprintf(error, LINUX_CORE_LOAD_ERROR_MAX,
			"can't find out which processors share a core "
			"(/sys/devices/system/cpu/cpu*/topology/thread_siblings_list: %s)",
			strerror(errno));
		return -1;
	}
	if (!load->cores.are_shared) {
		snprintf(error, LINUX_CORE_LOAD_ERROR_MAX,
			"no two of these processors share a core, so that cores and processors have the same load");
		return -1;
	}
	load->share = calloc(load->cores.count, sizeof *load->share);
	if (load->share && map_shared(load) == 0)
		return 0;
	snprintf(error, LINUX_CORE_LOAD_ERROR_MAX, "%s", strerror(errno));
	return -1;
}

void linux_core_load_close(struct linux_core_load *load)
{
	if (load->shared)
		munmap(load->shared, shared_size(load));
	linux_cores_free(&load->cores);
	free(load->share);
	*load = (struct linux_core_load){0};
}

/* ---- An interval ------------------------------------------------------------------------------------------------------ */

/*
 * The idle time of a processor in an interval, in s; below 0 when it isn't known. One that wasn't there, or whose columns weren't believed, for all
 * of it begins anew.
 */
static double take_idle(struct linux_core_load_cpu *of, double work, double known, uint64_t interval, double length_s)
{
	const double known_s = known - of->known, counted_s = known_s - (work - of->work);
	const bool is_known = of->seen && of->seen + 1 == (uint32_t)interval && known_s > length_s / 2;
	of->work = work;
	of->known = known;
	of->seen = (uint32_t)interval;
	if (!is_known) {
		of->intervals = 0;
		of->carry_s = 0;
		return -1;
	}
	const double all_s = counted_s + (double)of->carry_s;
	const double taken_s = all_s < 0 ? 0 : all_s > length_s ? length_s : all_s;
	const double carry_s = all_s - taken_s;
	of->carry_s = (float)(carry_s > CARRY_MOST_S ? CARRY_MOST_S : carry_s < -CARRY_MOST_S ? -CARRY_MOST_S : carry_s);
	of->intervals++;
	return taken_s;
}

struct interval {
	double length_s, two_s; /* its length, and with the one before */
	unsigned online, known; /* cores that are there, and of which something is known */
	double busy_s, busy_of_two_s;
	bool has_two;
};

/* Multiplies the idle shares of each core's processors. One that isn't known is left out. */
static void multiply(struct linux_core_load *load, const struct busy_times *busy, uint64_t number, struct interval *interval)
{
	for (unsigned i = 0; i < load->cores.count; i++)
		load->share[i] = (struct linux_core_load_share){.idle = 1, .idle_of_two = 1};
	for (size_t i = 0; i < busy->reading.count; i++) {
		const unsigned id = busy->reading.cpu[i].id, core = linux_cores_of(&load->cores, id);
		double work, known;
		if (core == LINUX_CORES_NONE || !busy_of(busy, id, &work, &known))
			continue;
		struct linux_core_load_share *share = &load->share[core];
		struct linux_core_load_cpu *of = &load->shared->cpu[id];
		const double last_s = (double)of->last_s;
		const double idle_s = take_idle(of, work, known, number, interval->length_s);
		of->last_s = (float)idle_s;
		interval->has_two &= of->intervals >= 2;
		share->is_online = true;
		if (idle_s < 0)
			continue;
		share->is_known = true;
		share->idle *= idle_s / interval->length_s;
		share->idle_of_two *= (idle_s + last_s) / interval->two_s;
	}
}

static void add_up(const struct linux_core_load *load, struct interval *interval)
{
	for (unsigned i = 0; i < load->cores.count; i++) {
		const struct linux_core_load_share *share = &load->share[i];
		interval->online += share->is_online;
		if (!share->is_known)
			continue;
		interval->known++;
		interval->busy_s += interval->length_s * (1 - share->idle);
		interval->busy_of_two_s += interval->two_s * (1 - share->idle_of_two);
	}
}

/* Ends an interval; the caller has the lease. */
static void end_interval(struct linux_core_load *load, const struct busy_times *busy, int64_t when_ns, struct record *record)
{
	struct interval interval = {.length_s = (double)(when_ns - record->when_ns) / 1e9, .has_two = record->last_busy_s >= 0};
	interval.two_s = interval.length_s + record->last_s;
	record->interval++;
	multiply(load, busy, record->interval, &interval);
	add_up(load, &interval);
	double work_s = interval.busy_s;
	if (interval.has_two && interval.two_s <= EXTRAPOLATED_MOST_S)
		work_s += (record->last_busy_s + interval.busy_s - interval.busy_of_two_s) / 2;
	if (interval.known) {
		/* Those that have just come do as the others. */
		work_s *= (double)interval.online / interval.known;
		record->work_ns += (int64_t)(work_s * 1e9);
		record->known_ns += (int64_t)(interval.length_s * interval.online * 1e9);
		record->load = work_s / (interval.length_s * interval.online);
	} else if (record->load >= 0 && record->unknown_s < UNKNOWN_MOST_S) {
		/* As readings within the interval have said. */
		record->work_ns += (int64_t)(record->load * record->cores * interval.length_s * 1e9);
		record->known_ns += (int64_t)(record->cores * interval.length_s * 1e9);
	} else {
		record->load = -1;
	}
	record->unknown_s = interval.known ? 0 : record->unknown_s + interval.length_s;
	record->last_busy_s = interval.known ? interval.busy_s : -1;
	record->last_s = interval.length_s;
	record->cores = interval.online;
	record->when_ns = when_ns;
}

/* ---- Readings --------------------------------------------------------------------------------------------------------- */

static bool is_over(const struct record *record, int64_t when_ns)
{
	return !record->when_ns || when_ns - record->when_ns >= LINUX_CORE_LOAD_STEP_NS;
}

/* Ends the interval that is over, unless somebody else is at it. */
static void go_on(struct linux_core_load *load, const struct busy_times *busy, int64_t when_ns, struct record *record)
{
	const uint64_t claim = lease_take(&load->shared->lease, (uint32_t)getpid(), when_ns, LEASE_LIMIT_NS);
	if (!claim)
		return;
	/* Somebody may have ended it just before. */
	latch_read(&load->shared->record, record, LATCH_SIZE(struct record));
	if (is_over(record, when_ns)) {
		struct record next = *record;
		if (!record->when_ns)
			next = (struct record){.when_ns = when_ns - LINUX_CORE_LOAD_STEP_NS, .last_busy_s = -1};
		end_interval(load, busy, when_ns, &next);
		if (next.cores > 0 && lease_holds(&load->shared->lease, claim)) {
			latch_write(&load->shared->record, &next, LATCH_SIZE(struct record));
			*record = next;
		}
	}
	lease_give(&load->shared->lease, claim);
}

int linux_core_load_read(struct linux_core_load *load, const struct busy_times *busy, int64_t when_ns, struct sst_reading *now)
{
	struct record record;
	latch_read(&load->shared->record, &record, LATCH_SIZE(struct record));
	if (is_over(&record, when_ns))
		go_on(load, busy, when_ns, &record);
	if (!(record.cores > 0)) {
		errno = ENODATA;
		return -1;
	}
	const int64_t since_ns = when_ns > record.when_ns && record.load >= 0 ? when_ns - record.when_ns : 0;
	*now = (struct sst_reading){
		.when_ns = when_ns,
		.processors = record.cores,
		.counter = {(uint64_t)(record.work_ns + (int64_t)(record.load * record.cores * (double)since_ns)),
			(uint64_t)(record.known_ns + (int64_t)(record.cores * (double)since_ns))},
	};
	return 0;
}

bool linux_core_load_sample(const struct sst_reading *before, const struct sst_reading *now, struct sst_sample *sample)
{
	const int64_t work_ns = (int64_t)(now->counter[0] - before->counter[0]);
	const int64_t known_ns = (int64_t)(now->counter[1] - before->counter[1]);
	if (now->when_ns <= before->when_ns || known_ns <= 0)
		return false;
	*sample = (struct sst_sample){(double)work_ns / 1e9, (double)known_ns / 1e9};
	return true;
}
