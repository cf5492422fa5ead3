/* SPDX-License-Identifier: MIT */
#include "sstrace/options.h"

#include "program.h"

void program_describe(struct program *program)
{
	program->name = "sstrace";
	program->option = sstrace_options;
	program->count = sstrace_option_count;
	program->words = WORDS_FILE;
}
