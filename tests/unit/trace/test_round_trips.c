/* SPDX-License-Identifier: MIT */
/* What is printed reads back as the same, whatever it is: times, numbers, processors, options, CSV, traces. Values come from a seed, which is said. */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cpus.h"
#include "base/splitmix.h"
#include "base/units.h"
#include "module/option.h"
#include "trace/trace.h"

#define SEEDS 2000

static uint64_t seed, state;

static void check(bool is_right, const char *what)
{
	if (!is_right)
		fail_msg("seed %llu: %s", (unsigned long long)seed, what);
}

/* Of any size: each number of bits is as likely as another. */
static uint64_t any(void)
{
	const uint64_t bits = splitmix_next(&state);
	return splitmix_next(&state) >> (bits % 64);
}

static uint64_t below(uint64_t limit)
{
	return splitmix_next(&state) % limit;
}

static void each_seed(void (*look)(void))
{
	for (seed = 1; seed <= SEEDS; seed++) {
		state = seed;
		look();
	}
}

/* ---- Numbers ---------------------------------------------------------------------------------------------------------- */

/* One that can be short, such as 2h, as well as one that can't. */
static int64_t any_time(void)
{
	static const int64_t units[] = {1, NS_PER_US, NS_PER_MS, NS_PER_S, 60 * NS_PER_S, 3600 * NS_PER_S};
	const int64_t unit = units[below(6)];
	return (int64_t)(any() >> 1) % (INT64_MAX / unit) * unit;
}

static void look_at_times(void)
{
	char text[UNITS_TEXT_MAX];
	int64_t back = -1;
	const int64_t ns = any_time();
	units_print_time(ns, text);
	check(units_parse_time(text, strlen(text), &back, NULL) == 0 && back == ns, text);
}

static double any_real(void)
{
	double value;
	do {
		const uint64_t bits = splitmix_next(&state);
		memcpy(&value, &bits, sizeof value);
	} while (!isfinite(value));
	return below(3) ? value : (double)(int64_t)any() / 1000;
}

static void look_at_numbers(void)
{
	char text[UNITS_TEXT_MAX];
	double back = 0;
	const double value = any_real();
	units_print_real(value, text);
	check(units_parse_real(text, strlen(text), &back, NULL) == 0 && back == value, text);
}

static struct sst_cpus *any_cpus(void)
{
	unsigned cpu[40];
	const size_t count = 1 + below(40);
	const unsigned most = 1 + (unsigned)any() % CPUS_LIMIT;
	for (size_t i = 0; i < count; i++)
		/* Ranges, too. */
		cpu[i] = i > 0 && below(2) && cpu[i - 1] + 1 < CPUS_LIMIT ? cpu[i - 1] + 1 : (unsigned)below(most);
	struct sst_cpus *const cpus = cpus_make(cpu, count);
	assert_non_null(cpus);
	for (size_t i = 0; i < count; i++)
		check(cpus_contain(cpus, cpu[i]), "a processor is missing");
	for (size_t i = 1; i < cpus->count; i++)
		check(cpus->cpu[i - 1] < cpus->cpu[i], "processors in no order, or twice");
	return cpus;
}

static bool are_same(const struct sst_cpus *a, const struct sst_cpus *b)
{
	return a->count == b->count && memcmp(a->cpu, b->cpu, a->count * sizeof *a->cpu) == 0;
}

static void look_at_processors(void)
{
	char text[1024] = "";
	struct sst_cpus *const cpus = any_cpus(), *back = NULL;
	FILE *const to = fmemopen(text, sizeof text, "w");
	cpus_print(cpus, to);
	fclose(to);
	check(cpus_parse(text, strlen(text), &back, NULL) == 0 && are_same(cpus, back), text);
	free(cpus);
	free(back);
}

static void numbers_read_back_as_they_were(void **unused)
{
	(void)unused;
	each_seed(look_at_times);
	each_seed(look_at_numbers);
	each_seed(look_at_processors);
}

/* ---- Options ---------------------------------------------------------------------------------------------------------- */

static const char *const colours[] = {"red", "green", "blue", NULL};

struct values {
	const char *file;
	const char *text;
	int64_t period;
	double load, gain;
	int64_t count;
	bool loop;
	int colour;
	const struct sst_cpus *cpus;
};

#define MEMBER(kind, member) .name = #member, .type = (kind), .offset = offsetof(struct values, member), .help = "help"

static const struct sst_option options[] = {
	{MEMBER(SST_FILE, file)},
	{MEMBER(SST_TEXT, text)},
	{MEMBER(SST_TIME, period), .initial = "107m"},
	{MEMBER(SST_LOAD, load), .initial = "1/3"},
	{MEMBER(SST_REAL, gain), .initial = "1"},
	{MEMBER(SST_INT, count), .initial = "0"},
	{MEMBER(SST_FLAG, loop)},
	{MEMBER(SST_CHOICE, colour), .initial = "green", .choices = colours},
	{MEMBER(SST_CPUS, cpus)},
	{0},
};

