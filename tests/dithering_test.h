/* SPDX-License-Identifier: MIT */
/*
 * For tests of dithering modules that are asked as a host asks them: `begin`, then `next` as often as wanted, then module_test_end(&test).
 * What `in` holds may be changed in between. With cmocka.
 */
#ifndef DITHERING_TEST_H
#define DITHERING_TEST_H

#include "module_test.h"

static struct module_test test;
static struct sst_dithering_input in;

static inline void begin(const char *name, const char *options, int64_t now_ns)
{
	module_test_begin(&test, SST_DITHERING, name, options);
	in = (struct sst_dithering_input){.now_ns = now_ns, .due_ns = now_ns, .origin_ns = now_ns, .live = 1};
}

/* The next answer, asked for when it was due, or `late` after that; remembers it as a host would. */
static inline struct sst_dithering_output next(double duty, int64_t late)
{
	struct sst_dithering_output out = {.run = false, .until_ns = INT64_MIN};
	in.duty = duty;
	in.now_ns = in.due_ns + late;
	test.module.dithering->next(test.module.state, &in, &out);
	in.running = out.run;
	in.due_ns = out.until_ns;
	return out;
}

/* An answer: whether it runs, and until when. */
#define assert_answer(answer, running, until)                                                                                    \
	do {                                                                                                                     \
		const struct sst_dithering_output given = answer;                                                                \
		assert_int_equal(given.run, running);                                                                            \
		assert_int_equal(given.until_ns, until);                                                                         \
	} while (0)

#endif
