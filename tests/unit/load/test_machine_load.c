/* SPDX-License-Identifier: MIT */
#include "load/machine_load.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "realtime_test.h"

static const struct sst_cpus first = {1, (const unsigned[]){0}}, second = {1, (const unsigned[]){1}};

static struct sst_host host;
static struct sst_env env = {.host = &host};
static struct linux_machine *machine;
static char error[LINUX_MACHINE_ERROR_MAX];

static int begin(void **state)
{
	machine = NULL; /* that of a test that failed */
	memset(&host, 0, sizeof host);
	use_files(&host);
	env.cpus = NULL;
	return enter(state);
}

static int end(void **state)
{
	linux_machine_close(machine, &env);
	machine = NULL;
	return leave(state);
}

static void open_machine(const struct linux_machine_settings *settings)
{
	linux_machine_close(machine, &env);
	machine = linux_machine_open(&env, settings, error);
	if (!machine)
		fail_msg("%s", error);
}

static void assert_refused(const struct linux_machine_settings *settings, const char *expected)
{
	assert_null(linux_machine_open(&env, settings, error));
	assert_string_equal(error, expected);
}

static struct sst_reading read_machine(void)
{
	struct sst_reading now = {0};
	assert_int_equal(linux_machine_read(machine, &env, &now), 0);
	return now;
}

static void have_cpuacct(double s)
{
	write_number(USAGE, "", 1e9 * s);
	write_file(POSSIBLE, "0-1\n");
	write_file(PERCPU, "1000000000 3000000000\n");
}

/* ---- Choice ----------------------------------------------------------------------------------------------------------- */

enum { CPUACCT = 1, POOR_CPUACCT = 2, IN_GROUP = 4, IN_ROOT = 8, TASKS = 16, NO_NOHZ = 32 };

/* What the kernel has, and what is taken of that. */
static const struct choice {
	unsigned has;
	struct linux_machine_settings settings;
	enum linux_machine_source source;
} choices[] = {
	{0, {0}, LINUX_MACHINE_IDLE},
	{NO_NOHZ, {0}, LINUX_MACHINE_TICKS},
	{TASKS, {0}, LINUX_MACHINE_SCHEDSTAT},
	{TASKS | NO_NOHZ, {0}, LINUX_MACHINE_SCHEDSTAT},
	{IN_ROOT | TASKS, {0}, LINUX_MACHINE_SCHEDSTAT},
	{IN_ROOT, {0}, LINUX_MACHINE_IDLE},
	{IN_GROUP | TASKS, {0}, LINUX_MACHINE_GROUPS},
	{IN_GROUP | NO_NOHZ, {0}, LINUX_MACHINE_GROUPS},
	{CPUACCT | IN_GROUP | TASKS, {0}, LINUX_MACHINE_COMBINED},
	/* Ticks correct nothing. */
	{CPUACCT | IN_GROUP | NO_NOHZ, {0}, LINUX_MACHINE_GROUPS},
	{CPUACCT | NO_NOHZ, {0}, LINUX_MACHINE_TICKS},
	/* It has not counted what the machine has worked: that of a container. */
	{POOR_CPUACCT | IN_GROUP, {0}, LINUX_MACHINE_GROUPS},
	{POOR_CPUACCT, {0}, LINUX_MACHINE_IDLE},
	/* Some processors. */
	{CPUACCT | IN_GROUP | TASKS, {.cpus = &second}, LINUX_MACHINE_COMBINED},
	{IN_GROUP | TASKS, {.cpus = &second}, LINUX_MACHINE_SCHEDSTAT},
	{IN_GROUP, {.cpus = &second}, LINUX_MACHINE_IDLE},
	/* Each of them, others from time to time, or cores. */
	{CPUACCT | IN_GROUP | TASKS, {.by_processor = true}, LINUX_MACHINE_SCHEDSTAT},
	{CPUACCT | IN_GROUP, {.by_processor = true}, LINUX_MACHINE_IDLE},
	{CPUACCT | IN_GROUP | TASKS, {.moving = true}, LINUX_MACHINE_SCHEDSTAT},
	{CPUACCT | IN_GROUP, {.moving = true}, LINUX_MACHINE_IDLE},
	{CPUACCT | IN_GROUP | TASKS, {.of_cores = true}, LINUX_MACHINE_SCHEDSTAT},
	{CPUACCT | IN_GROUP, {.of_cores = true}, LINUX_MACHINE_IDLE},
	/* Processors of which only /proc/stat knows the numbers. */
	{CPUACCT | IN_GROUP | TASKS, {.is_lxcfs = true}, LINUX_MACHINE_IDLE},
};

