/* SPDX-License-Identifier: MIT */
/*
 * An output of the command that passes through a pipe of ours: it is read, looked at for the lines where iterations begin and end,
 * and written on. A piece is read when the one before has been written.
 */
#ifndef SSITERATE_LINES_H
#define SSITERATE_LINES_H

#include <poll.h>
#include <stdbool.h>

#include "ssiterate/iterate.h"

/* Whether something was read that waits to be written. */
bool lines_are_pending(const struct stream *stream);

/* What is to be seen of a stream: room to write what was read, else something to read, where more is to be read. */
struct pollfd lines_event(const struct stream *stream);

/* Has no more read than what is in the pipe now. */
void lines_bound(struct stream *stream);

/* Does what lines_event waited for. */
void lines_serve(struct iterate *iterate, struct stream *stream);

/* Takes what there is of a last line without a newline, and closes the pipe. What waits to be written is lost. */
void lines_close(struct iterate *iterate, struct stream *stream);

#endif
