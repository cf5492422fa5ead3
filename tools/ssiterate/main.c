/* SPDX-License-Identifier: MIT */
/*
 * ssiterate: makes an endless benchmark of a command and records its iterations. See ssiterate(1).
 *
 * There are two ways. Without --match the command is run again and again, and each run is an iteration. With it the command is
 * run once, its output passes through a pipe of ours, and lines in it say where iterations begin and end.
 *
 * All signals that matter are blocked and fetched through a descriptor, so that nothing is ever done in a handler and a record is
 * never cut. One loop (`attend`) waits for all that can happen: signals, the command's end, its output, a time that is up. Output
 * is written only when poll says that there is room, so that a reader that has stalled doesn't make us deaf to signals; the
 * command then stalls as it would without us.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <regex.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/tool_options.h"
#include "base/units.h"
#include "base/version.h"
#include "os/descendants.h"
#include "record/iteration_log.h"

#define STATUS_CANT_EXECUTE 126
#define STATUS_NOT_FOUND 127
#define INSTANCE "SHOWSTOPPER_INSTANCE"
#define TIME_MAX (366 * 86400 * NS_PER_S)
/* What poll calls writable takes a piece of this size without blocking. */
#define PIECE 4096
/* What is longer of a line is passed through, but not looked at. */
#define LINE_LENGTH_MAX 65536
#define VICTIM_POLL_NS (10 * NS_PER_MS)
#define UNSET (-1)

/* ---- Settings --------------------------------------------------------------------------------------------------------- */

enum { STREAM_BOTH, STREAM_STDOUT, STREAM_STDERR };
static const char *const stream_names[] = {"both", "stdout", "stderr", NULL};

static const struct format {
	const char *name;
	const char *start, *end; /* as --match-start and --match */
} formats[] = {
	{"dacapo", "^===== DaCapo .+ starting( warmup [0-9]+)? =====",
		"^===== DaCapo .+ (PASSED|completed warmup [0-9]+) in [0-9]+ msec ====="},
};
static const char *const format_names[] = {"dacapo", NULL};

struct settings {
	const char *output;              /* NULL: no records */
	int64_t iterations, time_ns;     /* UNSET: no end */
	int64_t grace_ns, instance;      /* instance UNSET: from the environment */
	const char *match, *match_start; /* NULL: none */
	int format, stream;              /* UNSET, or index */
	bool keep_going;
	char **command;
};

#define MEMBER(member) offsetof(struct settings, member)

enum { OUTPUT, ITERATIONS, TIME, INSTANCE_NUMBER, MATCH, MATCH_START, FORMAT, STREAM, KEEP_GOING, GRACE, HELP, VERSION };

static const struct tool_option options[] = {
	[OUTPUT] = {'o', "output", TOOL_TEXT, MEMBER(output), .argument = "FILE", .help = "write iteration records, CSV"},
	[ITERATIONS] = {'n', "iterations", TOOL_INT, MEMBER(iterations), 1, INT64_MAX, .argument = "N",
		.help = "end after so many iterations"},
	[TIME] = {0, "time", TOOL_TIME, MEMBER(time_ns), 0, TIME_MAX, .argument = "TIME",
		.help = "end after this long; an unfinished iteration doesn't count"},
	[INSTANCE_NUMBER] = {'i', "instance", TOOL_INT, MEMBER(instance), 0, UINT_MAX, .argument = "N",
		.help = "number of this instance (default $" INSTANCE " or 0)"},
	[MATCH] = {'m', "match", TOOL_TEXT, MEMBER(match), .argument = "REGEX",
		.help = "run once; an iteration ends with each line that matches"},
	[MATCH_START] = {0, "match-start", TOOL_TEXT, MEMBER(match_start), .argument = "REGEX",
		.help = "with -m: iterations begin with lines that match this"},
	[FORMAT] = {'f', "format", TOOL_CHOICE, MEMBER(format), .choices = format_names, .argument = "NAME",
		.help = "take iterations from the lines of a known program: dacapo"},
	[STREAM] = {0, "stream", TOOL_CHOICE, MEMBER(stream), .choices = stream_names, .argument = "NAME",
		.help = "with -m or -f: where the lines are: stdout, stderr, both (both)"},
	[KEEP_GOING] = {'k', "keep-going", TOOL_FLAG, MEMBER(keep_going),
		.help = "a run that ends with another status than 0 is an iteration too"},
	[GRACE] = {0, "grace", TOOL_TIME, MEMBER(grace_ns), 0, TIME_MAX, .argument = "TIME",
		.help = "between SIGTERM and SIGKILL when -n or --time ends the command (5s)"},
	[HELP] = {'h', "help", TOOL_NOTHING, .help = "print this"},
	[VERSION] = {'V', "version", TOOL_NOTHING, .help = "print the version"},
};
#define OPTIONS (sizeof options / sizeof *options)

