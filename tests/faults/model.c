/* SPDX-License-Identifier: MIT */
/*
 * model: what a signal to each process of a run in each of its phases must lead to (showstopper(1), THE COURSE OF A RUN), as a table. SIGSTOP,
 * SIGKILL and SIGCONT; guardian, master, an executor and its workload; by each actuator, and attached. In any case nothing of the run is left
 * afterwards, and what was attached runs. (faults does such things at random.)
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <getopt.h>
#include <libgen.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "census.h"
#include "launch.h"
#include "plan.h"

enum phase { START, HOLD, WARM_UP, CONTROL, PAUSE, END, GRACE, PHASES };
enum blow { STOP, KILL, CONT, BLOWS };
#define ROLES (ROLE_WORKLOAD + 1)

/* How the run may end: sets of these. */
#define DONE 1    /* status 0 */
#define FAILED 2  /* 1 */
#define TROUBLE 4 /* 125 */
#define ASKED 8   /* by the SIGTERM that it was sent */
#define KILLED 16 /* by the SIGKILL to the guardian */

/* In the last two phases the run has been sent SIGTERM. */
#define AS_PLANNED                                                                                                               \
	{                                                                                                                        \
		DONE, DONE, DONE, DONE, DONE, ASKED, ASKED                                                                       \
	}

static const unsigned promised[BLOWS][ROLES][PHASES] =
	{
		[STOP] =
			{
				/* Continued by the harness after a while. */
				[ROLE_GUARDIAN] = AS_PLANNED,
				/* `fg` continues it. */
				[ROLE_MASTER] = {TROUBLE, TROUBLE, TROUBLE, TROUBLE, DONE, TROUBLE | ASKED, TROUBLE},
				/* Lost, unless it is the end that it misses. */
				[ROLE_EXECUTOR] = {TROUBLE, TROUBLE, TROUBLE, TROUBLE, TROUBLE, TROUBLE | ASKED, TROUBLE | ASKED},
				[ROLE_WORKLOAD] = AS_PLANNED,
			},
		[KILL] =
			{
				[ROLE_GUARDIAN] = {KILLED, KILLED, KILLED, KILLED, KILLED, KILLED | ASKED, KILLED},
				[ROLE_MASTER] = {TROUBLE, TROUBLE, TROUBLE, TROUBLE, TROUBLE, TROUBLE | ASKED, TROUBLE},
				[ROLE_EXECUTOR] = {TROUBLE, TROUBLE, TROUBLE, TROUBLE, TROUBLE, TROUBLE | ASKED, TROUBLE},
				[ROLE_WORKLOAD] = {FAILED, FAILED, FAILED, FAILED, FAILED, ASKED, ASKED},
			},
		[CONT] = {AS_PLANNED, AS_PLANNED, AS_PLANNED, AS_PLANNED},
};

static const char *const phase_names[] = {"start", "hold", "warm-up", "control", "pause", "end", "grace"};
static const char *const role_names[] = {"guardian", "master", "executor", "workload"};
static const int signals[] = {SIGSTOP, SIGKILL, SIGCONT};

struct trial_case {
	enum phase phase;
	enum role role;
	enum blow blow;
	enum actuator actuator;
	bool attached;
};

struct outcome {
	bool finished, failed, vanished;
	char text[2048];
};

#define INSTANCES 2
#define JOBS_MAX 64
/* Generous: a busy machine breaks no promise. */
#define END_LIMIT_MS 60000
#define LEFT_LIMIT_MS 10000
/* How often a trial is repeated whose victim had ended before the signal. */
#define TRIES 5
#define FORK_TRIES 3000
#define FORK_PAUSE_US 10000

static const char *program = "showstopper";
static const char *workload_program;

static struct trial_case now;
static struct outcome *outcome;
static struct census census;
static char mark[64], folder[64], held[96]; /* whose executor waits for somebody who reads */
static pid_t guardian, attached;
static int output, reader = -1, guardian_status;
static bool guardian_gone;

static void pause_ms(long ms)
{
	const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
	nanosleep(&time, NULL);
}

