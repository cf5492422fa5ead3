/* SPDX-License-Identifier: MIT */
/* How long requests took: in all, in windows, at each step of the load; and up to which load they keep within limits. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include "base/diag.h"
#include "report/rate_steps.h"
#include "ssreport/latency.h"
#include "ssreport/parts.h"

#define RESAMPLES 1000
#define SEED 1
/* A last window that is shorter than so much of the others is left out. */
#define PIECE_LEAST 0.5

enum {
	PART,
	START,
	END,
	TARGET,
	LOAD,
	RATE,
	GOOD,
	REQUESTS,
	SAMPLES_CELL,
	ERRORS,
	TIMEOUTS,
	DROPS,
	KEEPS,
	FIXED_CELLS,
	/* Behind them three of each figure but the maximum: value, low, high. */
	CELLS = FIXED_CELLS + 3 * REPORT_LATENCY_BOUNDED + 1,
};

static const struct report_column fixed_columns[FIXED_CELLS] = {
	[PART] = {"part", REPORT_IS_TEXT, "part", 0, 1, NULL},
	[START] = {"start_s", 3, "start s", 1, 1, NULL},
	[END] = {"end_s", 3, "end s", 1, 1, NULL},
	[TARGET] = {"target", 6, "target %", 2, 100, NULL},
	[LOAD] = {"load", 6, "load %", 2, 100, NULL},
	[RATE] = {"rate_per_s", 6, "requests/s", 2, 1, NULL},
	[GOOD] = {"throughput_per_s", 6, "good/s", 2, 1, NULL},
	[REQUESTS] = {"requests", 0, "requests", 0, 1, NULL},
	[SAMPLES_CELL] = {"samples", 0, NULL, 0, 1, NULL},
	[ERRORS] = {"errors", 0, "errors", 0, 1, NULL},
	[TIMEOUTS] = {"timeouts", 0, "timeouts", 0, 1, NULL},
	[DROPS] = {"drops", 0, "drops", 0, 1, NULL},
	[KEEPS] = {"keeps_limit", REPORT_IS_TEXT, "keeps limit", 0, 1, NULL},
};

static int check_columns(const struct settings *settings)
{
	const struct client_columns *const client = &settings->client;
	const bool has_moment = client->start || client->end;
	if ((client->start && client->end) == (client->time != NULL) && (has_moment || client->time))
		return complain(client->time ? "found --start, --end and --time, expected two of them"
					     : "found --start or --end alone, expected both of them, or --time beside one");
	if (settings->unit != UNSET && !has_moment && !client->time)
		return complain("found --unit without --start, --end or --time, whose unit it is");
	if (client->time && !has_moment && (settings->log || settings->window_ns != UNSET))
		return complain("found --time alone with --log or --window, expected --start or --end, too: when requests were "
				"isn't known");
	if (client->time && !has_moment && settings->picture == REPORT_LATENCY_TIMELINE)
		return complain("found --picture timeline with --time alone, expected --start or --end, too");
	return 0;
}

static int check_latency(const struct settings *settings)
{
	if (!isnan(settings->edge) && settings->window_ns != UNSET)
		return complain("found --edge and --window, expected one of them");
	if (settings->picture != UNSET && !settings_want_picture(settings))
		return complain("found --picture, but no picture (--output FILE.png, .svg or .pdf)");
	return check_columns(settings);
}

/* ---- Rows ------------------------------------------------------------------------------------------------------------- */

/* So much of a row may be without requests at its ends. */
#define IDLE_MOST 0.01

/* Before the first request and behind the last one a row has no rate. */
static void narrow(const struct latency *latency, struct report_latency_row *row)
{
	const double first = report_requests_first(&latency->requests);
	const double end = report_requests_end(&latency->requests);
	const double idle = IDLE_MOST * (row->to - row->from);
	if (row->to <= first || row->from >= end || (first - row->from <= idle && row->to - end <= idle))
		return;
	row->from = fmax(row->from, first);
	row->to = fmin(row->to, end);
	row->start = latency_time(latency, row->from);
	row->end = latency_time(latency, row->to);
	if (latency->settings->log)
		row->load = report_log_mean(&latency->log, row->start, row->end).load;
}

