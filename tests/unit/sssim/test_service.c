/* SPDX-License-Identifier: MIT */
/* A simulated service against the formulas of queues, and beside others. Seeds are fixed: chance decides nothing here. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"
#include "sssim/workload.h"

#define START (10 * NS_PER_S)
#define MEAN_S 0.005 /* of all services here */

static struct sim_machine machine;
static struct sim_workload workload;
static struct sim_process *process;
static struct sim_clients clients;

static void begin(unsigned processors, const char *text)
{
	const struct sim_machine_config config = {
		.processors = processors, .start_ns = START, .slice_ns = 3 * NS_PER_MS, .tick_ns = 4 * NS_PER_MS, .seed = 35};
	char error[OPTION_ERROR_MAX];
	memset(&clients, 0, sizeof clients);
	assert_int_equal(sim_machine_init(&machine, &config), 0);
	if (sim_workload_parse(&workload, text, processors, error) != 0)
		fail_msg("refused: %s", error);
	process = sim_workload_add(&machine, &workload, 1, START);
	assert_non_null(process);
	sim_workload_show(process, &clients);
}

static void pass(int64_t ns)
{
	sim_machine_run(&machine, machine.now_ns + ns);
}

static void finish(void)
{
	sim_workload_free(process);
	sim_machine_free(&machine);
}

static void expect_near(const char *what, double found, double expected, double share)
{
	if (!(fabs(found - expected) <= share * expected))
		fail_msg("%s: found %.4f ms, expected %.4f within %g %%", what, 1e3 * found, 1e3 * expected, 100 * share);
}

/* ---- What queues are like --------------------------------------------------------------------------------------------- */

/* Erlang's C: the share of requests that find all servers busy. */
static double share_that_waits(unsigned servers, double load)
{
	const double offered = servers * load;
	double all_busy = 1; /* Erlang's B */
	for (unsigned i = 1; i <= servers; i++)
		all_busy = offered * all_busy / (i + offered * all_busy);
	return all_busy / (1 - load * (1 - all_busy));
}

/* Of M/M/c: the share of response times above t, in mean service times. */
static double above_exponential(unsigned servers, double load, double t)
{
	const double waits = share_that_waits(servers, load), drain = servers * (1 - load);
	const double both = fabs(drain - 1) < 1e-9 ? exp(-t) * (1 + t) : (drain * exp(-t) - exp(-drain * t)) / (drain - 1);
	return (1 - waits) * exp(-t) + waits * both;
}

/* Of M/D/1, by Erlang's sum for the wait. */
static double above_constant(unsigned servers, double load, double t)
{
	(void)servers;
	long double below = 0;
	for (int k = 0; t >= 1 && k <= (int)(t - 1); k++) {
		const long double x = (long double)load * (k - ((long double)t - 1));
		long double term = expl(-x);
		for (int i = 1; i <= k; i++)
			term *= x / i;
		below += term;
	}
	return t < 1 ? 1 : (double)(1 - (1 - (long double)load) * below);
}

static double quantile(double (*above)(unsigned, double, double), unsigned servers, double load, double share)
{
	double least = 0, most = 100;
	for (int i = 0; i < 60; i++) {
		const double middle = (least + most) / 2;
		if (above(servers, load, middle) > 1 - share)
			least = middle;
		else
			most = middle;
	}
	return least;
}

/* ---- Alone on a machine ----------------------------------------------------------------------------------------------- */

static void serve_at_random(unsigned servers, double load, const char *distribution, double requests)
{
	char text[200];
	const double rate = servers * load / MEAN_S;
	snprintf(text, sizeof text, "service:rate=%.9g,mean=5m,distribution=%s,arrivals=poisson", rate, distribution);
	begin(servers, text);
	clients.from_ns = START + 10 * NS_PER_S;
	pass(10 * NS_PER_S + (int64_t)(requests / rate * 1e9));
	assert_true(fabs((double)clients.arrived - requests) < 4 * sqrt(requests));
	assert_true(clients.response.count <= clients.arrived && clients.response.count + 1000 > clients.arrived);
}

