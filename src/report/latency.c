/* SPDX-License-Identifier: MIT */
#include "report/latency.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/splitmix.h"
#include "base/units.h"
#include "report/values.h"

/* Of a request's second word: the outcome, and above it the response time in ns. Times begin in the middle, so that none is below 0. */
#define OUTCOME_BITS 3
#define TIME_ZERO (UINT64_C(1) << 62)
/* Response times whose resampled ranks are looked for one by one. */
#define GRID 4096

static const struct {
	const char *name;
	double share;
} figures[REPORT_LATENCY_FIGURES] = {
	{"mean", NAN}, {"p50", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"p99.9", 0.999}, {"max", NAN}};

const char *report_latency_name(enum report_latency_figure figure)
{
	return figures[figure].name;
}

/* ---- Requests --------------------------------------------------------------------------------------------------------- */

#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)

void report_pairs_sort(struct report_pair *item, struct report_pair *spare, size_t count)
{
	uint64_t varies = 0;
	struct report_pair *from = item, *to = spare;
	for (size_t i = 1; i < count; i++)
		varies |= item[i].key ^ item[0].key;
	for (unsigned shift = 0; shift < 64 && varies >> shift; shift += DIGIT_BITS) {
		size_t place[DIGITS] = {0};
		size_t before = 0;
		if (!(varies >> shift & (DIGITS - 1)))
			continue;
		for (size_t i = 0; i < count; i++)
			place[from[i].key >> shift & (DIGITS - 1)]++;
		for (size_t i = 0; i < DIGITS; i++) {
			const size_t here = place[i];
			place[i] = before;
			before += here;
		}
		for (size_t i = 0; i < count; i++)
			to[place[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
		struct report_pair *const other = from;
		from = to;
		to = other;
	}
	if (from != item)
		memcpy(item, from, count * sizeof *item);
}

static int add_request(struct report_requests *requests, const struct request_record *record, enum report_latency_from from,
	enum report_latency_outcome outcome)
{
	if (requests->count == requests->capacity) {
		const size_t capacity = requests->capacity ? 2 * requests->capacity : 4096;
		struct report_pair *const larger = realloc(requests->item, capacity * sizeof *larger);
		if (!larger)
			return -1;
		requests->item = larger;
		requests->capacity = capacity;
	}
	int64_t begin_ns = record->planned_ns;
	/* What was never sent has its place where it arrived. */
	if (from != REPORT_FROM_PLANNED)
		begin_ns = record->arrival_ns;
	if (from == REPORT_FROM_SENT && record->sent_ns != REQUEST_LOG_NEVER)
		begin_ns = record->sent_ns;
	requests->item[requests->count++] = (struct report_pair){
		.key = TIME_ZERO + (uint64_t)begin_ns,
		.rest = (uint64_t)(record->end_ns - begin_ns) << OUTCOME_BITS | outcome,
	};
	return 0;
}

static enum report_latency_outcome outcome_of(const struct request_reader *reader, const struct request_record *record)
{
	if (record->fate == REQUEST_TIMEOUT)
		return REPORT_TIMEOUT;
	if (record->fate == REQUEST_DROPPED)
		return REPORT_DROPPED;
	if (record->fate > REQUEST_TIMEOUT)
		return REPORT_UNANSWERED;
	return request_reader_is_error(reader, record) ? REPORT_WRONG : REPORT_GOOD;
}

/* The clocks of a thousandth of many records are enough. */
#define CLOCK_EVERY 1000

int report_requests_read(struct report_requests *requests, struct csv *csv, const char *name, enum report_latency_from from,
	bool *is_cut, char error[static CSV_ERROR_MAX])
{
	struct request_reader *const reader = request_reader_new(csv);
	struct report_values offsets = {0};
	struct request_record record;
	int line = -1;
	int result = reader ? 0 : -1;
	for (size_t i = 0; result == 0 && (line = request_reader_next(reader, &record)) > 0; i++) {
		double wall = NAN;
		if (line == REQUEST_LINE_MISSING) {
			requests->missing += fmax((double)(record.end_ns - record.planned_ns) / (double)NS_PER_S, 0);
			continue;
		}
		if ((i < CLOCK_EVERY || i % CLOCK_EVERY == 0) && request_reader_wall(reader, &wall) != 0) {
			line = -1;
			break;
		}
		if (add_request(requests, &record, from, outcome_of(reader, &record)) != 0 ||
			report_clock_add(&offsets, (double)record.end_ns / (double)NS_PER_S, wall) != 0)
			result = -1;
	}
	if (result != 0)
		csv_fail(error, "%.300s: %s", name, strerror(errno));
	else if (line < 0)
		result = csv_fail(error, "%s", csv_error(csv));
	requests->clock = report_clock_make(&offsets);
	*is_cut = csv_is_cut(csv);
	request_reader_free(reader);
	return result;
}

int report_requests_sort(struct report_requests *requests)
{
	struct report_pair *const spare = malloc((requests->count + 1) * sizeof *spare);
	if (!spare)
		return -1;
	report_pairs_sort(requests->item, spare, requests->count);
	free(spare);
	return 0;
}

void report_requests_free(struct report_requests *requests)
{
	free(requests->item);
	*requests = (struct report_requests){0};
}

static double moment_of(const struct report_pair *request)
{
	return (double)(int64_t)(request->key - TIME_ZERO) / (double)NS_PER_S;
}

double report_requests_first(const struct report_requests *requests)
{
	return moment_of(&requests->item[0]);
}

double report_requests_last(const struct report_requests *requests)
{
	return moment_of(&requests->item[requests->count - 1]);
}

/* The first request from that moment on. */
static size_t find(const struct report_requests *requests, double moment)
{
	const uint64_t key = TIME_ZERO + (uint64_t)llround(moment * (double)NS_PER_S);
	size_t low = 0;
	size_t high = requests->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (requests->item[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- Figures ---------------------------------------------------------------------------------------------------------- */

/* The response times of a row: sorted pairs of ns and the block in which the request began. */
struct times {
	struct report_pair *item;
	size_t count;
	size_t in[REPORT_LATENCY_BLOCKS];      /* how many each block has */
	double seconds[REPORT_LATENCY_BLOCKS]; /* … and their sum */
	size_t step;                           /* of the grid: how many there are of each block before every so many times */
	uint32_t (*before)[REPORT_LATENCY_BLOCKS];
	size_t grid;
};

static size_t rank_of(double share, double count)
{
	/* 0.999 times 1,000 is a little more than 999. */
	const double place = ceil(share * count * (1 - 1e-12));
	return place < 1 ? 1 : (size_t)place;
}

static double seconds_of(const struct report_pair *time)
{
	return (double)time->key / (double)NS_PER_S;
}

static int make_grid(struct times *times)
{
	uint32_t seen[REPORT_LATENCY_BLOCKS] = {0};
	times->step = times->count / GRID + 1;
	times->before = calloc(times->count / times->step + 1, sizeof *times->before);
	if (!times->before)
		return -1;
	for (size_t i = 0; i < times->count; i++) {
		if (i % times->step == 0)
			memcpy(times->before[times->grid++], seen, sizeof seen);
		seen[times->item[i].rest]++;
	}
	return 0;
}

/* Of the response times, each taken as often as its block was drawn. */
static double drawn_quantile(const struct times *times, const unsigned drawn[static REPORT_LATENCY_BLOCKS], size_t rank)
{
	size_t low = 0, high = times->grid, before_low = 0;
	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;
		size_t before = 0;
		for (size_t block = 0; block < REPORT_LATENCY_BLOCKS; block++)
			before += (size_t)drawn[block] * times->before[middle][block];
		if (before < rank) {
			low = middle;
			before_low = before;
		} else {
			high = middle;
		}
	}
	size_t at = low * times->step;
	for (size_t seen = before_low + drawn[times->item[at].rest]; seen < rank && at + 1 < times->count;)
		seen += drawn[times->item[++at].rest];
	return seconds_of(&times->item[at]);
}

static bool keeps(const double value[static REPORT_LATENCY_FIGURES], const struct report_latency_limits *limits)
{
	for (int i = 0; i < REPORT_LATENCY_FIGURES; i++)
		if (value[i] > limits->most[i])
			return false;
	return true;
}

/* The figures of one draw of blocks; false where these have no response time. */
static bool draw_figures(
	const struct times *times, const double most, uint64_t *state, double value[static REPORT_LATENCY_FIGURES])
{
	unsigned drawn[REPORT_LATENCY_BLOCKS] = {0};
	size_t count = 0;
	double seconds = 0;
	for (size_t i = 0; i < REPORT_LATENCY_BLOCKS; i++) {
		const uint64_t block = splitmix_below(state, REPORT_LATENCY_BLOCKS);
		drawn[block]++;
		count += times->in[block];
		seconds += times->seconds[block];
	}
	if (count == 0)
		return false;
	for (int i = 0; i < REPORT_LATENCY_BOUNDED; i++)
		value[i] = i == REPORT_LATENCY_MEAN ? seconds / (double)count
						    : drawn_quantile(times, drawn, rank_of(figures[i].share, (double)count));
	value[REPORT_LATENCY_MAX] = most;
	return true;
}

static int find_intervals(struct times *times, const struct report_latency_rules *rules, struct report_latency_row *row)
{
	struct report_values all[REPORT_LATENCY_BOUNDED] = {{0}};
	uint64_t state = rules->seed;
	double value[REPORT_LATENCY_FIGURES];
	int result = make_grid(times);
	row->kept = rules->limits && result == 0 ? calloc(rules->resamples + 1, sizeof *row->kept) : NULL;
	if (rules->limits && !row->kept)
		result = -1;
	for (size_t i = 0; result == 0 && i < rules->resamples; i++) {
		if (!draw_figures(times, row->value[REPORT_LATENCY_MAX], &state, value))
			continue;
		for (int figure = 0; result == 0 && figure < REPORT_LATENCY_BOUNDED; figure++)
			result = report_values_add(&all[figure], value[figure]);
		if (rules->limits)
			row->kept[i] = keeps(value, rules->limits);
	}
	for (int i = 0; i < REPORT_LATENCY_BOUNDED; i++) {
		if (result == 0 && all[i].count > 0) {
			report_values_sort(&all[i]);
			row->low[i] = report_values_quantile(&all[i], (1 - REPORT_CONFIDENCE) / 2);
			row->high[i] = report_values_quantile(&all[i], (1 + REPORT_CONFIDENCE) / 2);
		}
		report_values_free(&all[i]);
	}
	free(times->before);
	return result;
}

/* Counts the requests, and takes out those that have a response time. */
static void collect(
	const struct report_requests *requests, size_t first, size_t after, struct report_latency_row *row, struct times *times)
{
	for (size_t i = first; i < after; i++) {
		const struct report_pair *const request = &requests->item[i];
		const unsigned outcome = request->rest & ((1u << OUTCOME_BITS) - 1);
		row->outcome[outcome]++;
		if (outcome > REPORT_TIMEOUT)
			continue;
		const double place = (moment_of(request) - row->from) / (row->to - row->from) * REPORT_LATENCY_BLOCKS;
		const size_t block = place >= REPORT_LATENCY_BLOCKS ? REPORT_LATENCY_BLOCKS - 1 : place > 0 ? (size_t)place : 0;
		times->item[times->count] = (struct report_pair){.key = request->rest >> OUTCOME_BITS, .rest = block};
		times->in[block]++;
		times->seconds[block] += seconds_of(&times->item[times->count++]);
	}
}

int report_latency_measure(
	const struct report_requests *requests, const struct report_latency_rules *rules, struct report_latency_row *row)
{
	const size_t first = find(requests, row->from);
	const size_t after = find(requests, row->to);
	struct times times = {0};
	row->requests = after > first ? after - first : 0;
	for (int i = 0; i < REPORT_LATENCY_FIGURES; i++)
		row->value[i] = NAN;
	for (int i = 0; i < REPORT_LATENCY_BOUNDED; i++)
		row->low[i] = row->high[i] = NAN;
	times.item = malloc((row->requests + 1) * sizeof *times.item);
	struct report_pair *const spare = malloc((row->requests + 1) * sizeof *spare);
	int result = times.item && spare ? 0 : -1;
	if (result == 0) {
		collect(requests, first, after, row, &times);
		row->samples = times.count;
		row->rate = (double)row->requests / (row->to - row->from);
		row->throughput = (double)row->outcome[REPORT_GOOD] / (row->to - row->from);
		report_pairs_sort(times.item, spare, times.count);
	}
	free(spare);
	if (result == 0 && times.count >= REPORT_LATENCY_LEAST) {
		double seconds = 0;
		for (size_t i = 0; i < REPORT_LATENCY_BLOCKS; i++)
			seconds += times.seconds[i];
		row->value[REPORT_LATENCY_MEAN] = seconds / (double)times.count;
		for (int i = REPORT_LATENCY_P50; i <= REPORT_LATENCY_P999; i++)
			row->value[i] = seconds_of(&times.item[rank_of(figures[i].share, (double)times.count) - 1]);
		row->value[REPORT_LATENCY_MAX] = seconds_of(&times.item[times.count - 1]);
		result = find_intervals(&times, rules, row);
	}
	free(times.item);
	return result;
}

double *report_latency_times(const struct report_requests *requests, double from, double to, size_t *count)
{
	const size_t first = find(requests, from);
	const size_t found = find(requests, to);
	const size_t after = found > first ? found : first;
	const size_t room = after - first + 1;
	struct report_latency_row row = {.from = from, .to = to};
	struct times times = {.item = malloc(room * sizeof *times.item)};
	struct report_pair *const spare = malloc(room * sizeof *spare);
	double *const time = malloc(room * sizeof *time);
	if (times.item && spare && time) {
		collect(requests, first, after, &row, &times);
		report_pairs_sort(times.item, spare, times.count);
	}
	for (size_t i = 0; time && i < times.count; i++)
		time[i] = seconds_of(&times.item[i]);
	const bool is_whole = times.item && spare;
	free(times.item);
	free(spare);
	*count = times.count;
	if (is_whole)
		return time;
	free(time);
	return NULL;
}

void report_latency_row_free(struct report_latency_row *row)
{
	free(row->kept);
	row->kept = NULL;
}

/* ---- The knee --------------------------------------------------------------------------------------------------------- */

int report_latency_keeps(const struct report_latency_row *row, const struct report_latency_limits *limits)
{
	return row->samples < REPORT_LATENCY_LEAST ? -1 : keeps(row->value, limits);
}

int report_latency_knee(const struct report_latency_row *row, size_t count, const struct report_latency_limits *limits,
	size_t resamples, struct report_knee *knee)
{
	struct report_values all = {0};
	*knee = (struct report_knee){.value = NAN, .low = NAN, .high = NAN, .is_last = true};
	for (size_t i = 0; i < count; i++)
		knee->is_of_load |= !isnan(row[i].load);
	for (size_t i = 0; i < count; i++) {
		const double place = knee->is_of_load ? row[i].load : row[i].rate;
		if (report_latency_keeps(&row[i], limits) == 1 && !isnan(place) && !(place <= knee->value)) {
			knee->row = &row[i];
			knee->value = place;
		}
	}
	if (!knee->row)
		return 0;
	for (size_t i = 0; i < count; i++) {
		const double place = knee->is_of_load ? row[i].load : row[i].rate;
		if (report_latency_keeps(&row[i], limits) != 0)
			continue;
		knee->lesser += place <= knee->value;
		knee->is_last &= !(place > knee->value);
	}
	size_t none = 0;
	for (size_t draw = 0; draw < resamples; draw++) {
		double greatest = NAN;
		for (size_t i = 0; i < count; i++) {
			const double place = knee->is_of_load ? row[i].load : row[i].rate;
			if (row[i].kept && row[i].kept[draw] && !isnan(place) && !(place <= greatest))
				greatest = place;
		}
		none += isnan(greatest);
		if (!isnan(greatest) && report_values_add(&all, greatest) != 0) {
			report_values_free(&all);
			return -1;
		}
	}
	/* The interval's ends are steps. */
	const double share = (1 - REPORT_CONFIDENCE) / 2 * (double)resamples;
	if (all.count > 0) {
		report_values_sort(&all);
		if ((double)none < share)
			knee->low = all.item[(size_t)share - none];
		knee->high = all.item[(size_t)fmin((double)(all.count - 1), fmax((double)resamples - share - (double)none, 0))];
	}
	report_values_free(&all);
	return 0;
}
