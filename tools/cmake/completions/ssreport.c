/* SPDX-License-Identifier: MIT */
#include "ssreport/command.h"
#include "ssreport/options.h"

#include "program.h"

void program_describe(struct program *program)
{
	program->name = "ssreport";
	program->option = ssreport_options;
	program->count = ssreport_option_count;
	program->words = WORDS_SUBCOMMAND;
	for (size_t i = 0; commands[i] && program->places < PLACES_MAX; i++)
		program->place[program->places++] =
			(struct program_place){commands[i]->name, commands[i]->summary, commands[i]->bit};
}
