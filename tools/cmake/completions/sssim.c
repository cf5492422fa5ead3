/* SPDX-License-Identifier: MIT */
#include "sssim/options.h"

#include "program.h"

void program_describe(struct program *program)
{
	program->name = "sssim";
	program->option = sssim_options;
	program->count = sssim_option_count;
	program->words = WORDS_NONE;
}
