/* SPDX-License-Identifier: MIT */
/*
 * ssiterate: makes an endless benchmark of a command and records its iterations. See ssiterate(1).
 *
 * There are two ways. Without --match the command is run again and again, and each run is an iteration. With it the command is
 * run once, its output passes through a pipe of ours, and lines in it say where iterations begin and end.
 *
 * All signals that matter are blocked and fetched through a descriptor, so that nothing is ever done in a handler and a record is
 * never cut. One loop (`attend` in wait.c) waits for all that can happen: signals, the command's end, its output, a time that is
 * up. Output is written only when poll says that there is room, so that a reader that has stalled doesn't make us deaf to signals;
 * the command then stalls as it would without us.
 *
 * options.c reads the command line; run.c goes from iteration to iteration; command.c starts the command, passes signals on and
 * ends it; lines.c passes its output on and finds the iterations in it; wait.c waits; iterate.c counts and records.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/complete.h"
#include "base/descriptors.h"
#include "base/diag.h"
#include "base/version.h"
#include "self/signals.h"
#include "ssiterate/options.h"
#include "ssiterate/run.h"

/* Prints what was asked for instead of working. */
static int print_information(enum options_wish wish)
{
	if (wish == WISH_HELP)
		options_print_help();
	else
		printf("ssiterate %s\n", version_text);
	if (fflush(stdout) == 0)
		return 0;
	diag("can't write standard output: %s", strerror(errno));
	return EXIT_TROUBLE;
}

int main(int count, char **arguments)
{
	const struct complete_program program = {
		.option = ssiterate_options, .count = ssiterate_option_count, .words = COMPLETE_COMMAND};
	struct settings settings;
	diag_name("ssiterate");
	if (standard_files_occupy() != 0)
		return EXIT_TROUBLE;
	if (complete(&program, count, arguments))
		return 0;
	signals_block_file_limit();
	const enum options_wish wish = options_parse(count, arguments, &settings);
	if (wish == WISH_HELP || wish == WISH_VERSION)
		return print_information(wish);
	return wish == WISH_RUN ? ssiterate_run(&settings) : EXIT_TROUBLE;
}
