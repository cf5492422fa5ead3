/* SPDX-License-Identifier: MIT */
/*
 * faults: kills processes of Showstopper at random, many times, and looks whether its promises about processes (README, "Exit
 * status"; showstopper(1)) were kept. The same with cpulimit, for comparison.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/splitmix.h"
#include "held_group.h"
#include "launch.h"
#include "plan.h"
#include "trial.h"

/* All was well, but some of it can't be tried here: what CTest counts as skipped. */
#define LEFT_OUT_STATUS 77
#define JOBS_MAX 64
/* Far more than any trial takes, even if all is suspended meanwhile; one that hangs is killed and reported. */
#define TRIAL_LIMIT_S 1800

struct options {
	struct settings settings;
	uint64_t seed;
	unsigned trials, jobs;
	unsigned again;  /* how often a trial that was late is repeated */
	const char *one; /* this seed alone, as often as `trials` says */
	const char *contain;
	const char *tool;
	bool verbose;
};

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
	interrupted = number;
}

static void usage(FILE *stream)
{
	fputs("usage: faults [OPTION]...\n"
	      "Starts Showstopper many times, kills some of its processes each time, and looks a second later whether something "
	      "is left.\n"
	      "  -n, --trials N        how many trials (100)\n"
	      "  -s, --seed N          what all trials follow from (1)\n"
	      "  -t, --trial SEED      only the trial of this seed, as printed; with --trials, repeatedly\n"
	      "  -j, --jobs N          trials side by side (2)\n"
	      "  -d, --deadline S      seconds after the end of a run in which all must be gone (1)\n"
	      "  -a, --late-again N    repeat a trial that was late up to N times: on a busy machine that is no fault (0)\n"
	      "  -S, --shape SHAPE     plain, attached, free, dynamic, respawned, staggered or mixed (any)\n"
	      "  -c, --contain MODE    none, pidns, or all: what the tool's --help offers (none)\n"
	      "  -A, --actuator NAME   signals, freezer, quota, or any: for each trial one of those that can be had (signals)\n"
	      "  -T, --tool TOOL       showstopper, cpulimit (starts the workload), or cpulimit-p (is attached to it) "
	      "(showstopper)\n"
	      "  -p, --program FILE    the tool (found in PATH by its name)\n"
	      "  -w, --workload FILE   the program faults_workload (found beside this one)\n"
	      "  -v, --verbose         a line for each trial\n"
	      "  -h, --help            print this\n"
	      "Ends with 0 when all is well, 1 when a trial failed, 77 when --contain all had to leave something out, and 125 on "
	      "trouble.\n",
		stream);
}

static void trouble(const char *what)
{
	fprintf(stderr, "faults: %s\n", what);
	exit(125);
}

static unsigned long long number(const char *text, unsigned long long most, const char *what)
{
	char *end;
	errno = 0;
	const unsigned long long value = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || value > most)
		trouble(what);
	return value;
}

static uint64_t trial_seed(uint64_t seed, unsigned index)
{
	return (seed * UINT64_C(1000003) + index) * SPLITMIX_STEP >> 16;
}

static const char *verdict_name(const struct result *result)
{
	static const char *const names[] = {"the trial itself died", "clean", "late", "LEFT", "nothing hit"};
	return names[result->verdict];
}

/* One whose victims had ended before is neither a success nor a failure. */
static bool has_failed(const struct result *result)
{
	return result->verdict != VERDICT_CLEAN && result->verdict != VERDICT_VANISHED;
}

static void print_result(const struct options *options, const struct result *result)
{
	const bool failed = has_failed(result);
	if (!failed && !options->verbose)
		return;
	printf("%s: trial %llu, %s, contain %s, %s, victims %s: %s", failed ? "FAIL" : "ok", (unsigned long long)result->seed,
		options->tool, options->settings.contain ? options->settings.contain : "none", kind_name(result->kind),
		victims_name(result->victims), verdict_name(result));
	if (result->verdict == VERDICT_CLEAN && result->clean_us >= 0)
		printf(" after %.0f ms", (double)result->clean_us / 1e3);
	printf("; left: alive %u, stopped %u;%s\n", result->alive, result->stopped, result->text);
	if (failed)
		printf("  repeat: faults --tool %s --contain %s --actuator %s --trial %llu%s%s\n", options->tool,
			options->settings.contain ? options->settings.contain : "none", actuator_name(result->actuator),
			(unsigned long long)result->seed, options->settings.shape < 0 ? "" : " --shape ",
			options->settings.shape < 0 ? "" : shape_name((enum shape)options->settings.shape));
	for (const char *line = result->output, *end; *line && (failed || options->verbose); line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		printf("  output: %.*s\n", (int)(end - line), line);
	}
	fflush(stdout);
}