static void the_best_is_chosen(void **state)
{
	for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
		const struct choice *const choice = &choices[i];
		struct linux_machine_settings settings = choice->settings;
		begin(state);
		settings.source = -1;
		write_file(SIBLINGS, "0-1\n");
		if (choice->has & (CPUACCT | POOR_CPUACCT))
			have_cpuacct(choice->has & CPUACCT ? 3.9 : 1);
		if (choice->has & (IN_GROUP | IN_ROOT))
			have_groups(choice->has & IN_GROUP ? "/a" : "/");
		if (choice->has & TASKS)
			have_schedstat();
		if (choice->has & NO_NOHZ)
			write_file(CMDLINE, "quiet nohz=off\n");
		open_machine(&settings);
		if (linux_machine_source(machine) != choice->source)
			fail_msg("row %zu: found %d", i, linux_machine_source(machine));
		assert_int_equal(end(state), 0);
	}
}

/* The messages of the others are in tests/modules/test_realtime.c. */
static void schedstat_needs_each_processor(void **state)
{
	static const struct linux_machine_settings settings = {.source = LINUX_MACHINE_SCHEDSTAT};
	static const char *const texts[] = {
		"version 15\ntimestamp 1\ncpu0 0 0 0 0 0 0 5 0 0\n", /* of a kernel that had one */
		"cpu1 0 0 0 0 0 0 5 0 0\n",
		"cpu0 0 0 0 0 0 0 5 0 0\ncpu2 0 0 0 0 0 0 5 0 0\n", /* other numbers */
		"cpu0 0 0 0 0 0\ncpu1 0 0 0 0 0\n",                 /* an old version */
		"",
	};
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		write_file(SCHEDSTAT, texts[i]);
		linux_machine_close(machine, &env);
		machine = linux_machine_open(&env, &settings, error);
		if (machine)
			fail_msg("text %zu is taken", i);
		assert_string_equal(error, "/proc/schedstat doesn't tell how long tasks ran on each processor");
	}
}

static void what_cannot_be_had_by_processor_is_refused(void **state)
{
	const struct linux_machine_settings groups = {.source = LINUX_MACHINE_GROUPS, .by_processor = true},
					    cores = {.source = LINUX_MACHINE_TICKS, .of_cores = true},
					    columns = {.source = LINUX_MACHINE_CPUACCT, .by_processor = true};
	(void)state;
	have_groups("/a");
	have_cpuacct(3.9);
	assert_refused(&groups, "control groups of version 2 don't tell processors apart");
	assert_refused(&cores, "this source doesn't tell cores apart: expected idle or schedstat");
	/* Nothing says whose columns they are. */
	remove_file(POSSIBLE);
	assert_refused(&columns, "can't open the root cgroup's cpuacct.usage_percpu: Operation not supported");
}

/* ---- Readings --------------------------------------------------------------------------------------------------------- */

/* Texts longer than the buffer at the start. */
static void columns_of_many_processors_fit(void **state)
{
	static char text[64 * 1024], columns[64 * 1024];
	const struct linux_machine_settings settings = {.source = LINUX_MACHINE_CPUACCT, .by_processor = true};
	struct sst_sample sample;
	(void)state;
	for (int round = 0; round < 2; round++) {
		char *at = text, *column = columns;
		for (int i = 0; i < 1500; i++) {
			at += sprintf(at, "cpu%d %d 0 0 10000 0 0 0 0 0 0\n", i, 100 + 10 * round);
			column += sprintf(column, "%d ", 1000000000 + 100000 * round * i);
		}
		write_file(STAT, text);
		write_file(PERCPU, columns);
		write_file(POSSIBLE, "0-1499\n");
		now_ns += NS_PER_S;
		if (round == 0)
			open_machine(&settings);
	}
	assert_true(strlen(columns) > 16384);
	assert_near(read_machine().processors, 1500, 0);
	assert_true(linux_machine_cpu(machine, 1499, &sample));
	assert_near(sample.work, 1.1499, 1e-9);
	assert_false(linux_machine_cpu(machine, 1500, &sample));
}

