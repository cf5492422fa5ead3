/* SPDX-License-Identifier: MIT */
/* The master's part (recorders, log) are plain events that take no processor time; executors are tasks of the machine. */
#include "sssim/run.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file_uses.h"
#include "base/output.h"
#include "base/units.h"
#include "trace/stream_reader.h"

/* The machine has been up for about this long. */
#define UPTIME_NS (1000 * NS_PER_S)
/* … and has worked so much with each processor: modules look at the counters to find out what they count. */
#define PAST_NS (100 * NS_PER_S)
#define HOLD_NS (10 * NS_PER_MS)

/* Streams of random numbers. */
enum { STREAM_START = 1, STREAM_ABSENCE = 2, STREAM_BACKGROUND = 3 << 20, STREAM_STALL = 4 << 20 };

void sim_config_defaults(struct sim_config *config, unsigned processors)
{
	*config = (struct sim_config){
		.machine = {.processors = processors,
			.slice_ns = 3 * NS_PER_MS,
			.tick_ns = 4 * NS_PER_MS,
			.wakeup_ns = 30 * NS_PER_US,
			.idle_cost_ns = 5 * NS_PER_US,
			.priority = true,
			.seed = 1,
			.topology = {.speed = 0.6}},
		.counters = SIM_HAS_CPUACCT,
		.workloads = processors,
		.run_time_ns = -1,
		.edge_ns = 30 * NS_PER_US,
		.edge_thread_ns = 400,
		.reading_ns = 20 * NS_PER_US,
		.reading_processor_ns = 2 * NS_PER_US,
		.stall_every_ns = 2 * NS_PER_S,
		.release_ns = 20 * NS_PER_US,
		.log_interval_ns = 500 * NS_PER_MS,
	};
	struct config real;
	config_init(&real);
	memcpy(config->module, real.module, sizeof real.module);
}

/* ---- Who stands still ------------------------------------------------------------------------------------------------- */

static void stop_or_continue(struct sim_run *run, bool stop)
{
	for (unsigned i = 0; i < run->config->workloads; i++)
		if (stop)
			sim_process_stop(run->executors.process[i]);
		else if (!run->executors.executor[i].executor.stopped && !run->executors.executor[i].bandwidth.throttled)
			sim_process_continue(run->executors.process[i]);
	for (unsigned i = 0; i < run->backgrounds && run->config->halt == SIM_HALT_MACHINE; i++)
		if (stop)
			sim_process_stop(run->background[i]);
		else
			sim_process_continue(run->background[i]);
}

/* The processor that has got it is gone for so long; where workloads ran, they go on elsewhere. */
static int64_t be_absent(struct sim_task *task)
{
	struct sim_run *run = SIM_OWNER(task, struct sim_run, absence);
	run->host.gone = (unsigned)(task->processor - run->machine.processor);
	run->host.gone_since_ns = run->machine.now_ns;
	stop_or_continue(run, false);
	sim_event_arm(&run->machine, &run->halting, run->machine.now_ns + run->config->halt_ns);
	return run->config->halt_ns;
}

static void remove_or_return_processor(struct sim_run *run)
{
	if (run->host.gone_since_ns) {
		run->host.gone_ns += run->machine.now_ns - run->host.gone_since_ns;
		run->host.gone_since_ns = 0;
	} else {
		/* No thread is on it when it goes. */
		stop_or_continue(run, true);
		sim_task_sleep(&run->absence, run->machine.now_ns);
	}
}

/* At the beginning, and again at the end. */
static void halt(struct sim_event *event)
{
	struct sim_run *run = SIM_OWNER(event, struct sim_run, halting);
	const struct sim_config *config = run->config;
	if (config->halt == SIM_HALT_PROCESSOR) {
		remove_or_return_processor(run);
		return;
	}
	const bool begins = !run->executors.halted_until_ns;
	run->executors.halted_until_ns = begins ? run->machine.now_ns + config->halt_ns : 0;
	if (config->halt != SIM_HALT_EXECUTORS)
		stop_or_continue(run, begins);
	if (begins)
		sim_event_arm(&run->machine, event, run->executors.halted_until_ns);
	else if (config->halt == SIM_HALT_MACHINE)
		run->host.stood_ns += config->halt_ns;
}