/* ---- Side by side ----------------------------------------------------------------------------------------------------- */

static pid_t start_trial(const struct options *options, uint64_t seed, struct result *result)
{
	result->seed = seed;
	fflush(stdout);
	const pid_t pid = fork();
	if (pid != 0)
		return pid;
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	alarm(TRIAL_LIMIT_S);
	trial_run(&options->settings, seed, result);
	_exit(0);
}

/* Returns how many were run; `repeated`: how often one that was late. */
static unsigned run_trials(const struct options *options, struct result *results, unsigned *repeated)
{
	pid_t pid[JOBS_MAX] = {0};
	unsigned index[JOBS_MAX];
	unsigned late[JOBS_MAX] = {0};
	unsigned started = 0;
	unsigned running = 0;
	while ((started < options->trials && !interrupted) || running) {
		for (unsigned job = 0; job < options->jobs; job++)
			if (!pid[job] && started < options->trials && !interrupted) {
				const uint64_t seed =
					options->one ? strtoull(options->one, NULL, 10) : trial_seed(options->seed, started);
				pid[job] = start_trial(options, seed, &results[started]);
				if (pid[job] < 0)
					trouble(strerror(errno));
				index[job] = started++;
				running++;
			}
		int status;
		const pid_t ended = waitpid(-1, &status, 0);
		for (unsigned job = 0; ended > 0 && job < options->jobs; job++)
			if (pid[job] == ended) {
				struct result *const result = &results[index[job]];
				pid[job] = 0;
				running--;
				if (status != 0)
					result->verdict = VERDICT_UNKNOWN;
				if (result->verdict == VERDICT_LATE && late[job]++ < options->again && !interrupted) {
					pid[job] = start_trial(options, result->seed, result);
					running += pid[job] > 0;
					++*repeated;
					continue;
				}
				late[job] = 0;
				print_result(options, result);
			}
	}
	return started;
}

/* ---- Tables ----------------------------------------------------------------------------------------------------------- */

struct cell {
	unsigned trials, failed;
};

static void print_cell(const struct cell *cell)
{
	char text[32];
	snprintf(text, sizeof text, "%u/%u", cell->failed, cell->trials);
	printf(" %15s", text);
}

static int by_size(const void *left, const void *right)
{
	const int64_t *a = left;
	const int64_t *b = right;
	return (*a > *b) - (*a < *b);
}

static void print_table(const struct result *results, unsigned count)
{
	printf("\nfailed / trials\n%-10s", "workload");
	for (int victims = 0; victims < VICTIM_SETS; victims++)
		printf(" %15s", victims_name(victims));
	printf(" %15s\n", "sum");
	for (int kind = 0; kind <= KINDS; kind++) {
		struct cell sum = {0};
		printf("%-10s", kind < KINDS ? kind_name(kind) : "sum");
		for (int victims = 0; victims < VICTIM_SETS; victims++) {
			struct cell cell = {0};
			for (unsigned i = 0; i < count; i++)
				if ((kind == KINDS || (int)results[i].kind == kind) && (int)results[i].victims == victims) {
					cell.trials++;
					cell.failed += has_failed(&results[i]);
				}
			print_cell(&cell);
			sum.trials += cell.trials;
			sum.failed += cell.failed;
		}
		print_cell(&sum);
		printf("\n");
	}
}

static void print_times(const struct result *results, unsigned count)
{
	int64_t *time = calloc(count + 1, sizeof *time);
	unsigned known = 0;
	for (unsigned i = 0; time && i < count; i++)
		if (results[i].clean_us >= 0)
			time[known++] = results[i].clean_us;
	if (known) {
		const unsigned median = known / 2;
		const unsigned most = (known - 1) * 99 / 100;
		qsort(time, known, sizeof *time, by_size);
		printf("time until nothing was left: median %.1f ms, 99 %% within %.1f ms, longest %.1f ms (%u trials)\n",
			(double)time[median] / 1e3, (double)time[most] / 1e3, (double)time[known - 1] / 1e3, known);
	}
	free(time);
}

