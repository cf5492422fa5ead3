/* SPDX-License-Identifier: MIT */
/* For tests of control modules: one module at a time, and a step of it. */
#ifndef CONTROL_TEST_H
#define CONTROL_TEST_H

#include <math.h>

#include "module_test.h"

static struct module_test test;

/* What the module leaves untouched is NaN. */
static inline struct sst_control_output step(const struct sst_control_input *in)
{
	struct sst_control_output out = {.published = NAN, .duty = NAN};
	test.module.control->step(test.module.state, in, &out);
	return out;
}

#endif
