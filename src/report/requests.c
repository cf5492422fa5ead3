/* SPDX-License-Identifier: MIT */
#include "report/requests.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "record/response_times.h"

/*
 * Of an item's second word: the outcome, and above it the response time in ns; or, where there are slots, its bin and the weight. Times begin in
 * the middle, so that none is below 0.
 */
#define OUTCOME_BITS 3
#define OUTCOME_MASK ((UINT64_C(1) << OUTCOME_BITS) - 1)
#define BIN_BITS 16
#define BIN_MASK ((UINT64_C(1) << BIN_BITS) - 1)
#define WEIGHT_SHIFT (OUTCOME_BITS + BIN_BITS)
#define KIND_MASK ((UINT64_C(1) << WEIGHT_SHIFT) - 1)
#define TIME_ZERO (UINT64_C(1) << 62)
_Static_assert(RESPONSE_TIMES_BINS_ALL <= 1u << BIN_BITS, "a bin has room in an item");
#define CAPACITY_LEAST 4096
/* With fewer items there might not be one for each response time that there is, however long slots are. */
#define MOST_LEAST ((size_t)4 * RESPONSE_TIMES_BINS_ALL)
#define SLOT_LEAST NS_PER_MS
#define SLOT_MOST (86400 * NS_PER_S)

/* ---- Order ------------------------------------------------------------------------------------------------------------ */

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

/* ---- Slots ------------------------------------------------------------------------------------------------------------ */

static int compare_kinds(const void *a, const void *b)
{
	const struct report_pair *const one = a;
	const struct report_pair *const other = b;
	const uint64_t kind = one->rest & KIND_MASK;
	const uint64_t other_kind = other->rest & KIND_MASK;
	if (one->key != other->key)
		return one->key < other->key ? -1 : 1;
	return kind == other_kind ? 0 : kind < other_kind ? -1 : 1;
}

static uint64_t in_bin(uint64_t rest)
{
	const uint64_t bin = response_times_bin(rest >> OUTCOME_BITS);
	return UINT64_C(1) << WEIGHT_SHIFT | bin << OUTCOME_BITS | (rest & OUTCOME_MASK);
}

/* Makes one item of those in a slot that took as long and ended in the same way. */
static void merge(struct report_requests *requests, int64_t slot_ns)
{
	struct report_pair *const item = requests->item;
	const uint64_t slot = (uint64_t)slot_ns;
	const uint64_t first = TIME_ZERO + (uint64_t)requests->first_ns;
	const uint64_t last = TIME_ZERO + (uint64_t)requests->last_ns;
	size_t kept = 0;
	for (size_t i = 0; i < requests->count; i++) {
		const uint64_t middle = item[i].key / slot * slot + slot / 2;
		item[i].key = middle < first ? first : middle > last ? last : middle;
		if (requests->slot_ns == 0)
			item[i].rest = in_bin(item[i].rest);
	}
	requests->slot_ns = slot_ns;
	qsort(item, requests->count, sizeof *item, compare_kinds);
	for (size_t i = 0; i < requests->count; i++) {
		if (kept > 0 && compare_kinds(&item[kept - 1], &item[i]) == 0)
			item[kept - 1].rest += item[i].rest & ~KIND_MASK;
		else
			item[kept++] = item[i];
	}
	requests->count = kept;
}

/* Makes room where there is to be none for more than `most` items. 0, or -1 with errno. */
static int make_room(struct report_requests *requests)
{
	int64_t slot_ns = requests->slot_ns ? requests->slot_ns : SLOT_LEAST;
	if (requests->most == 0) {
		errno = ENOMEM;
		return -1;
	}
	while (merge(requests, slot_ns), requests->count > requests->most / 2) {
		slot_ns *= 4;
		if (slot_ns > SLOT_MOST) {
			errno = ENOMEM;
			return -1;
		}
	}
	struct report_pair *const smaller = realloc(requests->item, requests->most * sizeof *smaller);
	if (smaller) {
		requests->item = smaller;
		requests->capacity = requests->most;
	}
	return 0;
}

static int grow(struct report_requests *requests)
{
	size_t capacity = requests->capacity ? 2 * requests->capacity : CAPACITY_LEAST;
	if (requests->most > 0 && capacity > requests->most)
		capacity = requests->most;
	if (capacity > requests->capacity) {
		struct report_pair *const larger = realloc(requests->item, capacity * sizeof *larger);
		if (larger) {
			requests->item = larger;
			requests->capacity = capacity;
			return 0;
		}
		/* What there is must do for these, and the two lists that work with them takes. */
		requests->most = requests->capacity / 4;
		if (requests->most < MOST_LEAST)
			return -1;
	}
	return make_room(requests);
}

/* From so many moments at the end the next one is guessed: a rate changes. */
#define GAPS 30

static void find_gap(struct report_requests *requests)
{
	const struct report_pair *const item = requests->item;
	size_t moments = requests->count > 0;
	size_t gaps = 0;
	for (size_t i = 1; i < requests->count; i++)
		moments += item[i].key != item[i - 1].key;
	/* Those of a slot don't begin together. */
	requests->come_together = requests->slot_ns == 0 && moments > 1 && requests->total >= 2 * moments;
	for (size_t i = requests->count; i > 1 && gaps < GAPS; i--) {
		if (item[i - 1].key == item[i - 2].key)
			continue;
		gaps++;
		requests->gap_ns = (int64_t)((item[requests->count - 1].key - item[i - 2].key) / gaps);
	}
	if (requests->slot_ns > 0)
		requests->gap_ns = (requests->last_ns - requests->first_ns) / (int64_t)(requests->total - 1);
}