static void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void complain(const char *format, ...)
{
	const size_t used = strlen(outcome->text);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(outcome->text + used, sizeof outcome->text - used, format, arguments);
	va_end(arguments);
	outcome->failed = true;
}

/* ---- Who is who ------------------------------------------------------------------------------------------------------- */

static void reap(void)
{
	int status;
	for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
		if (pid == guardian) {
			guardian_gone = true;
			guardian_status = status;
		}
}

static bool is_child(const struct person *person, pid_t parent, bool of_the_tool)
{
	return person->parent == parent && !person_has_ended(person) && (strcmp(person->name, "showstopper") == 0) == of_the_tool;
}

static bool is_older(const struct person *person, const struct person *other)
{
	return person->start < other->start || (person->start == other->start && person->pid < other->pid);
}

/* The child number `which` of a process, by age, that is one of the tool or isn't. */
static const struct person *child_of(pid_t parent, bool of_the_tool, unsigned which)
{
	for (size_t i = 0; i < census.count; i++) {
		unsigned older = 0;
		for (size_t k = 0; k < census.count; k++)
			older += is_child(&census.item[k], parent, of_the_tool) && is_older(&census.item[k], &census.item[i]);
		if (older == which && is_child(&census.item[i], parent, of_the_tool))
			return &census.item[i];
	}
	return NULL;
}

static pid_t pid_of(const struct person *person)
{
	return person ? person->pid : 0;
}

static pid_t master_pid(void)
{
	return pid_of(child_of(guardian, true, 0));
}

/* The one whose workload is attached is the last. */
static pid_t executor_pid(unsigned which)
{
	const pid_t master = master_pid();
	return master ? pid_of(child_of(master, true, which)) : 0;
}

static pid_t workload_pid(unsigned which)
{
	const pid_t executor = executor_pid(which);
	return executor ? pid_of(child_of(executor, false, 0)) : 0;
}

static unsigned started_instances(void)
{
	return now.phase == START ? INSTANCES + 1 : INSTANCES;
}

/* That of the attached process, where it is there: it comes last, and goes as soon as the run is to end. */
static unsigned executor_to_hit(void)
{
	return now.attached && now.phase != START && now.phase != GRACE ? started_instances() : 0;
}

static pid_t victim(void)
{
	census_take(&census, mark);
	switch (now.role) {
	case ROLE_GUARDIAN:
		return guardian;
	case ROLE_MASTER:
		return master_pid();
	case ROLE_EXECUTOR:
		return executor_pid(executor_to_hit());
	default:
		return now.attached ? attached : workload_pid(0);
	}
}

/* ---- The run ---------------------------------------------------------------------------------------------------------- */

static void become(void)
{
	static char number[2][16], name[128];
	const char *argument[40];
	size_t count = 0;
	setsid();
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	setenv(CENSUS_MARK, mark, 1);
	snprintf(number[0], sizeof number[0], "%u", started_instances());
	snprintf(number[1], sizeof number[1], "%d", (int)attached);
	snprintf(name, sizeof name, "%s/out.%%", folder);
	/* Long enough that an executor's standstill is noticed before the end. */
	const char *const length = now.phase >= END ? "60s" : now.role == ROLE_EXECUTOR && now.blow == STOP ? "5s" : "1500m";
	const char *const usual[] = {
		program, "-q", "-T", "0.3", "-r", length, "--grace", now.phase == GRACE ? "2s" : "10s", "-n", number[0]};
	const struct {
		bool is_given;
		const char *name, *value;
	} more[] = {
		{now.phase == WARM_UP, "-w", "1500m"},
		{now.phase == START, "--start-interval", "700m"},
		{now.phase == HOLD, "--stdout", name},
		{now.actuator != ACTUATOR_SIGNALS, "-a", actuator_name(now.actuator)},
		{now.attached, "--attach", number[1]},
		{true, workload_program, now.phase == GRACE ? "deaf" : "idle"},
	};
	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
		argument[count++] = usual[i];
	for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
		if (!more[i].is_given)
			continue;
		argument[count++] = more[i].name;
		argument[count++] = more[i].value;
	}
	argument[count] = NULL;
	execvp(argument[0], (char *const *)argument);
	perror(argument[0]);
	_exit(125);
}