/* ---- Recording -------------------------------------------------------------------------------------------------------- */

/* What backgrounds do is known exactly. */
static double background_work(const struct sim_run *run)
{
	int64_t total_ns = 0;
	for (unsigned i = 0; i < run->backgrounds; i++)
		total_ns += sim_process_cpu_ns(run->background[i]);
	return (double)total_ns / 1e9;
}

static bool read_source(void *context, struct sst_reading *reading)
{
	struct sim_run *run = context;
	const struct module *feedback = &run->real.module[SST_FEEDBACK];
	sim_executors_enter(&run->executors, 0);
	/* Of cores it can't be said, here as elsewhere. */
	run->intervals.others_s = run_is_of_cores(&run->real) ? NAN : background_work(run);
	return feedback->feedback->read(feedback->state, &run->real.host[SST_FEEDBACK].env, reading) == 0;
}

static void take_row(void *context, struct record *record)
{
	struct sim_run *run = context;
	if (!run->log || !run_knows_load(&run->real) || control_log_add(run->log, record, run->origin_ns) == 0)
		return;
	if (!run->log_failed)
		diag("%s: can't write the log: %s", output_name(run->config->log), strerror(errno));
	run->log_failed = true;
}

static void record(struct sim_event *event)
{
	struct sim_run *run = SIM_OWNER(event, struct sim_run, recording);
	const int64_t now = run->machine.now_ns;
	if (run->executors.halted_until_ns) {
		sim_event_arm(&run->machine, event, run->executors.halted_until_ns + 1);
		return;
	}
	/* What is half over in the end counts; a log whose rows end then has them already. */
	intervals_take(&run->intervals, now, now == run->end_ns ? INTERVALS_END : INTERVALS_GO_ON);
	if (now < run->end_ns)
		sim_event_arm(&run->machine, event, intervals_next(&run->intervals));
}

/* The processors, or cores, that are a load of 1. */
static unsigned processors_of_1(const struct sim_run *run)
{
	const double ceiling = module_ceiling(&run->real.module[SST_FEEDBACK], &run->real.host[SST_FEEDBACK].env);
	if (run_is_of_cores(&run->real))
		return run->machine.topology.cores;
	return run_is_of_workloads(&run->real) ? (unsigned)lround(run->config->machine.processors / ceiling)
					       : run->config->machine.processors;
}

/* Of what the load is of. */
static int64_t work_ns(const struct sim_run *run)
{
	return run_is_of_cores(&run->real) ? sim_machine_core_work_ns(&run->machine) : sim_machine_work_ns(&run->machine);
}

static struct sim_use use_so_far(const struct sim_run *run)
{
	struct sim_use use = {
		.processors_ns = sim_machine_work_ns(&run->machine), .cores_ns = sim_machine_core_work_ns(&run->machine)};
	for (unsigned i = 0; i < run->config->workloads; i++) {
		use.progress_ns += sim_process_work_ns(run->executors.process[i]);
		use.iterations += sim_workload_progress(run->executors.process[i]);
	}
	return use;
}

static void step(struct sim_event *event)
{
	struct sim_run *run = SIM_OWNER(event, struct sim_run, stepping);
	const struct module *trace = &run->real.module[SST_TRACE];
	const int64_t now = run->machine.now_ns;
	const int64_t middle = now - run->origin_ns - SIM_HISTORY_STEP_NS / 2;
	if (now == run->origin_ns)
		run->before = use_so_far(run);
	sim_executors_enter(&run->executors, 0);
	const double target = middle < 0 ? NAN : trace->trace->target(trace->state, middle);
	int64_t own_ns = 0;
	for (unsigned i = 0; i < run->config->workloads; i++)
		own_ns += sim_run_workload_ns(run, i);
	const int64_t load_ns = run_is_of_workloads(&run->real) ? own_ns : work_ns(run);
	if (sim_history_add(&run->history, load_ns, target) != 0 || sim_history_add(&run->own_history, own_ns, target) != 0)
		run->out_of_memory = true;
	sim_event_arm(&run->machine, &run->stepping, now + SIM_HISTORY_STEP_NS);
}

