/* SPDX-License-Identifier: MIT */
/* Whether groups of measurements differ, each way of asking a row. */
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "report/hypothesis.h"
#include "ssreport/groups.h"
#include "ssreport/parts.h"

/* Of the bootstrap, by default. */
#define RESAMPLES 9999
/* Of all groups and quantiles together, which is 1 GiB. */
#define DRAWN_MAX ((size_t)1 << 27)
#define SEED 1

enum { TEST, A, B, COUNT_A, COUNT_B, ESTIMATE, LOW, HIGH, PERCENT, STATISTIC, FREEDOM, FREEDOM_2, P, P_HOLM, CELLS };

#define NUMBER(name, title, decimals)                                                                                            \
	{                                                                                                                        \
		name, REPORT_ALL_DIGITS, title, decimals, 1, NULL                                                                \
	}
static const struct report_column compare_columns[CELLS] = {
	[TEST] = {"test", REPORT_IS_TEXT, "test", 0, 1, NULL},
	[A] = {"a", REPORT_IS_TEXT, "a", 0, 1, NULL},
	[B] = {"b", REPORT_IS_TEXT, "b", 0, 1, NULL},
	[COUNT_A] = {"count_a", 0, "n(a)", 0, 1, NULL},
	[COUNT_B] = {"count_b", 0, "n(b)", 0, 1, NULL},
	[ESTIMATE] = NUMBER("estimate", "estimate", 4),
	[LOW] = NUMBER("low", "95 % from", 4),
	[HIGH] = NUMBER("high", "to", 4),
	[PERCENT] = NUMBER("percent", "% of a", 2),
	[STATISTIC] = NUMBER("statistic", "statistic", 3),
	[FREEDOM] = NUMBER("df", "df", 1),
	[FREEDOM_2] = NUMBER("df_2", "df 2", 1),
	[P] = {"p", REPORT_P, "p", 4, 1, NULL},
	[P_HOLM] = {"p_holm", REPORT_P, "p (Holm)", 4, 1, NULL},
};

/* Of those that judge a pair the p-values of all pairs are corrected together. */
enum kind { MEAN, NORMAL, VARIANCE, ANOVA, WELCH_T, PAIRED_T, SIGN, QUANTILE };

struct result {
	enum kind kind;
	const char *name;
	const struct group *a, *b;
	struct report_test test;
	double holm;
};

struct comparison {
	struct report *report;
	const struct settings *settings;
	struct groups groups;
	struct report_values *drawn; /* with --quantiles: for each group, of each quantile */
	struct result *result;
	size_t results;
};

static int add_result(
	struct comparison *comparison, enum kind kind, const struct group *a, const struct group *b, struct report_test test)
{
	static const char *const names[] = {[MEAN] = "mean",
		[NORMAL] = "Shapiro-Wilk",
		[VARIANCE] = "Bartlett",
		[ANOVA] = "Welch's ANOVA",
		[WELCH_T] = "Welch's t",
		[PAIRED_T] = "paired t",
		[SIGN] = "sign"};
	struct result *const larger = realloc(comparison->result, (comparison->results + 1) * sizeof *larger);
	if (!larger)
		return complain_about_memory();
	comparison->result = larger;
	larger[comparison->results++] = (struct result){
		.kind = kind, .name = kind == QUANTILE ? NULL : names[kind], .a = a, .b = b, .test = test, .holm = NAN};
	return 0;
}

/* ---- What is asked ------------------------------------------------------------------------------------------------------ */

static int describe(struct comparison *comparison, struct group *group)
{
	struct report_values *const values = &group->values;
	const struct report_interval mean = report_interval(values->item, values->count);
	const struct report_test found = {mean.mean, mean.low, mean.high, NAN, {NAN, NAN}, NAN};
	return add_result(comparison, MEAN, group, NULL, found);
}

/* Values of one place belong together. */
static int compare_paired(struct comparison *comparison, const struct group *a, const struct group *b)
{
	struct report_values differences = {0};
	double size = 0;
	int result = 0;
	for (size_t i = 0; result == 0 && i < a->values.count; i++) {
		size = fmax(size, fmax(fabs(a->values.item[i]), fabs(b->values.item[i])));
		result = report_values_add(&differences, b->values.item[i] - a->values.item[i]);
	}
	if (result == 0) {
		report_values_sort(&differences);
		result = add_result(comparison, PAIRED_T, a, b, report_paired_t(&differences, size));
		if (result == 0)
			result = add_result(comparison, SIGN, a, b, report_sign(&differences));
	} else {
		complain_about_memory();
	}
	report_values_free(&differences);
	return result;
}