static void queues_are_as_their_formulas(void **state)
{
	(void)state;
	static const struct {
		const char *name, *distribution;
		unsigned servers;
		double load;
		double (*above)(unsigned, double, double);
	} queues[] = {{"M/M/1", "exponential", 1, 0.6, above_exponential}, {"M/M/2", "exponential", 2, 0.7, above_exponential},
		{"M/M/16", "exponential", 16, 0.9, above_exponential}, {"M/M/128", "exponential", 128, 0.9, above_exponential},
		{"M/D/1", "constant", 1, 0.7, above_constant}};
	for (size_t i = 0; i < sizeof queues / sizeof *queues; i++) {
		const unsigned servers = queues[i].servers;
		const double load = queues[i].load;
		const bool is_random = queues[i].above == above_exponential;
		serve_at_random(servers, load, queues[i].distribution, 1e6);
		const double mean =
			MEAN_S * (1 + share_that_waits(servers, load) / (servers * (1 - load)) * (is_random ? 1 : 0.5));
		expect_near(queues[i].name, response_times_mean_s(&clients.response), mean, 0.02);
		static const double shares[] = {0.5, 0.9, 0.99};
		for (size_t k = 0; k < sizeof shares / sizeof *shares; k++)
			expect_near(queues[i].name, response_times_quantile_s(&clients.response, shares[k]),
				MEAN_S * quantile(queues[i].above, servers, load, shares[k]), 0.02);
		finish();
	}
}

/* By Pollaczek and Khinchine, for the variance of each distribution in squares of its mean. */
static void any_distribution_waits_by_its_variance(void **state)
{
	(void)state;
	static const struct {
		const char *distribution;
		double variance;
	} of[] = {{"lognormal:sigma=0.5", 0.2840254166877415}, {"pareto:shape=5", 1.0 / 15}};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		serve_at_random(1, 0.5, of[i].distribution, 1e6);
		expect_near(of[i].distribution, response_times_mean_s(&clients.response),
			MEAN_S * (1 + 0.5 / 0.5 * (1 + of[i].variance) / 2), 0.02);
		finish();
	}
}

static void requests_at_even_gaps_never_meet(void **state)
{
	(void)state;
	begin(1, "service:rate=199");
	pass(10 * NS_PER_S);
	assert_in_range(clients.arrived, 1989, 1991);
	assert_int_equal(clients.response.least_ns, 5 * NS_PER_MS);
	assert_int_equal(clients.response.most_ns, 5 * NS_PER_MS);
	finish();
	begin(1, "service:rate=201"); /* too many */
	pass(10 * NS_PER_S);
	assert_true(clients.response.most_ns > 40 * NS_PER_MS);
	finish();
}

/* ---- Random numbers --------------------------------------------------------------------------------------------------- */

#define REQUESTS 100000
static double arrived_s[REQUESTS], took[REQUESTS];
static size_t recorded;

/* They end in another order than they came. */
static void note(void *context, const struct request_record *record)
{
	assert_ptr_equal(context, &recorded);
	if (record->request >= REQUESTS)
		return;
	assert_true(record->fate == REQUEST_GOOD && record->status == 0 && record->planned_ns == record->arrival_ns);
	arrived_s[record->request] = (double)(record->planned_ns - START) / NS_PER_S;
	took[record->request] = (double)(record->end_ns - record->planned_ns) / NS_PER_S / MEAN_S;
	recorded++;
}

static double mean(const double *value, size_t count)
{
	double sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += value[i];
	return sum / (double)count;
}

static double covariance(const double *one, const double *other, size_t count)
{
	const double mean_one = mean(one, count), mean_other = mean(other, count);
	double sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += (one[i] - mean_one) * (other[i] - mean_other);
	return sum / (double)count;
}

static double correlation(const double *one, const double *other, size_t count)
{
	return covariance(one, other, count) / sqrt(covariance(one, one, count) * covariance(other, other, count));
}

/* Where nobody waits, the response time is the work. */
static void record_without_waiting(const char *text)
{
	begin(64, text);
	clients.record = note;
	clients.context = &recorded;
	recorded = 0;
	pass(110 * NS_PER_S);
	finish();
	assert_int_equal(recorded, REQUESTS);
}

static void gaps_and_work_are_independent(void **state)
{
	(void)state;
	static double gap[REQUESTS];
	const size_t n = REQUESTS - 1;
	record_without_waiting("service:rate=1000,distribution=exponential,arrivals=poisson");
	for (size_t i = 0; i < n; i++)
		gap[i] = (arrived_s[i + 1] - arrived_s[i]) * 1000;
	/* Of exponential ones, mean and deviation are 1, and the share above t is exp(-t). */
	const double limit = 4 / sqrt((double)n);
	const double *const series[] = {gap, took};
	for (size_t k = 0; k < 2; k++) {
		assert_true(fabs(mean(series[k], n) - 1) < limit);
		assert_true(fabs(sqrt(covariance(series[k], series[k], n)) - 1) < 2 * limit);
		assert_true(fabs(correlation(series[k], series[k] + 1, n - 1)) < limit);
		size_t above = 0;
		for (size_t i = 0; i < n; i++)
			above += series[k][i] > 2;
		assert_true(fabs((double)above / (double)n - exp(-2)) < limit / 2);
	}
	for (size_t shift = 0; shift < 3; shift++) {
		assert_true(fabs(correlation(gap + shift, took, n - shift)) < limit);
		assert_true(fabs(correlation(gap, took + shift, n - shift)) < limit);
	}
}

