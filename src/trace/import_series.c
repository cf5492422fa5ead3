/* SPDX-License-Identifier: MIT */
/*
 * One machine: its samples are kept, put in order at the end, and become intervals that follow one another. Several machines, or users of one: what they
 * make is added up in cells of equal length, and a sample that lies in two cells is shared between them, so that sums stay right. A list of machines
 * keeps a record of each, whatever the number of its samples.
 */
#include "trace/import_series.h"

#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "trace/import_intervals.h"

/* A quarter of a gigabyte. */
#define CELLS_MAX ((size_t)1 << 24)
#define PARTS_MAX ((size_t)UINT32_MAX)
/* So many distances tell what the usual one is. */
#define DISTANCES_MAX ((size_t)10001)
/* A distance longer than so many usual ones is a gap. */
#define GAP 1.5
/* What clocks and whole seconds make of equal intervals. */
#define JITTER 0.1
#define DEFAULT_STEP_NS (60 * NS_PER_S)

struct import_machine {
	char *name;
	size_t length;
	uint64_t samples;
	int64_t first_ns, last_ns;
	double sum, weight, most;
};

static int __attribute__((format(printf, 2, 3))) refuse(char *error, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(error, IMPORT_ERROR_MAX, format, arguments);
	va_end(arguments);
	return -1;
}

/* ---- Taking samples --------------------------------------------------------------------------------------------------- */

static bool is_same(const char *a, size_t a_length, const char *b, size_t b_length)
{
	return a_length == b_length && memcmp(a, b, a_length) == 0;
}

static int compare_machines(const void *left, const void *right)
{
	const struct import_machine *const a = left;
	const struct import_machine *const b = right;
	const int order = memcmp(a->name, b->name, a->length < b->length ? a->length : b->length);
	return order ? order : (a->length > b->length) - (a->length < b->length);
}

/* The name of a sample's machine, which may hold any bytes, with a NUL behind it; NULL with errno. */
static char *copy_name(const struct import_sample *sample)
{
	char *const name = malloc(sample->machine_length + 1);
	if (name) {
		memcpy(name, sample->machine, sample->machine_length);
		name[sample->machine_length] = '\0';
	}
	return name;
}

/* The record of a sample's machine; NULL with errno. */
static struct import_machine *find_machine(struct import_series *series, const struct import_sample *sample)
{
	struct import_machine *const last = series->last_machine;
	struct import_machine key = {.name = (char *)sample->machine, .length = sample->machine_length};
	if (last && is_same(last->name, last->length, sample->machine, sample->machine_length))
		return last;
	struct import_machine **found = tfind(&key, &series->machines, compare_machines);
	if (!found) {
		struct import_machine *const made = calloc(1, sizeof *made);
		if (!made)
			return NULL;
		made->name = copy_name(sample);
		made->length = sample->machine_length;
		made->first_ns = INT64_MAX;
		made->last_ns = INT64_MIN;
		found = made->name ? tsearch(made, &series->machines, compare_machines) : NULL;
		if (!found) {
			free(made->name);
			free(made);
			return NULL;
		}
		series->machine_count++;
	}
	series->last_machine = *found;
	return *found;
}

static int note_machine(struct import_series *series, const struct import_sample *sample, char *error)
{
	struct import_machine *const machine = find_machine(series, sample);
	if (!machine)
		return refuse(error, "%s: for %zu machines", strerror(errno), series->machine_count);
	machine->samples++;
	machine->sum += sample->value;
	machine->weight += sample->weight;
	machine->most = machine->samples == 1 ? sample->value : fmax(machine->most, sample->value);
	if (sample->ns < machine->first_ns)
		machine->first_ns = sample->ns;
	if (sample->ns > machine->last_ns)
		machine->last_ns = sample->ns;
	return 0;
}

/* Whether a list with commas has that name. */
static bool has_name(const char *list, const char *name, size_t length)
{
	if (strcmp(list, "all") == 0)
		return true;
	for (const char *at = list;; at++) {
		const size_t part = strcspn(at, ",");
		if (is_same(at, part, name, length))
			return true;
		at += part;
		if (!*at)
			return false;
	}
}

