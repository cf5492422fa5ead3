/* SPDX-License-Identifier: MIT */
/* Any file is read without a fault as one of URLs; what is refused has a message that names the line; what is taken has URLs that a log can name. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ssrequest/request_log.h"
#include "ssrequest/targets.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool condition)
{
	if (!condition)
		abort();
}

static void check_targets(const struct targets *targets)
{
	double sum = 0;
	check(targets->count > 0 && targets->count <= REQUEST_LOG_URLS_MAX);
	for (size_t i = 0; i < targets->count; i++) {
		const struct target *const item = &targets->item[i];
		check(item->weight > 0 && isfinite(item->weight) && strncasecmp(item->url, "http", 4) == 0 &&
			!strpbrk(item->url, " \t\r\n"));
		sum += item->weight;
		check(item->up_to == sum);
	}
	check(targets->weight == sum);
	for (uint64_t request = 0; request < 16; request++)
		check(targets_pick(targets, 1, request) < targets->count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[32], error[TARGETS_ERROR_MAX] = "";
	struct targets targets = {0};
	const int fd = memfd_create("urls", MFD_CLOEXEC);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	check(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	if (targets_read(&targets, path, error) == 0)
		check_targets(&targets);
	else
		check(strncmp(error, path, strlen(path)) == 0 && error[strlen(path)] == ':');
	targets_free(&targets);
	close(fd);
	return 0;
}
