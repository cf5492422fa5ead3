/* SPDX-License-Identifier: MIT */
/* The rows that a summary can have, in their order: what each is called, and what it means. */
#ifndef RECORD_SUMMARY_TERMS_H
#define RECORD_SUMMARY_TERMS_H

#include <stdio.h>

enum summary_term {
	TERM_TARGET,
	TERM_LOAD,
	TERM_ERROR,
	TERM_SQUARED_ERROR,
	TERM_WORST,
	TERM_SATURATED,
	TERM_STARVED,
	TERM_MEASURED,
	TERM_FREQUENCY,
	TERM_OTHERS,
	TERM_FREE,
	TERM_GONE,
	TERM_LOST,
	TERM_INSTANCES,
	TERM_CPU,
	TERM_OUTSIDE,
	TERM_EQUAL,
	TERM_ATTACHED,
	TERM_RESPAWNS,
	TERM_EVENTS,
	TERM_ENERGY,
	TERM_OWN,
	TERM_WARNING,
};
#define SUMMARY_TERMS (TERM_WARNING + 1)

/* What is said of a term begins in this column, from 0. */
#define SUMMARY_COLUMN 21

const char *summary_label(enum summary_term term);

/* Prints all with what they mean, for people: --explain. */
void summary_explain(FILE *to);

#endif
