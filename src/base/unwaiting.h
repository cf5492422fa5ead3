/* SPDX-License-Identifier: MIT */
/*
 * Lines for a pipe, terminal or socket whose reader may be slow or asleep, written by somebody who must not wait for him: what can't be
 * written at once is kept, and goes before the next line.
 */
#ifndef BASE_UNWAITING_H
#define BASE_UNWAITING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* So much is kept, in bytes; lines beyond it are lost, each of them whole. */
#define UNWAITING_MAX ((size_t)1 << 20)

struct unwaiting;

/* Whether writing there may have to wait for a reader at all: not so for files. */
bool unwaiting_is_needed(int fd);

/* `fd` stays the caller's, who keeps it open as long as this is used. NULL with errno ENOMEM. */
struct unwaiting *unwaiting_new(int fd);

/* 0 when the line was written or kept; -1 with errno: EAGAIN, too much is kept already; or what write(2) says, and then nothing is kept. */
int unwaiting_write(struct unwaiting *to, const char *line, size_t length);

/* So many bytes are kept, the last ones of what was to be written. */
size_t unwaiting_kept(const struct unwaiting *to);

/* Writes what is kept, for at most so long. 0, or -1 with errno: EAGAIN, the reader didn't take it; or else nothing is kept any more. */
int unwaiting_flush(struct unwaiting *to, int64_t limit_ns);

/* What is kept is lost. Accepts NULL. */
void unwaiting_free(struct unwaiting *to);

#endif
