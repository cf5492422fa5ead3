/* SPDX-License-Identifier: MIT */
/* Frequencies of processors as people write them: 1.8GHz, 50%, min. */
#ifndef BASE_FREQUENCY_WISH_H
#define BASE_FREQUENCY_WISH_H

#include <stdint.h>

#define FREQUENCY_WISH_EXPECTED                                                                                                  \
	"a frequency such as 1.8GHz, 1800MHz or 1800000kHz, a share of the highest one such as 50%, min or max"

/* What is wished for. What that comes to, a processor says. */
struct frequency_wish {
	enum { FREQUENCY_NONE, FREQUENCY_EXACT, FREQUENCY_SHARE, FREQUENCY_MIN, FREQUENCY_MAX } kind;
	uint64_t khz; /* of FREQUENCY_EXACT */
	double share; /* of FREQUENCY_SHARE, more than 0 and at most 1 */
};

/* 0, or -1 with errno EINVAL (malformed) or ERANGE (zero, negative, more than all of it, or more than 1000GHz). */
int frequency_wish_parse(const char *text, struct frequency_wish *wish);

/* Longest text that frequency_print makes, with its NUL. */
#define FREQUENCY_TEXT_MAX 40

/* Prints a frequency in MHz, so that it can be typed. Returns text. */
char *frequency_print(uint64_t khz, char text[static FREQUENCY_TEXT_MAX]);

#endif
