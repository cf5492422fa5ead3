/* SPDX-License-Identifier: MIT */
#include "ssrequest/options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/diag.h"
#include "base/units.h"
#include "module/trace_choice.h"
#include "ssrequest/schedule.h"

#define TIME_MAX (366 * 86400 * NS_PER_S)
#define LIMIT_MAX 100000
#define RATE_MAX 1e7
#define USUAL_TRACE "constant"

static const char *const arrival_names[] = {
	[ARRIVALS_EVEN] = "even", [ARRIVALS_CONCURRENT] = "concurrent", [ARRIVALS_POISSON] = "poisson", NULL};
static const char *const beyond_names[] = {[BEYOND_DELAY] = "delay", [BEYOND_DROP] = "drop", NULL};
static const char *const http_names[] = {[HTTP_1_1] = "1.1", [HTTP_2] = "2", NULL};
static const char *const format_names[] = {[FORMAT_CSV] = "csv", [FORMAT_JSONL] = "jsonl", NULL};

/* ---- Values ----------------------------------------------------------------------------------------------------------- */

static int parse_rate(const char *source, const char *text, double *rate)
{
	double value;
	if (units_parse_real(text, strlen(text), &value, NULL) != 0 || value < 0 || value > RATE_MAX)
		return diag_refuse("%s: '%.80s': expected requests per second, a number from 0 to %.0f", source, text, RATE_MAX);
	*rate = value;
	return 0;
}

static int set_rate(void *to, const char *source, const char *text)
{
	return parse_rate(source, text, &((struct settings *)to)->rate);
}

static int set_peak(void *to, const char *source, const char *text)
{
	return parse_rate(source, text, &((struct settings *)to)->peak);
}

static int set_header(void *to, const char *source, const char *text)
{
	struct settings *const settings = to;
	const char *const colon = strpbrk(text, ":;");
	if (!colon || colon == text || strpbrk(text, "\r\n"))
		return diag_refuse("%s: '%.80s': expected NAME: VALUE, or NAME; for one without a value", source, text);
	settings->header[settings->headers++] = text;
	return 0;
}

static int set_method(void *to, const char *source, const char *text)
{
	for (const char *at = text; *at || at == text; at++)
		if (!isupper((unsigned char)*at) && *at != '-')
			return diag_refuse("%s: '%.80s': expected a method such as GET, HEAD, POST or PUT", source, text);
	((struct settings *)to)->method = text;
	return 0;
}

static int set_expected(void *to, const char *source, const char *text)
{
	if (expected_parse(text, &((struct settings *)to)->expected) == 0)
		return 0;
	return diag_refuse("%s: '%.80s': expected " EXPECTED_FORM, source, text);
}

static int set_required(void *to, const char *source, const char *text)
{
	return required_parse(source, text, &((struct settings *)to)->required);
}

#define MEMBER(member) offsetof(struct settings, member)

