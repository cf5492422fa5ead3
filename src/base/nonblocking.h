/* SPDX-License-Identifier: MIT */
/*
 * Lines for a pipe, terminal or socket whose reader may be slow or asleep, written by a process that must not wait for it. The kernel keeps what
 * the reader hasn't taken, in a pipe a MiB; lines beyond it are lost, each of them whole.
 */
#ifndef BASE_NONBLOCKING_H
#define BASE_NONBLOCKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nonblocking;

/* Whether writing there may have to wait for a reader at all: not so for files. */
bool nonblocking_is_needed(int fd);

/* `fd` stays the caller's, who keeps it open as long as this is used. NULL with errno ENOMEM. */
struct nonblocking *nonblocking_new(int fd);

/*
 * 0 when the line was written, or so much of it that the rest goes out before the next line. -1 with errno, and then nothing of it went out:
 * EAGAIN, there was no room; or what write(2) says.
 */
int nonblocking_write(struct nonblocking *to, const char *line, size_t length);

/* Writes the rest of a line, for at most so long. 0, or -1 with errno: EAGAIN, the reader made no room; or what write(2) says. */
int nonblocking_flush(struct nonblocking *to, int64_t limit_ns);

/* The rest of a line is lost. Accepts NULL. */
void nonblocking_free(struct nonblocking *to);

#endif