/* Returns how many failed. */
static unsigned report(const struct options *options, const struct result *results, unsigned count)
{
	unsigned failed = 0;
	unsigned kills = 0;
	unsigned names = 0;
	unsigned ran = 0;
	unsigned vanished = 0;
	unsigned held[ACTUATORS] = {0};
	unsigned shaped[SHAPES] = {0};
	struct {
		unsigned trials, alive, stopped;
	} left[2] = {{0}};
	for (unsigned i = 0; i < count; i++) {
		const struct result *result = &results[i];
		failed += has_failed(result);
		kills += result->kills;
		names += result->names > 0;
		ran += result->ran && result->kills > 0;
		vanished += result->verdict == VERDICT_VANISHED;
		shaped[result->shape]++;
		held[result->actuator]++;
		left[result->unsupervised].trials++;
		left[result->unsupervised].alive += result->alive > 0;
		left[result->unsupervised].stopped += result->stopped > 0;
	}
	print_table(results, count);
	printf("\n%s, contain %s: %u trials, %u of them hit a tool that ran, %u signals sent\n", options->tool,
		options->settings.contain ? options->settings.contain : "none", count, ran, kills);
	printf("shapes:");
	for (int shape = 0; shape < SHAPES; shape++)
		printf(" %s %u", shape_name((enum shape)shape), shaped[shape]);
	printf("\nheld by");
	for (int actuator = 0; actuator < ACTUATORS; actuator++)
		printf(" %s %u", actuator_name((enum actuator)actuator), held[actuator]);
	printf("\ntrials whose victims had ended before the signal: %u\n", vanished);
	printf("trials that left a process alive: %u of %u; stopped: %u\n", left[0].alive, left[0].trials, left[0].stopped);
	if (left[1].trials)
		printf("… where guardian, master and the workload's executor were killed: alive %u of %u, stopped %u\n",
			left[1].alive, left[1].trials, left[1].stopped);
	if (names)
		printf("trials that left a name in /dev/shm, or control groups, until the next run: %u\n", names);
	print_times(results, count);
	printf("%u failed\n", failed);
	fflush(stdout);
	return failed;
}

/* ---- Options ---------------------------------------------------------------------------------------------------------- */