static void launch_run(void)
{
	char name[128];
	guardian = -1;
	if (now.attached && (attached = fork()) == 0) {
		setsid();
		snprintf(name, sizeof name, "%d", ATTACHED_INSTANCE);
		setenv("SHOWSTOPPER_INSTANCE", name, 1);
		setenv(CENSUS_MARK, mark, 1);
		execl(workload_program, workload_program, "idle", (char *)NULL);
		_exit(125);
	}
	if (now.phase == HOLD && mkfifo(held, 0600) != 0)
		complain(" mkfifo: %s", strerror(errno));
	guardian = fork();
	if (guardian == 0)
		become();
}

static bool is_stopped(pid_t pid)
{
	const struct person *const person = census_find(&census, pid);
	return person && person_is_stopped(person);
}

/* As many workloads as the phase begins with are there. */
static bool has_come(void)
{
	const unsigned expected = now.phase == START ? 1 : now.phase == HOLD ? INSTANCES - 1 : INSTANCES;
	const unsigned executors = now.phase == START ? 1 : INSTANCES + now.attached;
	census_take(&census, mark);
	for (unsigned i = 0; i < executors; i++)
		if (!executor_pid(i) || (i < expected && !workload_pid(i)))
			return false;
	return true;
}

/* False when the run has ended before. */
static bool reach_phase(void)
{
	for (int ms = 0; !has_come(); ms += 20) {
		reap();
		if (guardian_gone || ms > END_LIMIT_MS)
			return false;
		pause_ms(20);
	}
	pause_ms(now.phase == START ? 100 : 400);
	if (now.phase == PAUSE) {
		kill(guardian, SIGTSTP);
		for (int ms = 0; ms < END_LIMIT_MS && !is_stopped(guardian); ms += 20) {
			pause_ms(20);
			census_take(&census, mark);
		}
	}
	if (now.phase == END || now.phase == GRACE)
		kill(guardian, SIGTERM);
	if (now.phase == GRACE)
		pause_ms(400);
	reap();
	return !guardian_gone;
}

