/* SPDX-License-Identifier: MIT */
/*
 * Targets that come while a run goes on: the lines that say them, and the board on which one process writes them for others.
 *
 *	LOAD              from now on
 *	TIME LOAD         from that time since control began on, or from now on when it is over
 *	free              likewise, TIME before it too: the workloads run uncontrolled
 *	end               likewise: the run ends
 *
 * What a line says takes the place of all that had been said for later; an end that has come stays. Blanks and tabs part words; # begins a comment.
 */
#ifndef TRACE_STREAM_H
#define TRACE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "showstopper/module.h"

/* ---- Lines ------------------------------------------------------------------------------------------------------------ */

/* Longest line in bytes, without its end. */
#define STREAM_LINE_MAX 255
#define STREAM_ERROR_MAX 384

#define STREAM_EXPECTED "LOAD, TIME LOAD, or free or end in place of LOAD"

enum stream_says { STREAM_NOTHING, STREAM_TARGET, STREAM_END };

struct stream_line {
	enum stream_says says;
	bool at;     /* for a time of its own … */
	int64_t ns;  /* … this one, from 0 */
	double load; /* of STREAM_TARGET; NaN: free */
};

/* Reads one line without its end. 0, or -1 with what was found and expected. */
int stream_line_parse(const char *text, size_t length, struct stream_line *line, char error[static STREAM_ERROR_MAX]);

/* Cuts what comes in pieces into lines. Zero before the first piece. */
struct stream_cutter {
	uint64_t lines; /* so far, the one that is called included */
	size_t held;    /* bytes of a line whose end hasn't come; more than STREAM_LINE_MAX: it is too long, and they are gone */
	char hold[STREAM_LINE_MAX];
};

/* Called with each line; NULL for one that is too long. */
typedef void stream_took(void *context, const char *text, size_t length);

void stream_cut(struct stream_cutter *cutter, const char *piece, size_t length, stream_took *took, void *context);
/* The source has ended: the last line may lack its end. */
void stream_cut_rest(struct stream_cutter *cutter, stream_took *took, void *context);

/* ---- The board -------------------------------------------------------------------------------------------------------- */

/* Targets that it holds: of so many that are over the last ones, and all that are ahead. */
#define STREAM_POINTS 1024
#define STREAM_POINTS_OVER 256

struct stream_board;

/* In memory that children share; `first` is the target until another comes. NULL with errno. */
struct stream_board *stream_board_new(double first);
void stream_board_free(struct stream_board *board);

/*
 * Target at a moment. Never waits: who finds the board in the middle of a change for long, as its writer was killed there, gets *last, what
 * it got last.
 */
double stream_board_target(const struct stream_board *board, int64_t since_ns, double *last);

/* The writer's side; one process has it. */
struct stream_writer {
	struct stream_board *board;
	int64_t end_ns; /* when the run is to end; INT64_MAX: nobody has said */
};

/* Does what a line says at the moment now_ns. 0, or -1 when too many targets are ahead. */
int stream_say(struct stream_writer *writer, const struct stream_line *line, int64_t now_ns);

/* Nothing comes any more, from this moment or the last target that is ahead on: what is to become of the target then. As stream_say. */
int stream_say_rest(struct stream_writer *writer, enum sst_then then, int64_t now_ns);

#endif