/* What --help says, which also shows that there is such a program. */
static void ask_for_help(const char *program, char *text, size_t size)
{
	int ends[2];
	size_t length = 0;
	ssize_t got;
	int status = 0;
	if (pipe(ends) != 0)
		trouble(strerror(errno));
	const pid_t pid = fork();
	if (pid == 0) {
		dup2(ends[1], STDOUT_FILENO);
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		execlp(program, program, "--help", (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	while ((got = read(ends[0], text + length, size - 1 - length)) > 0)
		length += (size_t)got;
	text[length] = '\0';
	close(ends[0]);
	waitpid(pid, &status, 0);
	if (pid < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 127))
		trouble("can't execute the tool; --program says where it is");
}

static int shape_by_name(const char *name)
{
	for (int shape = 0; shape < SHAPES; shape++)
		if (strcmp(name, shape_name((enum shape)shape)) == 0)
			return shape;
	trouble("--shape: expected plain, attached, free, dynamic, respawned, staggered or mixed");
	return -1;
}

static void parse_hand(struct options *options, const char *name)
{
	int actuator = 0;
	options->settings.any_actuator = strcmp(name, "any") == 0;
	if (options->settings.any_actuator)
		return;
	while (actuator < ACTUATORS && strcmp(name, actuator_name((enum actuator)actuator)) != 0)
		actuator++;
	if (actuator == ACTUATORS)
		trouble("--actuator: expected signals, freezer, quota or any");
	options->settings.actuator = (enum actuator)actuator;
}

static void parse(struct options *options, int argc, char **argv)
{
	static const struct option table[] = {
		{"trials", required_argument, NULL, 'n'},
		{"seed", required_argument, NULL, 's'},
		{"trial", required_argument, NULL, 't'},
		{"jobs", required_argument, NULL, 'j'},
		{"deadline", required_argument, NULL, 'd'},
		{"late-again", required_argument, NULL, 'a'},
		{"shape", required_argument, NULL, 'S'},
		{"contain", required_argument, NULL, 'c'},
		{"actuator", required_argument, NULL, 'A'},
		{"tool", required_argument, NULL, 'T'},
		{"program", required_argument, NULL, 'p'},
		{"workload", required_argument, NULL, 'w'},
		{"verbose", no_argument, NULL, 'v'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	bool counted = false;
	for (int option; (option = getopt_long(argc, argv, "n:s:t:j:d:a:S:c:A:T:p:w:vh", table, NULL)) != -1;)
		switch (option) {
		case 'n':
			options->trials = (unsigned)number(optarg, 1000000, "--trials: expected a number up to 1000000");
			counted = true;
			break;
		case 's':
			options->seed = number(optarg, UINT64_MAX, "--seed: expected a number");
			break;
		case 't':
			number(optarg, UINT64_MAX, "--trial: expected a number");
			options->one = optarg;
			break;
		case 'j':
			options->jobs = (unsigned)number(optarg, JOBS_MAX, "--jobs: expected a number from 1 to 64");
			if (options->jobs < 1)
				trouble("--jobs: expected a number from 1 to 64");
			break;
		case 'd':
			options->settings.deadline_us =
				(int64_t)number(optarg, 3600, "--deadline: expected whole seconds") * 1000000;
			break;
		case 'a':
			options->again = (unsigned)number(optarg, 1000, "--late-again: expected a number up to 1000");
			break;
		case 'S':
			options->settings.shape = shape_by_name(optarg);
			break;
		case 'c':
			options->contain = optarg;
			break;
		case 'A':
			parse_hand(options, optarg);
			break;
		case 'T':
			options->tool = optarg;
			break;
		case 'p':
			options->settings.program = optarg;
			break;
		case 'w':
			options->settings.workload = optarg;
			break;
		case 'v':
			options->verbose = true;
			break;
		case 'h':
			usage(stdout);
			exit(0);
		default:
			exit(125);
		}
	if (optind < argc)
		trouble("unexpected argument (--help says more)");
	if (options->one && !counted)
		options->trials = 1;
	if (strcmp(options->tool, "cpulimit") == 0)
		options->settings.tool = TOOL_CPULIMIT;
	else if (strcmp(options->tool, "cpulimit-p") == 0)
		options->settings.tool = TOOL_CPULIMIT_ATTACHED;
	else if (strcmp(options->tool, "showstopper") != 0)
		trouble("--tool: expected showstopper, cpulimit or cpulimit-p");
	if (strcmp(options->contain, "none") != 0 && strcmp(options->contain, "pidns") != 0 &&
		strcmp(options->contain, "all") != 0)
		trouble("--contain: expected none, pidns or all");
	if (!options->settings.program)
		options->settings.program = options->settings.tool == TOOL_SHOWSTOPPER ? "showstopper" : "cpulimit";
	if (!options->settings.workload) {
		static const char suffix[] = "_workload";
		static char path[4096];
		const ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof suffix);
		if (length <= 0)
			trouble("can't find faults_workload");
		memcpy(path + length, suffix, sizeof suffix);
		options->settings.workload = path;
	}
	if (access(options->settings.workload, X_OK) != 0)
		trouble("faults_workload isn't there; --workload says where it is");
}

/* All trials with one setting of --contain. Returns how many failed. */
static unsigned run_with(struct options *options, const char *contain)
{
	const size_t size = (options->trials + 1) * sizeof(struct result);
	struct result *results = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (results == MAP_FAILED)
		trouble(strerror(errno));
	options->settings.contain = contain;
	unsigned repeated = 0;
	const unsigned count = run_trials(options, results, &repeated);
	if (options->again)
		printf("\nrepeated, as they were late: %u\n", repeated);
	const unsigned failed = report(options, results, count);
	munmap(results, size);
	return failed;
}

int main(int argc, char **argv)
{
	struct options options = {.settings = {.deadline_us = 1000000, .shape = -1},
		.seed = 1,
		.trials = 100,
		.jobs = 2,
		.contain = "none",
		.tool = "showstopper"};
	unsigned failed = 0;
	char help[16384];
	parse(&options, argc, argv);
	ask_for_help(options.settings.program, help, sizeof help);
	/* A trial that dies leaves its processes to this one. */
	prctl(PR_SET_CHILD_SUBREAPER, 1UL);
	const struct sigaction action = {.sa_handler = on_interrupt};
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	for (int actuator = 0; options.settings.any_actuator && actuator < ACTUATORS; actuator++)
		options.settings.has_actuator[actuator] = launch_can_hold(options.settings.program, (enum actuator)actuator);
	if (strstr(help, "--attach-group"))
		held_group_find(options.settings.group_place);
	const bool offered = strstr(help, "--contain") && strstr(help, "pidns");
	if (strcmp(options.contain, "pidns") != 0)
		failed += run_with(&options, NULL);
	if (strcmp(options.contain, "pidns") == 0 || (strcmp(options.contain, "all") == 0 && offered))
		failed += run_with(&options, "pidns");
	if (interrupted)
		return 128 + interrupted;
	if (!failed && strcmp(options.contain, "all") == 0 && !offered)
		return LEFT_OUT_STATUS;
	return failed ? 1 : 0;
}
