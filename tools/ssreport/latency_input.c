/* SPDX-License-Identifier: MIT */
/* Records of requests, and the log of the load, brought together. */
#include <math.h>
#include <string.h>

#include "base/diag.h"
#include "base/units.h"
#include "ssreport/latency.h"
#include "ssreport/parts.h"

/* What another program's file is, and what it doesn't say. */
static void say_program(const struct client_log *log, const char *name, bool is_chosen)
{
	const char *const lack = client_log_lacks_schedule(log);
	const char *first;
	const size_t wrong = client_log_wrong(log, &first);
	if (lack && !is_chosen)
		diag("%s: found %s: response times run from when a request was sent, as %s", name, client_log_program(log), lack);
	else
		diag("%s: found %s", name, client_log_program(log));
	if (client_log_is_coarse(log))
		diag("%s: its moments are whole seconds, which is how well requests are told to be in a row", name);
	if (wrong > 0)
		diag("%s (%zu such line%s left out)", first, wrong, wrong > 1 ? "s are" : " is");
}

static int check_log(const struct latency *latency, const struct client_log *log, const char *name)
{
	if (!latency->settings->log || !client_log_lacks_day(log))
		return 0;
	diag("%s: found %s, which has no time of day, so that --log can't be joined to it", name, client_log_program(log));
	return -1;
}

static int read_requests(struct latency *latency, const char *path)
{
	const struct settings *const settings = latency->settings;
	const char *const name = strcmp(path, "-") == 0 ? "standard input" : path;
	const enum report_latency_from from =
		settings->from == UNSET ? REPORT_FROM_BEST : (enum report_latency_from)settings->from;
	struct client_columns named = settings->client;
	char error[CSV_ERROR_MAX];
	int result = -1;
	named.unit = settings->unit == UNSET ? 0 : pow(1e-3, settings->unit);
	struct csv *const csv = csv_open_unread(path, name, error);
	if (!csv)
		return complain(error);
	struct client_log *const log = client_log_new(csv, name, &named, error);
	if (!log)
		diag("%s", error);
	else if (check_log(latency, log, name) == 0) {
		result = report_requests_read(&latency->requests, log, name, from, error);
		if (result != 0)
			diag("%s", error);
		else if (client_log_program(log))
			say_program(log, name, settings->from != UNSET);
		latency->has_wall |= client_log_has_wall(log);
		latency->lacks_schedule |= result == 0 && client_log_lacks_schedule(log);
		latency->lacks_moments |= client_log_lacks_moments(log);
		latency->lacks_status |= client_log_lacks_status(log);
	}
	if (csv_is_cut(csv))
		diag("%s: the last line is not whole and is left out", name);
	client_log_free(log);
	csv_close(csv);
	return result;
}

static int read_log(struct latency *latency)
{
	const char *const path = latency->settings->log;
	struct report_log *const log = &latency->log;
	char error[CSV_ERROR_MAX];
	struct csv *const csv = csv_open(path, path, error);
	int result = -1;
	if (!csv)
		return complain(error);
	if (!report_log_is(csv))
		diag("%s:1: found no log, expected one of the load (showstopper -o or cpuload)", path);
	else if (report_log_read(log, csv, path, error) != 0)
		diag("%s", error);
	else if (report_gaps_fill(log) != 0)
		complain_about_memory();
	else if (!log->monotonic)
		diag("%s:1: found no column monotonic_s, expected it for the requests", path);
	else if (latency->has_wall && !log->clock.is_known)
		diag("%s:1: found no column time_unix_s, expected it for requests whose times are of the wall clock", path);
	else
		result = 0;
	if (result == 0 && log->is_cut)
		diag("%s: the last line is not whole and is left out", path);
	csv_close(csv);
	return result;
}

double latency_time(const struct latency *latency, double moment)
{
	return latency->settings->log ? report_log_time(&latency->log, moment + latency->shift)
				      : moment - report_requests_first(&latency->requests);
}

double latency_moment(const struct latency *latency, double time)
{
	return latency->settings->log ? report_log_monotonic(&latency->log, time) - latency->shift
				      : time + report_requests_first(&latency->requests);
}

int latency_read(struct latency *latency)
{
	const struct report_input *const input = &latency->settings->input;
	struct report_requests *const requests = &latency->requests;
	struct report_clock clock = {0};
	for (size_t i = 0; i < input->words; i++) {
		if (read_requests(latency, input->word[i].path) != 0)
			return -1;
		if (i > 0 && clock.is_known && requests->clock.is_known && !report_clock_is_same(&clock, &requests->clock)) {
			diag("%s: found requests of another boot or machine than %s has, expected one clock", input->word[i].path,
				input->word[0].path);
			return -1;
		}
		if (!clock.is_known)
			clock = requests->clock;
	}
	if (requests->count == 0) {
		diag("%s: found no request", input->word[0].path);
		return -1;
	}
	if (requests->missing > 0)
		diag("warning: requests of %.3f s are missing in the records", requests->missing);
	if (report_requests_sort(requests) != 0)
		return complain_about_memory();
	if (requests->slot_ns > 0)
		diag("the requests don't fit into memory one by one: response times are within 0.05 %%, and when requests began "
		     "is known "
		     "within %.6g s",
			(double)requests->slot_ns / 2 / (double)NS_PER_S);
	if (!latency->settings->log)
		return 0;
	if (read_log(latency) != 0)
		return -1;
	latency->shift =
		report_clock_shift(REPORT_JOIN_AUTO, &clock, &latency->log.clock) + (double)requests->base_ns / (double)NS_PER_S;
	if (latency_time(latency, report_requests_first(requests)) < latency->log.time[latency->log.count - 1] &&
		latency_time(latency, report_requests_last(requests)) > report_log_start(&latency->log, 0))
		return 0;
	diag("%s: found none of the requests at the time of this log, expected files of one run", latency->settings->log);
	return -1;
}