/* Before anything else that happens at these moments. */
static void calibrate(struct sim_event *event)
{
	struct sim_run *run = SIM_OWNER(event, struct sim_run, calibrating);
	const struct module *feedback = &run->real.module[SST_FEEDBACK];
	struct host_env *const host = &run->real.host[SST_FEEDBACK];
	const int64_t now_ns = run->machine.now_ns, left_ns = run->origin_ns - now_ns;
	const enum sst_calibration step = !run->calibrates ? SST_CALIBRATION_BEGINS
					  : left_ns > 0    ? SST_CALIBRATION_GOES_ON
							   : SST_CALIBRATION_IS_OVER;
	sim_executors_enter(&run->executors, 0);
	run->calibrates = true;
	if (feedback->feedback->calibrate(feedback->state, &host->env, step) != 0)
		run->uncalibrated = true;
	else if (step != SST_CALIBRATION_IS_OVER)
		sim_event_arm(
			&run->machine, event, now_ns + (left_ns < SST_CALIBRATION_STEP_NS ? left_ns : SST_CALIBRATION_STEP_NS));
}

/* ---- Setting up ------------------------------------------------------------------------------------------------------- */

/* Each part of it returns 0, or -1 after a message; share leaves that to its caller, with errno. */

static int complain_about_memory(void)
{
	return diag_refuse("%s", strerror(errno));
}

static int load_modules(struct sim_run *run)
{
	const struct sim_config *config = run->config;
	char error[RUN_ERROR_MAX];
	for (int kind = 0; kind < KINDS; kind++) {
		sim_env_init(&run->real.host[kind], &run->host, config->workloads, config->machine.seed + (uint64_t)kind);
		if (run_load_module(&run->real, (enum sst_kind)kind, error) != 0)
			return diag_refuse("%s", error);
	}
	return 0;
}

/* What the trace module asked to follow is all there is before the run. */
static int follow(struct sim_run *run)
{
	const struct host_env *const host = &run->real.host[SST_TRACE];
	struct stream_complaints complaints = {0};
	struct stream_reader reader = {.name = host->followed.source, .writer = &run->followed, .complaints = &complaints};
	struct stat status;
	run->followed = (struct stream_writer){.board = host->board, .end_ns = INT64_MAX};
	if (!host->board)
		return 0;
	if (!reader.name || stat(reader.name, &status) != 0 || !S_ISREG(status.st_mode))
		return diag_refuse("trace module 'stream': expected source=FILE, as in virtual time nothing comes from outside");
	const int file = open(reader.name, O_RDONLY | O_CLOEXEC);
	char error[STREAM_ERROR_MAX];
	if (file < 0)
		snprintf(error, sizeof error, "%s", strerror(errno));
	const int result = file < 0 ? -1 : stream_reader_take_file(&reader, file, 0, error);
	if (result != 0)
		diag("trace module 'stream': %s: %s", reader.name, error);
	if (file >= 0)
		close(file);
	stream_complaints_end(&complaints);
	stream_say_rest(&run->followed, host->followed.at_end, 0);
	return result;
}

static int share(struct sim_run *run)
{
	size_t size[KINDS];
	size_t offset[KINDS];
	for (int kind = 0; kind < KINDS; kind++)
		size[kind] = run->real.module[kind].base->shared_size;
	const size_t total = shared_layout(run->config->workloads, size, offset);
	struct shared *shared = aligned_alloc(128, (total + 127) / 128 * 128);
	if (!shared)
		return -1;
	memset(shared, 0, total);
	shared_init(shared, run->config->workloads, total, offset);
	run_move_into(&run->real, shared);
	return 0;
}

