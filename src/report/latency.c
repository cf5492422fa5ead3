/* SPDX-License-Identifier: MIT */
#include "report/latency.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/splitmix.h"
#include "base/units.h"

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

/* ---- Figures ---------------------------------------------------------------------------------------------------------- */

/* The block in which a request began, and above it how many requests a time stands for. */
#define BLOCK_BITS 5
#define BLOCK_MASK ((UINT64_C(1) << BLOCK_BITS) - 1)
_Static_assert(REPORT_LATENCY_BLOCKS <= 1 << BLOCK_BITS, "a block has room in a pair");

/* The response times of a row: sorted pairs of ns, and of block and weight. */
struct times {
	struct report_pair *item;
	size_t count;
	uint64_t in[REPORT_LATENCY_BLOCKS];    /* how many requests each block has */
	double seconds[REPORT_LATENCY_BLOCKS]; /* … and their sum */
	size_t step;                           /* of the grid: how many there are of each block before every so many times */
	uint64_t (*before)[REPORT_LATENCY_BLOCKS];
	size_t grid;
};

static uint64_t rank_of(double share, double count)
{
	/* 0.999 times 1,000 is a little more than 999. */
	const double place = ceil(share * count * (1 - 1e-12));
	return place < 1 ? 1 : (uint64_t)place;
}

static uint64_t block_of(const struct report_pair *time)
{
	return time->rest & BLOCK_MASK;
}

static uint64_t weight_of(const struct report_pair *time)
{
	return time->rest >> BLOCK_BITS;
}

static double seconds_of(const struct report_pair *time)
{
	return (double)time->key / (double)NS_PER_S;
}

static int make_grid(struct times *times)
{
	uint64_t seen[REPORT_LATENCY_BLOCKS] = {0};
	times->step = times->count / GRID + 1;
	times->before = calloc(times->count / times->step + 1, sizeof *times->before);
	if (!times->before)
		return -1;
	for (size_t i = 0; i < times->count; i++) {
		if (i % times->step == 0)
			memcpy(times->before[times->grid++], seen, sizeof seen);
		seen[block_of(&times->item[i])] += weight_of(&times->item[i]);
	}
	return 0;
}

/* Of the response times, each taken as often as its block was drawn. */
static double drawn_quantile(const struct times *times, const unsigned drawn[static REPORT_LATENCY_BLOCKS], uint64_t rank)
{
	size_t low = 0;
	size_t high = times->grid;
	uint64_t seen = 0;
	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;
		uint64_t before = 0;
		for (size_t block = 0; block < REPORT_LATENCY_BLOCKS; block++)
			before += drawn[block] * times->before[middle][block];
		if (before < rank) {
			low = middle;
			seen = before;
		} else {
			high = middle;
		}
	}
	for (size_t at = low * times->step;; at++) {
		seen += drawn[block_of(&times->item[at])] * weight_of(&times->item[at]);
		if (seen >= rank || at + 1 == times->count)
			return seconds_of(&times->item[at]);
	}
}

/* The mean of one draw of blocks; NaN where these have no response time. */
static double draw_mean(const struct times *times, uint64_t *state)
{
	uint64_t count = 0;
	double seconds = 0;
	for (size_t i = 0; i < REPORT_LATENCY_BLOCKS; i++) {
		const uint64_t block = splitmix_below(state, REPORT_LATENCY_BLOCKS);
		count += times->in[block];
		seconds += times->seconds[block];
	}
	return count > 0 ? seconds / (double)count : NAN;
}

static int find_interval_of_mean(
	const struct times *times, const struct report_latency_rules *rules, struct report_latency_row *row)
{
	struct report_values means = {0};
	uint64_t state = rules->seed;
	int result = 0;
	for (size_t i = 0; result == 0 && i < rules->resamples; i++) {
		const double mean = draw_mean(times, &state);
		if (!isnan(mean))
			result = report_values_add(&means, mean);
	}
	if (result == 0 && means.count > 0) {
		report_values_sort(&means);
		row->low[REPORT_LATENCY_MEAN] = report_values_quantile(&means, (1 - REPORT_CONFIDENCE) / 2);
		row->high[REPORT_LATENCY_MEAN] = report_values_quantile(&means, (1 + REPORT_CONFIDENCE) / 2);
	}
	report_values_free(&means);
	return result;
}