/* Calls it with each two groups, the earlier one first. */
static int for_each_pair(struct comparison *comparison,
	int (*compare)(struct comparison *comparison, const struct group *a, const struct group *b))
{
	const struct groups *const groups = &comparison->groups;
	for (size_t a = 0; a < groups->count; a++)
		for (size_t b = a + 1; b < groups->count; b++)
			if (compare(comparison, &groups->item[a], &groups->item[b]) != 0)
				return -1;
	return 0;
}

/* Of each group it is drawn once, and not for each pair: of hundreds of groups that would take minutes. */
static int draw_all(const struct comparison *comparison, struct report_values *drawn)
{
	const struct settings *const settings = comparison->settings;
	const uint64_t seed = settings->seed == UNSET ? SEED : (uint64_t)settings->seed;
	const size_t resamples = settings->resamples == UNSET ? RESAMPLES : (size_t)settings->resamples;
	for (size_t i = 0; i < comparison->groups.count; i++)
		for (size_t k = 0; k < settings->quantiles; k++)
			if (report_bootstrap(&comparison->groups.item[i].values, settings->quantile[k], resamples, seed + i,
				    &drawn[i * settings->quantiles + k]) != 0)
				return complain_about_memory();
	return 0;
}

static int compare_quantiles(struct comparison *comparison, const struct group *a, const struct group *b)
{
	const struct settings *const settings = comparison->settings;
	for (size_t k = 0; k < settings->quantiles; k++) {
		const struct report_values *const of_a =
			&comparison->drawn[(size_t)(a - comparison->groups.item) * settings->quantiles + k];
		const struct report_values *const of_b =
			&comparison->drawn[(size_t)(b - comparison->groups.item) * settings->quantiles + k];
		struct report_test found;
		char *name = NULL;
		if (report_quantile_difference(&a->values, &b->values, settings->quantile[k], of_a, of_b, &found) != 0 ||
			asprintf(&name, "quantile %g %%", 100 * settings->quantile[k]) < 0 ||
			!report_keep(comparison->report, name))
			return complain_about_memory();
		if (add_result(comparison, QUANTILE, a, b, found) != 0)
			return -1;
		comparison->result[comparison->results - 1].name = name;
	}
	return 0;
}

static int compare_means(struct comparison *comparison, const struct group *a, const struct group *b)
{
	return add_result(comparison, WELCH_T, a, b, report_welch_t(&a->values, &b->values));
}

/* What is of all groups, and of each by itself. Values are sorted behind it. */
static int compare_all(struct comparison *comparison)
{
	struct groups *const groups = &comparison->groups;
	struct report_values *const sample = calloc(groups->count + 1, sizeof *sample);
	int result = 0;
	if (!sample)
		return complain_about_memory();
	for (size_t i = 0; result == 0 && i < groups->count; i++) {
		report_values_sort(&groups->item[i].values);
		sample[i] = groups->item[i].values;
		result = add_result(comparison, NORMAL, &groups->item[i], NULL, report_shapiro_wilk(&sample[i]));
	}
	if (result == 0)
		result = add_result(comparison, VARIANCE, NULL, NULL, report_bartlett(sample, groups->count));
	if (result == 0 && groups->count > 2)
		result = add_result(comparison, ANOVA, NULL, NULL, report_welch_anova(sample, groups->count));
	free(sample);
	return result;
}

static int correct(struct comparison *comparison, enum kind kind)
{
	double *const p = malloc((comparison->results + 1) * sizeof *p);
	size_t count = 0;
	for (size_t i = 0; p && i < comparison->results; i++)
		if (comparison->result[i].kind == kind)
			p[count++] = comparison->result[i].test.p;
	if (!p || report_holm(p, count) != 0) {
		free(p);
		return complain_about_memory();
	}
	for (size_t i = 0, next = 0; count > 1 && i < comparison->results; i++)
		if (comparison->result[i].kind == kind)
			comparison->result[i].holm = p[next++];
	free(p);
	return 0;
}

static int compare_all_quantiles(struct comparison *comparison)
{
	const struct settings *const settings = comparison->settings;
	const size_t count = comparison->groups.count * settings->quantiles;
	const size_t most = DRAWN_MAX / (count ? count : 1);
	int result;
	if (!settings->has_quantiles)
		return 0;
	if (most < (settings->resamples == UNSET ? RESAMPLES : (size_t)settings->resamples)) {
		diag("--quantiles: found %zu for each of %zu groups, expected fewer, or --resamples up to %zu",
			settings->quantiles, comparison->groups.count, most);
		return -1;
	}
	comparison->drawn = calloc(count + 1, sizeof *comparison->drawn);
	if (!comparison->drawn)
		return complain_about_memory();
	result = draw_all(comparison, comparison->drawn);
	if (result == 0)
		result = for_each_pair(comparison, compare_quantiles);
	for (size_t i = 0; i < count; i++)
		report_values_free(&comparison->drawn[i]);
	free(comparison->drawn);
	return result;
}