/* What anybody would do then. */
static void follow_up(void)
{
	pause_ms(600);
	if (now.phase == HOLD && reader < 0)
		reader = open(held, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (now.role == ROLE_GUARDIAN && now.blow == STOP)
		pause_ms(600);
	reap();
	if (!guardian_gone && (now.phase == PAUSE || (now.role == ROLE_GUARDIAN && now.blow == STOP)))
		kill(guardian, SIGCONT);
}

/* ---- What came of it -------------------------------------------------------------------------------------------------- */

static unsigned how_it_ended(void)
{
	if (WIFSIGNALED(guardian_status))
		return WTERMSIG(guardian_status) == SIGTERM ? ASKED : WTERMSIG(guardian_status) == SIGKILL ? KILLED : 0;
	const int status = WEXITSTATUS(guardian_status);
	return status == 0 ? DONE : status == 1 ? FAILED : status == 125 ? TROUBLE : 0;
}

/* How an attached process ended is known to its parent alone. */
static unsigned what_was_promised(void)
{
	const unsigned set = promised[now.blow][now.role][now.phase];
	return now.attached && set == FAILED ? DONE : set;
}

/* What is stopped after it was let go was stopped by us. */
static bool may_stand(void)
{
	return now.role == ROLE_WORKLOAD && now.blow == STOP && (now.phase == END || now.phase == GRACE);
}

/* What must not be there any more, or must be and isn't. With `say` it is described. */
static unsigned count_wrong(bool say)
{
	unsigned wrong = 0;
	bool is_there = !now.attached || (now.role == ROLE_WORKLOAD && now.blow == KILL);
	census_take(&census, mark);
	for (size_t i = 0; i < census.count; i++) {
		const struct person *const person = &census.item[i];
		if (person_has_ended(person))
			continue;
		if (person->pid == attached) {
			is_there = true;
			if ((!person_is_stopped(person) || may_stand()) && !person_is_frozen(person))
				continue;
		}
		wrong++;
		if (say)
			complain(" [%d %s %c%s, instance %d]", (int)person->pid, person->name, person->state,
				person_is_frozen(person) ? " frozen" : "", person->instance);
	}
	if (!is_there && say)
		complain(" [the attached process is gone]");
	return wrong + !is_there;
}

static void judge(void)
{
	for (int ms = 0; !guardian_gone && ms < END_LIMIT_MS; ms += 20) {
		pause_ms(20);
		reap();
	}
	if (!guardian_gone) {
		complain(" the run doesn't end");
		count_wrong(true);
		return;
	}
	if (!(how_it_ended() & what_was_promised()))
		complain(" wait status %#x, expected of the set %#x", (unsigned)guardian_status, what_was_promised());
	for (int ms = 0; count_wrong(false) && ms < LEFT_LIMIT_MS; ms += 20) {
		pause_ms(20);
		reap();
	}
	count_wrong(true);
}

static void kill_all(void)
{
	for (int ms = 0; ms < END_LIMIT_MS; ms += 20) {
		unsigned living = 0;
		reap();
		census_take(&census, mark);
		for (size_t i = 0; i < census.count; i++)
			if (!person_has_ended(&census.item[i]) && ++living)
				kill(census.item[i].pid, SIGKILL);
		if (!living)
			return;
		pause_ms(20);
	}
}

static int remove_one(const char *path, const struct stat *status, int flag, struct FTW *where)
{
	(void)status;
	(void)flag;
	(void)where;
	return remove(path);
}

static void keep_output(void)
{
	char text[1024];
	const ssize_t length = pread(output, text, sizeof text - 1, 0);
	text[length > 0 ? length : 0] = '\0';
	if (outcome->failed && length > 0)
		complain("\n  output: %s", text);
}

static void run_case(const struct trial_case *which, struct outcome *result)
{
	const sigset_t none = {0};
	now = *which;
	outcome = result;
	*result = (struct outcome){0};
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_CHILD_SUBREAPER, 1UL);
	output = memfd_create("output", MFD_CLOEXEC);
	snprintf(mark, sizeof mark, "model.%d", (int)getpid());
	snprintf(folder, sizeof folder, "/tmp/showstopper-model.XXXXXX");
	if (output < 0 || !mkdtemp(folder)) {
		complain(" can't begin: %s", strerror(errno));
		return;
	}
	snprintf(held, sizeof held, "%s/out.%d", folder, INSTANCES - 1);
	launch_run();
	pid_t hit;
	if (reach_phase() && (hit = victim()) > 0 && kill(hit, signals[now.blow]) == 0) {
		follow_up();
		judge();
	} else {
		result->vanished = true;
	}
	kill_all();
	keep_output();
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	result->finished = true;
}

/* ---- All of them ------------------------------------------------------------------------------------------------------ */

#define CASES_MAX (PHASES * ROLES * BLOWS * (ACTUATORS + 1))

static struct trial_case cases[CASES_MAX];
static unsigned case_count;

static void add_cases(enum actuator actuator, bool is_attached)
{
	for (int phase = 0; phase < PHASES; phase++)
		for (int role = 0; role < ROLES; role++)
			for (int blow = 0; blow < BLOWS; blow++)
				cases[case_count++] = (struct trial_case){
					(enum phase)phase, (enum role)role, (enum blow)blow, actuator, is_attached};
}

static void print_outcome(const struct trial_case *which, const struct outcome *result, bool verbose)
{
	if (!result->failed && result->finished && !verbose)
		return;
	printf("%s: SIG%s to the %s in the phase %s, by %s%s:%s\n", result->failed || !result->finished ? "FAIL" : "ok",
		sigabbrev_np(signals[which->blow]), role_names[which->role], phase_names[which->phase],
		actuator_name(which->actuator), which->attached ? ", attached" : "",
		result->finished ? result->text : " the trial itself died");
	fflush(stdout);
}

static pid_t start_case(const struct trial_case *which, struct outcome *result)
{
	pid_t pid;
	/* What runs beside this may have taken all numbers of processes for a moment. */
	for (unsigned tried = 0; (pid = fork()) < 0; tried++) {
		if (tried == FORK_TRIES) {
			fprintf(stderr, "model: can't fork: %s\n", strerror(errno));
			exit(125);
		}
		usleep(FORK_PAUSE_US);
	}
	if (pid == 0) {
		run_case(which, result);
		_exit(0);
	}
	return pid;
}