static int build_machine(struct sim_run *run)
{
	const struct sim_config *config = run->config;
	struct sim_machine_config machine = config->machine;
	struct sim_random random = sim_random_stream(machine.seed, STREAM_START);
	/* Ticks and the counters' unit are at any place relative to the beginning of control. */
	machine.start_ns = UPTIME_NS + (int64_t)sim_random_below(&random, NS_PER_S);
	run->began_ns = machine.start_ns + HOLD_NS;
	run->host = (struct sim_host){.machine = &run->machine,
		.accounting = config->accounting,
		.counters = config->counters,
		.idle_excess = config->idle_excess,
		.past_ns = PAST_NS,
		.reading_ns = config->reading_ns,
		.reading_processor_ns = config->reading_processor_ns};
	run->absence.run = be_absent;
	if (sim_machine_init(&run->machine, &machine) == 0 && sim_machine_reserve(&run->machine, 5) == 0 &&
		sim_task_add(&run->machine, &run->absence, STREAM_ABSENCE) == 0)
		return 0;
	return complain_about_memory();
}

static int set_end(struct sim_run *run)
{
	const struct sim_config *config = run->config;
	const int64_t said_ns = run->followed.end_ns;
	const int64_t trace_ns = said_ns == INT64_MAX ? run_trace_length(&run->real) : said_ns;
	if (config->run_time_ns < 0 && trace_ns < 0)
		return diag_refuse("the trace has no end: expected --run-time");
	const bool asked = config->run_time_ns >= 0 && config->run_time_ns < said_ns;
	const int64_t length_ns = asked ? config->run_time_ns : trace_ns;
	char text[SHORT_TIME_MAX];
	if (config->run_time_ns >= 0 && short_time(config->run_time_ns, text))
		diag("--run-time: %s", text);
	if (short_time(trace_ns, text))
		diag("the trace's length: %s", text);
	run->end_ns = run->origin_ns + length_ns;
	return 0;
}

static int add_backgrounds(struct sim_run *run)
{
	const struct sim_config *config = run->config;
	run->background = calloc(config->backgrounds + 1, sizeof(struct sim_process *));
	if (!run->background)
		return complain_about_memory();
	for (unsigned i = 0; i < config->backgrounds; i++, run->backgrounds++) {
		run->background[i] =
			sim_workload_add(&run->machine, &config->background[i], STREAM_BACKGROUND + i, run->origin_ns);
		if (!run->background[i])
			return complain_about_memory();
	}
	return 0;
}

/* Requests count from the beginning of control on. */
static int show_services(struct sim_run *run)
{
	const struct sim_config *config = run->config;
	struct sim_services *const services = &run->services;
	for (unsigned i = 0; i < config->models; i++) {
		if (!sim_workload_is_service(&config->model[i]))
			continue;
		struct sim_clients *const clients = sim_services_add(services, config->model[i].text, run->origin_ns);
		if (!clients)
			return complain_about_memory();
		for (unsigned k = i; k < config->workloads; k += config->models)
			sim_workload_show(run->executors.process[k], clients);
	}
	for (unsigned i = 0; i < config->backgrounds; i++) {
		if (!sim_workload_is_service(&config->background[i]))
			continue;
		struct sim_clients *const clients = sim_services_add(services, config->background[i].text, run->origin_ns);
		if (!clients)
			return complain_about_memory();
		sim_workload_show(run->background[i], clients);
	}
	return 0;
}

