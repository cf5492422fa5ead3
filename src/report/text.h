/* SPDX-License-Identifier: MIT */
/* Labels and file names, which may hold any bytes, on their way into a report. */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include <stddef.h>

/*
 * Copies a text so that it is valid UTF-8 without control characters: what is no UTF-8 becomes U+FFFD, a control character '?'.
 * Returns text to be freed, or NULL with errno.
 */
char *report_text_clean(const char *text);

/* How many characters a valid UTF-8 text has. */
size_t report_text_width(const char *text);

/*
 * As report_text_clean, but of at most `width` characters (at least 1): what is too long ends with an ellipsis.
 */
char *report_text_shorten(const char *text, size_t width);

#endif