/*
 * Of a quantile: where the share of the times up to it may lie, by how that differs from block to block, there are the times of those shares
 * (Woodruff 1952). Draws of blocks themselves leave out too much where few blocks have slow requests: they never draw a time that wasn't seen.
 * It differs at least as much as that of independent times does, also where all that were seen happen to be below. Where the share may be all, the time
 * may be longer than any that was seen.
 */
static void find_interval_of_quantile(const struct times *times, int figure, struct report_latency_row *row)
{
	const double all = (double)row->samples;
	unsigned once[REPORT_LATENCY_BLOCKS];
	uint64_t up_to[REPORT_LATENCY_BLOCKS] = {0};
	double share = 0;
	double squares = 0;
	for (size_t i = 0; i < times->count && seconds_of(&times->item[i]) <= row->value[figure]; i++)
		up_to[block_of(&times->item[i])] += weight_of(&times->item[i]);
	for (size_t i = 0; i < REPORT_LATENCY_BLOCKS; i++) {
		once[i] = 1;
		share += (double)up_to[i] / all;
	}
	for (size_t i = 0; i < REPORT_LATENCY_BLOCKS; i++) {
		const double off = (double)up_to[i] - share * (double)times->in[i];
		squares += off * off;
	}
	const double freedom = REPORT_LATENCY_BLOCKS - 1;
	const double wanted = figures[figure].share;
	const double of_blocks = sqrt(squares * REPORT_LATENCY_BLOCKS / freedom) / all;
	const double error = fmax(of_blocks, sqrt(wanted * (1 - wanted) / all));
	const double half = gsl_cdf_tdist_Pinv((1 + REPORT_CONFIDENCE) / 2, freedom) * error;
	row->low[figure] = drawn_quantile(times, once, rank_of(fmax(wanted - half, 0), all));
	row->high[figure] = wanted + half < 1 ? drawn_quantile(times, once, rank_of(wanted + half, all)) : INFINITY;
}

/* Counts the requests, and takes out those that have a response time. */
static void collect(
	const struct report_requests *requests, size_t first, size_t after, struct report_latency_row *row, struct times *times)
{
	for (size_t i = first; i < after; i++) {
		const struct report_request request = report_request_at(requests, i);
		row->requests += request.weight;
		row->outcome[request.outcome] += request.weight;
		if (request.outcome > REPORT_TIMEOUT)
			continue;
		const double place = (request.begin - row->from) / (row->to - row->from) * REPORT_LATENCY_BLOCKS;
		const size_t block = place >= REPORT_LATENCY_BLOCKS ? REPORT_LATENCY_BLOCKS - 1 : place > 0 ? (size_t)place : 0;
		times->item[times->count] =
			(struct report_pair){.key = request.time_ns, .rest = request.weight << BLOCK_BITS | block};
		times->in[block] += request.weight;
		times->seconds[block] += seconds_of(&times->item[times->count++]) * (double)request.weight;
		row->samples += request.weight;
	}
}

/* Collects and sorts. 0, or -1 with errno; times->item is to be freed in both cases. */
static int collect_sorted(const struct report_requests *requests, struct report_latency_row *row, struct times *times)
{
	const size_t first = report_requests_find(requests, row->from);
	const size_t found = report_requests_find(requests, row->to);
	const size_t after = found > first ? found : first;
	times->item = malloc((after - first + 1) * sizeof *times->item);
	struct report_pair *const spare = malloc((after - first + 1) * sizeof *spare);
	const int result = times->item && spare ? 0 : -1;
	if (result == 0) {
		collect(requests, first, after, row, times);
		report_pairs_sort(times->item, spare, times->count);
	}
	free(spare);
	return result;
}

static int find_figures(struct times *times, const struct report_latency_rules *rules, struct report_latency_row *row)
{
	unsigned once[REPORT_LATENCY_BLOCKS];
	double seconds = 0;
	if (make_grid(times) != 0)
		return -1;
	for (size_t i = 0; i < REPORT_LATENCY_BLOCKS; i++) {
		once[i] = 1;
		seconds += times->seconds[i];
	}
	row->value[REPORT_LATENCY_MEAN] = seconds / (double)row->samples;
	for (int i = REPORT_LATENCY_P50; i <= REPORT_LATENCY_P999; i++)
		row->value[i] = drawn_quantile(times, once, rank_of(figures[i].share, (double)row->samples));
	row->value[REPORT_LATENCY_MAX] = seconds_of(&times->item[times->count - 1]);
	if (find_interval_of_mean(times, rules, row) != 0)
		return -1;
	for (int i = REPORT_LATENCY_P50; i <= REPORT_LATENCY_P999; i++)
		find_interval_of_quantile(times, i, row);
	return 0;
}

