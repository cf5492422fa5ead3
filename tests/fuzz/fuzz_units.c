/* SPDX-License-Identifier: MIT */
/* Any bytes are taken or refused; what is taken is within its range and, printed, reads back as the same. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"
#include "base/units.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool condition)
{
	if (!condition)
		abort();
}

static void check_refusal(size_t stop, size_t size)
{
	check(stop <= size && (errno == EINVAL || errno == ERANGE));
}

static void check_time(const char *text, size_t size)
{
	char printed[UNITS_TEXT_MAX];
	int64_t ns = -1;
	int64_t again;
	size_t stop = SIZE_MAX;
	if (units_parse_time(text, size, &ns, &stop) != 0) {
		check_refusal(stop, size);
		check(ns == -1);
		return;
	}
	check(ns >= 0 && stop == size);
	units_print_time(ns, printed);
	check(units_parse_time(printed, strlen(printed), &again, NULL) == 0 && again == ns);
}

static void check_load(const char *text, size_t size)
{
	double load = -1;
	size_t stop = SIZE_MAX;
	if (units_parse_load(text, size, &load, &stop) != 0) {
		check_refusal(stop, size);
		check(load == -1);
		return;
	}
	check(load >= 0 && load <= 1 && stop == size);
}

static void check_real(const char *text, size_t size)
{
	char printed[UNITS_TEXT_MAX];
	double value = NAN;
	double again;
	size_t stop = SIZE_MAX;
	if (units_parse_real(text, size, &value, &stop) != 0) {
		check_refusal(stop, size);
		check(isnan(value));
		return;
	}
	check(isfinite(value) && stop == size);
	units_print_real(value, printed);
	check(units_parse_real(printed, strlen(printed), &again, NULL) == 0 && again == value);
}

static void check_int(const char *text, size_t size)
{
	char printed[32];
	int64_t value = 42;
	int64_t again;
	size_t stop = SIZE_MAX;
	if (units_parse_int(text, size, &value, &stop) != 0) {
		check_refusal(stop, size);
		check(value == 42);
		return;
	}
	check(stop == size);
	snprintf(printed, sizeof printed, "%lld", (long long)value);
	check(units_parse_int(printed, strlen(printed), &again, NULL) == 0 && again == value);
}

static void check_cpus(const char *text, size_t size)
{
	struct sst_cpus *cpus = NULL;
	size_t stop = SIZE_MAX;
	if (cpus_parse(text, size, &cpus, &stop) != 0) {
		check_refusal(stop, size);
		check(!cpus);
		return;
	}
	check(stop == size && cpus->count > 0);
	for (size_t i = 1; i < cpus->count; i++)
		check(cpus->cpu[i] > cpus->cpu[i - 1]);
	check(cpus->cpu[cpus->count - 1] < CPUS_LIMIT);
	free(cpus);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	check_time(text, size);
	check_load(text, size);
	check_real(text, size);
	check_int(text, size);
	check_cpus(text, size);
	return 0;
}
