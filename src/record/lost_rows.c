/* SPDX-License-Identifier: MIT */
#include "record/lost_rows.h"

#include <math.h>
#include <stdlib.h>

int lost_rows_init(struct lost_rows *rows, size_t most)
{
	rows->candidate = calloc(most, sizeof *rows->candidate);
	rows->most = rows->candidate ? most : 0;
	return rows->candidate ? 0 : -1;
}

void lost_rows_free(struct lost_rows *rows)
{
	free(rows->candidate);
	*rows = (struct lost_rows){0};
}

double lost_rows_target(const struct lost_rows *rows)
{
	return rows->missing.target_ns > 0 ? rows->missing.target / (double)rows->missing.target_ns : NAN;
}

static void add(struct lost_stretch *to, const struct lost_stretch *stretch)
{
	to->ns += stretch->ns;
	to->target_ns += stretch->target_ns;
	to->target += stretch->target;
}

/* Forgets the candidates that are out. */
static void let_go(struct lost_rows *rows, size_t kept)
{
	for (; rows->count > 0 && rows->candidate[rows->first].until + kept <= rows->bytes; rows->count--)
		rows->first = (rows->first + 1) % rows->most;
}

void lost_rows_take(struct lost_rows *rows, struct lost_stretch own, size_t bytes, size_t kept)
{
	rows->bytes += bytes;
	let_go(rows, kept);
	if (kept > 0 && rows->count < rows->most)
		rows->candidate[(rows->first + rows->count++) % rows->most] =
			(struct lost_candidate){.until = rows->bytes, .own = own, .marked = rows->missing};
	rows->missing = (struct lost_stretch){0};
}

void lost_rows_miss(struct lost_rows *rows, struct lost_stretch own, size_t kept)
{
	let_go(rows, kept);
	add(&rows->missing, &own);
	rows->lost_ns += own.ns;
}

void lost_rows_drop(struct lost_rows *rows)
{
	for (; rows->count > 0; rows->count--) {
		const struct lost_candidate *const lost = &rows->candidate[rows->first];
		add(&rows->missing, &lost->own);
		add(&rows->missing, &lost->marked);
		rows->lost_ns += lost->own.ns;
		rows->first = (rows->first + 1) % rows->most;
	}
}