/* 0, or -1 after a message: what is written is no file that is used for something else. */
static int check_files(const struct sim_run *run)
{
	struct file_uses uses = {0};
	char error[FILE_USES_ERROR_MAX];
	for (int kind = 0; kind < KINDS; kind++)
		module_files(&run->real.module[kind], &uses);
	file_uses_add(&uses, FILE_IS_WRITTEN, "--log", run->config->log);
	file_uses_add(&uses, FILE_IS_WRITTEN, "--requests", run->config->requests);
	file_uses_add_standard(&uses, STDOUT_FILENO);
	file_uses_add_standard(&uses, STDERR_FILENO);
	return file_uses_check(&uses, error) == 0 ? 0 : diag_refuse("%s", error);
}

static int build_recorders(struct sim_run *run)
{
	const struct sim_config *config = run->config;
	run->intervals.owner = (struct intervals_owner){.read = read_source, .row = take_row, .context = run};
	if (intervals_init(&run->intervals, &run->real, config->log_interval_ns, config->log_instances) != 0)
		return complain_about_memory();
	if (check_files(run) != 0)
		return -1;
	if (config->requests && !run->services.count)
		return diag_refuse("--requests: expected a service among the workloads and backgrounds: %s has nothing to record",
			output_name(config->requests));
	if (config->log) {
		const struct control_log_columns columns = {.workloads = config->log_instances ? config->workloads : 0,
			.unit = run_is_of_cores(&run->real),
			.trace = run->real.module[SST_TRACE].trace->position};
		run->log = control_log_open(output_open(config->log, O_TRUNC), &columns, false);
		if (!run->log)
			return diag_refuse("%s: can't write the log: %s", output_name(config->log), strerror(errno));
	}
	if (sim_services_record(&run->services, config->requests) != 0)
		return -1;
	run->history.processors = processors_of_1(run);
	run->own_history.processors = run_is_of_workloads(&run->real) ? run->history.processors : config->machine.processors;
	run->recording.fire = record;
	run->stepping.fire = step;
	run->halting.fire = halt;
	run->calibrating.fire = calibrate;
	return 0;
}

static int build(struct sim_run *run)
{
	if (build_machine(run) != 0 || load_modules(run) != 0)
		return -1;
	run->origin_ns = run->began_ns + run_warmup(&run->real);
	if (follow(run) != 0 || set_end(run) != 0)
		return -1;
	if (share(run) != 0)
		return complain_about_memory();
	atomic_store(&run->real.shared->origin_ns, run->origin_ns);
	atomic_store(&run->real.shared->phase, SHARED_RUN);
	if (sim_executors_add(&run->executors, run->began_ns, run->origin_ns) != 0)
		return complain_about_memory();
	run->host.workload = run->executors.process;
	run->host.workloads = run->config->workloads;
	if (add_backgrounds(run) != 0 || show_services(run) != 0)
		return -1;
	run->host.background = run->background;
	run->host.backgrounds = run->backgrounds;
	return build_recorders(run);
}

struct sim_run *sim_run_new(const struct sim_config *config)
{
	struct sim_run *run = calloc(1, sizeof *run);
	if (!run) {
		diag("%s", strerror(errno));
		return NULL;
	}
	run->config = config;
	run->real_config = (struct config){.workloads = config->workloads,
		.controlled = config->workloads,
		.warmup_ns = config->warmup_ns,
		.log = config->log};
	memcpy(run->real_config.module, config->module, sizeof config->module);
	memcpy(run->real_config.module_options, config->module_options, sizeof config->module_options);
	run->real.config = &run->real_config;
	run->real.heartbeat = &run->heartbeat;
	run->real.master = run->real.ready = -1;
	run->executors =
		(struct sim_executors){.config = config, .machine = &run->machine, .host = &run->host, .run = &run->real};
	if (build(run) == 0)
		return run;
	sim_run_free(run);
	return NULL;
}

/* ---- Running ---------------------------------------------------------------------------------------------------------- */