static int add_part(struct latency *latency, double start, double end, double target, double load)
{
	struct report_latency_row *const larger = realloc(latency->row, (latency->rows + 1) * sizeof *larger);
	if (!larger)
		return complain_about_memory();
	latency->row = larger;
	larger[latency->rows++] = (struct report_latency_row){.start = start,
		.end = end,
		.from = latency_moment(latency, start),
		.to = latency_moment(latency, end),
		.target = target,
		.load = load};
	narrow(latency, &larger[latency->rows - 1]);
	return 0;
}

/* A shorter time has no rate. */
#define LENGTH_LEAST 1e-6

/* From the first request to when one more would have come. */
static int add_whole(struct latency *latency)
{
	const struct report_requests *const requests = &latency->requests;
	const double first = report_requests_first(requests);
	const double after = fmax(report_requests_end(requests), first + LENGTH_LEAST);
	const double start = latency_time(latency, first);
	const double end = latency_time(latency, after);
	const double load = latency->settings->log ? report_log_mean(&latency->log, start, end).load : NAN;
	if (add_part(latency, start, end, NAN, load) != 0)
		return -1;
	/* To the nanosecond. */
	latency->row[0].from = first;
	latency->row[0].to = after;
	return 0;
}

/*
 * Of requests that come together a stretch has one batch more or less, by where it begins: it counts as long as its batches take. The requests
 * of the row stay the same.
 */
static void fit_batches(const struct latency *latency, struct report_latency_row *row)
{
	const struct report_requests *const requests = &latency->requests;
	const size_t first = report_requests_find(requests, row->from);
	const size_t after = report_requests_find(requests, row->to);
	size_t gaps = 0;
	if (!requests->come_together)
		return;
	for (size_t i = first + 1; i < after; i++)
		gaps += requests->item[i].key != requests->item[i - 1].key;
	if (gaps == 0)
		return;
	const double begin = report_request_at(requests, first).begin;
	const double gap = (report_request_at(requests, after - 1).begin - begin) / (double)gaps;
	const double length = gap * (double)(gaps + 1);
	/* Where part of it has none, that is part of its rate. */
	if (fabs(length - (row->to - row->from)) > gap)
		return;
	row->from = begin;
	row->to = begin + length;
	if (after < requests->count)
		row->to = fmin(row->to, report_request_at(requests, after).begin);
}

static int add_windows_of_log(struct latency *latency)
{
	const struct settings *const settings = latency->settings;
	const struct report_windows_rules rules = {
		.kind = settings->window_ns == UNSET ? REPORT_STEPS : REPORT_INTERVALS,
		.length = settings_seconds(settings->window_ns, 0),
		.edge = settings_edge(settings),
	};
	char label[] = "";
	const struct report_run run = {.label = label, .log = &latency->log, .logs = 1};
	struct report_windows windows = {0};
	int result = make_windows(&windows, &run, &latency->log, &rules);
	for (size_t i = 0; result == 0 && i < windows.count; i++) {
		const struct report_window *const window = &windows.item[i];
		result = add_part(latency, window->start, window->end, window->target, window->load);
		if (result == 0)
			fit_batches(latency, &latency->row[latency->rows - 1]);
	}
	report_windows_free(&windows);
	return result;
}

/* Bins in which the rate is looked at: whole seconds, as arrivals may come together at the beginning of each. */
#define BINS_MOST 7200
#define BINS_LEAST 60
#define BIN_REQUESTS 10

static double bin_length(const struct report_requests *requests, double span)
{
	double length = span / BINS_LEAST;
	if (length > 1)
		length = fmax(1, ceil(span / BINS_MOST));
	length = fmax(length, span * BIN_REQUESTS / (double)requests->total);
	return length > 1 || requests->come_together ? ceil(length) : length;
}

/* What is left out at both ends of a step. Of requests that come together it is whole bins: half of one may have all of its requests, or none. */
static double edge_of_step(const struct latency *latency, double step, double bin)
{
	const double edge = settings_edge(latency->settings) * step;
	if (!latency->requests.come_together)
		return edge;
	const double whole = ceil(edge / bin) * bin;
	return 2 * whole < step ? whole : floor(edge / bin) * bin;
}

