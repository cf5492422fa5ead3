/* SPDX-License-Identifier: MIT */
/*
 * Whether measurements differ by more than chance would have it. Samples are single measurements that don't depend on one another, with at
 * least two values each unless it says otherwise; all values are finite. What can't be known is NaN, as of samples without any scatter.
 */
#ifndef REPORT_HYPOTHESIS_H
#define REPORT_HYPOTHESIS_H

#include <stddef.h>
#include <stdint.h>

#include "report/values.h"

struct report_test {
	double estimate;   /* that is tested for being 0; NaN where the test has none */
	double low, high;  /* its interval, with REPORT_CONFIDENCE */
	double statistic;  /* t, F, χ² or W; of the sign test how many differences are above 0 */
	double freedom[2]; /* degrees of freedom; the second one of F alone. Of the sign test how many differences are not 0 */
	double p;          /* two-sided: how likely chance alone goes at least so far */
};

/* The mean of b less that of a, whose variances may differ (Welch 1947; degrees of freedom by Satterthwaite 1946). */
struct report_test report_welch_t(const struct report_values *a, const struct report_values *b);

/*
 * The mean of differences between values that belong together. Student's t. `size` is the largest of these values without its sign: what is
 * no more than their rounding is no scatter.
 */
struct report_test report_paired_t(const struct report_values *differences, double size);

/*
 * The same by the signs alone, those that are 0 left out (exact, binomial). The differences must be sorted. The estimate is their median, its
 * interval that of order statistics, which holds it with REPORT_CONFIDENCE at least, where there are enough of them (six).
 */
struct report_test report_sign(const struct report_values *differences);

/*
 * The quantile, from 0 to 1, of as many values as a sorted sample has, drawn from it so many times, by a seed. 0, or -1 with errno; report_values_free
 * frees them.
 */
int report_bootstrap(
	const struct report_values *sample, double quantile, size_t resamples, uint64_t seed, struct report_values *drawn);

/*
 * The quantile of b less that of a, with the interval of the percentile bootstrap (Efron 1979), of as many that were drawn from each, by another
 * seed. The samples must be sorted. 0, or -1 with errno.
 */
int report_quantile_difference(const struct report_values *a, const struct report_values *b, double quantile,
	const struct report_values *drawn_a, const struct report_values *drawn_b, struct report_test *result);

/* All of two samples or more have one mean, whatever their variances (Welch 1951). */
struct report_test report_welch_anova(const struct report_values *sample, size_t count);

/* All of two samples or more have one variance, if they are normal (Bartlett 1937). */
struct report_test report_bartlett(const struct report_values *sample, size_t count);

/* A sorted sample is of a normal distribution: 3 to 5000 values, else NaN (Shapiro and Wilk 1965; p by Royston 1995, AS R94). */
#define REPORT_NORMAL_LEAST 3
#define REPORT_NORMAL_MOST 5000
struct report_test report_shapiro_wilk(const struct report_values *sample);

/* Whether a mean, or a share, lies between two bounds: low < high, either may be infinite, but not both. */
struct report_bounded {
	double low, high; /* the interval of the mean or share, with REPORT_CONFIDENCE */
	double inside;    /* p: how likely chance alone goes so far inside, if the true one lies at the bound or beyond it */
	double outside;   /* the same of one that lies at the bound or inside */
};

/* Student's t, at each bound one-sided; inside both of them by the worse of the two (Schuirmann 1987). */
struct report_bounded report_mean_within(const struct report_values *values, double low, double high);

/* Values are 0 or 1, one is enough, and what lies there is the share of the 1 (exact, binomial; interval by Clopper and Pearson 1934). */
struct report_bounded report_share_within(const struct report_values *values, double low, double high);

/* How many values it takes until half of the mean's interval is no longer than this, by the variance of these (Stein 1945). Never fewer than these. */
double report_needed(const struct report_values *values, double half);

/* The least number, 10,000 at most, of which this share lies inside or outside with a two-sided p below 0.05. NaN: none. */
double report_shares_needed(const struct report_values *values, double low, double high);

/* Makes p-values of several tests such that any of them is below α by chance with a probability of α at most (Holm 1979). NaN stays. 0, or -1 with errno. */
int report_holm(double *p, size_t count);

#endif
