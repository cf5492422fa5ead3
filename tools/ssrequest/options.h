/* SPDX-License-Identifier: MIT */
/* The command line of ssrequest. */
#ifndef SSREQUEST_OPTIONS_H
#define SSREQUEST_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tool_options.h"
#include "record/record_files.h"
#include "showstopper/module.h"
#include "ssrequest/expected.h"
#include "ssrequest/required.h"
#include "ssrequest/targets.h"

#define UNSET (-1)

enum { HTTP_1_1, HTTP_2 };
enum { BEYOND_DELAY, BEYOND_DROP };
enum { FORMAT_CSV, FORMAT_JSONL };

struct settings {
	/* When */
	double rate, peak;                 /* requests per second; NaN: not given */
	const char *trace, *trace_options; /* NULL: none */
	int arrivals;                      /* enum arrivals */
	int64_t run_time_ns;               /* UNSET: that of the trace, or no end */
	int64_t requests;                  /* UNSET: no end */
	int64_t seed;
	int64_t limit, timeout_ns;
	int beyond;
	/* What */
	struct targets targets;
	const char *url_file; /* NULL: none */
	const char **header;  /* `headers` of them, each whole */
	size_t headers;
	const char *method, *body; /* NULL: as usual, none */
	int http;                  /* UNSET: as server and client agree */
	bool insecure;
	const char *cacert, *unix_socket;
	struct expected expected;
	const char *expected_text; /* NULL: any */
	char **command;            /* NULL: URLs */
	int64_t grace_ns;
	/* What is said */
	struct record_files files;
	int format;
	struct required required;
	struct sst_cpus *cpus; /* NULL: those that we have */
	bool quiet, dry_run, explain;
};

extern const struct tool_option ssrequest_options[];
extern const size_t ssrequest_option_count;

enum options_wish { WISH_ERROR = -1, WISH_RUN, WISH_HELP, WISH_VERSION };

/* Fills the settings in, which then point into the words. WISH_ERROR after a message. To be freed in any case. */
enum options_wish options_parse(int count, char **words, struct settings *settings);
void options_free(struct settings *settings);

void options_print_help(void);

#endif
