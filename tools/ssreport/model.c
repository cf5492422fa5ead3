/* SPDX-License-Identifier: MIT */
/* A straight line and a parabola through points, and which of them fits better. */
#include <errno.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <string.h>

#include "base/diag.h"
#include "report/values.h"
#include "ssreport/groups.h"
#include "ssreport/parts.h"

enum { LABEL, MODEL_NAME, COUNT, CONSTANT, CONSTANT_ERROR, X, X_ERROR, X2, X2_ERROR, R2, ADJUSTED, SD, P, WEIGHT, CELLS };

#define NUMBER(name, title, decimals)                                                                                            \
	{                                                                                                                        \
		name, REPORT_ALL_DIGITS, title, decimals, 1, NULL                                                                \
	}
static const struct report_column model_columns[CELLS] = {
	[LABEL] = {"label", REPORT_IS_TEXT, "label", 0, 1, NULL},
	[MODEL_NAME] = {"model", REPORT_IS_TEXT, "model", 0, 1, NULL},
	[COUNT] = {"count", 0, "points", 0, 1, NULL},
	[CONSTANT] = NUMBER("constant", "constant", 4),
	[CONSTANT_ERROR] = NUMBER("constant_error", "±", 4),
	[X] = NUMBER("x", "x", 4),
	[X_ERROR] = NUMBER("x_error", "±", 4),
	[X2] = NUMBER("x2", "x²", 4),
	[X2_ERROR] = NUMBER("x2_error", "±", 4),
	[R2] = NUMBER("r2", "R²", 4),
	[ADJUSTED] = NUMBER("adjusted_r2", "adjusted", 4),
	[SD] = NUMBER("residual_sd", "residual sd", 4),
	[P] = {"p", REPORT_P, "p", 4, 1, NULL},
	[WEIGHT] = {"weight", REPORT_ALL_DIGITS, "better, %", 2, 100, NULL},
};

static int add_model(struct report *report, const char *label, const struct polynomial *model, const struct polynomial *other)
{
	const bool has_square = model->degree == 2;
	const union report_cell cell[CELLS] = {[LABEL].text = label,
		[MODEL_NAME].text = has_square ? "quadratic" : "linear",
		[COUNT].number = (double)model->count,
		[CONSTANT].number = model->coefficient[0],
		[CONSTANT_ERROR].number = model->error[0],
		[X].number = model->coefficient[1],
		[X_ERROR].number = model->error[1],
		[X2].number = has_square ? model->coefficient[2] : NAN,
		[X2_ERROR].number = has_square ? model->error[2] : NAN,
		[R2].number = model->r2,
		[ADJUSTED].number = model->adjusted_r2,
		[SD].number = model->residual_sd,
		[P].number = model->p,
		[WEIGHT].number = polynomial_weight(model, other)};
	return report_table_add(report->table, cell) == 0 ? 0 : complain_about_memory();
}

/* The label becomes the report's. */
static int add_group(struct report *report, struct group *group)
{
	struct polynomial model[POLYNOMIAL_MOST];
	for (int degree = 1; degree <= POLYNOMIAL_MOST; degree++) {
		errno = 0;
		if (polynomial_fit(group->values.item, group->beside.item, group->values.count, degree, &model[degree - 1]) == 0)
			continue;
		if (errno != EINVAL)
			return complain_about_memory();
		diag("%s: found fewer than %d different x, expected as many", group->label, POLYNOMIAL_MOST + 1);
		return -1;
	}
	const char *const label = report_keep(report, group->label);
	group->label = NULL;
	if (!label)
		return complain_about_memory();
	return add_model(report, label, &model[0], &model[1]) == 0 ? add_model(report, label, &model[1], &model[0]) : -1;
}

static int check_model(const struct settings *settings)
{
	if (settings->column_names == 1)
		return complain("found one --column, expected two: that of x, then that of y");
	return check_by(settings);
}

static int make_model(struct report *report)
{
	const struct settings *const settings = report->settings;
	struct groups groups = {.by = settings->by, .needs_by = settings->by, .has_second = true};
	gsl_set_error_handler_off();
	if (settings->column_names > 0) {
		groups.column = settings->column_name[0];
		groups.second = settings->column_name[1];
	}
	int result = groups_read_words(&groups, &settings->input);
	if (result == 0)
		result = own_columns(report, CELLS);
	if (result == 0)
		memcpy(report->column, model_columns, sizeof model_columns);
	size_t points = 0;
	for (size_t i = 0; i < groups.count; i++)
		points += groups.item[i].values.count;
	if (result == 0 && points == 0)
		result = complain("found no point");
	for (size_t i = 0; result == 0 && i < groups.count; i++)
		result = add_group(report, &groups.item[i]);
	groups_free(&groups);
	return result;
}

const struct command command_model = {
	.bit = MODEL,
	.name = "model",
	.argument = "FILE",
	.summary = "a straight line and a parabola through points of any CSV file, their errors, and which fits better",
	.check = check_model,
	.make = make_model,
};