static void print_help(void)
{
	printf("usage: ssiterate [OPTION]... [--] COMMAND [ARG]...\n"
	       "Runs a command again and again and records each run, or records the iterations that a program prints.\n\n");
	tool_options_help(options, OPTIONS, 0, stdout);
}

/* What doesn't go together, and what comes from the environment. 0, or -1 after a message. */
static int complete(struct settings *settings)
{
	const bool matches = settings->match || settings->format != UNSET;
	if (settings->format != UNSET && (settings->match || settings->match_start)) {
		diag("found --format and %s, expected one of them", settings->match ? "--match" : "--match-start");
		return -1;
	}
	if (settings->match_start && !settings->match) {
		diag("found --match-start without --match, which says where iterations end");
		return -1;
	}
	if (settings->stream != UNSET && !matches) {
		diag("found --stream without --match or --format");
		return -1;
	}
	if (settings->keep_going && matches) {
		diag("found --keep-going and %s, with which the command is run once", settings->match ? "--match" : "--format");
		return -1;
	}
	if (settings->format != UNSET) {
		settings->match = formats[settings->format].end;
		settings->match_start = formats[settings->format].start;
	}
	if (settings->stream == UNSET)
		settings->stream = STREAM_BOTH;
	const char *const number = getenv(INSTANCE);
	if (settings->instance == UNSET && number)
		return tool_options_set(&options[INSTANCE_NUMBER], settings, INSTANCE, number);
	if (settings->instance == UNSET)
		settings->instance = 0;
	return 0;
}

/* Returns HELP or VERSION when that was asked for, else 0, or -1 after a message. */
static int parse_arguments(int count, char **arguments, struct settings *settings)
{
	struct tool_options parse = {
		.option = options, .count = OPTIONS, .program = "ssiterate", .words = count, .word = arguments};
	for (;;) {
		const int found = tool_options_next(&parse, true);
		if (found == TOOL_OPTIONS_END)
			break;
		if (found == TOOL_OPTIONS_ERROR || found == HELP || found == VERSION)
			return found;
		char source[32];
		snprintf(source, sizeof source, "--%s", options[found].name);
		if (tool_options_set(&options[found], settings, source, parse.value) != 0)
			return -1;
	}
	settings->command = arguments + parse.stop;
	if (!*settings->command) {
		diag("expected a command (see ssiterate --help)");
		return -1;
	}
	return complete(settings);
}

static int compile(regex_t *regex, const char *option, const char *text)
{
	char message[256];
	const int error = regcomp(regex, text, REG_EXTENDED | REG_NOSUB);
	if (error == 0)
		return 0;
	regerror(error, regex, message, sizeof message);
	diag("--%s: '%s' is no extended regular expression: %s", option, text, message);
	return -1;
}

/* ---- Signals ---------------------------------------------------------------------------------------------------------- */

static const int ending[] = {SIGINT, SIGTERM, SIGHUP}, passed_on[] = {SIGQUIT, SIGUSR1, SIGUSR2};

struct signals {
	sigset_t before;              /* mask that the command gets, */
	struct sigaction child, pipe; /* and dispositions */
	int fetch;                    /* signalfd, or -1 */
};

