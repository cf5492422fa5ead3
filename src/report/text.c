/* SPDX-License-Identifier: MIT */
#include "report/text.h"

#include <stdlib.h>
#include <string.h>

static const char replacement[] = "\xef\xbf\xbd";

/* Length in bytes of the UTF-8 character at `at`; 0 when there is none (overlong, surrogate, too large, cut off). */
static size_t character(const unsigned char *at)
{
	static const struct {
		unsigned char least, most; /* first byte */
		unsigned char second[2];   /* bounds of the second byte; others are 0x80 to 0xbf */
		size_t length;
	} forms[] = {
		{0x01, 0x7f, {0}, 1},
		{0xc2, 0xdf, {0x80, 0xbf}, 2},
		{0xe0, 0xe0, {0xa0, 0xbf}, 3},
		{0xe1, 0xec, {0x80, 0xbf}, 3},
		{0xed, 0xed, {0x80, 0x9f}, 3},
		{0xee, 0xef, {0x80, 0xbf}, 3},
		{0xf0, 0xf0, {0x90, 0xbf}, 4},
		{0xf1, 0xf3, {0x80, 0xbf}, 4},
		{0xf4, 0xf4, {0x80, 0x8f}, 4},
	};
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		if (at[0] < forms[i].least || at[0] > forms[i].most)
			continue;
		for (size_t next = 1; next < forms[i].length; next++) {
			const unsigned char least = next == 1 ? forms[i].second[0] : 0x80;
			const unsigned char most = next == 1 ? forms[i].second[1] : 0xbf;
			if (at[next] < least || at[next] > most)
				return 0;
		}
		return forms[i].length;
	}
	return 0;
}

/* C0, DEL, and C1 (U+0080 to U+009F). */
static int is_control(const unsigned char *at)
{
	return at[0] < 0x20 || at[0] == 0x7f || (at[0] == 0xc2 && at[1] < 0xa0);
}

char *report_text_clean(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	char *const clean = malloc((sizeof replacement - 1) * strlen(text) + 1);
	char *to = clean;
	if (!clean)
		return NULL;
	while (*at) {
		const size_t length = character(at);
		if (length == 0) {
			memcpy(to, replacement, sizeof replacement - 1);
			to += sizeof replacement - 1;
		} else if (is_control(at)) {
			*to++ = '?';
		} else {
			memcpy(to, at, length);
			to += length;
		}
		at += length ? length : 1;
	}
	*to = '\0';
	return clean;
}

size_t report_text_width(const char *text)
{
	size_t width = 0;
	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

char *report_text_shorten(const char *text, size_t width)
{
	static const char ellipsis[] = "\xe2\x80\xa6";
	char *const clean = report_text_clean(text);
	if (!clean || report_text_width(clean) <= width)
		return clean;
	size_t length = 0;
	for (size_t kept = 0; kept + 1 < width; kept++)
		length += character((const unsigned char *)clean + length);
	char *const shorter = malloc(length + sizeof ellipsis);
	if (shorter) {
		memcpy(shorter, clean, length);
		memcpy(shorter + length, ellipsis, sizeof ellipsis);
	}
	free(clean);
	return shorter;
}