/* Steps of the planned rate, where it has some. Without a schedule the rate is what the service makes of it. */
static int add_steps_of_rate(struct latency *latency)
{
	const struct report_requests *const requests = &latency->requests;
	const double span = latency->row[0].end;
	const double length = bin_length(requests, span);
	const size_t bins = (size_t)(span / length);
	double *const count = calloc(bins + 1, sizeof *count);
	size_t *const begin = calloc(bins + 1, sizeof *begin);
	if (!count || !begin) {
		free(count);
		free(begin);
		return complain_about_memory();
	}
	for (size_t i = 0; i < requests->count; i++) {
		const struct report_request request = report_request_at(requests, i);
		const double place = (request.begin - report_requests_first(requests)) / length;
		if (place < (double)bins)
			count[(size_t)fmax(place, 0)] += (double)request.weight;
	}
	int result = 0;
	const size_t steps = bins > 0 ? report_rate_steps(count, bins, begin) : 0;
	for (size_t i = 0; result == 0 && steps > 1 && i < steps; i++) {
		const double start = (double)begin[i] * length;
		const double end = i + 1 < steps ? (double)begin[i + 1] * length : span;
		const double edge = edge_of_step(latency, end - start, length);
		result = add_part(latency, start + edge, end - edge, NAN, NAN);
	}
	free(count);
	free(begin);
	return result;
}

#define WINDOWS_MAX 1e6

static int add_windows_of_time(struct latency *latency)
{
	const double length = settings_seconds(latency->settings->window_ns, 0);
	const double end = latency->row[0].end;
	if (end / length > WINDOWS_MAX) {
		diag("--window: found %.0f windows in the time of the requests, expected at most %.0f", end / length,
			WINDOWS_MAX);
		return -1;
	}
	size_t count = 1;
	while (end - (double)count * length >= PIECE_LEAST * length)
		count++;
	for (size_t i = 0; i < count; i++) {
		const double start = (double)i * length;
		if (add_part(latency, start, start + length, NAN, NAN) != 0)
			return -1;
	}
	return 0;
}

/* What needs more than the row of all. */
static int check_rows(const struct latency *latency)
{
	const struct settings *const settings = latency->settings;
	const char *const what = settings->has_limits                        ? "--limit"
				 : settings->picture == REPORT_LATENCY_CURVE ? "--picture curve"
				 : !isnan(settings->edge)                    ? "--edge"
									     : NULL;
	if (!what || latency->rows > 1)
		return 0;
	diag("found %s, but no steps of %s, expected %s", what, settings->log ? "the load" : "the rate",
		settings->log ? "a log with some" : "--log FILE or --window TIME");
	return -1;
}

/* Windows end with the last whole one, or half of one. */
static void say_rest(const struct latency *latency)
{
	uint64_t within = 0;
	for (size_t i = 1; i < latency->rows; i++)
		within += latency->row[i].requests;
	if (!latency->settings->log && latency->settings->window_ns != UNSET && within < latency->row[0].requests)
		diag("%" PRIu64 " requests at the end are in no window, as less than half of one was left",
			latency->row[0].requests - within);
}

static int make_rows(struct latency *latency)
{
	const struct settings *const settings = latency->settings;
	const struct report_latency_rules rules = {
		.resamples = settings->resamples == UNSET ? RESAMPLES : (size_t)settings->resamples,
		.seed = settings->seed == UNSET ? SEED : (uint64_t)settings->seed,
	};
	if (add_whole(latency) != 0)
		return -1;
	if ((settings->log                         ? add_windows_of_log(latency)
		    : settings->window_ns != UNSET ? add_windows_of_time(latency)
		    : latency->lacks_schedule      ? 0
						   : add_steps_of_rate(latency)) != 0 ||
		check_rows(latency) != 0)
		return -1;
	for (size_t i = 0; i < latency->rows; i++) {
		struct report_latency_rules own = rules;
		/* Rows are drawn apart from one another. */
		own.seed += i * UINT64_C(0x100000001b3);
		if (report_latency_measure(&latency->requests, &own, &latency->row[i]) != 0)
			return complain_about_memory();
	}
	say_rest(latency);
	return 0;
}

/* ---- The table -------------------------------------------------------------------------------------------------------- */