const struct tool_option ssrequest_options[] = {
	{0, "rate", TOOL_CALL, .argument = "RATE", .help = "requests per second, constant", .call = set_rate},
	{'t', "trace", TOOL_TEXT, MEMBER(trace), .argument = "MODULE",
		.help = "trace module: its loads times --peak are the rate", .completion = TOOL_COMPLETE_MODULE,
		.kind = SST_TRACE},
	{'T', "trace-options", TOOL_TEXT, MEMBER(trace_options), .argument = "OPTIONS",
		.help = "its options, key=value,key=value; without -t a load, or the name of a trace's file",
		.completion = TOOL_COMPLETE_MODULE_OPTIONS, .kind = SST_TRACE},
	{0, "peak", TOOL_CALL, .argument = "RATE", .help = "with a trace: requests per second at a load of 100%",
		.call = set_peak},
	{0, "arrivals", TOOL_CHOICE, MEMBER(arrivals), .choices = arrival_names, .argument = "NAME",
		.help = "when in a second: even, concurrent (all at its beginning) or poisson"},
	{'r', "run-time", TOOL_TIME, MEMBER(run_time_ns), 1, TIME_MAX, .argument = "TIME", .is_length = true,
		.help = "plan requests for this long (that of the trace, or without end)"},
	{'n', "requests", TOOL_INT, MEMBER(requests), 1, INT64_MAX, .argument = "N", .help = "plan no more than this"},
	{'i', "seed", TOOL_INT, MEMBER(seed), 0, INT64_MAX, .argument = "N", .help = "what all randomness comes from"},
	{0, "limit", TOOL_INT, MEMBER(limit), 1, LIMIT_MAX, .argument = "N", .help = "at most so many unanswered requests"},
	{0, "beyond", TOOL_CHOICE, MEMBER(beyond), .choices = beyond_names, .argument = "NAME",
		.help = "what happens to others: delay until there is room, or drop"},
	{0, "timeout", TOOL_TIME, MEMBER(timeout_ns), 1, TIME_MAX, .argument = "TIME",
		.help = "give a request up so long after it arrived"},
	{'u', "urls", TOOL_TEXT, MEMBER(url_file), .argument = "FILE", .help = "take URLs from there, each behind its weight",
		.completion = TOOL_COMPLETE_FILE},
	{'H', "header", TOOL_CALL, .argument = "HEADER", .help = "send this header, NAME: VALUE; may be given several times",
		.call = set_header},
	{'X', "method", TOOL_CALL, .argument = "NAME", .help = "of the requests (GET, or POST with a body)", .call = set_method},
	{'d', "body", TOOL_ANY_TEXT, MEMBER(body), .argument = "STR",
		.help = "send this, or what is in the file NAME with @NAME"},
	{0, "http", TOOL_CHOICE, MEMBER(http), .choices = http_names, .argument = "VERSION",
		.help = "of HTTP: 1.1, or 2 (2 where the server says so behind https, else 1.1)"},
	{'k', "insecure", TOOL_FLAG, MEMBER(insecure), .help = "take any certificate"},
	{0, "cacert", TOOL_TEXT, MEMBER(cacert), .argument = "FILE",
		.help = "take certificates that these authorities have signed", .completion = TOOL_COMPLETE_FILE},
	{0, "unix-socket", TOOL_TEXT, MEMBER(unix_socket), .argument = "PATH",
		.help = "connect to this socket, whatever the URL says", .completion = TOOL_COMPLETE_FILE},
	{0, "expect-status", TOOL_CALL, .argument = "LIST",
		.help = "other answers are errors, such as 200,3xx (below 400; of a command 0)", .call = set_expected},
	{0, "expect-text", TOOL_TEXT, MEMBER(expected_text), .argument = "TEXT", .help = "an answer without it is an error"},
	{'o', "output", TOOL_TEXT, MEMBER(files.output), .argument = "FILE", .help = "write a record for each request",
		.completion = TOOL_COMPLETE_FILE},
	{'f', "format", TOOL_CHOICE, MEMBER(format), .choices = format_names, .argument = "NAME",
		.help = "of the records: csv or jsonl"},
	{0, "export-json", TOOL_TEXT, MEMBER(files.export_json), .argument = "FILE",
		.help = "write what came of it all there, as JSON", .completion = TOOL_COMPLETE_FILE},
	{0, "require", TOOL_CALL, .argument = "LIST",
		.help = "end with status 3 if one was exceeded, such as p99=50ms,errors=0.1%", .call = set_required},
	{'c', "cpus", TOOL_CPUS, MEMBER(cpus), .argument = "LIST", .help = "run on these processors only, such as 0-3,8"},
	{0, "grace", TOOL_TIME, MEMBER(grace_ns), 0, TIME_MAX, .argument = "TIME",
		.help = "between SIGTERM and SIGKILL to commands, when the run is interrupted"},
	{0, "dry-run", TOOL_FLAG, MEMBER(dry_run), .help = "print what would be done, and how many requests there would be"},
	{0, "explain", TOOL_FLAG, MEMBER(explain), .help = "print what the rows of the summary mean"},
	{'q', "quiet", TOOL_FLAG, MEMBER(quiet), .help = "no summary, and no line that shows how it goes"},
	{'h', "help", TOOL_NOTHING, .help = "print this"},
	{'V', "version", TOOL_NOTHING, .help = "print the version"},
};
const size_t ssrequest_option_count = sizeof ssrequest_options / sizeof *ssrequest_options;

static void init(struct settings *settings)
{
	*settings = (struct settings){.files.content = "records of requests",
		.rate = NAN,
		.peak = NAN,
		.run_time_ns = UNSET,
		.requests = UNSET,
		.seed = 1,
		.limit = 200,
		.timeout_ns = 10 * NS_PER_S,
		.http = UNSET,
		.grace_ns = 5 * NS_PER_S};
	required_init(&settings->required);
}

