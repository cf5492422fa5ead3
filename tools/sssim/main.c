/* SPDX-License-Identifier: MIT */
/* sssim: runs Showstopper's modules in virtual time on a modelled machine. See sssim(1). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/complete.h"
#include "base/descriptors.h"
#include "base/diag.h"
#include "base/version.h"
#include "cli/instead.h"
#include "self/signals.h"
#include "sssim/options.h"
#include "sssim/results.h"
#include "sssim/run.h"

static void print_help(void)
{
	struct settings settings;
	settings_init(&settings);
	fputs("Usage: sssim [OPTION]... -l LOAD\n"
	      "Run Showstopper's modules in virtual time on a modelled machine, and say how well they did.\n\n",
		stdout);
	tool_options_help(sssim_options, sssim_option_count, &settings, stdout);
	fputs("\nModels of workloads, with their options:\n", stdout);
	sim_workload_help(stdout);
	fputs("\nExample: sssim -p 12 -W parallel:4 -l 50% -r 3M -o run.csv\n", stdout);
}

static int simulate(const struct settings *settings)
{
	const int64_t start = clock_now();
	struct sim_run *run = sim_run_new(&settings->sim);
	if (!run)
		return EXIT_TROUBLE;
	int status = EXIT_TROUBLE;
	if (settings->verbose)
		module_say(run->real.module);
	if (sim_run_go(run) == 0) {
		const struct sim_machine *machine = &run->machine;
		status = 0;
		if (!settings->quiet)
			results_summarise(run, settings->verbose);
		if (settings->report)
			results_print(run);
		const double took = (double)(clock_now() - start) / 1e9;
		const double simulated = (double)(machine->now_ns - machine->config.start_ns) / 1e9;
		if (settings->speed)
			diag("%.1f s in %.3f s: %.0f times as fast as real time, %.2f million events", simulated, took,
				simulated / took, (double)machine->fired / 1e6);
	}
	sim_run_free(run);
	return status;
}

int main(int argc, char **argv)
{
	const struct complete_program program = {
		.option = sssim_options, .count = sssim_option_count, .words = COMPLETE_NONE, .offer_modules = complete_modules};
	struct settings settings;
	int status = EXIT_TROUBLE;
	diag_name("sssim");
	if (standard_files_occupy() != 0)
		return EXIT_TROUBLE;
	if (complete(&program, argc, argv))
		return 0;
	signals_block_file_limit();
	switch (settings_parse(&settings, argc, argv)) {
	case -1:
		goto out;
	case 'h':
		print_help();
		status = 0;
		break;
	case 'V':
		printf("sssim %s\n", version_text);
		status = 0;
		break;
	default:
		status = simulate(&settings);
		break;
	}
	if (fflush(stdout) != 0 || ferror(stdout)) {
		diag("can't write to standard output: %s", strerror(errno));
		status = EXIT_TROUBLE;
	}
out:
	settings_free(&settings);
	return status;
}