int report_requests_sort(struct report_requests *requests)
{
	for (;;) {
		struct report_pair *const spare = malloc((requests->count + 1) * sizeof *spare);
		void *const other = malloc((requests->count + 1) * sizeof *spare);
		free(other);
		if (spare && other) {
			report_pairs_sort(requests->item, spare, requests->count);
			free(spare);
			find_gap(requests);
			return 0;
		}
		free(spare);
		requests->most = requests->count / 2;
		if (requests->most < MOST_LEAST || make_room(requests) != 0)
			return -1;
	}
}

/* ---- Reading ---------------------------------------------------------------------------------------------------------- */

static int add_request(struct report_requests *requests, const struct request_record *record, enum report_latency_from from,
	enum report_latency_outcome outcome)
{
	if (requests->count == requests->capacity && grow(requests) != 0)
		return -1;
	int64_t begin_ns = record->planned_ns;
	/* What was never sent has its place where it arrived. */
	if (from != REPORT_FROM_PLANNED)
		begin_ns = record->arrival_ns;
	if (from == REPORT_FROM_SENT && record->sent_ns != REQUEST_LOG_NEVER)
		begin_ns = record->sent_ns;
	const uint64_t rest = (uint64_t)(record->end_ns - begin_ns) << OUTCOME_BITS | outcome;
	if (requests->total == 0)
		requests->base_ns = begin_ns / NS_PER_S * NS_PER_S;
	begin_ns -= requests->base_ns;
	requests->item[requests->count++] =
		(struct report_pair){.key = TIME_ZERO + (uint64_t)begin_ns, .rest = requests->slot_ns ? in_bin(rest) : rest};
	if (requests->total == 0 || begin_ns < requests->first_ns)
		requests->first_ns = begin_ns;
	if (requests->total == 0 || begin_ns > requests->last_ns)
		requests->last_ns = begin_ns;
	requests->total++;
	return 0;
}

static enum report_latency_outcome outcome_of(const struct client_log *log, const struct request_record *record)
{
	if (record->fate == REQUEST_TIMEOUT)
		return REPORT_TIMEOUT;
	if (record->fate == REQUEST_DROPPED)
		return REPORT_DROPPED;
	if (record->fate > REQUEST_TIMEOUT)
		return REPORT_UNANSWERED;
	return client_log_is_error(log, record) ? REPORT_WRONG : REPORT_GOOD;
}

/* The clocks of a thousandth of many records are enough. */
#define CLOCK_EVERY 1000

/* The moment that is meant; of a file without a schedule only one. -1 with a message where it isn't known. */
static int choose_from(
	const struct client_log *log, const char *name, enum report_latency_from *from, char error[static CSV_ERROR_MAX])
{
	const char *const lack = client_log_lacks_schedule(log);
	if (*from == REPORT_FROM_BEST)
		*from = lack ? REPORT_FROM_SENT : REPORT_FROM_PLANNED;
	if (!lack || *from == REPORT_FROM_SENT)
		return 0;
	return csv_fail(
		error, "%.200s: found %s, which has no schedule (%s), expected --from sent", name, client_log_program(log), lack);
}

int report_requests_read(struct report_requests *requests, struct client_log *log, const char *name,
	enum report_latency_from from, char error[static CSV_ERROR_MAX])
{
	struct report_values offsets = {0};
	struct request_record record;
	int line;
	int result = 0;
	size_t records = 0;
	while (result == 0 && (line = client_log_next(log, &record)) > 0) {
		double wall = NAN;
		if (line == REQUEST_LINE_MISSING) {
			requests->missing += fmax((double)(record.end_ns - record.planned_ns) / (double)NS_PER_S, 0);
			continue;
		}
		if (records == 0 && choose_from(log, name, &from, error) != 0) {
			result = -1;
		} else if ((records < CLOCK_EVERY || records % CLOCK_EVERY == 0) && client_log_wall(log, &record, &wall) != 0) {
			line = -1;
			break;
		} else if (add_request(requests, &record, from, outcome_of(log, &record)) != 0 ||
			   report_clock_add(&offsets, (double)record.end_ns / (double)NS_PER_S, wall) != 0) {
			result = csv_fail(error, "%.300s: %s", name, strerror(errno));
		}
		records++;
	}
	if (result == 0 && line < 0)
		result = csv_fail(error, "%s", client_log_error(log));
	requests->clock = report_clock_make(&offsets);
	return result;
}

void report_requests_free(struct report_requests *requests)
{
	free(requests->item);
	*requests = (struct report_requests){0};
}

/* ---- What is there ---------------------------------------------------------------------------------------------------- */

struct report_request report_request_at(const struct report_requests *requests, size_t at)
{
	const struct report_pair *const item = &requests->item[at];
	struct report_request request = {
		.begin = (double)(int64_t)(item->key - TIME_ZERO) / (double)NS_PER_S,
		.outcome = (enum report_latency_outcome)(item->rest & OUTCOME_MASK),
		.time_ns = item->rest >> OUTCOME_BITS,
		.weight = 1,
	};
	if (requests->slot_ns > 0) {
		request.time_ns = (uint64_t)response_times_middle_ns((unsigned)(request.time_ns & BIN_MASK));
		request.weight = item->rest >> WEIGHT_SHIFT;
	}
	return request;
}

double report_requests_first(const struct report_requests *requests)
{
	return (double)requests->first_ns / (double)NS_PER_S;
}

double report_requests_last(const struct report_requests *requests)
{
	return (double)requests->last_ns / (double)NS_PER_S;
}

double report_requests_end(const struct report_requests *requests)
{
	return ((double)requests->last_ns + (double)requests->gap_ns) / (double)NS_PER_S;
}

size_t report_requests_find(const struct report_requests *requests, double moment)
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