/* Returns how many failed. */
static unsigned run_all(unsigned jobs, bool verbose)
{
	static unsigned tries[CASES_MAX];
	pid_t pid[JOBS_MAX] = {0};
	unsigned index[JOBS_MAX] = {0};
	unsigned next = 0, running = 0, failed = 0;
	struct outcome *const results =
		mmap(NULL, sizeof(struct outcome) * CASES_MAX, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (results == MAP_FAILED)
		exit(125);
	while (next < case_count || running) {
		for (unsigned job = 0; job < jobs && next < case_count; job++) {
			if (pid[job])
				continue;
			index[job] = next++;
			running++;
			pid[job] = start_case(&cases[index[job]], &results[index[job]]);
		}
		const pid_t ended = wait(NULL);
		for (unsigned job = 0; ended > 0 && job < jobs; job++) {
			struct outcome *const result = &results[index[job]];
			if (pid[job] != ended)
				continue;
			if (result->vanished && ++tries[index[job]] < TRIES) {
				pid[job] = start_case(&cases[index[job]], result);
				continue;
			}
			/* At the end, who is hit may always be gone. */
			if (result->vanished && cases[index[job]].phase != END)
				result->failed = true;
			pid[job] = 0;
			running--;
			failed += result->failed || !result->finished;
			print_outcome(&cases[index[job]], result, verbose);
		}
	}
	return failed;
}

static void usage(FILE *stream)
{
	fputs("usage: model [OPTION]...\n"
	      "Sends SIGSTOP, SIGKILL and SIGCONT to each process of a run of Showstopper in each of its phases, and looks "
	      "whether what "
	      "comes of it is what was promised.\n"
	      "  -j, --jobs N          trials side by side (16)\n"
	      "  -p, --program FILE    the tool (found in PATH by its name)\n"
	      "  -w, --workload FILE   the program faults_workload (found beside this one)\n"
	      "  -v, --verbose         a line for each trial\n"
	      "  -h, --help            print this\n",
		stream);
}

static unsigned parse(int argc, char **argv, bool *verbose)
{
	static const struct option table[] = {
		{"jobs", required_argument, NULL, 'j'},
		{"program", required_argument, NULL, 'p'},
		{"workload", required_argument, NULL, 'w'},
		{"verbose", no_argument, NULL, 'v'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	unsigned jobs = 16;
	for (int option; (option = getopt_long(argc, argv, "j:p:w:vh", table, NULL)) != -1;)
		switch (option) {
		case 'j':
			jobs = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'p':
			program = optarg;
			break;
		case 'w':
			workload_program = optarg;
			break;
		case 'v':
			*verbose = true;
			break;
		case 'h':
			usage(stdout);
			exit(0);
		default:
			exit(125);
		}
	if (jobs < 1 || jobs > JOBS_MAX || optind < argc) {
		fputs("model: --jobs: expected a number from 1 to 64, and no other arguments\n", stderr);
		exit(125);
	}
	return jobs;
}

int main(int argc, char **argv)
{
	static char path[4096];
	bool verbose = false;
	const unsigned jobs = parse(argc, argv, &verbose);
	if (!workload_program && readlink("/proc/self/exe", path, sizeof path - 32) > 0)
		workload_program = strcat(dirname(path), "/faults_workload");
	prctl(PR_SET_CHILD_SUBREAPER, 1UL);
	for (int actuator = 0; actuator < ACTUATORS; actuator++) {
		if (launch_can_hold(program, (enum actuator)actuator))
			add_cases((enum actuator)actuator, false);
		else
			printf("left out: %s can't be had here\n", actuator_name((enum actuator)actuator));
	}
	add_cases(ACTUATOR_SIGNALS, true);
	const unsigned failed = run_all(jobs, verbose);
	printf("%u trials, %u failed\n", case_count, failed);
	return failed ? 1 : 0;
}