/* Of characters that mean something in an option, most often. */
static void any_word(char *word, size_t size)
{
	static const char odd[] = "a,=\\ \"'-0:%/é";
	const size_t length = 1 + below(size - 1);
	for (size_t i = 0; i < length; i++)
		word[i] = odd[below(sizeof odd - 1)];
	word[length] = '\0';
}

static void print(const struct values *values, char *text, size_t size)
{
	memset(text, 0, size);
	FILE *const to = fmemopen(text, size, "w");
	option_print(options, values, to);
	fclose(to);
}

static void look_at_options(void)
{
	char file[12], word[12], text[2048], again[2048], error[OPTION_ERROR_MAX];
	struct values values = {.period = any_time(),
		.load = (double)below(1001) / 1000,
		.gain = any_real(),
		.count = (int64_t)any(),
		.loop = below(2),
		.colour = (int)below(3)};
	struct values back;
	struct option_memory memory = {0};
	any_word(file, sizeof file);
	any_word(word, sizeof word);
	values.file = below(4) ? file : NULL;
	values.text = below(4) ? word : NULL;
	struct sst_cpus *const cpus = below(4) ? any_cpus() : NULL;
	values.cpus = cpus;
	print(&values, text, sizeof text);
	memset(&back, 0x5a, sizeof back);
	back.loop = true;
	if (option_parse(options, text, &back, &memory, error) != 0)
		fail_msg("seed %llu: '%s': %s", (unsigned long long)seed, text, error);
	check(back.period == values.period && back.load == values.load && back.gain == values.gain &&
			back.count == values.count && back.loop == values.loop && back.colour == values.colour,
		text);
	check(!values.file == !back.file && (!values.file || strcmp(values.file, back.file) == 0), text);
	check(!values.text == !back.text && (!values.text || strcmp(values.text, back.text) == 0), text);
	check(!cpus == !back.cpus && (!cpus || are_same(cpus, back.cpus)), text);
	print(&back, again, sizeof again);
	check(strcmp(text, again) == 0, again);
	option_free(&memory);
	free(cpus);
}

static void options_read_back_as_they_were(void **unused)
{
	(void)unused;
	each_seed(look_at_options);
}

/* ---- Traces ----------------------------------------------------------------------------------------------------------- */

static bool is_same(const struct trace *a, const struct trace *b)
{
	bool same = a->count == b->count && a->interpolation == b->interpolation;
	for (size_t i = 0; i < a->count && same; i++)
		same = a->records[i].ns == b->records[i].ns &&
		       (a->records[i].load == b->records[i].load || (isnan(a->records[i].load) && isnan(b->records[i].load)));
	return same;
}

static struct trace any_trace(void)
{
	struct trace made = {.interpolation = below(2) ? TRACE_LINEAR : TRACE_STEP};
	const size_t count = 1 + below(30);
	int64_t ns = 0;
	for (size_t i = 0; i < count; i++) {
		/* Two at one moment are a jump. */
		ns += below(4) ? (int64_t)(any() >> 10) : 0;
		const double load = below(5) == 0 ? NAN : (double)(splitmix_next(&state) >> 11) * 0x1p-53;
		assert_int_equal(trace_append(&made, &(struct trace_record){ns, load}), 0);
	}
	return made;
}

static void look_at_traces(void)
{
	char error[TRACE_ERROR_MAX];
	struct trace made = any_trace();
	for (int compiled = 0; compiled < 2; compiled++) {
		struct trace back = {0};
		const int file = memfd_create("trace", MFD_CLOEXEC);
		assert_true(file >= 0);
		if (compiled) {
			assert_int_equal(trace_binary_write(&made, file), 0);
		} else {
			FILE *const to = fdopen(dup(file), "w");
			assert_int_equal(trace_text_print(&made, to), 0);
			fclose(to);
		}
		assert_int_equal(lseek(file, 0, SEEK_SET), 0);
		if (trace_read(&back, file, "trace", below(2) ? 0 : TRACE_COPY_MAX, error) != 0)
			fail_msg("seed %llu: %s", (unsigned long long)seed, error);
		check(is_same(&made, &back), compiled ? "another compiled trace" : "another text");
		trace_free(&back);
		close(file);
	}
	trace_free(&made);
}

static void traces_read_back_as_they_were(void **unused)
{
	(void)unused;
	each_seed(look_at_traces);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_read_back_as_they_were),
		cmocka_unit_test(options_read_back_as_they_were),
		cmocka_unit_test(traces_read_back_as_they_were),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