static void each_processor_has_its_own(void **state)
{
	static const int sources[] = {LINUX_MACHINE_IDLE, LINUX_MACHINE_TICKS, LINUX_MACHINE_SCHEDSTAT, LINUX_MACHINE_CPUACCT};
	(void)state;
	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
		const struct linux_machine_settings settings = {.source = sources[i], .by_processor = true};
		struct sst_sample before, now, none;
		have_cpuacct(4);
		have_schedstat();
		open_machine(&settings);
		assert_true(linux_machine_unit_ns(machine) == (i < 3 ? 10 : 1) * NS_PER_MS);
		for (unsigned id = 0; id < 2; id++) {
			read_machine();
			assert_true(linux_machine_cpu(machine, id, &before));
			pass(0.5, 0.2, 0.8);
			write_file(PERCPU, id ? "1200000000 3800000000\n" : "1100000000 3400000000\n");
			read_machine();
			assert_true(linux_machine_cpu(machine, id, &now));
			assert_near(now.work - before.work, id ? 0.4 : 0.1, 0.0101);
			if (fabs(now.capacity - before.capacity - 0.5) > 1e-6)
				fail_msg("source %zu: capacity %g", i, now.capacity - before.capacity);
		}
		assert_false(linux_machine_cpu(machine, 2, &none));
	}
}

static void steal_is_added_up(void **state)
{
	const struct linux_machine_settings settings = {.source = LINUX_MACHINE_IDLE};
	(void)state;
	open_machine(&settings);
	now_ns += NS_PER_S;
	write_file(STAT, "cpu  450 0 0 650 0 0 0 100\ncpu0 120 0 0 250 0 0 0 30\ncpu1 330 0 0 400 0 0 0 70\n");
	read_machine();
	assert_near(linux_machine_steal(machine), 1, 1e-9);
	assert_int_equal(linux_machine_stat(machine)->count, 2);
}

/* ---- Trouble ---------------------------------------------------------------------------------------------------------- */

/* What columns do in a second, what is said of it, and what idle and ticks do then. */
static const struct trouble {
	double busy[2], idle[2];
	const char *what, *then;
	bool schedstat; /* it is said by that source, too: the time of tasks neither agrees nor stands for that of a processor */
} troubles[] = {
	{{0.3, 0.3}, {0.7, 0.7}, NULL, NULL, false},
	{{0.3, 0.3}, {0.74, 0.74}, "the idle time in /proc/stat passes faster than the clock",
		": the load is that of the busy columns", true},
	{{0.3, 0.3}, {0.65, 0.65}, "the columns of /proc/stat pass slower than the clock",
		": the load is taken from their shares of each other", true},
	{{0.3, 0.3}, {0.7, 0}, "the columns of /proc/stat don't pass as the clock does on processor 1",
		": the load is that of the others", false},
	{{0, 0}, {0, 0}, "the columns of /proc/stat don't pass as the clock does, on any processor", ": the load is not known",
		false},
};

static void what_is_wrong_is_said(void **state)
{
	static const int sources[] = {LINUX_MACHINE_IDLE, LINUX_MACHINE_TICKS, LINUX_MACHINE_SCHEDSTAT};
	for (size_t k = 0; k < sizeof troubles / sizeof *troubles * 3; k++) {
		const struct trouble *const trouble = &troubles[k / 3];
		const struct linux_machine_settings settings = {.source = sources[k % 3]};
		const bool needs = k % 3 < 2, is_wrong = trouble->what && (needs || trouble->schedstat);
		char text[LINUX_MACHINE_TROUBLE_MAX], expected[2 * LINUX_MACHINE_TROUBLE_MAX];
		begin(state);
		if (!needs)
			have_schedstat();
		open_machine(&settings);
		for (int i = 0; i < 10; i++) {
			now_ns += NS_PER_S / 2;
			for (int id = 0; id < 2; id++) {
				cpu[id].busy += trouble->busy[id] / 2;
				cpu[id].idle += trouble->idle[id] / 2;
				cpu[id].ran += 0.15;
			}
			write_stat();
			read_machine();
		}
		snprintf(
			expected, sizeof expected, "%s%s", is_wrong ? trouble->what : "", is_wrong && needs ? trouble->then : "");
		if (linux_machine_trouble(machine, true, text) != is_wrong || strcmp(text, expected) != 0)
			fail_msg("row %zu: '%s', expected '%s'", k, text, expected);
		assert_int_equal(linux_machine_trouble(machine, false, text), is_wrong && needs);
		assert_int_equal(end(state), 0);
	}
}