/* Texts of the columns of figures; what isn't shown to people is the interval of most of them. */
static int name_columns(struct report *report)
{
	if (own_columns(report, CELLS) != 0)
		return -1;
	memcpy(report->column, fixed_columns, sizeof fixed_columns);
	for (size_t i = FIXED_CELLS; i < CELLS; i++) {
		static const char *const ends[] = {"", "_low", "_high"};
		static const char *const titles[] = {NULL, "95 % from", "to"};
		const size_t figure = (i - FIXED_CELLS) / 3;
		const size_t end = (i - FIXED_CELLS) % 3;
		const char *const name = report_latency_name((enum report_latency_figure)figure);
		struct column_text *const text = &report->text[i];
		snprintf(text->name, sizeof text->name, "%s%s_s", name, ends[end]);
		char *const point = strchr(text->name, '.');
		if (point)
			*point = '_';
		snprintf(text->title, sizeof text->title, "%s ms", name);
		report->column[i] = (struct report_column){
			.name = text->name, .decimals = 9, .title = text->title, .title_decimals = 3, .scale = 1000};
		report->column[i].lack = end == 0 ? "under 20" : NULL;
		if (end > 0)
			report->column[i].title = figure == REPORT_LATENCY_P99 ? titles[end] : NULL;
	}
	return 0;
}

static int add_line(struct latency *latency, size_t at)
{
	const struct settings *const settings = latency->settings;
	const struct report_latency_row *const row = &latency->row[at];
	const uint64_t given_up = row->outcome[REPORT_TIMEOUT] + row->outcome[REPORT_DROPPED];
	const int keeps = settings->has_limits ? report_latency_keeps(row, &settings->limits) : -1;
	union report_cell cell[CELLS] = {
		[PART].text = at == 0                        ? "all"
			      : settings->window_ns == UNSET ? "step"
							     : "window",
		[START].number = row->start,
		[END].number = row->end,
		[TARGET].number = row->target,
		[LOAD].number = row->load,
		[RATE].number = row->rate,
		[GOOD].number = row->throughput,
		[REQUESTS].number = (double)row->requests,
		[SAMPLES_CELL].number = (double)row->samples,
		[ERRORS].number = (double)(row->outcome[REPORT_WRONG] + row->outcome[REPORT_UNANSWERED] + given_up),
		[TIMEOUTS].number = (double)row->outcome[REPORT_TIMEOUT],
		[DROPS].number = (double)row->outcome[REPORT_DROPPED],
		[KEEPS].text = keeps < 0 ? NULL
			       : keeps   ? "yes"
					 : "no",
	};
	if (latency->lacks_moments)
		cell[START].number = cell[END].number = cell[RATE].number = NAN;
	if (row->to - row->from < 2 * LENGTH_LEAST)
		cell[RATE].number = cell[GOOD].number = NAN;
	if (latency->lacks_status)
		cell[ERRORS].number = cell[TIMEOUTS].number = cell[DROPS].number = NAN;
	if (latency->lacks_moments || latency->lacks_status)
		cell[GOOD].number = NAN;
	for (int i = 0; i < REPORT_LATENCY_FIGURES; i++) {
		union report_cell *const of = &cell[FIXED_CELLS + 3 * i];
		of[0].number = row->value[i];
		if (i < REPORT_LATENCY_BOUNDED) {
			of[1].number = row->low[i];
			of[2].number = row->high[i];
		}
	}
	return report_table_add(latency->report->table, cell) == 0 ? 0 : complain_about_memory();
}

/* The limits as the user gave them, in a sentence: `mean within 1 s and p95 within 2 s`. To be freed; NULL with errno. */
static char *print_limits(const struct report_latency_limits *limits)
{
	char *text = NULL;
	size_t length;
	FILE *const to = open_memstream(&text, &length);
	const char *between = "";
	if (!to)
		return NULL;
	for (int i = 0; i < REPORT_LATENCY_FIGURES; i++) {
		const double most = limits->most[i];
		if (isnan(most))
			continue;
		fprintf(to, "%s%s within %.6g %s", between, report_latency_name((enum report_latency_figure)i),
			most < 1 ? most * 1000 : most, most < 1 ? "ms" : "s");
		between = " and ";
	}
	return fclose(to) == 0 ? text : NULL;
}

static void print_place(FILE *to, const struct report_knee *knee, double value)
{
	if (isnan(value))
		fputs(knee->is_of_load ? "no load" : "no rate", to);
	else if (knee->is_of_load)
		fprintf(to, "%.2f %%", 100 * value);
	else
		fprintf(to, "%.4g requests/s", value);
}

