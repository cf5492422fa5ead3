/* SPDX-License-Identifier: MIT */
/*
 * Script, picture and messages of gnuplot are in temporary files without names (tmpfile), so that no pipe can fill up while both
 * sides write, and nothing stays behind.
 *
 * Sizes are those of paper: text of 7.5 points and lines of half a point in a picture that is a column (8.5 cm) wide. For PNG
 * this means 300 pixels per inch.
 */
#include "report/plot.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/output.h"
#include "base/version.h"
#include "report/table.h"
#include "self/signals.h"
#include "workloads/spawn.h"

#define PROGRAM "gnuplot"
#define CM_PER_INCH 2.54
#define PNG_DPI 300.0
#define SVG_DPI 96.0 /* CSS pixels */
#define POINT_DPI 72.0
#define FONT "Sans"
#define SVG_POINT 0.6
#define SVG_FONT "sans-serif" /* in the words of CSS */
#define FONT_POINTS 7.5
#define CAIRO_DPI 96.0 /* what points of text mean to the cairo terminals, whatever the picture's resolution */

struct plot {
	FILE *script;
	enum plot_format format;
};

/* Okabe and Ito's colours that stand out from white, with points whose shapes differ too. */
static const struct {
	const char *color;
	int point;
} styles[] = {
	{"#0072b2", 7},
	{"#d55e00", 5},
	{"#009e73", 9},
	{"#cc79a7", 11},
	{"#e69f00", 13},
	{"#56b4e9", 6},
	{"#000000", 4},
};
#define COLORS (sizeof styles / sizeof *styles)

int plot_format_of(const char *path)
{
	static const char *const endings[] = {[PLOT_PNG] = ".png", [PLOT_SVG] = ".svg", [PLOT_PDF] = ".pdf"};
	const char *const ending = strrchr(path, '.');
	for (int i = 0; ending && i < (int)(sizeof endings / sizeof *endings); i++)
		if (strcasecmp(ending, endings[i]) == 0)
			return i;
	return -1;
}

/* ---- Script ----------------------------------------------------------------------------------------------------------- */

static void write_terminal(FILE *to, enum plot_format format, double width, double height)
{
	const double png = PNG_DPI / POINT_DPI;
	const double svg = SVG_DPI / POINT_DPI;
	switch (format) {
	case PLOT_PNG:
		fprintf(to,
			"set terminal pngcairo noenhanced rounded size %.0f,%.0f font '" FONT
			",%g' fontscale %g linewidth %g pointscale %g\n",
			width / CM_PER_INCH * PNG_DPI, height / CM_PER_INCH * PNG_DPI, FONT_POINTS, PNG_DPI / CAIRO_DPI, png / 2,
			png / 2);
		break;
	case PLOT_SVG:
		fprintf(to,
			"set terminal svg noenhanced rounded size %.0f,%.0f font '" SVG_FONT
			",%g' linewidth %g background '#ffffff'\n",
			width / CM_PER_INCH * SVG_DPI, height / CM_PER_INCH * SVG_DPI, FONT_POINTS * svg, svg / 2);
		break;
	case PLOT_PDF:
		fprintf(to,
			"set terminal pdfcairo noenhanced rounded size %gcm,%gcm font '" FONT
			",%g' fontscale %g linewidth 1 pointscale 0.5\n",
			width, height, FONT_POINTS, POINT_DPI / CAIRO_DPI);
		break;
	}
}

struct plot *plot_new(enum plot_format format, double width_cm, double height_cm)
{
	struct plot *const plot = malloc(sizeof *plot);
	if (!plot)
		return NULL;
	plot->format = format;
	plot->script = tmpfile();
	if (!plot->script) {
		free(plot);
		return NULL;
	}
	fprintf(plot->script, "set encoding utf8\n");
	write_terminal(plot->script, format, width_cm, height_cm);
	for (int i = 0; i < PLOT_STYLES; i++)
		fprintf(plot->script, "set style line %d lc rgb '%s' pt %d dt %d\n", i + 1, styles[i % (int)COLORS].color,
			styles[i % (int)COLORS].point, 1 + i / (int)COLORS);
	return plot;
}

void plot_free(struct plot *plot)
{
	if (!plot)
		return;
	fclose(plot->script);
	free(plot);
}

FILE *plot_script(struct plot *plot)
{
	return plot->script;
}

double plot_point_size(const struct plot *plot, double size)
{
	/* The terminal for SVG has no option to scale points. */
	return plot->format == PLOT_SVG ? SVG_POINT * size : size;
}

int plot_quote(struct plot *plot, const char *text)
{
	/*
	 * Between single quotes nothing is special but the quote; without control characters the string can't end with its line.
	 */
	char *const clean = report_text_clean(text);
	if (!clean)
		return -1;
	fputc('\'', plot->script);
	for (const char *at = clean; *at; at++) {
		if (*at == '\'')
			fputc('\'', plot->script);
		fputc(*at, plot->script);
	}
	fputc('\'', plot->script);
	free(clean);
	return 0;
}

