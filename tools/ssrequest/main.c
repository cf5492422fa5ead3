/* SPDX-License-Identifier: MIT */
/*
 * ssrequest: sends requests when they are due, and records when each was planned, sent and answered. See ssrequest(1).
 *
 * options.c reads the command line, with targets.c, expected.c and required.c for what has a notation of its own; rates.c loads the trace.
 * schedule.c says when requests are planned and generator.c what is to be done now, both without a system call; run.c does it, by http.c or
 * commands.c. outcome.c says what came of it, progress.c meanwhile, and dry_run.c what would.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/complete.h"
#include "base/descriptors.h"
#include "base/diag.h"
#include "base/version.h"
#include "self/signals.h"
#include "ssrequest/options.h"
#include "ssrequest/run.h"

/* 0, or the status to exit with after a message. */
static int end_output(void)
{
	if (fflush(stdout) == 0)
		return 0;
	diag("can't write standard output: %s", strerror(errno));
	return EXIT_TROUBLE;
}

static int print_information(enum options_wish wish)
{
	if (wish == WISH_HELP)
		options_print_help();
	else
		printf("ssrequest %s\n", version_text);
	return end_output();
}

static int do_it(const struct settings *settings, char *const *words)
{
	if (settings->explain) {
		outcome_explain(stdout);
		return end_output();
	}
	const int status = run(settings, words);
	return settings->dry_run && status == 0 ? end_output() : status;
}

int main(int count, char **arguments)
{
	const struct complete_program program = {
		.option = ssrequest_options, .count = ssrequest_option_count, .words = COMPLETE_COMMAND_BEHIND_DASHES};
	struct settings settings;
	int status = EXIT_TROUBLE;
	diag_name("ssrequest");
	if (standard_files_occupy() != 0)
		return EXIT_TROUBLE;
	if (complete(&program, count, arguments))
		return 0;
	signals_block_file_limit();
	const enum options_wish wish = options_parse(count, arguments, &settings);
	if (wish == WISH_HELP || wish == WISH_VERSION)
		status = print_information(wish);
	else if (wish == WISH_RUN)
		status = do_it(&settings, arguments + 1);
	options_free(&settings);
	return status;
}