static void print_knee(FILE *to, const struct report_knee *knee, const char *limits)
{
	if (!knee->row) {
		fprintf(to, "No row of enough response times keeps %s.", limits);
		return;
	}
	fprintf(to, "The response times keep %s up to a %s of ", limits, knee->is_of_load ? "load" : "rate");
	print_place(to, knee, knee->value);
	fputs(" (95 %: from ", to);
	print_place(to, knee, knee->low);
	fputs(" to ", to);
	print_place(to, knee, knee->high);
	if (knee->is_of_load)
		fprintf(to, "), at %.4g requests/s", knee->row->rate);
	else
		fputc(')', to);
	if (knee->is_last)
		fputs("; no greater one was tried", to);
	if (knee->lesser > 0)
		fprintf(to, "; %zu row%s up to there %s not", knee->lesser, knee->lesser > 1 ? "s" : "",
			knee->lesser > 1 ? "do" : "does");
	fputc('.', to);
}

static int say_knee(struct latency *latency)
{
	const struct settings *const settings = latency->settings;
	struct report_knee knee;
	char *text = NULL;
	size_t length;
	if (!settings->has_limits)
		return 0;
	report_latency_knee(latency->row + 1, latency->rows - 1, &settings->limits, &knee);
	char *const limits = print_limits(&settings->limits);
	FILE *const to = limits ? open_memstream(&text, &length) : NULL;
	if (to)
		print_knee(to, &knee, limits);
	free(limits);
	if (!to || fclose(to) != 0)
		return complain_about_memory();
	latency->report->note = report_keep(latency->report, text);
	return latency->report->note ? 0 : complain_about_memory();
}

/* Items, and two lists as long that work with them needs, take half of the machine's memory at most; limits of a process show when they are met. */
static size_t requests_most(void)
{
	const long pages = sysconf(_SC_PHYS_PAGES);
	const long size = sysconf(_SC_PAGESIZE);
	return pages > 0 && size > 0 ? (size_t)pages * (size_t)size / 2 / (3 * sizeof(struct report_pair)) : 0;
}

static int make_latency(struct report *report)
{
	struct latency *const latency = calloc(1, sizeof *latency);
	if (!latency)
		return complain_about_memory();
	*latency = (struct latency){.report = report, .settings = report->settings, .requests.most = requests_most()};
	report->latency = latency;
	if (latency_read(latency) != 0 || make_rows(latency) != 0 || name_columns(report) != 0)
		return -1;
	for (size_t i = 0; i < latency->rows; i++)
		if (add_line(latency, i) != 0)
			return -1;
	return say_knee(latency);
}

void latency_free(struct latency *latency)
{
	if (!latency)
		return;
	free(latency->row);
	report_requests_free(&latency->requests);
	if (latency->settings->log)
		report_log_free(&latency->log);
	free(latency);
}

/* ---- Pictures --------------------------------------------------------------------------------------------------------- */

static struct report_latency_view view_of(const struct latency *latency)
{
	const struct settings *const settings = latency->settings;
	return (struct report_latency_view){.requests = &latency->requests,
		.row = latency->row,
		.rows = latency->rows,
		.limits = settings->has_limits ? &settings->limits : NULL,
		.log = settings->log ? &latency->log : NULL};
}

static enum report_latency_picture picture_of(const struct latency *latency)
{
	if (latency->settings->picture != UNSET)
		return (enum report_latency_picture)latency->settings->picture;
	return latency->rows > 1 ? REPORT_LATENCY_CURVE : REPORT_LATENCY_TAIL;
}

static struct report_size size_latency(const struct report *report)
{
	const struct report_latency_view view = view_of(report->latency);
	return report_latency_size(picture_of(report->latency), &view);
}

static int draw_latency(const struct report *report, struct plot *plot, const struct report_size *size)
{
	const struct report_latency_view view = view_of(report->latency);
	return report_latency_draw(picture_of(report->latency), plot, &view, size);
}

const struct command command_latency = {
	.bit = LATENCY,
	.name = "latency",
	.argument = "REQUESTS",
	.summary = "response times of requests, also at each step of the load, and up to which load they keep a limit",
	.check = check_latency,
	.make = make_latency,
	.size = size_latency,
	.draw = draw_latency,
};