int plot_quote_short(struct plot *plot, const char *text, size_t width)
{
	char *const shown = report_text_shorten(text, width);
	const int result = shown ? plot_quote(plot, shown) : -1;
	free(shown);
	return result;
}

/* ---- Drawing ---------------------------------------------------------------------------------------------------------- */

static int fail(char error[static PLOT_ERROR_MAX], const char *what, int number)
{
	snprintf(error, PLOT_ERROR_MAX, "%s: %s", what, strerror(number));
	return -1;
}

int plot_check(char error[static PLOT_ERROR_MAX])
{
	char path[PATH_MAX];
	if (spawn_find_command(PROGRAM, NULL, path) == 0)
		return 0;
	return fail(error, "can't run " PROGRAM ", which draws pictures (tables don't need it)", errno);
}

/* In the new process. */
static _Noreturn void become(int script, int picture, int messages)
{
	signals_unblock_file_limit();
	if (dup2(script, STDIN_FILENO) >= 0 && dup2(picture, STDOUT_FILENO) >= 0 && dup2(messages, STDERR_FILENO) >= 0 &&
		setenv("LC_ALL", "C", 1) == 0)
		execlp(PROGRAM, PROGRAM, "-d", (char *)NULL);
	/* Into the file of gnuplot's messages, or to nobody. */
	dprintf(messages, "%s\n", strerror(errno));
	_exit(127);
}

/* Runs gnuplot with these as its standard input, output and error. 0, or -1 with errno; *status is that of waitpid. */
static int run(int script, int picture, int messages, int *status)
{
	const pid_t pid = fork();
	if (pid < 0)
		return -1;
	if (pid == 0)
		become(script, picture, messages);
	while (waitpid(pid, status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return 0;
}

/* What gnuplot says of its failure: the last line that is not empty, without its control characters. */
static void explain(FILE *messages, int status, char error[static PLOT_ERROR_MAX])
{
	char line[256];
	char last[256] = "no message";
	const bool is_readable = fseek(messages, 0, SEEK_SET) == 0;
	while (is_readable && fgets(line, sizeof line, messages)) {
		line[strcspn(line, "\n")] = '\0';
		if (line[strspn(line, " \t^")])
			memcpy(last, line, sizeof last);
	}
	for (char *at = last; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
	if (WIFSIGNALED(status))
		snprintf(error, PLOT_ERROR_MAX, PROGRAM " was killed by signal %d", WTERMSIG(status));
	else
		snprintf(error, PLOT_ERROR_MAX, PROGRAM " failed with status %d: %s", WEXITSTATUS(status),
			last + strspn(last, " \t"));
}

static int copy_picture(FILE *picture, const char *path, char error[static PLOT_ERROR_MAX])
{
	char piece[65536];
	char what[PLOT_ERROR_MAX / 2];
	int number = 0;
	snprintf(what, sizeof what, "can't write %.200s", path);
	FILE *const to = fopen(path, "we");
	if (!to)
		return fail(error, what, errno);
	if (fseek(picture, 0, SEEK_SET) != 0)
		number = errno;
	size_t got = sizeof piece;
	while (number == 0 && got == sizeof piece) {
		got = fread(piece, 1, sizeof piece, picture);
		if (ferror(picture))
			number = EIO;
		else if (fwrite(piece, 1, got, to) != got)
			number = errno;
	}
	if (fclose(to) != 0 && number == 0)
		number = errno;
	if (number == 0)
		return 0;
	half_file_empty(path);
	return fail(error, what, number);
}

int plot_draw(struct plot *plot, const char *path, char error[static PLOT_ERROR_MAX])
{
	int result = -1;
	int status = 0;
	FILE *const picture = tmpfile();
	FILE *const messages = tmpfile();
	if (!picture || !messages || fflush(plot->script) != 0 || ferror(plot->script)) {
		fail(error, "can't write a temporary file for " PROGRAM, errno);
		goto out;
	}
	if (fseek(plot->script, 0, SEEK_SET) != 0 || run(fileno(plot->script), fileno(picture), fileno(messages), &status) != 0) {
		fail(error, "can't run " PROGRAM, errno);
		goto out;
	}
	const bool is_empty = fseek(picture, 0, SEEK_END) != 0 || ftell(picture) <= 0;
	if (status != 0 || is_empty)
		explain(messages, status, error);
	else if (plot->format == PLOT_SVG && fprintf(picture, "<!-- Showstopper %s -->\n", version_text) < 0)
		fail(error, "can't write a temporary file for a picture", errno);
	else
		result = copy_picture(picture, path, error);
out:
	if (picture)
		fclose(picture);
	if (messages)
		fclose(messages);
	return result;
}
