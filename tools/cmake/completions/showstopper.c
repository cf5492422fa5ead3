/* SPDX-License-Identifier: MIT */
#include "cli/options.h"

#include "cli/option_values.h"
#include "program.h"

void program_describe(struct program *program)
{
	program->name = "showstopper";
	program->option = showstopper_options;
	program->count = showstopper_option_count;
	program->words = WORDS_GROUPS;
	program->place[program->places++] = (struct program_place){"first", NULL, OPTION_OF_RUN | OPTION_OF_GROUP};
	program->place[program->places++] = (struct program_place){"later", NULL, OPTION_OF_GROUP};
}
