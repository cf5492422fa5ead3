/* SPDX-License-Identifier: MIT */
/* Files are opened for each reading: they go away with their processor, and a thousand of them would be too many to keep. */
#include "os/frequency.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "base/number.h"
#include "os/source.h"

static int read_khz(const char *root, unsigned id, uint64_t *khz)
{
	char path[96], text[32];
	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq", id);
	const int fd = linux_source_open(root, path);
	if (fd < 0)
		return -1;
	const ssize_t length = linux_source_read(fd, text, sizeof text, NULL);
	close(fd);
	const char *at = text;
	return length > 0 && linux_number(&at, text + length, khz) ? 0 : -1;
}

double linux_frequency_mean(const char *root, const unsigned *id, size_t count)
{
	double sum = 0;
	size_t told = 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t khz;
		if (read_khz(root, id[i], &khz) == 0) {
			sum += (double)khz / 1000;
			told++;
		}
	}
	return told > 0 ? sum / (double)told : NAN;
}
