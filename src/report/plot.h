/* SPDX-License-Identifier: MIT */
/*
 * Pictures by gnuplot. The caller writes a script to a stream; nothing runs before plot_draw, which hands the script to a child
 * process as its standard input and takes the picture from its standard output. So no file name ever reaches gnuplot, and the
 * only texts that do went through plot_quote.
 */
#ifndef REPORT_PLOT_H
#define REPORT_PLOT_H

#include <stddef.h>
#include <stdio.h>

enum plot_format { PLOT_PNG, PLOT_SVG, PLOT_PDF };

/* Longest message, with its NUL. */
#define PLOT_ERROR_MAX 512

/* The format that the ending of a file's name asks for, or -1. */
int plot_format_of(const char *path);

struct plot;

/* A picture of this size with nothing in it. NULL with errno. */
struct plot *plot_new(enum plot_format format, double width_cm, double height_cm);
void plot_free(struct plot *plot);

/* Where the script goes; terminal, encoding and line styles are set already. */
FILE *plot_script(struct plot *plot);

/* Writes a text as a string of the script; it means itself, whatever it holds. 0, or -1 with errno. */
int plot_quote(struct plot *plot, const char *text);
/* The same of at most `width` characters, as report_text_shorten. */
int plot_quote_short(struct plot *plot, const char *text, size_t width);

/* Lines and points that stay apart in print and for the colour-blind: style numbers 1 to PLOT_STYLES. */
#define PLOT_STYLES 14

/* The point size to ask for in a script, so that a point looks alike in all formats. */
double plot_point_size(const struct plot *plot, double size);

/* 0 when gnuplot is there, or -1 with a message. */
int plot_check(char error[static PLOT_ERROR_MAX]);

/* Draws the picture and writes it to the file, which is left alone when drawing fails. 0, or -1 with a message. */
int plot_draw(struct plot *plot, const char *path, char error[static PLOT_ERROR_MAX]);

#endif