void options_print_help(void)
{
	struct settings settings;
	init(&settings);
	fputs("usage: ssrequest [OPTION]... URL...\n"
	      "       ssrequest [OPTION]... -- COMMAND [ARG]...\n"
	      "Sends requests when they are due, whether those before have been answered or not, and says how long each "
	      "took.\n\n",
		stdout);
	tool_options_help(ssrequest_options, ssrequest_option_count, &settings, stdout);
}

/* ---- The command line ------------------------------------------------------------------------------------------------- */

static int complete_rate(struct settings *settings)
{
	const bool has_trace = settings->trace || settings->trace_options;
	if (!isnan(settings->rate) && has_trace)
		return diag_refuse("found --rate and a trace, expected one of them");
	if (isnan(settings->rate) && !has_trace)
		return diag_refuse("expected --rate, or a trace and --peak (see ssrequest --help)");
	if (has_trace && isnan(settings->peak))
		return diag_refuse("found a trace without --peak, which says what a load of 100%% is");
	if (!has_trace && !isnan(settings->peak))
		return diag_refuse("found --peak without a trace (-t, -T)");
	if (settings->rate == 0 && settings->run_time_ns == UNSET)
		return diag_refuse("--rate: found 0 without --run-time: no request would ever be sent");
	if (!has_trace)
		return 0;
	const bool has_module = settings->trace;
	if (!has_module)
		settings->trace = USUAL_TRACE;
	return trace_choice_complete(NULL, has_module, &settings->trace, &settings->trace_options);
}

/* The option that is about HTTP and was given, or NULL. */
static const char *option_of_http(const struct settings *settings)
{
	return settings->url_file        ? "--urls"
	       : settings->headers       ? "--header"
	       : settings->method        ? "--method"
	       : settings->body          ? "--body"
	       : settings->http != UNSET ? "--http"
	       : settings->insecure      ? "--insecure"
	       : settings->cacert        ? "--cacert"
	       : settings->unix_socket   ? "--unix-socket"
	       : settings->expected_text ? "--expect-text"
	       : settings->targets.count ? "an URL"
					 : NULL;
}

static int complete_targets(struct settings *settings)
{
	char error[TARGETS_ERROR_MAX];
	if (settings->command) {
		const char *const other = option_of_http(settings), *const first = settings->command[0];
		if (strncasecmp(first, "http://", 7) == 0 || strncasecmp(first, "https://", 8) == 0)
			return diag_refuse("'%.200s' behind -- is a command: expected an URL before it", first);
		return other ? diag_refuse("found %s and a command, expected one of them", other) : 0;
	}
	if (settings->url_file && targets_read(&settings->targets, settings->url_file, error) != 0)
		return diag_refuse("--urls: %s", error);
	return settings->targets.count > 0 ? 0 : diag_refuse("expected an URL, or -- and a command (see ssrequest --help)");
}

static enum options_wish complete(struct settings *settings, char **rest, bool ends_by_dashes)
{
	if (settings->explain)
		return WISH_RUN;
	if (ends_by_dashes) {
		settings->command = rest;
		if (!*rest) {
			diag("expected a command after --");
			return WISH_ERROR;
		}
	}
	return complete_rate(settings) == 0 && complete_targets(settings) == 0 ? WISH_RUN : WISH_ERROR;
}

enum options_wish options_parse(int count, char **words, struct settings *settings)
{
	struct tool_options parse = {.option = ssrequest_options,
		.count = ssrequest_option_count,
		.program = "ssrequest",
		.words = count,
		.word = words};
	char error[TARGETS_ERROR_MAX];
	init(settings);
	settings->header = calloc((size_t)count + 1, sizeof *settings->header);
	if (!settings->header) {
		diag("%s", strerror(errno));
		return WISH_ERROR;
	}
	for (int found; (found = tool_options_next(&parse, false)) != TOOL_OPTIONS_END;) {
		if (found == TOOL_OPTIONS_ERROR)
			return WISH_ERROR;
		if (found == TOOL_OPTIONS_WORD) {
			if (targets_add(&settings->targets, parse.value, 1, error) == 0)
				continue;
			diag("%s (a command stands after --)", error);
			return WISH_ERROR;
		}
		if (ssrequest_options[found].takes == TOOL_NOTHING)
			return ssrequest_options[found].letter == 'h' ? WISH_HELP : WISH_VERSION;
		if (tool_options_take(&parse, found, settings) != 0)
			return WISH_ERROR;
	}
	return complete(settings, words + parse.stop, parse.ends_by_dashes);
}

void options_free(struct settings *settings)
{
	free(settings->header);
	free(settings->cpus);
	targets_free(&settings->targets);
}
