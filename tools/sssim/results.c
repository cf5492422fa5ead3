/* SPDX-License-Identifier: MIT */
#include "sssim/results.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/units.h"

/* As the goals of the project name them. */
static const int64_t windows[] = {500 * NS_PER_MS, 370 * NS_PER_MS, 1300 * NS_PER_MS};
#define WINDOWS (sizeof windows / sizeof *windows)
#define SETTLED 0.05
/* What stalls may do to the load of the workloads. */
#define ABOVE_WINDOW_NS (250 * NS_PER_MS)
#define ABOVE 0.05
/* What comes before is left out of the largest error. */
#define WORST_FROM_NS (5 * NS_PER_S)

/* Where processors share cores, loads of both. */
static bool has_shared_cores(const struct sim_run *run)
{
	return run->machine.topology.config.threads > 1;
}

static double load_of(int64_t work_ns, unsigned count, const struct sim_use *use)
{
	return (double)work_ns / ((double)use->length_ns * count);
}

static void print_cores(const struct sim_run *run)
{
	const struct sim_machine *machine = &run->machine;
	const struct sim_use use = sim_run_use(run);
	printf(" processor_load=%.6f core_load=%.6f progress_s=%.6f",
		load_of(use.processors_ns, machine->config.processors, &use),
		load_of(use.cores_ns, machine->topology.cores, &use), (double)use.progress_ns / 1e9);
}

static void summarise_cores(const struct sim_run *run)
{
	const struct sim_machine *machine = &run->machine;
	const struct sim_use use = sim_run_use(run);
	fprintf(stderr, "exact loads          %.2f %% of the processors, %.2f %% of the cores\n",
		100 * load_of(use.processors_ns, machine->config.processors, &use),
		100 * load_of(use.cores_ns, machine->topology.cores, &use));
	fprintf(stderr,
		"progress             %.2f s: what the workloads did, in the CPU time that it takes on cores of their own\n",
		(double)use.progress_ns / 1e9);
}

/* Where the load is one of iterations, which the exact loads above are not. */
static void print_iterations(const struct sim_run *run)
{
	const struct sim_use use = sim_run_use(run);
	if (run->summary.maximum > 0)
		printf(" iterations_per_s=%.6f maximum_per_s=%.6f", use.iterations * 1e9 / (double)use.length_ns,
			run->summary.maximum);
}

static void summarise_iterations(const struct sim_run *run)
{
	const struct sim_use use = sim_run_use(run);
	if (run->summary.maximum > 0)
		fprintf(stderr, "exact iterations     %.6g per second, %.3f %% of the maximum\n",
			use.iterations * 1e9 / (double)use.length_ns,
			100 * use.iterations * 1e9 / (double)use.length_ns / run->summary.maximum);
}

/* ---- Services --------------------------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	double share;
} quantiles[] = {{"p50", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"p99.9", 0.999}};
#define QUANTILES (sizeof quantiles / sizeof *quantiles)

static uint64_t under_way(const struct sim_clients *clients)
{
	return clients->arrived - clients->turned_away - clients->response.count;
}

static void print_service(const struct sim_seen *seen)
{
	const struct sim_clients *const clients = &seen->clients;
	const struct response_times *const response = &clients->response;
	char name[32];
	snprintf(name, sizeof name, "service%u_", seen->number + 1);
	printf(" %srequests=%" PRIu64 " %sanswered=%" PRIu64 " %sturned_away=%" PRIu64 " %sunder_way=%" PRIu64, name,
		clients->arrived, name, response->count, name, clients->turned_away, name, under_way(clients));
	printf(" %smean_ms=%.6f", name, 1e3 * response_times_mean_s(response));
	for (size_t i = 0; i < QUANTILES; i++)
		printf(" %s%s_ms=%.6f", name, quantiles[i].name, 1e3 * response_times_quantile_s(response, quantiles[i].share));
	printf(" %smax_ms=%.6f", name, 1e3 * response_times_most_s(response));
}

static void summarise_service(const struct sim_seen *seen)
{
	const struct sim_clients *const clients = &seen->clients;
	const struct response_times *const response = &clients->response;
	fprintf(stderr,
		"service %-12u %s: %" PRIu64 " requests, %" PRIu64 " answered, %" PRIu64 " turned away, %" PRIu64 " under way\n",
		seen->number + 1, seen->text, clients->arrived, response->count, clients->turned_away, under_way(clients));
	if (!response->count)
		return;
	fprintf(stderr, "response time        %.3f ms in the mean", 1e3 * response_times_mean_s(response));
	for (size_t i = 0; i < QUANTILES; i++)
		fprintf(stderr, ", %s %.3f", quantiles[i].name, 1e3 * response_times_quantile_s(response, quantiles[i].share));
	fprintf(stderr, ", maximum %.3f\n", 1e3 * response_times_most_s(response));
}

/* ---- All -------------------------------------------------------------------------------------------------------------- */

