/* SPDX-License-Identifier: MIT */
#include "ssrequest/required.h"

#include <math.h>
#include <string.h>

#include "base/diag.h"
#include "base/units.h"

void required_init(struct required *required)
{
	for (int i = 0; i < OUTCOME_FIGURES; i++)
		required->most[i] = NAN;
}

static int find_figure(const char *name, size_t length)
{
	for (int i = 0; i < OUTCOME_FIGURES; i++)
		if (strlen(outcome_figure_name(i)) == length && memcmp(outcome_figure_name(i), name, length) == 0)
			return i;
	return -1;
}

static int parse_value(enum outcome_figure figure, const char *text, size_t length, double *value)
{
	int64_t ns;
	if (!outcome_figure_is_time(figure))
		return units_parse_load(text, length, value, NULL);
	if (units_parse_time(text, length, &ns, NULL) != 0 || ns < 0)
		return -1;
	*value = (double)ns / (double)NS_PER_S;
	return 0;
}

int required_parse(const char *source, const char *text, struct required *required)
{
	for (const char *at = text;; at++) {
		const size_t length = strcspn(at, ",");
		const size_t name = strcspn(at, "=,");
		const int figure = at[name] == '=' ? find_figure(at, name) : -1;
		double value;
		if (figure < 0 || !isnan(required->most[figure]) ||
			parse_value((enum outcome_figure)figure, at + name + 1, length - name - 1, &value) != 0)
			return diag_refuse("%s: '%.*s' is %s: expected " REQUIRED_FORM, source, (int)(length < 80 ? length : 80),
				at, figure >= 0 && !isnan(required->most[figure]) ? "there twice" : "malformed");
		required->most[figure] = value;
		at += length;
		if (!*at)
			return 0;
	}
}

bool required_is_met(const struct required *required, const struct outcome *outcome)
{
	bool is_met = true;
	for (int i = 0; i < OUTCOME_FIGURES; i++) {
		char found[OUTCOME_TEXT_MAX], most[OUTCOME_TEXT_MAX];
		const double value = outcome_figure(outcome, (enum outcome_figure)i);
		if (isnan(required->most[i]) || value <= required->most[i])
			continue;
		is_met = false;
		diag("%s %s, required at most %s", outcome_figure_name(i),
			outcome_print_figure((enum outcome_figure)i, value, found),
			outcome_print_figure((enum outcome_figure)i, required->most[i], most));
	}
	return is_met;
}
