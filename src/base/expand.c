/* SPDX-License-Identifier: MIT */
#include "base/expand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned expand_width(unsigned workloads)
{
	unsigned width = 1;
	for (unsigned largest = workloads ? workloads - 1 : 0; largest >= 10; largest /= 10)
		width++;
	return width;
}

char *expand(const char *text, const char *placeholder, unsigned number, unsigned width)
{
	const size_t mark = strlen(placeholder);
	char *result = NULL;
	size_t size = 0;
	if (!mark)
		return strdup(text);
	FILE *out = open_memstream(&result, &size);
	if (!out)
		return NULL;
	for (const char *found; (found = strstr(text, placeholder)); text = found + mark) {
		fwrite(text, 1, (size_t)(found - text), out);
		if (strncmp(found + mark, placeholder, mark) == 0) {
			fputs(placeholder, out);
			found += mark;
		} else {
			fprintf(out, "%0*u", (int)width, number);
		}
	}
	fputs(text, out);
	if (fclose(out) != 0) {
		free(result);
		return NULL;
	}
	return result;
}

char **expand_command(char *const *command, const char *placeholder, unsigned number, unsigned width)
{
	size_t count = 0;
	while (command[count])
		count++;
	char **words = calloc(count + 1, sizeof *words);
	for (size_t i = 0; words && i < count; i++) {
		words[i] = expand(command[i], i ? placeholder : "", number, width);
		if (!words[i]) {
			expand_free(words);
			return NULL;
		}
	}
	return words;
}

void expand_free(char **command)
{
	for (char **word = command; word && *word; word++)
		free(*word);
	free(command);
}