static double workloads_used;
static int asked;

static int64_t tree_cpu_time(const struct sst_env *ignored)
{
	(void)ignored;
	asked++;
	return (int64_t)(1e9 * workloads_used);
}

/*
 * Idle columns that pass by 1.02 of the clock could be ticks; who knows how long tasks ran knows better. The load, 50 %, is right
 * then.
 */
static void whoever_knows_the_time_of_tasks_is_a_witness(void **state)
{
	static const struct {
		const char *name;
		unsigned has;
		struct linux_machine_settings settings;
		bool has_workloads, is_seen;
	} witnesses[] = {
		{"none", 0, {0}, false, false},
		{"cpuacct", CPUACCT, {0}, false, true},
		{"that of a container", POOR_CPUACCT, {0}, false, false},
		{"groups", IN_GROUP, {0}, false, true},
		{"groups, but this process is in none", IN_ROOT, {0}, false, false},
		{"schedstat", TASKS, {0}, false, true},
		{"schedstat of some", TASKS, {.cpus = &first}, false, true},
		{"schedstat of lxcfs", TASKS, {.is_lxcfs = true}, false, false},
		{"workloads", 0, {0}, true, true},
		{"workloads elsewhere", 0, {.cpus = &first}, true, false},
	};
	for (size_t i = 0; i < sizeof witnesses / sizeof *witnesses; i++) {
		struct linux_machine_settings settings = witnesses[i].settings;
		char text[LINUX_MACHINE_TROUBLE_MAX];
		begin(state);
		idle_rate = 1.04; /* of the half in which it is idle */
		workloads_used = 0;
		asked = 0;
		if (witnesses[i].has_workloads)
			host.tree_cpu_time = tree_cpu_time;
		if (witnesses[i].has & (CPUACCT | POOR_CPUACCT))
			have_cpuacct(witnesses[i].has & CPUACCT ? 4 : 1);
		if (witnesses[i].has & (IN_ROOT | IN_GROUP))
			have_groups(witnesses[i].has & IN_GROUP ? "/a" : "/");
		if (witnesses[i].has & TASKS)
			have_schedstat();
		settings.source = LINUX_MACHINE_IDLE;
		open_machine(&settings);
		struct sst_reading before = {0};
		for (int k = 1; k <= 400; k++) {
			pass(0.05, 0.5, 0.5);
			workloads_used = 0.05 * k;
			if (witnesses[i].has & (CPUACCT | POOR_CPUACCT))
				write_number(USAGE, "", 1e9 * (witnesses[i].has & CPUACCT ? 4 + 0.05 * k : 1 + 0.02 * k));
			if (witnesses[i].has & (IN_ROOT | IN_GROUP))
				write_group_usage("a", 1 + 0.05 * k);
			const struct sst_reading now = read_machine();
			if (k == 300)
				before = now;
		}
		if (linux_machine_trouble(machine, false, text) != witnesses[i].is_seen)
			fail_msg("%s: '%s'", witnesses[i].name, text);
		const struct sst_reading now = read_machine();
		struct sst_sample sample;
		assert_true(linux_machine_sample(machine, &before, &now, &sample));
		assert_near(sample.work / sample.capacity, witnesses[i].is_seen ? 0.5 : 0.48, 0.003);
		/* Those that cost more with each process are asked every two seconds. */
		assert_true(asked <= 11);
		assert_int_equal(end(state), 0);
	}
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_best_is_chosen),
		TEST(schedstat_needs_each_processor),
		TEST(what_cannot_be_had_by_processor_is_refused),
		TEST(columns_of_many_processors_fit),
		TEST(each_processor_has_its_own),
		TEST(steal_is_added_up),
		cmocka_unit_test(what_is_wrong_is_said),
		cmocka_unit_test(whoever_knows_the_time_of_tasks_is_a_witness),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
