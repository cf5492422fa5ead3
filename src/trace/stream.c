/* SPDX-License-Identifier: MIT */
#include "trace/stream.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/units.h"

/* ---- Lines ------------------------------------------------------------------------------------------------------------ */

struct word {
	const char *text;
	size_t length;
};

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r';
}

/* The next word of what is left of a line; of length 0 at its end. */
static struct word next_word(struct word *rest)
{
	while (rest->length && is_blank(*rest->text)) {
		rest->text++;
		rest->length--;
	}
	struct word word = {rest->text, 0};
	while (word.length < rest->length && !is_blank(word.text[word.length]))
		word.length++;
	rest->text += word.length;
	rest->length -= word.length;
	return word;
}

static bool is_word(const struct word *word, const char *text)
{
	return word->length == strlen(text) && memcmp(word->text, text, word->length) == 0;
}

static int refuse(const struct word *found, const char *expected, char error[static STREAM_ERROR_MAX])
{
	char text[STREAM_LINE_MAX + 1];
	const size_t length = found->length < STREAM_LINE_MAX ? found->length : STREAM_LINE_MAX;
	memcpy(text, found->text, length);
	text[length] = '\0';
	/* What steers a terminal isn't passed on. */
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			text[i] = '?';
	snprintf(error, STREAM_ERROR_MAX, "found '%s', expected %s%s", text, expected,
		units_lacks_percent(text) ? "; a load in per cent has a %" : "");
	return -1;
}

int stream_line_parse(const char *text, size_t length, struct stream_line *line, char error[static STREAM_ERROR_MAX])
{
	const char *const comment = memchr(text, '#', length);
	const struct word whole = {text, comment ? (size_t)(comment - text) : length};
	struct word rest = whole;
	struct word says = next_word(&rest);
	const struct word second = next_word(&rest);
	const struct word third = next_word(&rest);
	*line = (struct stream_line){.load = NAN};
	if (!says.length)
		return 0;
	if (third.length)
		return refuse(&third, "nothing behind a time and a load", error);
	if (second.length) {
		line->at = true;
		if (units_parse_time(says.text, says.length, &line->ns, NULL) != 0 || line->ns < 0)
			return refuse(&says, UNITS_TIME_EXPECTED, error);
		says = second;
	}
	line->says = is_word(&says, "end") ? STREAM_END : STREAM_TARGET;
	if (line->says == STREAM_END || is_word(&says, "free") ||
		units_parse_load(says.text, says.length, &line->load, NULL) == 0)
		return 0;
	return refuse(&says, STREAM_EXPECTED, error);
}

void stream_cut(struct stream_cutter *cutter, const char *piece, size_t length, stream_took *took, void *context)
{
	while (length) {
		const char *const end = memchr(piece, '\n', length);
		const size_t part = end ? (size_t)(end - piece) : length;
		const bool fits = cutter->held <= STREAM_LINE_MAX && part <= STREAM_LINE_MAX - cutter->held;
		if (fits)
			memcpy(cutter->hold + cutter->held, piece, part);
		cutter->held = fits ? cutter->held + part : STREAM_LINE_MAX + 1;
		if (!end)
			return;
		cutter->lines++;
		took(context, fits ? cutter->hold : NULL, cutter->held);
		cutter->held = 0;
		piece = end + 1;
		length -= part + 1;
	}
}

void stream_cut_rest(struct stream_cutter *cutter, stream_took *took, void *context)
{
	if (cutter->held)
		stream_cut(cutter, "\n", 1, took, context);
}

/* ---- The board -------------------------------------------------------------------------------------------------------- */

/* Readers that find it changed begin again so often. */
#define TRIES 64

struct point {
	_Atomic int64_t ns;  /* from then on, ascending; the first one INT64_MIN */
	_Atomic double load; /* … this is the target */
};

struct stream_board {
	_Atomic uint32_t sequence; /* odd while it is being changed */
	_Atomic uint32_t count;
	struct point point[STREAM_POINTS];
};

_Static_assert(sizeof(_Atomic double) == sizeof(double), "a target is read without a lock");

static int64_t when(const struct stream_board *board, uint32_t at)
{
	return atomic_load_explicit(&board->point[at].ns, memory_order_relaxed);
}

static double target_of(const struct stream_board *board, uint32_t at)
{
	return atomic_load_explicit(&board->point[at].load, memory_order_relaxed);
}

