/* SPDX-License-Identifier: MIT */
#include "ssiterate/options.h"

#include "program.h"

void program_describe(struct program *program)
{
	program->name = "ssiterate";
	program->option = ssiterate_options;
	program->count = ssiterate_option_count;
	program->words = WORDS_COMMAND;
}