/* The same seed makes the same requests, however fast they are served. */
static void the_machine_does_not_change_the_requests(void **state)
{
	(void)state;
	static double before[REQUESTS];
	record_without_waiting("service:rate=1000,distribution=exponential,arrivals=poisson");
	memcpy(before, arrived_s, sizeof before);
	record_without_waiting("service:rate=1000,distribution=constant,arrivals=poisson,threads=7");
	assert_memory_equal(before, arrived_s, sizeof before);
}

/* ---- Beside others ---------------------------------------------------------------------------------------------------- */

/* Requests one after the other are one piece of work to the scheduler: who waits gets its half. */
static void a_busy_service_shares_its_processor(void **state)
{
	(void)state;
	struct sim_workload other;
	char error[OPTION_ERROR_MAX];
	begin(1, "service:rate=10000,mean=1m");
	assert_int_equal(sim_workload_parse(&other, "single", 1, error), 0);
	struct sim_process *const rival = sim_workload_add(&machine, &other, 2, START);
	assert_non_null(rival);
	pass(10 * NS_PER_S);
	assert_in_range(sim_process_cpu_ns(process), 49 * NS_PER_S / 10, 51 * NS_PER_S / 10);
	assert_in_range(sim_process_cpu_ns(rival), 49 * NS_PER_S / 10, 51 * NS_PER_S / 10);
	sim_workload_free(rival);
	finish();
}

static void who_is_stopped_lets_requests_wait(void **state)
{
	(void)state;
	begin(2, "service:rate=100,mean=1m");
	for (int i = 0; i < 100; i++) {
		sim_process_stop(process);
		pass(50 * NS_PER_MS);
		sim_process_continue(process);
		pass(50 * NS_PER_MS);
	}
	assert_in_range(clients.arrived, 999, 1001);
	assert_true(clients.response.count >= clients.arrived - 1);
	/* Five of ten wait, for 50, 40, 30, 20 and 10 ms, or a part of a gap less, and for those before them. */
	assert_true(clients.response.most_ns > 40 * NS_PER_MS && clients.response.most_ns < 55 * NS_PER_MS);
	assert_in_range(clients.response.least_ns, NS_PER_MS, NS_PER_MS);
	finish();
}

static size_t dropped;
static void count_dropped(void *context, const struct request_record *record)
{
	(void)context;
	if (record->fate != REQUEST_DROPPED)
		return;
	dropped++;
	assert_true(record->sent_ns == REQUEST_LOG_NEVER && record->end_ns == record->planned_ns);
}

static void a_full_queue_turns_requests_away(void **state)
{
	(void)state;
	begin(1, "service:rate=1000,mean=10m,queue=5");
	clients.record = count_dropped;
	clients.from_ns = START + NS_PER_S;
	dropped = 0;
	pass(11 * NS_PER_S);
	assert_in_range(clients.arrived, 9999, 10001);
	/* Six are in it at any time; those that came before don't count. */
	assert_in_range(clients.response.count, 993, 995);
	assert_int_equal(clients.turned_away, dropped);
	assert_int_equal(clients.arrived - clients.turned_away - clients.response.count, 6);
	/* Five that wait, and itself. */
	assert_in_range(clients.response.most_ns, 59 * NS_PER_MS, 60 * NS_PER_MS);
	finish();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queues_are_as_their_formulas),
		cmocka_unit_test(any_distribution_waits_by_its_variance),
		cmocka_unit_test(requests_at_even_gaps_never_meet),
		cmocka_unit_test(gaps_and_work_are_independent),
		cmocka_unit_test(the_machine_does_not_change_the_requests),
		cmocka_unit_test(a_busy_service_shares_its_processor),
		cmocka_unit_test(who_is_stopped_lets_requests_wait),
		cmocka_unit_test(a_full_queue_turns_requests_away),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
