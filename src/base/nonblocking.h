/* SPDX-License-Identifier: MIT */
/*
 * Lines for a pipe, terminal or socket whose reader may be slow or asleep, written by somebody who must not wait for him: what can't be
 * written at once is kept, and goes before the next line.
 */
#ifndef BASE_NONBLOCKING_H
#define BASE_NONBLOCKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* So much is kept, in bytes; lines beyond it are lost, each of them whole. */
#define NONBLOCKING_MAX ((size_t)1 << 20)

struct nonblocking;

/* Whether writing there may have to wait for a reader at all: not so for files. */
bool nonblocking_is_needed(int fd);

/* `fd` stays the caller's, who keeps it open as long as this is used. NULL with errno ENOMEM. */
struct nonblocking *nonblocking_new(int fd);

/* 0 when the line was written or kept; -1 with errno: EAGAIN, too much is kept already; or what write(2) says, and then nothing is kept. */
int nonblocking_write(struct nonblocking *to, const char *line, size_t length);

/* So many bytes are kept, the last ones of what was to be written. */
size_t nonblocking_kept(const struct nonblocking *to);

/* Writes what is kept, for at most so long. 0, or -1 with errno: EAGAIN, the reader didn't take it; or else nothing is kept any more. */
int nonblocking_flush(struct nonblocking *to, int64_t limit_ns);

/* What is kept is lost. Accepts NULL. */
void nonblocking_free(struct nonblocking *to);

#endif
