/* SPDX-License-Identifier: MIT */
/*
 * ssburn: a workload that uses processor time in a known way, for demonstrations, tests and experiments.
 *
 * Work is counted in units, each a fixed number of dependent integer operations whose result depends on the seed, the iteration
 * and the unit's place in it, and on nothing else. The sum of all results is the checksum. So profiles and numbers of threads
 * differ in who does the work and when, never in what is done, and the checksum shows that all of it was done once.
 *
 * There are two ways to share the work. In most profiles every thread takes whole iterations (independent.c), and a profile is a
 * rule for how many threads may do so. In `contended` all threads work on one iteration in rounds of some 100 us and wait for one
 * another between them (team.c). Widths of rounds and phases come from the seed and advance with the work done, never with a clock,
 * so that a process that was stopped goes on exactly where it was.
 *
 * As a service (--listen) it works by the clock of its threads' processor time instead: server.c has the queue and who serves it, listener.c
 * the address, service_time.c how long requests take.
 *
 * The first thread does no work. It waits for signals, the time limit and the end, which leaves the workers free of them (run.c).
 *
 * options.c reads the command line; profile.c has the table of profiles; burn.c does the work, and counts and records it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/complete.h"
#include "base/descriptors.h"
#include "base/diag.h"
#include "base/version.h"
#include "self/signals.h"
#include "ssburn/options.h"
#include "ssburn/run.h"

int main(int count, char **arguments)
{
	const struct complete_program program = {.option = ssburn_options, .count = ssburn_option_count, .words = COMPLETE_NONE};
	struct settings settings;
	int status = 0, caught = 0;
	diag_name("ssburn");
	if (standard_files_occupy() != 0)
		return EXIT_TROUBLE;
	if (complete(&program, count, arguments))
		return 0;
	signals_block_file_limit();
	const enum options_wish wish = options_parse(count, arguments, &settings);
	if (wish == WISH_ERROR)
		return EXIT_TROUBLE;
	if (wish == WISH_HELP)
		options_print_help();
	else if (wish == WISH_VERSION)
		printf("ssburn %s\n", version_text);
	else if (settings.draws != UNSET)
		ssburn_draw(&settings);
	else
		status = ssburn_run(&settings, &caught);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		diag("can't write to standard output: %s", strerror(errno));
		return EXIT_TROUBLE;
	}
	if (caught && status == 0)
		signals_end_by(caught);
	return status;
}
