/* SPDX-License-Identifier: MIT */
/* What a file holds, for tests that look at the output of programs. */
#ifndef FILE_TEXT_H
#define FILE_TEXT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The whole file as text, to be freed; "" where it can't be read. Ends the test program when there is no memory. */
static inline char *file_text(const char *file)
{
	char *text = NULL;
	size_t size = 0;
	FILE *from = fopen(file, "re");
	if (!from || getdelim(&text, &size, '\0', from) < 0) {
		free(text);
		text = strdup("");
	}
	if (from)
		fclose(from);
	if (!text)
		abort();
	return text;
}

#endif