/* A signal that was ignored at the start stays ignored, as nohup needs it. 0, or -1 after a message. */
static int take_signals(struct signals *signals)
{
	struct sigaction action;
	sigset_t fetched;
	sigemptyset(&fetched);
	sigaddset(&fetched, SIGCHLD);
	for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
		if (sigaction(ending[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(&fetched, ending[i]);
	for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
		if (sigaction(passed_on[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(&fetched, passed_on[i]);
	action = (struct sigaction){.sa_handler = SIG_DFL};
	sigaction(SIGCHLD, &action, &signals->child);
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, &signals->pipe);
	sigprocmask(SIG_BLOCK, &fetched, &signals->before);
	signals->fetch = signalfd(-1, &fetched, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals->fetch >= 0)
		return 0;
	diag("can't wait for signals: %s", strerror(errno));
	return -1;
}

static _Noreturn void end_by_signal(int number)
{
	sigset_t set;
	signal(number, SIG_DFL);
	raise(number);
	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	_exit(128 + number);
}

/* ---- State ------------------------------------------------------------------------------------------------------------ */

/* One of the command's two outputs. */
struct stream {
	int from; /* read end of the pipe; -1: not ours, or closed */
	int to;
	const char *name;
	char piece[PIECE]; /* bytes sent…used wait to be written */
	size_t sent, used;
	char *line; /* LINE_LENGTH_MAX bytes, of which `length` are the beginning of a line */
	size_t length;
};

struct iterate {
	const struct settings *settings;
	struct signals signals;
	struct iteration_log log;
	bool has_log, is_lossy; /* is_lossy: records or output were lost, and that was said */
	uint64_t finished;      /* iterations */
	int64_t deadline_ns;    /* INT64_MAX: none */
	int told_by;            /* the signal that told us to end, or 0 */
	bool is_over;           /* start nothing more: a signal, or -n or --time is reached */

	pid_t command; /* 0: none, or it has ended */
	int wait_status;
	int64_t ended_ns;
	bool is_told;               /* by us, to end */
	int64_t kill_ns;            /* when what was told to end is killed; INT64_MAX: never */
	struct descendants victims; /* that were told too */

	/* --match */
	regex_t end, start;
	bool is_begun;    /* an iteration is under way, */
	int64_t start_ns; /* since then */
	struct stream stream[2];
};

/* The iteration that is under way ends here. */
static void record(struct iterate *iterate, int64_t start_ns, int64_t end_ns)
{
	const struct iteration_record row = {.instance = (unsigned)iterate->settings->instance,
		.iteration = iterate->finished++,
		.start_ns = start_ns,
		.end_ns = end_ns};
	if (!iterate->has_log || iteration_log_write(&iterate->log, &row) == 0)
		return;
	if (!iterate->is_lossy)
		diag("%s: iteration records are being lost: %s", iterate->settings->output, strerror(errno));
	iterate->is_lossy = true;
}

static bool is_limit(const struct iterate *iterate)
{
	return iterate->settings->iterations != UNSET && iterate->finished >= (uint64_t)iterate->settings->iterations;
}

/* ---- The command's life ------------------------------------------------------------------------------------------------ */

static int attach(const struct stream *stream, int pipe_end)
{
	return pipe_end < 0 ? 0 : dup2(pipe_end, stream->to);
}

/* In the new process: executes the command, or reports why that failed. */
static _Noreturn void become(const struct iterate *iterate, pid_t parent, const int write_end[static 2], int report)
{
	char *const *const command = iterate->settings->command;
	/* Set first, checked after: a parent that died in between is noticed one way or the other. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		raise(SIGKILL);
	sigaction(SIGPIPE, &iterate->signals.pipe, NULL);
	sigaction(SIGCHLD, &iterate->signals.child, NULL);
	sigprocmask(SIG_SETMASK, &iterate->signals.before, NULL);
	if (attach(&iterate->stream[0], write_end[0]) >= 0 && attach(&iterate->stream[1], write_end[1]) >= 0)
		execvp(command[0], command);
	const int error = errno;
	/*
	 * When the report can't be written either, the end of the pipe without one says the same as success; nothing can be done.
	 */
	_exit(write(report, &error, sizeof error) < 0 ? EXIT_TROUBLE : STATUS_NOT_FOUND);
}

/* A pipe whose ends are not the standard descriptors, even where those were closed. */
static int make_pipe(int ends[static 2])
{
	int low[2];
	ends[0] = ends[1] = -1;
	if (pipe2(low, O_CLOEXEC) != 0)
		return -1;
	ends[0] = fcntl(low[0], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	ends[1] = fcntl(low[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	const int error = errno;
	close(low[0]);
	close(low[1]);
	errno = error;
	if (ends[0] >= 0 && ends[1] >= 0)
		return 0;
	close(ends[0]);
	close(ends[1]);
	errno = error;
	return -1;
}

static bool is_watched(const struct settings *settings, int to)
{
	return settings->match &&
	       (settings->stream == STREAM_BOTH || (settings->stream == STREAM_STDOUT) == (to == STDOUT_FILENO));
}

static bool is_ending(int number)
{
	for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
		if (number == ending[i])
			return true;
	return false;
}

/* A signal of the terminal that came just before the command was there has not reached it. */
static void pass_pending_on(const struct iterate *iterate)
{
	sigset_t pending;
	sigpending(&pending);
	for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
		if (sigismember(&pending, ending[i]) == 1)
			kill(iterate->command, ending[i]);
}

/* Starts the command and waits until it is executed. 0, or the status to exit with after a message. */
static int start_command(struct iterate *iterate)
{
	char *const name = iterate->settings->command[0];
	int report[2] = {-1, -1}, write_end[2] = {-1, -1}, error = 0;
	ssize_t got = -1;
	pid_t child = -1;
	for (int i = 0; i < 2; i++) {
		int ends[2];
		struct stream *const stream = &iterate->stream[i];
		stream->from = -1;
		if (!is_watched(iterate->settings, stream->to))
			continue;
		if (make_pipe(ends) != 0)
			goto out;
		stream->from = ends[0];
		write_end[i] = ends[1];
	}
	if (make_pipe(report) != 0)
		goto out;
	const pid_t parent = getpid();
	child = fork();
	if (child == 0)
		become(iterate, parent, write_end, report[1]);
out:
	error = errno;
	for (int i = 0; i < 2; i++)
		if (write_end[i] >= 0)
			close(write_end[i]);
	if (report[1] >= 0)
		close(report[1]);
	if (child > 0)
		while ((got = read(report[0], &error, sizeof error)) < 0 && errno == EINTR)
			;
	if (report[0] >= 0)
		close(report[0]);
	if (child > 0 && got == 0) {
		iterate->command = child;
		pass_pending_on(iterate);
		return 0;
	}
	if (child > 0)
		waitpid(child, NULL, 0);
	diag("can't execute '%s': %s", name, strerror(error));
	if (child < 0)
		return EXIT_TROUBLE;
	return error == ENOENT || error == ENOTDIR ? STATUS_NOT_FOUND : STATUS_CANT_EXECUTE;
}

static void signal_victims(struct iterate *iterate, int number)
{
	for (size_t i = 0; i < iterate->victims.count; i++)
		process_signal(&iterate->victims.item[i].process, number);
	if (iterate->command > 0)
		kill(iterate->command, number);
}

/* -n or --time is reached: the command and what it has started is told to end. */
static void finish_command(struct iterate *iterate)
{
	iterate->is_over = true;
	if (iterate->command <= 0 || iterate->is_told)
		return;
	iterate->is_told = true;
	/* A list that can't be had is an empty one: then the command alone is told. */
	descendants_list(iterate->command, &iterate->victims);
	signal_victims(iterate, SIGTERM);
	iterate->kill_ns = clock_now() + iterate->settings->grace_ns;
}

static void reap(struct iterate *iterate)
{
	if (iterate->command <= 0 || waitpid(iterate->command, &iterate->wait_status, WNOHANG) != iterate->command)
		return;
	iterate->ended_ns = clock_now();
	iterate->command = 0;
}

static void fetch_signals(struct iterate *iterate)
{
	struct signalfd_siginfo info;
	while (read(iterate->signals.fetch, &info, sizeof info) == (ssize_t)sizeof info) {
		const int number = (int)info.ssi_signo;
		if (number == SIGCHLD) {
			reap(iterate);
			continue;
		}
		/*
		 * One of the terminal (that is, of the kernel) has reached the command already: it is in the same process group.
		 */
		if (iterate->command > 0 && info.ssi_code <= 0)
			kill(iterate->command, number);
		if (is_ending(number)) {
			iterate->is_over = true;
			if (!iterate->told_by)
				iterate->told_by = number;
		}
	}
}

/* ---- Lines ------------------------------------------------------------------------------------------------------------ */

static bool is_match(const regex_t *regex, const struct stream *stream)
{
	regmatch_t part = {.rm_so = 0, .rm_eo = (regoff_t)stream->length};
	return regexec(regex, stream->line, 1, &part, REG_STARTEND) == 0;
}

static void take_line(struct iterate *iterate, struct stream *stream, int64_t now_ns)
{
	const struct settings *const settings = iterate->settings;
	if (stream->length > 0 && stream->line[stream->length - 1] == '\r')
		stream->length--;
	if (!iterate->is_over && is_match(&iterate->end, stream)) {
		if (iterate->is_begun)
			record(iterate, iterate->start_ns, now_ns);
		iterate->is_begun = !settings->match_start;
		iterate->start_ns = now_ns;
	}
	if (settings->match_start && is_match(&iterate->start, stream)) {
		iterate->is_begun = true;
		iterate->start_ns = now_ns;
	}
	stream->length = 0;
	if (is_limit(iterate))
		finish_command(iterate);
}

static void take_lines(struct iterate *iterate, struct stream *stream, int64_t now_ns)
{
	const char *at = stream->piece;
	const char *const end = at + stream->used;
	while (at < end) {
		const char *const newline = memchr(at, '\n', (size_t)(end - at));
		const size_t length = (size_t)((newline ? newline : end) - at);
		const size_t room = LINE_LENGTH_MAX - stream->length;
		memcpy(stream->line + stream->length, at, length < room ? length : room);
		stream->length += length < room ? length : room;
		at += length;
		if (newline) {
			take_line(iterate, stream, now_ns);
			at++;
		}
	}
}

static void close_stream(struct iterate *iterate, struct stream *stream)
{
	if (stream->length > 0)
		take_line(iterate, stream, clock_now());
	close(stream->from);
	stream->from = -1;
	stream->sent = stream->used = 0;
}

static void read_piece(struct iterate *iterate, struct stream *stream)
{
	const ssize_t got = read(stream->from, stream->piece, PIECE);
	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (got <= 0) {
		close_stream(iterate, stream);
		return;
	}
	stream->sent = 0;
	stream->used = (size_t)got;
	take_lines(iterate, stream, clock_now());
}

static void write_piece(struct iterate *iterate, struct stream *stream)
{
	const ssize_t written = write(stream->to, stream->piece + stream->sent, stream->used - stream->sent);
	if (written >= 0) {
		stream->sent += (size_t)written;
	} else if (errno != EINTR && errno != EAGAIN) {
		/* The command gets what it would have got without us: nobody reads its output any more. */
		if (errno != EPIPE && !iterate->is_lossy) {
			diag("can't write %s: %s", stream->name, strerror(errno));
			iterate->is_lossy = true;
		}
		stream->length = 0;
		close_stream(iterate, stream);
	}
}

/* ---- Waiting ---------------------------------------------------------------------------------------------------------- */

static bool is_pending(const struct stream *stream)
{
	return stream->from >= 0 && stream->sent < stream->used;
}

/* What is to be seen of a stream: room to write what was read, else something to read. */
static struct pollfd stream_event(const struct stream *stream)
{
	if (is_pending(stream))
		return (struct pollfd){.fd = stream->to, .events = POLLOUT};
	return (struct pollfd){.fd = stream->from, .events = POLLIN};
}

static void serve_stream(struct iterate *iterate, struct stream *stream)
{
	if (is_pending(stream))
		write_piece(iterate, stream);
	else
		read_piece(iterate, stream);
}

/* Waits until that moment (INT64_MAX: for ever) and serves what happens. False when nothing did. */
static bool attend(struct iterate *iterate, int64_t until_ns)
{
	struct pollfd event[3] = {{.fd = iterate->signals.fetch, .events = POLLIN}, stream_event(&iterate->stream[0]),
		stream_event(&iterate->stream[1])};
	struct timespec left = {0};
	const int64_t left_ns = until_ns - clock_now();
	if (left_ns > 0) {
		left.tv_sec = left_ns / NS_PER_S;
		left.tv_nsec = left_ns % NS_PER_S;
	}
	if (ppoll(event, 3, until_ns == INT64_MAX ? NULL : &left, NULL) <= 0)
		return false;
	/* Output first: it was written before the command ended. */
	for (int i = 0; i < 2; i++)
		if (event[1 + i].revents)
			serve_stream(iterate, &iterate->stream[i]);
	if (event[0].revents)
		fetch_signals(iterate);
	return true;
}

static bool has_victims(const struct iterate *iterate)
{
	for (size_t i = 0; i < iterate->victims.count; i++) {
		const struct linux_process *const victim = &iterate->victims.item[i].process;
		struct linux_process now;
		if (linux_process_read(victim->pid, &now) == 0 && now.start_ticks == victim->start_ticks &&
			!linux_process_has_ended(&now))
			return true;
	}
	return false;
}

/* Waits for the end of the command, and ends it when the time is up. */
static void wait_for_command(struct iterate *iterate)
{
	while (iterate->command > 0 || (iterate->kill_ns != INT64_MAX && has_victims(iterate))) {
		const int64_t now_ns = clock_now();
		if (now_ns >= iterate->deadline_ns)
			finish_command(iterate);
		if (now_ns >= iterate->kill_ns) {
			signal_victims(iterate, SIGKILL);
			iterate->kill_ns = INT64_MAX;
		}
		int64_t until_ns = iterate->kill_ns;
		if (iterate->deadline_ns < until_ns && now_ns < iterate->deadline_ns)
			until_ns = iterate->deadline_ns;
		/* Whether the command's descendants are still there must be asked. */
		if (iterate->command <= 0 && now_ns + VICTIM_POLL_NS < until_ns)
			until_ns = now_ns + VICTIM_POLL_NS;
		attend(iterate, until_ns);
	}
}

/* Passes on what the command wrote before it ended, but waits for no descendant that still holds the pipe. */
static void drain(struct iterate *iterate)
{
	for (;;) {
		const bool pending = is_pending(&iterate->stream[0]) || is_pending(&iterate->stream[1]);
		if (pending && iterate->told_by)
			break;
		if (!attend(iterate, pending ? INT64_MAX : 0) && !pending)
			break;
		if (!pending && iterate->stream[0].from < 0 && iterate->stream[1].from < 0)
			break;
	}
	for (int i = 0; i < 2; i++)
		if (iterate->stream[i].from >= 0)
			close_stream(iterate, &iterate->stream[i]);
}

/* ---- Iterations ------------------------------------------------------------------------------------------------------- */

static int exit_status(const struct iterate *iterate)
{
	return WIFEXITED(iterate->wait_status) ? WEXITSTATUS(iterate->wait_status) : 128 + WTERMSIG(iterate->wait_status);
}

/* Each run is an iteration. Returns the status to exit with. */
static int run_again_and_again(struct iterate *iterate)
{
	for (;;) {
		fetch_signals(iterate);
		if (iterate->is_over || clock_now() >= iterate->deadline_ns)
			return 0;
		const int64_t start_ns = clock_now();
		int status = start_command(iterate);
		if (status != 0)
			return status;
		wait_for_command(iterate);
		if (iterate->is_over)
			return 0;
		status = exit_status(iterate);
		if (status != 0 && !iterate->settings->keep_going)
			return status;
		record(iterate, start_ns, iterate->ended_ns);
		if (is_limit(iterate))
			return 0;
	}
}

/* Iterations are where the command prints that they are. Returns the status to exit with. */
static int run_once(struct iterate *iterate)
{
	fetch_signals(iterate);
	if (iterate->is_over || clock_now() >= iterate->deadline_ns)
		return 0;
	iterate->is_begun = !iterate->settings->match_start;
	iterate->start_ns = clock_now();
	const int status = start_command(iterate);
	if (status != 0)
		return status;
	wait_for_command(iterate);
	const bool is_limited = iterate->is_over;
	drain(iterate);
	return is_limited ? 0 : exit_status(iterate);
}

static int prepare(struct iterate *iterate)
{
	const struct settings *const settings = iterate->settings;
	for (int i = 0; settings->match && i < 2; i++) {
		iterate->stream[i].line = malloc(LINE_LENGTH_MAX);
		if (!iterate->stream[i].line) {
			diag("%s", strerror(errno));
			return -1;
		}
	}
	if (settings->output && iteration_log_open(&iterate->log, settings->output) != 0) {
		diag("%s: can't write iteration records: %s", settings->output, strerror(errno));
		return -1;
	}
	iterate->has_log = settings->output != NULL;
	if (settings->time_ns != UNSET)
		iterate->deadline_ns = clock_now() + settings->time_ns;
	return take_signals(&iterate->signals);
}

static int ssiterate(const struct settings *settings)
{
	int status = EXIT_TROUBLE;
	struct iterate iterate = {.settings = settings,
		.log = {.file = -1},
		.signals = {.fetch = -1},
		.deadline_ns = INT64_MAX,
		.kill_ns = INT64_MAX,
		.stream = {{.from = -1, .to = STDOUT_FILENO, .name = "standard output"},
			{.from = -1, .to = STDERR_FILENO, .name = "standard error"}}};
	const bool has_end = settings->match && compile(&iterate.end, "match", settings->match) == 0;
	const bool has_start =
		has_end && settings->match_start && compile(&iterate.start, "match-start", settings->match_start) == 0;
	if (has_end == !!settings->match && has_start == !!settings->match_start && prepare(&iterate) == 0)
		status = settings->match ? run_once(&iterate) : run_again_and_again(&iterate);
	if (iteration_log_close(&iterate.log) != 0 && !iterate.is_lossy) {
		diag("%s: can't write iteration records: %s", settings->output, strerror(errno));
		iterate.is_lossy = true;
	}
	if (has_end)
		regfree(&iterate.end);
	if (has_start)
		regfree(&iterate.start);
	descendants_free(&iterate.victims);
	free(iterate.stream[0].line);
	free(iterate.stream[1].line);
	if (iterate.signals.fetch >= 0)
		close(iterate.signals.fetch);
	if (iterate.is_lossy)
		return EXIT_TROUBLE;
	if (iterate.told_by)
		end_by_signal(iterate.told_by);
	return status;
}

/* Prints what was asked for instead of working. */
static int print_information(int what)
{
	if (what == HELP)
		print_help();
	else
		printf("ssiterate %s\n", version_text);
	if (fflush(stdout) == 0)
		return 0;
	diag("can't write standard output: %s", strerror(errno));
	return EXIT_TROUBLE;
}

/* So that the file of records or a pipe never becomes the command's output. */
static void hold_standard_descriptors(void)
{
	for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
		if (fcntl(i, F_GETFD) < 0)
			open("/dev/null", O_RDWR | O_NOCTTY);
}

int main(int count, char **arguments)
{
	struct settings settings = {.iterations = UNSET,
		.time_ns = UNSET,
		.grace_ns = 5 * NS_PER_S,
		.instance = UNSET,
		.format = UNSET,
		.stream = UNSET};
	diag_name("ssiterate");
	hold_standard_descriptors();
	const int what = parse_arguments(count, arguments, &settings);
	if (what == HELP || what == VERSION)
		return print_information(what);
	return what == 0 ? ssiterate(&settings) : EXIT_TROUBLE;
}
