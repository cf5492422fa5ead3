/* SPDX-License-Identifier: MIT */
#include "ssburn/options.h"

#include "program.h"

void program_describe(struct program *program)
{
	program->name = "ssburn";
	program->option = ssburn_options;
	program->count = ssburn_option_count;
	program->words = WORDS_NONE;
}