static void put(struct stream_board *board, uint32_t at, int64_t ns, double load)
{
	atomic_store_explicit(&board->point[at].ns, ns, memory_order_relaxed);
	atomic_store_explicit(&board->point[at].load, load, memory_order_relaxed);
}

struct stream_board *stream_board_new(double first)
{
	void *const memory = mmap(NULL, sizeof(struct stream_board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	struct stream_board *const board = memory;
	put(board, 0, INT64_MIN, first);
	atomic_store(&board->count, 1);
	return board;
}

void stream_board_free(struct stream_board *board)
{
	if (board)
		munmap(board, sizeof *board);
}

/* How many points there are up to a moment; in the middle of a change any number up to STREAM_POINTS, but at least 1. */
static uint32_t count_until(const struct stream_board *board, uint32_t count, int64_t ns)
{
	uint32_t low = 1;
	uint32_t high = count;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (when(board, middle) <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

double stream_board_target(const struct stream_board *board, int64_t since_ns, double *last)
{
	for (int i = 0; i < TRIES; i++) {
		const uint32_t before = atomic_load_explicit(&board->sequence, memory_order_acquire);
		const uint32_t count = atomic_load_explicit(&board->count, memory_order_relaxed);
		const double load = target_of(board, count_until(board, count, since_ns) - 1);
		atomic_thread_fence(memory_order_acquire);
		if (!(before & 1) && before == atomic_load_explicit(&board->sequence, memory_order_relaxed)) {
			*last = load;
			break;
		}
	}
	return *last;
}

/* Forgets what has long been over. False when nothing has. */
static bool make_room(struct stream_board *board, uint32_t *count, int64_t now_ns)
{
	const uint32_t over = count_until(board, *count, now_ns);
	if (over <= STREAM_POINTS_OVER)
		return false;
	const uint32_t gone = over - STREAM_POINTS_OVER;
	for (uint32_t i = gone; i < *count; i++)
		put(board, i - gone, i == gone ? INT64_MIN : when(board, i), target_of(board, i));
	*count -= gone;
	return true;
}

static bool is_same(double one, double other)
{
	return one == other || (isnan(one) && isnan(other));
}

/* A target from a moment on, in place of all that was said for later. */
static int set_target(struct stream_board *board, int64_t from_ns, double load, int64_t now_ns)
{
	uint32_t count = count_until(board, atomic_load(&board->count), from_ns - 1);
	const uint32_t sequence = atomic_load_explicit(&board->sequence, memory_order_relaxed);
	/* A source that repeats what holds already doesn't fill the board. A time ahead is kept: the last one may be the end. */
	const bool is_news = from_ns > now_ns || !is_same(load, target_of(board, count - 1));
	int result = 0;
	atomic_store_explicit(&board->sequence, sequence + 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	if (is_news) {
		if (count == STREAM_POINTS && !make_room(board, &count, now_ns))
			result = -1;
		else
			put(board, count++, from_ns, load);
	}
	atomic_store_explicit(&board->count, count, memory_order_relaxed);
	atomic_store_explicit(&board->sequence, sequence + 2, memory_order_release);
	return result;
}

int stream_say(struct stream_writer *writer, const struct stream_line *line, int64_t now_ns)
{
	const int64_t from_ns = line->at && line->ns > now_ns ? line->ns : now_ns;
	if (line->says == STREAM_NOTHING)
		return 0;
	/* An end that has come stays, whatever stands behind it in the same piece. */
	if (writer->end_ns >= from_ns && writer->end_ns > now_ns)
		writer->end_ns = INT64_MAX;
	if (line->says == STREAM_END)
		writer->end_ns = from_ns < writer->end_ns ? from_ns : writer->end_ns;
	else
		return set_target(writer->board, from_ns, line->load, now_ns);
	return 0;
}

int stream_say_rest(struct stream_writer *writer, enum sst_then then, int64_t now_ns)
{
	const int64_t last_ns = when(writer->board, atomic_load(&writer->board->count) - 1);
	const int64_t from_ns = last_ns > now_ns ? last_ns : now_ns;
	if (then == SST_THEN_END && writer->end_ns > from_ns)
		writer->end_ns = from_ns;
	if (then == SST_THEN_FREE)
		return set_target(writer->board, from_ns, NAN, now_ns);
	return 0;
}
