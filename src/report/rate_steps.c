/* SPDX-License-Identifier: MIT */
/*
 * Binary segmentation: the best place to cut a stretch in two is the one with the greatest likelihood ratio of two Poisson rates against one, and
 * both parts are cut again. The ratio is divided by the dispersion of the counts, the variance as a share of the mean: 1 for a Poisson process,
 * next to none for even arrivals.
 */
#include "report/rate_steps.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* The median of chi-squared with one degree of freedom. */
#define CHI2_MEDIAN 0.4549364
/* Rates of steps differ by such a share of the greater one at least. */
#define CHANGE_LEAST 0.02
/* A rate that changes all the time makes many short pieces, or pieces within which it goes on to where the next one is. */
#define LENGTH_LEAST 5.0
#define TREND_MOST 5.0 /* standard deviations */
/* Bins that are left out of a piece at both ends for that: a step may begin in the middle of a bin. */
#define EDGE 1

struct rates {
	const double *up_to; /* counts before each bin, and of all */
	size_t bins;
	double dispersion, threshold;
	size_t *begin; /* of the pieces, `pieces` of them, in order */
	size_t pieces;
};

static double likelihood(double count, double length)
{
	return count > 0 ? count * log(count / length) : 0;
}

static double sum_of(const struct rates *rates, size_t from, size_t to)
{
	return rates->up_to[to] - rates->up_to[from];
}

/* Whether the rates on both sides of `at` differ, and by how much that is likelier than that they don't. */
static double gain_of(const struct rates *rates, size_t from, size_t at, size_t to)
{
	const double left = sum_of(rates, from, at);
	const double right = sum_of(rates, at, to);
	const double left_rate = left / (double)(at - from);
	const double right_rate = right / (double)(to - at);
	if (fabs(left_rate - right_rate) < CHANGE_LEAST * fmax(left_rate, right_rate))
		return 0;
	return 2 *
	       (likelihood(left, (double)(at - from)) + likelihood(right, (double)(to - at)) -
		       likelihood(left + right, (double)(to - from))) /
	       rates->dispersion;
}

/* Pieces are few, and so is the depth: each cut leaves at least REPORT_RATE_BINS_LEAST on both sides. */
static void cut(struct rates *rates, size_t from, size_t to)
{
	for (;;) {
		size_t best = 0;
		double most = rates->threshold;
		for (size_t at = from + REPORT_RATE_BINS_LEAST; at + REPORT_RATE_BINS_LEAST <= to; at++) {
			const double gain = gain_of(rates, from, at, to);
			if (gain > most) {
				most = gain;
				best = at;
			}
		}
		if (best == 0) {
			rates->begin[rates->pieces++] = from;
			return;
		}
		cut(rates, from, best);
		from = best;
	}
}

static size_t end_of(const struct rates *rates, size_t piece)
{
	return piece + 1 < rates->pieces ? rates->begin[piece + 1] : rates->bins;
}

/* Of two neighbours that don't differ by themselves, as one was cut off before another was, one is made. */
static void join(struct rates *rates)
{
	for (size_t i = 1; i < rates->pieces;) {
		if (gain_of(rates, rates->begin[i - 1], rates->begin[i], end_of(rates, i)) > rates->threshold) {
			i++;
			continue;
		}
		for (size_t k = i; k + 1 < rates->pieces; k++)
			rates->begin[k] = rates->begin[k + 1];
		rates->pieces--;
		i = 1;
	}
}

/* The dispersion, by the differences of neighbours, of which a few across steps don't count. NaN without memory. */
static double dispersion_of(const double *count, size_t bins, double mean)
{
	double *const square = malloc(bins * sizeof *square);
	size_t squares = 0;
	if (!square)
		return NAN;
	for (size_t i = 1; i < bins; i++) {
		const double difference = count[i] - count[i - 1];
		if (count[i] + count[i - 1] > 0)
			square[squares++] = difference * difference / (count[i] + count[i - 1]);
	}
	gsl_sort(square, 1, squares);
	const double median = squares > 0 ? square[squares / 2] : 0;
	free(square);
	/* Whole numbers scatter by one event where nothing else does. */
	return fmax(median / CHI2_MEDIAN, 1 / mean);
}

static double mean_of(const struct rates *rates, size_t piece)
{
	const size_t from = rates->begin[piece];
	const size_t to = end_of(rates, piece);
	return sum_of(rates, from, to) / (double)(to - from);
}

/* How much the counts of a piece rise from bin to bin, and the variance of that where their rate doesn't. */
static void add_trend(
	const struct rates *rates, const double *count, size_t piece, double direction, double *trend, double *variance)
{
	const size_t length = end_of(rates, piece) - rates->begin[piece];
	const double mean = mean_of(rates, piece);
	if (length < 2 * EDGE + 2)
		return;
	const double middle = (double)(length - 1) / 2;
	for (size_t i = EDGE; i < length - EDGE; i++) {
		const double place = (double)i - middle;
		*trend += direction * place * count[rates->begin[piece] + i];
		*variance += rates->dispersion * mean * place * place;
	}
}

static bool are_steps(const struct rates *rates, const double *count)
{
	double trend = 0;
	double variance = 0;
	if ((double)rates->bins / (double)rates->pieces < LENGTH_LEAST)
		return false;
	for (size_t i = 0; i < rates->pieces; i++) {
		const double before = mean_of(rates, i > 0 ? i - 1 : i);
		const double behind = mean_of(rates, i + 1 < rates->pieces ? i + 1 : i);
		add_trend(rates, count, i, behind > before ? 1 : -1, &trend, &variance);
	}
	return trend <= TREND_MOST * sqrt(variance);
}

size_t report_rate_steps(const double *count, size_t bins, size_t *begin)
{
	double *const up_to = calloc(bins + 1, sizeof *up_to);
	struct rates rates = {.up_to = up_to, .bins = bins, .begin = begin};
	begin[0] = 0;
	if (!up_to || bins < 2 * REPORT_RATE_BINS_LEAST) {
		free(up_to);
		return 1;
	}
	for (size_t i = 0; i < bins; i++)
		up_to[i + 1] = up_to[i] + count[i];
	rates.dispersion = dispersion_of(count, bins, up_to[bins] / (double)bins);
	/* So much chance makes of as many places at which it might cut. */
	rates.threshold = 3 * log((double)bins) + 12;
	if (up_to[bins] > 0 && !isnan(rates.dispersion)) {
		cut(&rates, 0, bins);
		join(&rates);
	}
	const bool has_steps = rates.pieces > 1 && are_steps(&rates, count);
	free(up_to);
	return has_steps ? rates.pieces : 1;
}