int report_latency_measure(
	const struct report_requests *requests, const struct report_latency_rules *rules, struct report_latency_row *row)
{
	struct times times = {0};
	for (int i = 0; i < REPORT_LATENCY_FIGURES; i++)
		row->value[i] = NAN;
	for (int i = 0; i < REPORT_LATENCY_BOUNDED; i++)
		row->low[i] = row->high[i] = NAN;
	int result = collect_sorted(requests, row, &times);
	row->rate = (double)row->requests / (row->to - row->from);
	row->throughput = (double)row->outcome[REPORT_GOOD] / (row->to - row->from);
	if (result == 0 && row->samples >= REPORT_LATENCY_LEAST)
		result = find_figures(&times, rules, row);
	free(times.before);
	free(times.item);
	return result;
}

int report_latency_times_collect(
	const struct report_requests *requests, double from, double to, struct report_latency_times *found)
{
	struct report_latency_row row = {.from = from, .to = to};
	struct times times = {0};
	*found = (struct report_latency_times){0};
	int result = collect_sorted(requests, &row, &times);
	if (result == 0) {
		found->seconds = malloc((times.count + 1) * sizeof *found->seconds);
		found->up_to = malloc((times.count + 1) * sizeof *found->up_to);
		result = found->seconds && found->up_to ? 0 : -1;
	}
	for (size_t i = 0; result == 0 && i < times.count; i++) {
		found->total += weight_of(&times.item[i]);
		found->seconds[i] = seconds_of(&times.item[i]);
		found->up_to[i] = found->total;
		found->count = i + 1;
	}
	free(times.item);
	return result;
}

double report_latency_times_at(const struct report_latency_times *times, uint64_t rank)
{
	size_t low = 0;
	size_t high = times->count - 1;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (times->up_to[middle] < rank)
			low = middle + 1;
		else
			high = middle;
	}
	return times->seconds[low];
}

void report_latency_times_free(struct report_latency_times *times)
{
	free(times->seconds);
	free(times->up_to);
	*times = (struct report_latency_times){0};
}

/* ---- The knee --------------------------------------------------------------------------------------------------------- */

/* `value` has that many figures; those behind have no interval, and are the row's own. */
static bool keeps(
	const struct report_latency_row *row, const double *value, int count, const struct report_latency_limits *limits)
{
	const double bad = (double)(row->requests - row->outcome[REPORT_GOOD]);
	for (int i = 0; i < REPORT_LATENCY_FIGURES; i++) {
		if ((i < count ? value[i] : row->value[i]) > limits->most[i])
			return false;
		/* So many of a hundred requests are to be answered in time, and what fails isn't. */
		if (!isnan(limits->most[i]) && bad > (1 - figures[i].share) * (double)row->requests * (1 + 1e-12))
			return false;
	}
	return true;
}

int report_latency_keeps(const struct report_latency_row *row, const struct report_latency_limits *limits)
{
	return row->samples < REPORT_LATENCY_LEAST ? -1 : keeps(row, row->value, REPORT_LATENCY_FIGURES, limits);
}

void report_latency_knee(
	const struct report_latency_row *row, size_t count, const struct report_latency_limits *limits, struct report_knee *knee)
{
	*knee = (struct report_knee){.value = NAN, .low = NAN, .high = NAN, .is_last = true};
	for (size_t i = 0; i < count; i++)
		knee->is_of_load |= !isnan(row[i].load);
	for (size_t i = 0; i < count; i++) {
		const double place = knee->is_of_load ? row[i].load : row[i].rate;
		if (row[i].samples < REPORT_LATENCY_LEAST || isnan(place))
			continue;
		if (keeps(&row[i], row[i].high, REPORT_LATENCY_BOUNDED, limits))
			knee->low = fmax(knee->low, place);
		if (keeps(&row[i], row[i].low, REPORT_LATENCY_BOUNDED, limits))
			knee->high = fmax(knee->high, place);
		if (report_latency_keeps(&row[i], limits) == 1 && !(place <= knee->value)) {
			knee->row = &row[i];
			knee->value = place;
		}
	}
	for (size_t i = 0; knee->row && i < count; i++) {
		const double place = knee->is_of_load ? row[i].load : row[i].rate;
		if (report_latency_keeps(&row[i], limits) != 0)
			continue;
		knee->lesser += place <= knee->value;
		knee->is_last &= !(place > knee->value);
	}
}
