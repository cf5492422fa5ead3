/* SPDX-License-Identifier: MIT */
#include "cpuload/options.h"

#include "program.h"

void program_describe(struct program *program)
{
	program->name = "cpuload";
	program->option = cpuload_options;
	program->count = cpuload_option_count;
	program->words = WORDS_DASHES;
}
