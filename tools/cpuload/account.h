/* SPDX-License-Identifier: MIT */
/* What the command has used of the machine, from its beginning to its end, and what the machine did meanwhile. */
#ifndef CPULOAD_ACCOUNT_H
#define CPULOAD_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "cpuload/load_source.h"
#include "cpuload/options.h"

struct account {
	const struct settings *settings;
	struct linux_load_source *machine; /* NULL: can't be read */
	int64_t start_ns, end_ns;          /* CLOCK_MONOTONIC */
	bool has_ended;
	int wait_status;
	struct rusage usage; /* of the command, and of those whose end somebody waited for */
};

/* Just before the command is started. */
void account_begin(struct account *account, const struct settings *settings);

/* As soon as it has been reaped. */
void account_end(struct account *account, int wait_status, const struct rusage *usage);

/* Says it on stderr, if the command has been there and has ended. */
void account_print(const struct account *account);

void account_close(struct account *account);

#endif
