/* SPDX-License-Identifier: MIT */
/* A file that is read from its beginning to its end, whether it is compressed (gzip, xz, zstd: told by its first bytes) or not. */
#ifndef TRACE_INPUT_H
#define TRACE_INPUT_H

#include <stddef.h>
#include <sys/types.h>

/* Longest message, with its NUL. */
#define INPUT_ERROR_MAX 256

struct input;

/*
 * Takes over the open descriptor, of which so many bytes (at most 64 KiB; NULL: none) have been read already. NULL with errno ENOMEM, and then
 * it stays the caller's.
 */
struct input *input_new(int fd, const char *ahead, size_t length);

/* The same for a text in memory, which must outlive it. */
struct input *input_new_text(const char *text, size_t length);

/* The next bytes of what is in the file: how many, 0 at the end, or -1 (input_error). */
ssize_t input_read(struct input *input, char *buffer, size_t size);

/* What went wrong; damaged or cut-off data included. */
const char *input_error(const struct input *input);

/* Accepts NULL. */
void input_free(struct input *input);

#endif