/* In the order of the table. Paired values must not be sorted yet. */
static int ask(struct comparison *comparison)
{
	const struct settings *const settings = comparison->settings;
	struct groups *const groups = &comparison->groups;
	for (size_t i = 0; i < groups->count; i++)
		if (describe(comparison, &groups->item[i]) != 0)
			return -1;
	if (for_each_pair(comparison, compare_means) != 0 ||
		(settings->paired && for_each_pair(comparison, compare_paired) != 0) || compare_all(comparison) != 0 ||
		compare_all_quantiles(comparison) != 0)
		return -1;
	for (enum kind kind = WELCH_T; kind <= SIGN; kind++)
		if (correct(comparison, kind) != 0)
			return -1;
	return 0;
}

/* ---- The table ---------------------------------------------------------------------------------------------------------- */

static int add_line(struct report *report, const struct result *result)
{
	const struct report_test *const test = &result->test;
	const double reference = result->kind == WELCH_T ? report_values_mean(&result->a->values) : NAN;
	const union report_cell cell[CELLS] = {[TEST].text = result->name,
		[A].text = result->a ? result->a->label : NULL,
		[B].text = result->b ? result->b->label : NULL,
		[COUNT_A].number = result->a ? (double)result->a->values.count : NAN,
		[COUNT_B].number = result->b ? (double)result->b->values.count : NAN,
		[ESTIMATE].number = test->estimate,
		[LOW].number = test->low,
		[HIGH].number = test->high,
		[PERCENT].number = 100 * test->estimate / fabs(reference),
		[STATISTIC].number = test->statistic,
		[FREEDOM].number = test->freedom[0],
		[FREEDOM_2].number = test->freedom[1],
		[P].number = test->p,
		[P_HOLM].number = result->holm};
	return report_table_add(report->table, cell) == 0 ? 0 : complain_about_memory();
}

/* The labels become the report's. */
static int make_lines(struct comparison *comparison)
{
	struct report *const report = comparison->report;
	if (own_columns(report, CELLS) != 0)
		return -1;
	memcpy(report->column, compare_columns, sizeof compare_columns);
	for (size_t i = 0; i < comparison->results; i++)
		if (add_line(report, &comparison->result[i]) != 0)
			return -1;
	for (size_t i = 0; i < comparison->groups.count; i++) {
		char *const label = comparison->groups.item[i].label;
		comparison->groups.item[i].label = NULL;
		if (!report_keep(report, label))
			return complain_about_memory();
	}
	return 0;
}

static int check_groups(const struct comparison *comparison)
{
	const struct groups *const groups = &comparison->groups;
	if (groups->count < 2)
		return complain("found one group, expected two or more: files with -- between them, or --by NAME");
	for (size_t i = 0; i < groups->count; i++) {
		const struct group *const group = &groups->item[i];
		if (group->values.count < 2) {
			diag("found %zu value%s of %s, expected two or more", group->values.count,
				group->values.count == 1 ? "" : "s", group->label);
			return -1;
		}
		if (comparison->settings->paired && group->values.count != groups->item[0].values.count) {
			diag("--paired: found %zu values of %s and %zu of %s, expected as many", groups->item[0].values.count,
				groups->item[0].label, group->values.count, group->label);
			return -1;
		}
	}
	return 0;
}

static int check_compare(const struct settings *settings)
{
	if (settings->column_names > 1)
		return complain("found --column twice, expected one column");
	if ((settings->resamples != UNSET || settings->seed != UNSET) && !settings->has_quantiles)
		return complain("found --resamples or --seed without --quantiles, for which they are");
	return check_by(settings);
}

static int make_compare(struct report *report)
{
	const struct settings *const settings = report->settings;
	struct comparison comparison = {.report = report, .settings = settings};
	comparison.groups.column = settings->column_names > 0 ? settings->column_name[0] : NULL;
	comparison.groups.by = settings->by;
	comparison.groups.needs_by = settings->by;
	comparison.groups.is_whole = settings->paired;
	gsl_set_error_handler_off();
	int result = groups_read_words(&comparison.groups, &settings->input);
	if (result == 0)
		result = check_groups(&comparison);
	if (result == 0)
		result = ask(&comparison);
	if (result == 0)
		result = make_lines(&comparison);
	groups_free(&comparison.groups);
	free(comparison.result);
	return result;
}

const struct command command_compare = {
	.bit = COMPARE,
	.name = "compare",
	.argument = "FILE... -- FILE",
	.summary = "whether groups of measurements differ: Welch's t, paired differences, sign test, quantiles, variances",
	.check = check_compare,
	.make = make_compare,
};
