/* SPDX-License-Identifier: MIT */
/* Files are opened for each reading: they go away with their processor, and a thousand of them would be too many to keep. */
#include "os/frequency.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "os/source.h"

/* A file of a processor's policy; its length, or -1. */
static ssize_t read_policy(const char *root, unsigned id, const char *name, char *text, size_t size)
{
	char path[96];
	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cpufreq/%s", id, name);
	const int fd = linux_source_open(root, path);
	if (fd < 0)
		return -1;
	const ssize_t length = linux_source_read(fd, text, size, NULL);
	close(fd);
	return length;
}

static double read_mhz(const char *root, unsigned id, const char *name)
{
	char text[32];
	uint64_t khz;
	const ssize_t length = read_policy(root, id, name, text, sizeof text);
	const char *at = text;
	return length > 0 && linux_number(&at, text + length, &khz) ? (double)khz / 1000 : NAN;
}

bool linux_frequency_policy(const char *root, unsigned id, struct linux_frequency_policy *policy)
{
	const ssize_t length = read_policy(root, id, "scaling_governor", policy->governor, sizeof policy->governor - 1);
	if (length <= 0)
		return false;
	policy->governor[length] = '\0';
	policy->governor[strcspn(policy->governor, "\n")] = '\0';
	policy->least_mhz = read_mhz(root, id, "scaling_min_freq");
	policy->most_mhz = read_mhz(root, id, "scaling_max_freq");
	return true;
}

double linux_frequency_mean(const char *root, const unsigned *id, size_t count)
{
	double sum = 0;
	size_t told = 0;
	for (size_t i = 0; i < count; i++) {
		const double mhz = read_mhz(root, id[i], "scaling_cur_freq");
		if (!isnan(mhz)) {
			sum += mhz;
			told++;
		}
	}
	return told > 0 ? sum / (double)told : NAN;
}