void results_print(const struct sim_run *run)
{
	const struct sim_history *history = &run->history;
	const struct summary *summary = &run->summary;
	for (size_t i = 0; i < WINDOWS; i++) {
		const struct accuracy exact = sim_history_accuracy(history, windows[i]);
		if (i == 0)
			printf("load=%.6f mean_error_pp=%.4f", accuracy_mean_load(&exact), accuracy_mean_error_pp(&exact));
		printf(" mse_%d_pp2=%.4f", (int)(windows[i] / NS_PER_MS), accuracy_mse_pp2(&exact));
	}
	printf(" settling_s=%.2f worst_500_pp=%.3f", sim_history_settling(history, windows[0], SETTLED),
		100 * sim_history_worst(history, windows[0], (size_t)(WORST_FROM_NS / SIM_HISTORY_STEP_NS)));
	if (run->stall.count)
		printf(" stalls=%u above_250_ms=%u", run->stall.count,
			sim_history_times_above(&run->own_history, ABOVE_WINDOW_NS, ABOVE));
	if (has_shared_cores(run))
		print_cores(run);
	print_iterations(run);
	for (unsigned i = 0; i < run->services.count; i++)
		print_service(run->services.seen[i]);
	printf(" seen_mean_error_pp=%.4f seen_mse_pp2=%.4f late_99_us=%.0f saturated=%.4f starved=%.4f own_cpu_s=%.6f\n",
		accuracy_mean_error_pp(&summary->accuracy), accuracy_mse_pp2(&summary->accuracy), summary->lateness_99_us,
		summary->saturated, summary->starved, summary->executors_cpu_s);
}

void results_summarise(const struct sim_run *run, bool verbose)
{
	const struct sim_history *history = &run->history;
	struct accuracy exact[WINDOWS];
	for (size_t i = 0; i < WINDOWS; i++)
		exact[i] = sim_history_accuracy(history, windows[i]);
	char nan[RUN_NOT_A_NUMBER_MAX];
	summary_print(&run->summary, run->real.shared, verbose, stderr);
	if (run_not_a_number(&run->real, nan))
		diag("warning: %s", nan);
	if (run->stall.count)
		fprintf(stderr, "stalls               %u, %u times more than 5 pp too much load of the workloads in 250 ms\n",
			run->stall.count, sim_history_times_above(&run->own_history, ABOVE_WINDOW_NS, ABOVE));
	for (unsigned i = 0; i < run->services.count; i++)
		summarise_service(run->services.seen[i]);
	if (!exact[0].samples)
		return;
	if (has_shared_cores(run))
		summarise_cores(run);
	summarise_iterations(run);
	fprintf(stderr, "exact mean error     %+.3f pp\n", accuracy_mean_error_pp(&exact[0]));
	fprintf(stderr, "exact squared error  %.3f pp^2 in windows of 500 ms, %.3f of 370 ms, %.3f of 1.3 s\n",
		accuracy_mse_pp2(&exact[0]), accuracy_mse_pp2(&exact[1]), accuracy_mse_pp2(&exact[2]));
	fprintf(stderr, "settling time        %.2f s until windows of 500 ms stay within 5 pp\n",
		sim_history_settling(history, windows[0], SETTLED));
}