/* 1 when it is the machine, 0 when not, -1: nobody said which is wanted. */
static int is_wanted(
	struct import_series *series, const struct import_rules *rules, const struct import_sample *sample, char *error)
{
	if (rules->mean_of)
		return has_name(rules->mean_of, sample->machine, sample->machine_length);
	if (rules->machine)
		return is_same(rules->machine, strlen(rules->machine), sample->machine, sample->machine_length);
	if (!series->machine) {
		series->machine = copy_name(sample);
		series->machine_length = sample->machine_length;
		return series->machine ? 1 : refuse(error, "%s", strerror(errno));
	}
	if (is_same(series->machine, series->machine_length, sample->machine, sample->machine_length))
		return 1;
	return refuse(error,
		"found the machines '%.40s' and '%.*s', expected --machine or --mean-of to say which of them, or --machines to "
		"list all",
		series->machine, (int)(sample->machine_length < 40 ? sample->machine_length : 40), sample->machine);
}

static int64_t floor_divide(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* The cell of that number, which is made with all between it and the others; NULL after a message. */
static struct import_cell *cell_at(struct import_series *series, int64_t number, char *error)
{
	if (series->cells == 0)
		series->first_cell = number;
	const int64_t before = number < series->first_cell ? series->first_cell - number : 0;
	const int64_t behind = number - series->first_cell + 1;
	const size_t needed = before ? series->cells + (size_t)before : (size_t)behind;
	if (before > (int64_t)CELLS_MAX || behind > (int64_t)CELLS_MAX || needed > CELLS_MAX) {
		refuse(error, "found samples that are more than %zu steps apart, expected a longer --step", CELLS_MAX);
		return NULL;
	}
	if (needed > series->cell_capacity) {
		size_t capacity = series->cell_capacity ? series->cell_capacity : 1024;
		while (capacity < needed)
			capacity *= 2;
		struct import_cell *const larger = realloc(series->cell, capacity * sizeof *larger);
		if (!larger) {
			refuse(error, "%s: for %zu steps", strerror(errno), needed);
			return NULL;
		}
		series->cell = larger;
		series->cell_capacity = capacity;
	}
	if (before) {
		memmove(series->cell + before, series->cell, series->cells * sizeof *series->cell);
		memset(series->cell, 0, (size_t)before * sizeof *series->cell);
		series->first_cell = number;
		series->cells = needed;
	} else if (needed > series->cells) {
		memset(series->cell + series->cells, 0, (needed - series->cells) * sizeof *series->cell);
		series->cells = needed;
	}
	return &series->cell[number - series->first_cell];
}

static int add_to_cells(struct import_series *series, const struct import_sample *sample, enum import_stamp stamp, int64_t usual,
	int64_t step_ns, char *error)
{
	const int64_t length = sample->length_ns > 0 ? sample->length_ns : usual;
	int64_t start;
	int64_t end;
	if (__builtin_sub_overflow(sample->ns, stamp == IMPORT_STAMP_END ? length : 0, &start) ||
		__builtin_add_overflow(start, length, &end) || end > INT64_MAX - step_ns || length / step_ns > (int64_t)CELLS_MAX)
		return refuse(error, "found a sample of %.3g s, expected at most %zu steps", (double)length / 1e9, CELLS_MAX);
	while (start < end) {
		const int64_t number = floor_divide(start, step_ns);
		const int64_t stop = (number + 1) * step_ns < end ? (number + 1) * step_ns : end;
		struct import_cell *const cell = cell_at(series, number, error);
		if (!cell)
			return -1;
		const double share = (double)(stop - start) / (double)step_ns;
		cell->value += sample->value * share;
		cell->weight += sample->weight * share;
		start = stop;
	}
	return 0;
}

static int add_part(struct import_series *series, const struct import_sample *sample, struct import_counts *counts, char *error)
{
	if (series->parts == series->capacity) {
		const size_t capacity = series->capacity ? 2 * series->capacity : 4096;
		struct import_part *const larger = capacity < PARTS_MAX ? realloc(series->part, capacity * sizeof *larger) : NULL;
		if (!larger)
			return refuse(error, "%s: for %zu samples", strerror(ENOMEM), series->parts);
		series->part = larger;
		series->capacity = capacity;
	}
	if (series->parts > 0 && sample->ns < series->part[series->parts - 1].ns)
		counts->unsorted++;
	series->part[series->parts] = (struct import_part){.ns = sample->ns,
		.length_ns = sample->length_ns,
		.value = sample->value,
		.weight = (float)sample->weight,
		.order = (uint32_t)series->parts};
	series->parts++;
	return 0;
}

/* Cuts a load to 0…1. */
static double cut(double load, struct import_counts *counts)
{
	counts->loads++;
	/* What a rounded sum is off by is nobody's mistake. */
	if (load < -1e-9 || load > 1 + 1e-9)
		counts->outside++;
	return fmin(fmax(load, 0), 1) + 0.0;
}

static int64_t step_of(const struct import_rules *rules, int64_t step_ns)
{
	if (rules->step_ns)
		return rules->step_ns;
	return step_ns ? step_ns : DEFAULT_STEP_NS;
}

int import_series_add(struct import_series *series, const struct import_rules *rules, enum import_merge merge,
	enum import_stamp stamp, int64_t step_ns, const struct import_sample *sample, struct import_counts *counts,
	char error[static IMPORT_ERROR_MAX])
{
	struct import_sample named = *sample;
	if (!named.machine)
		named.machine = "";
	if (isnan(sample->value)) {
		counts->missing++;
		return 0;
	}
	counts->samples++;
	if (rules->list)
		return note_machine(series, &named, error);
	const int wanted = is_wanted(series, rules, &named, error);
	if (wanted <= 0)
		return wanted;
	if (rules->mean_of) {
		const struct import_machine *const machine = find_machine(series, &named);
		if (machine && merge == IMPORT_FIRST && machine->samples > 0 && machine->last_ns == named.ns) {
			counts->duplicates++;
			return 0;
		}
		counts->unsorted += machine && merge == IMPORT_FIRST && machine->last_ns > named.ns;
		if (note_machine(series, &named, error) != 0)
			return -1;
	}
	if (rules->mean_of || merge == IMPORT_USERS) {
		const int64_t step = step_of(rules, step_ns);
		if (merge == IMPORT_FIRST)
			named.value = cut(named.value, counts);
		return add_to_cells(series, &named, stamp, step_ns ? step_ns : step, step, error);
	}
	/* A part of a machine may come late: parts of it are files, or follow one another. */
	const uint64_t unsorted = counts->unsorted;
	const int result = add_part(series, &named, counts, error);
	if (merge == IMPORT_PARTS)
		counts->unsorted = unsorted;
	return result;
}

/* ---- One machine: intervals ------------------------------------------------------------------------------------------- */

static int compare_parts(const void *left, const void *right)
{
	const struct import_part *const a = left;
	const struct import_part *const b = right;
	if (a->ns != b->ns)
		return a->ns < b->ns ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

static int compare_distances(const void *left, const void *right)
{
	const int64_t a = *(const int64_t *)left;
	const int64_t b = *(const int64_t *)right;
	return (a > b) - (a < b);
}

/*
 * How far samples are usually apart, or how long they are: the median of those at the beginning. `step_ns` is what is known of their format, or 0.
 * 0: nobody knows, -1: no memory.
 */
static int64_t usual_distance(const struct import_series *series, bool is_length, int64_t step_ns)
{
	int64_t *const distance = malloc(DISTANCES_MAX * sizeof *distance);
	size_t count = 0;
	int64_t usual = 0;
	if (!distance)
		return -1;
	for (size_t i = 0; i < series->parts && count < DISTANCES_MAX; i++) {
		const int64_t here =
			is_length ? series->part[i].length_ns : (i > 0 ? series->part[i].ns - series->part[i - 1].ns : 0);
		if (here > 0)
			distance[count++] = here;
	}
	if (count > 0) {
		qsort(distance, count, sizeof *distance, compare_distances);
		usual = distance[(count - 1) / 2];
	}
	free(distance);
	/* Two or three samples may have a gap between them. */
	return step_ns > 0 && usual > step_ns && count < 3 ? step_ns : usual;
}

/* Samples at one time become one; what is left stands at the front. */
static void merge_parts(struct import_series *series, enum import_merge merge, int64_t usual, struct import_counts *counts)
{
	const int64_t near = merge == IMPORT_PARTS ? usual / 2 : 0;
	size_t to = 0;
	for (size_t i = 0; i < series->parts;) {
		struct import_part joined = series->part[i];
		size_t next = i + 1;
		for (; next < series->parts && series->part[next].ns - series->part[i].ns <= near; next++) {
			if (merge == IMPORT_PARTS) {
				joined.value += series->part[next].value;
				joined.weight += series->part[next].weight;
			} else {
				counts->duplicates++;
			}
		}
		i = next;
		/* Time without work, of a processor whose idle time is not known. */
		if (!(joined.weight > 0)) {
			counts->missing++;
			continue;
		}
		joined.value /= (double)joined.weight;
		series->part[to++] = joined;
	}
	series->parts = to;
}

/* Adds a stretch, and before it the gap that it leaves. Ends don't decrease. */
static void add_interval(struct import_interval *interval, size_t *count, int64_t start, int64_t end, double load, int64_t usual,
	struct import_counts *counts)
{
	const int64_t last = *count > 0 ? interval[*count - 1].end_ns : start;
	const double tolerated = JITTER * (double)(end - start < usual || usual == 0 ? end - start : usual);
	if (start < last && (double)(last - start) > tolerated)
		counts->overlaps++;
	if (end <= last)
		return;
	if ((double)(start - last) > tolerated) {
		counts->gaps++;
		counts->gaps_ns += start - last;
		interval[*count] = (struct import_interval){start, interval[*count - 1].load};
		++*count;
	}
	interval[(*count)++] = (struct import_interval){end, load};
}

/* Returns how many; there is room for two for each part. Times are shifted so that the first one begins at 0. */
static size_t make_intervals(const struct import_series *series, enum import_stamp stamp, int64_t usual,
	struct import_interval *interval, struct import_counts *counts)
{
	size_t count = 0;
	const int64_t origin = series->part[0].ns;
	for (size_t i = 0; i < series->parts; i++) {
		const struct import_part *const part = &series->part[i];
		const int64_t at = part->ns - origin;
		const bool has_neighbour = stamp == IMPORT_STAMP_END ? i > 0 : i + 1 < series->parts;
		int64_t length = part->length_ns;
		if (length <= 0 && has_neighbour)
			length = stamp == IMPORT_STAMP_END ? part->ns - part[-1].ns : part[1].ns - part->ns;
		if (length <= 0 || (part->length_ns <= 0 && (double)length > GAP * (double)usual))
			length = usual > 0 ? usual : NS_PER_S;
		const int64_t start = stamp == IMPORT_STAMP_END ? at - length : at;
		add_interval(interval, &count, start, start + length, cut(part->value, counts), usual, counts);
	}
	/* The first one began so long before its end. */
	int64_t first = series->part[0].length_ns;
	if (first <= 0 || stamp != IMPORT_STAMP_END)
		first = stamp == IMPORT_STAMP_END ? (usual > 0 ? usual : NS_PER_S) : 0;
	for (size_t i = 0; i < count; i++)
		interval[i].end_ns += first;
	return count;
}

/* The same of cells: what has no sample is a gap. */
static size_t intervals_of_cells(const struct import_series *series, const struct import_rules *rules, enum import_merge merge,
	int64_t step, struct import_interval *interval, struct import_counts *counts)
{
	const double machines = rules->mean_of ? (double)series->machine_count : 1;
	size_t count = 0;
	for (size_t i = 0; i < series->cells; i++) {
		const struct import_cell *const cell = &series->cell[i];
		if (!(cell->weight > 0))
			continue;
		const double load = cell->value / (merge == IMPORT_USERS ? rules->capacity * machines : cell->weight);
		add_interval(interval, &count, (int64_t)i * step, (int64_t)(i + 1) * step, cut(load, counts), step, counts);
	}
	return count;
}

/* Nothing was found that is wanted. */
static int refuse_nothing(const struct import_rules *rules, const struct import_counts *counts, char *error)
{
	if (counts->samples == 0)
		return refuse(error, "found no sample%s%.200s", *counts->first_wrong ? "; the first line that is none: " : "",
			counts->first_wrong);
	return refuse(error, "found no sample of %.100s (--machines lists what there is)",
		rules->mean_of ? rules->mean_of : rules->machine);
}

/* A machine of the list that isn't there would make the others' mean look like the mean of all of them. */
static int check_names(const struct import_series *series, const char *list, char *error)
{
	if (!list || strcmp(list, "all") == 0)
		return 0;
	for (const char *at = list;; at++) {
		struct import_machine key = {.name = (char *)at, .length = strcspn(at, ",")};
		if (!tfind(&key, &series->machines, compare_machines))
			return refuse(error, "found no sample of %.*s (--machines lists what there is)",
				(int)(key.length < 100 ? key.length : 100), at);
		at += key.length;
		if (!*at)
			return 0;
	}
}

static int sort_parts(struct import_series *series, enum import_merge merge, int64_t step_ns, struct import_counts *counts,
	int64_t *usual, char *error)
{
	/* Most files are in order. */
	for (size_t i = 1; i < series->parts; i++) {
		if (compare_parts(&series->part[i - 1], &series->part[i]) > 0) {
			qsort(series->part, series->parts, sizeof *series->part, compare_parts);
			break;
		}
	}
	int64_t extent;
	if (__builtin_sub_overflow(series->part[series->parts - 1].ns, series->part[0].ns, &extent) || extent > INT64_MAX / 4)
		return refuse(error, "found samples that are %.3g years apart", (double)extent / 1e9 / 86400 / 365);
	if (merge == IMPORT_PARTS) {
		*usual = usual_distance(series, true, step_ns);
		if (*usual >= 0)
			merge_parts(series, merge, *usual, counts);
	} else {
		merge_parts(series, merge, 0, counts);
		*usual = usual_distance(series, false, step_ns);
	}
	if (*usual < 0)
		return refuse(error, "%s", strerror(ENOMEM));
	return series->parts > 0 ? 0 : refuse(error, "found times of processors, but none of them idle");
}

int import_series_finish(struct import_series *series, const struct import_rules *rules, enum import_merge merge,
	enum import_stamp stamp, int64_t step_ns, struct import_counts *counts, struct trace *trace,
	char error[static IMPORT_ERROR_MAX])
{
	int64_t usual = 0;
	if (series->parts == 0 && series->cells == 0)
		return refuse_nothing(rules, counts, error);
	if (check_names(series, rules->mean_of, error) != 0)
		return -1;
	if (series->parts > 0 && sort_parts(series, merge, step_ns, counts, &usual, error) != 0)
		return -1;
	struct import_interval *const interval = calloc(2 * series->parts + 2 * series->cells, sizeof *interval);
	if (!interval)
		return refuse(error, "%s: for %zu samples", strerror(errno), series->parts);
	const size_t count = series->parts > 0
				     ? make_intervals(series, stamp, usual, interval, counts)
				     : intervals_of_cells(series, rules, merge, step_of(rules, step_ns), interval, counts);
	int result = -1;
	if (count == 0)
		refuse_nothing(rules, counts, error);
	else if ((rules->smooth ? import_intervals_lines : import_intervals_steps)(interval, count, trace) != 0)
		refuse(error, "%s: for %zu records", strerror(errno), trace->count);
	else
		result = 0;
	free(interval);
	return result;
}

/* ---- The list --------------------------------------------------------------------------------------------------------- */

struct listing {
	FILE *to;
	enum import_merge merge;
};

static void list_machine(const void *node, VISIT visit, void *context)
{
	const struct import_machine *const machine = *(const struct import_machine *const *)node;
	const struct listing *const listing = context;
	char span[UNITS_TEXT_MAX];
	if (visit != postorder && visit != leaf)
		return;
	for (size_t i = 0; i < machine->length; i++)
		putc(machine->name[i] > ' ' && machine->name[i] != '\x7f' && machine->name[i] != ',' ? machine->name[i] : '?',
			listing->to);
	fprintf(listing->to, ",%llu,%s", (unsigned long long)machine->samples,
		units_print_time(machine->last_ns - machine->first_ns, span));
	/* Parts and users of a machine add up to something else. */
	if (machine->weight > 0 && listing->merge != IMPORT_USERS)
		fprintf(listing->to, ",%.6g", machine->sum / machine->weight);
	else
		putc(',', listing->to);
	if (listing->merge == IMPORT_FIRST)
		fprintf(listing->to, ",%.6g\n", machine->most);
	else
		fputs(",\n", listing->to);
}

void import_series_list(const struct import_series *series, enum import_merge merge, FILE *to)
{
	struct listing listing = {.to = to, .merge = merge};
	fprintf(to, "machine,samples,span,mean,maximum\n");
	twalk_r(series->machines, list_machine, &listing);
}

static void free_machine(void *node)
{
	struct import_machine *const machine = node;
	free(machine->name);
	free(machine);
}

void import_series_free(struct import_series *series)
{
	tdestroy(series->machines, free_machine);
	free(series->machine);
	free(series->part);
	free(series->cell);
	*series = (struct import_series){0};
}