static void collect(struct sim_run *run)
{
	const int64_t now = run->machine.now_ns;
	for (unsigned i = 0; i < run->config->workloads; i++) {
		struct sim_executor *const executor = &run->executors.executor[i];
		executor_sign_off(&executor->executor);
		atomic_store(&executor->executor.slot->executor_cpu_ns, executor->task.cpu_ns);
	}
	run->summary = (struct summary){
		.accuracy = run->intervals.sums.accuracy,
		.tally = run->intervals.sums.tally,
		.control = run->config->module[SST_CONTROL],
		.of_cores = run_is_of_cores(&run->real),
		.may_use = run->history.processors,
		.processors = run->history.processors,
		.maximum = run_maximum(&run->real),
		.wall_s = (double)(now - run->began_ns) / 1e9,
		.others_mean = beside_mean(&run->intervals.sums.others),
		.others_max = beside_most(&run->intervals.sums.others),
		.others_samples = run->intervals.sums.others.counted,
	};
	run->summary.source = run_source(&run->real);
	summary_collect(&run->summary, run->real.shared);
}

int sim_run_go(struct sim_run *run)
{
	struct sst_reading reading;
	sim_machine_run(&run->machine, run->began_ns - 1);
	if (!read_source(run, &reading))
		return diag_refuse("can't read the load: %s", strerror(errno));
	/* The first thing that happens then. */
	reading.when_ns = run->began_ns;
	intervals_start(&run->intervals, &reading);
	if (run_calibration(&run->real))
		sim_event_arm(&run->machine, &run->calibrating, run->origin_ns - run_calibration(&run->real));
	sim_event_arm(&run->machine, &run->recording, intervals_next(&run->intervals));
	sim_event_arm(&run->machine, &run->stepping, run->origin_ns);
	if (run->config->stall_ns > 0)
		sim_stall_start(&run->stall, &run->machine, STREAM_STALL, run->config->stall_ns, run->config->stall_every_ns,
			run->origin_ns);
	if (run->config->halt_ns)
		sim_event_arm(&run->machine, &run->halting, run->origin_ns + run->config->halt_at_ns);
	sim_machine_run(&run->machine, run->origin_ns + 1);
	if (run->uncalibrated)
		return diag_refuse("can't calibrate: %s", run->real.host[SST_FEEDBACK].refusal);
	sim_machine_run(&run->machine, run->end_ns);
	record(&run->recording);
	collect(run);
	if (run->out_of_memory) {
		errno = ENOMEM;
		return diag_refuse("%s", strerror(errno));
	}
	struct control_log *log = run->log;
	run->log = NULL;
	if (control_log_close(log, NULL) != 0 && !run->log_failed) {
		diag("%s: can't write the log: %s", output_name(run->config->log), strerror(errno));
		run->log_failed = true;
	}
	return sim_services_end(&run->services) != 0 || run->log_failed ? -1 : 0;
}

void sim_run_free(struct sim_run *run)
{
	if (!run)
		return;
	control_log_close(run->log, NULL);
	intervals_free(&run->intervals);
	sim_services_free(&run->services);
	sim_executors_free(&run->executors);
	for (unsigned i = 0; i < run->backgrounds; i++)
		sim_workload_free(run->background[i]);
	/* States were copied, so what `prepare` took is given back once, and by the state it was given to. */
	run_unload_modules(&run->real);
	free(run->real.shared);
	free(run->background);
	sim_machine_free(&run->machine);
	sim_host_free(&run->host);
	sim_history_free(&run->history);
	sim_history_free(&run->own_history);
	free(run);
}

struct sim_use sim_run_use(const struct sim_run *run)
{
	const struct sim_use now = use_so_far(run);
	return (struct sim_use){
		.processors_ns = now.processors_ns - run->before.processors_ns,
		.cores_ns = now.cores_ns - run->before.cores_ns,
		.progress_ns = now.progress_ns - run->before.progress_ns,
		.iterations = now.iterations - run->before.iterations,
		.length_ns = run->machine.now_ns - run->origin_ns,
	};
}

int64_t sim_run_workload_ns(const struct sim_run *run, unsigned index)
{
	return sim_process_cpu_ns(run->executors.executor[index].workload);
}
