/* SPDX-License-Identifier: MIT */
/* What a line is taken for, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"
#include "command_line_test.h"
#include "load/processors.h"

static void defaults(void **state)
{
	(void)state;
	take("ssburn");
	assert_int_equal(config.action, ACTION_RUN);
	assert_int_equal(config.groups, 1);
	assert_int_equal(config.group[0].instances, linux_processors_usable());
	assert_int_equal(config.workloads, linux_processors_usable());
	assert_string_equal(config.group[0].command[0], "ssburn");
	assert_null(config.group[0].command[1]);
	assert_int_equal(config.warmup_ns, 0);
	assert_int_equal(config.run_time_ns, -1);
	assert_int_equal(config.grace_ns, 5 * NS_PER_S);
	assert_int_equal(config.log_interval_ns, 500 * NS_PER_MS);
	assert_null(config.log);
	assert_null(config.stdout_file);
	assert_null(config.stderr_file);
	assert_null(config.directory);
	assert_true(isnan(config.require_error) && isnan(config.require_mse) && isnan(config.require_others));
	assert_false(config.quiet || config.verbose || config.ignore_failures || config.log_instances);
	assert_int_equal(config.contain, CONTAIN_NONE);
	assert_string_equal(config.separator, ":");
	assert_string_equal(config.placeholder, "%");
	assert_string_equal(config.root, "");
	/* Each kind has a module, and --help says which. */
	char *help = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&help, &size);
	assert_non_null(to);
	config_help(to);
	fclose(to);
	for (int kind = 0; kind < KINDS; kind++) {
		char default_said[64];
		snprintf(default_said, sizeof default_said, "(default %s)", config.module[kind]);
		if (!strstr(help, default_said))
			fail_msg("--help doesn't say '%s'", default_said);
		assert_null(config.module_options[kind]);
	}
	free(help);
}

static void the_paper_s_command(void **state)
{
	(void)state;
	take("-n 12 -t file -T saw.trace -f realtime -F 103m -c rbpid -s even -d averageq -D 51m "
	     "java -jar dacapo.jar -n 99999 -scratch-directory=scratch.% luindex");
	assert_int_equal(config.groups, 1);
	assert_int_equal(config.workloads, 12);
	assert_string_equal(config.module[SST_TRACE], "file");
	assert_string_equal(config.module_options[SST_TRACE], "saw.trace");
	assert_string_equal(config.module[SST_FEEDBACK], "realtime");
	assert_string_equal(config.module_options[SST_FEEDBACK], "103m");
	assert_string_equal(config.module[SST_CONTROL], "rbpid");
	assert_null(config.module_options[SST_CONTROL]);
	assert_string_equal(config.module[SST_SPACE], "even");
	assert_string_equal(config.module[SST_DITHERING], "averageq");
	assert_string_equal(config.module_options[SST_DITHERING], "51m");
	/* What follows the command is the command's, also what looks like an option. */
	static const char *const expected[] = {
		"java", "-jar", "dacapo.jar", "-n", "99999", "-scratch-directory=scratch.%", "luindex", NULL};
	for (size_t i = 0; expected[i]; i++)
		assert_string_equal(config.group[0].command[i], expected[i]);
	assert_null(config.group[0].command[7]);
}

static void every_option_has_its_place(void **state)
{
	(void)state;
	take("--instances=3 --trace sine --trace-options mean=50% --feedback=f --feedback-options=F --control=c "
	     "--control-options=C "
	     "--space=s --space-options=S --dithering=d --dithering-options=D --actuator=a --actuator-options=A --warmup=1M30s "
	     "--run-time 10 --log l.csv "
	     "--log-interval=1ms "
	     "--log-instances --stdout out.% --stderr=err.% --chdir=/tmp --grace=0 --require=error=1,mse=12 --ignore-failures "
	     "--sysroot=/r --contain=pidns "
	     "--quiet --verbose true");
	static const char *const modules[KINDS] = {"sine", "f", "c", "s", "d", "a"};
	static const char *const options[KINDS] = {"mean=50%", "F", "C", "S", "D", "A"};
	for (int kind = 0; kind < KINDS; kind++) {
		assert_string_equal(config.module[kind], modules[kind]);
		assert_string_equal(config.module_options[kind], options[kind]);
	}
	assert_int_equal(config.workloads, 3);
	assert_int_equal(config.warmup_ns, 90 * NS_PER_S);
	assert_int_equal(config.run_time_ns, 10 * NS_PER_S);
	assert_string_equal(config.log, "l.csv");
	assert_int_equal(config.log_interval_ns, NS_PER_MS);
	assert_true(config.log_instances);
	assert_string_equal(config.stdout_file, "out.%");
	assert_string_equal(config.stderr_file, "err.%");
	assert_string_equal(config.directory, "/tmp");
	assert_int_equal(config.grace_ns, 0);
	assert_true(config.require_error == 1 && config.require_mse == 12);
	assert_true(config.ignore_failures && config.quiet && config.verbose);
	assert_string_equal(config.root, "/r");
	assert_int_equal(config.contain, CONTAIN_PIDNS);
	take("-qvn2 -ofile -w0 -r1s --require=mse=3 true");
	assert_true(config.quiet && config.verbose);
	assert_int_equal(config.workloads, 2);
	assert_string_equal(config.log, "file");
	assert_true(isnan(config.require_error));
	assert_true(config.require_mse == 3);
}

static void a_load_is_short_for_a_constant_trace(void **state)
{
	(void)state;
	take("-l 50% a");
	assert_string_equal(config.module[SST_TRACE], "constant");
	assert_string_equal(config.module_options[SST_TRACE], "50%");
	take("--load=1/3 -n1 a -l 7");
	assert_string_equal(config.module_options[SST_TRACE], "1/3");
	take("-T 50% a");
	assert_string_equal(config.module[SST_TRACE], "constant");
	take("-T /dev/null,loop a"); /* a file, whatever is in it */
	assert_string_equal(config.module[SST_TRACE], "file");
	assert_string_equal(config.module_options[SST_TRACE], "/dev/null,loop");
	take("-t sine -T /dev/null a");
	assert_string_equal(config.module[SST_TRACE], "sine");
	refuse("-l 60 a", "-l: '60' is out of range: expected a load from 0 to 1, such as 1/3, 0.25 or 25%; 60 per cent is 60%");
	refuse("-l 60% -t file a", "-l: expected neither -t nor -T with it: it stands for -t constant -T LOAD");
	refuse("-T 60% --load 60% a", "-l: expected neither -t nor -T with it: it stands for -t constant -T LOAD");
	refuse("-l 60% --limit 20% a", "--limit: expected none of -l, -t, -T, -f and -F with it: it stands for them");
	refuse("-T /nonexistent/trace a", "-T: '/nonexistent/trace': expected a load from 0 to 1, such as 1/3, 0.25 or 25%, or "
					  "the name of a trace file: No such "
					  "file or directory");
	refuse("a : -l 60% b", "option '-l' must stand before the first command: it holds for all groups");
}

static void groups_are_separated(void **state)
{
	(void)state;
	take("-q -n 2 a x -n 7 : -n 3 b : c : -- -n");
	assert_int_equal(config.groups, 4);
	assert_int_equal(config.group[0].instances, 2);
	assert_string_equal(config.group[0].command[0], "a");
	assert_string_equal(config.group[0].command[3], "7");
	assert_null(config.group[0].command[4]);
	assert_int_equal(config.group[1].instances, 3);
	assert_string_equal(config.group[1].command[0], "b");
	assert_null(config.group[1].command[1]);
	/* A group's options don't carry over. */
	assert_int_equal(config.group[2].instances, linux_processors_usable());
	assert_string_equal(config.group[2].command[0], "c");
	assert_string_equal(config.group[3].command[0], "-n");
	assert_int_equal(config.workloads, 5 + 2 * linux_processors_usable());
}

static void separators_can_be_chosen(void **state)
{
	(void)state;
	take("--separator=+ -n1 a : b + -n1 c");
	assert_int_equal(config.groups, 2);
	assert_string_equal(config.group[0].command[1], ":");
	assert_string_equal(config.group[1].command[0], "c");
	take("--separator= -n1 a : b");
	assert_int_equal(config.groups, 1);
	assert_string_equal(config.group[0].command[2], "b");
	take("--separator _ -n1 a : _");
	assert_int_equal(config.groups, 1);
	assert_string_equal(config.group[0].command[2], "");
	take("--placeholder={} -n1 a");
	assert_string_equal(config.placeholder, "{}");
	take("--placeholder= -n1 a");
	assert_string_equal(config.placeholder, "");
	/* A word that only begins with the separator is none. */
	take("-n1 a :b ::");
	assert_int_equal(config.groups, 1);
}

static void options_end_at_the_first_word(void **state)
{
	(void)state;
	take("-n1 -- -q --help");
	assert_string_equal(config.group[0].command[0], "-q");
	assert_string_equal(config.group[0].command[1], "--help");
	assert_int_equal(config.action, ACTION_RUN);
	assert_false(config.quiet);
	take("-n1 - x");
	assert_string_equal(config.group[0].command[0], "-");
	take("-n1 a -- b");
	assert_string_equal(config.group[0].command[1], "--");
	take("-n 1 -o --help a"); /* an option's argument may look like an option */
	assert_string_equal(config.log, "--help");
}

static void empty_groups_are_refused(void **state)
{
	(void)state;
	refuse("", NO_COMMAND);
	refuse("-q", NO_COMMAND);
	refuse("--", NO_COMMAND);
	refuse(": a", "group 0 is empty: expected a command before ':'");
	refuse("-n 2 : a", "group 0 is empty: expected a command before ':'");
	refuse("a :", "group 1 is empty: expected a command after ':'");
	refuse("a : -n 3", "group 1 is empty: expected a command after ':'");
	refuse("a : : b", "group 1 is empty: expected a command before ':'");
	refuse("--separator=+ a +", "group 1 is empty: expected a command after '+'");
}

static void unknown_and_abbreviated_options_are_refused(void **state)
{
	(void)state;
	refuse("--verb a", "unknown option '--verb': expected --verbose in full");
	refuse("--log-int=1s a", "unknown option '--log-int': expected --log-interval in full");
	refuse("-q --hel", "unknown option '--hel': did you mean --help? (see showstopper --help)");
	refuse("--=3 a", "unknown option '--' (see showstopper --help)");
	refuse("-n1 a : --instance=3 b", "unknown option '--instance': expected --instances in full");
	refuse("-x a", "unknown option '-x' (see showstopper --help)");
	refuse("-qx a", "unknown option '-x' (see showstopper --help)");
	refuse("-quiet a", "unknown option '-u' (see showstopper --help)");
	refuse("-W foo a", "unknown option '-W' (see showstopper --help)");
	refuse("--quiet=yes a", "--quiet: takes no value");
	refuse("--dry-run=x a", "--dry-run: takes no value");
	refuse("-n", "-n: its N is missing");
	refuse("-qn", "-n: its N is missing");
	refuse("--instances", "--instances: its N is missing");
	refuse("-q --stdout", "--stdout: its FILE is missing");
}

static void global_options_stand_before_the_first_command(void **state)
{
	(void)state;
	refuse("a : -n 2 -qn 3 b", "option '-q' must stand before the first command: it holds for all groups");
	refuse("a : --trace-options 60% b",
		"option '--trace-options' must stand before the first command: it holds for all groups");
	refuse("a : -q b", "option '-q' must stand before the first command: it holds for all groups");
	refuse("a : -n 2 -t sine b", "option '-t' must stand before the first command: it holds for all groups");
	refuse("a : --help", "option '--help' must stand before the first command: it holds for all groups");
	take("-n1 -q a : -n1 b -q"); /* that is b's */
	assert_int_equal(config.groups, 2);
}

static void values_are_checked(void **state)
{
	(void)state;
	static const char *const counts[] = {"1.5", "x", "+", "0", "-1", "100001", "99999999999999999999", "4294967297"};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		char line[64];
		char message[128];
		snprintf(line, sizeof line, "-n %s a", counts[i]);
		snprintf(message, sizeof message, "-n: '%s' is %s: expected a whole number, from 1 to 100000", counts[i],
			i < 3 ? "malformed" : "out of range");
		refuse(line, message);
	}
	take("-n 100000 a");
	refuse("-n 100000 a : -n 1 b", "100001 workloads are too many: expected at most 100000");
	refuse("-n 60000 a : -n 60000 b", "120000 workloads are too many: expected at most 100000");
	take("--start-interval 1825d -n 2 a");
	assert_int_equal(config.start_interval_ns, INT64_C(1825) * 86400 * NS_PER_S);
	take("--start-interval 3650d -n 1 a");
	refuse("--start-interval 1825d -n 3 a",
		"--start-interval: starting 3 workloads takes too long: expected at most 3650d in all");
	refuse("--start-interval 3650d -n 1 a : -n 2 b",
		"--start-interval: starting 3 workloads takes too long: expected at most 3650d in all");
#define TIME_EXPECTED "expected " UNITS_TIME_EXPECTED
	refuse("-w soon a", "-w: 'soon' is malformed: " TIME_EXPECTED ", from 0s to 3650d");
	refuse("-w -1s a", "-w: '-1s' is malformed: " TIME_EXPECTED ", from 0s to 3650d");
	refuse("-r 0 a", "-r: '0' is out of range: " TIME_EXPECTED ", from 1ns to 3650d");
	refuse("-r 3651d a", "-r: '3651d' is out of range: " TIME_EXPECTED ", from 1ns to 3650d");
	refuse("--run-time=999999d a", "--run-time: '999999d' is out of range: " TIME_EXPECTED ", from 1ns to 3650d");
	refuse("--log-interval=999u a", "--log-interval: '999u' is out of range: " TIME_EXPECTED ", from 1ms to 3650d");
	refuse("--grace=x a", "--grace: 'x' is malformed: " TIME_EXPECTED ", from 0s to 3650d");
}

static void what_follows_an_end_is_chosen(void **state)
{
	(void)state;
	take("--keep-going -n1 a");
	assert_true(config.keep_going);
	take("-n1 a");
	assert_false(config.keep_going);
	assert_int_equal(config.when_one_ends, ENDS_CONTINUE);
	take("--when-one-ends=respawn -n1 a");
	assert_int_equal(config.when_one_ends, ENDS_RESPAWN);
	take("--when-one-ends stop -n1 a");
	assert_int_equal(config.when_one_ends, ENDS_STOP);
	take("--when-one-ends=stop --when-one-ends=continue -n1 a");
	assert_int_equal(config.when_one_ends, ENDS_CONTINUE);
	refuse("--when-one-ends=Stop a", "--when-one-ends: 'Stop' is malformed: expected continue, respawn or stop");
	refuse("--when-one-ends= a", "--when-one-ends: '' is malformed: expected continue, respawn or stop");
	refuse("-n1 a : --when-one-ends=stop b",
		"option '--when-one-ends' must stand before the first command: it holds for all groups");
}

static void watches_have_names(void **state)
{
	(void)state;
	take("--watch 17 --watch=db=18 --watch /sys/fs/cgroup/system.slice/nginx.service --watch _x=a/b=c --watch d/e=f/ a");
	static const struct watch expected[] = {{"17", "17", 17}, {"18", "db", 18},
		{"/sys/fs/cgroup/system.slice/nginx.service", "nginx_service", 0}, {"a/b=c", "_x", 0}, {"d/e=f/", "d_e_f", 0}};
	assert_int_equal(config.watches, sizeof expected / sizeof *expected);
	for (unsigned i = 0; i < config.watches; i++) {
		assert_string_equal(config.watch[i].text, expected[i].text);
		assert_string_equal(config.watch[i].name, expected[i].name);
		assert_int_equal(config.watch[i].pid, expected[i].pid);
	}
	take("--watch a1234567890123456789012345678901234567890123456=18 a");
	refuse("--watch a123456789012345678901234567890123456789012345678=18 a",
		"--watch: 'a123456789012345678901234567890123456789012345678=18': expected a name of at most 47 letters, digits "
		"and "
		"underscores before '='");
	static const char *const unnamed[] = {"=17", "a-b=17", "/", "...", "é=17"};
	static const char *const nothing[] = {"_", "a=", "0", "99999999999999999999", "2147483648", "a=0"};
	char line[128], message[256];
	for (size_t i = 0; i < sizeof unnamed / sizeof *unnamed; i++) {
		snprintf(line, sizeof line, "--watch %s a", unnamed[i]);
		snprintf(message, sizeof message,
			"--watch: '%s': expected a name of at most 47 letters, digits and underscores before '='", unnamed[i]);
		refuse(line, message);
	}
	for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) {
		snprintf(line, sizeof line, "--watch %s a", nothing[i]);
		snprintf(message, sizeof message, "--watch: '%s': expected the number of a process or a control group",
			*nothing[i] == '_' ? "" : nothing[i]);
		refuse(line, message);
	}
	refuse("--watch 17 --watch 017 --watch a/17 a",
		"--watch: '17' and 'a/17' are both called 17: expected another name before one of them, such as a=a/17");
	refuse("a : --watch 17 b", "option '--watch' must stand before the first command: it holds for all groups");
	char many[1024] = "";
	for (int i = 0; i <= WATCHES_MAX; i++)
		snprintf(many + strlen(many), sizeof many - strlen(many), "--watch %d ", 100 + i);
	strcat(many, "a");
	refuse(many, "--watch: '132' is one too many: expected at most 32");
}

static void processes_are_attached(void **state)
{
	(void)state;
	take("--attach 17 --attach=4 -n 2 a : -n 1 b");
	assert_int_equal(config.attaches, 2);
	assert_int_equal(config.attach[0], 17);
	assert_int_equal(config.attach[1], 4);
	assert_int_equal(config.workloads, 5);
	assert_int_equal(config.groups, 2);
	take("--attach 17 -q"); /* without a command */
	assert_int_equal(config.attaches, 1);
	assert_int_equal(config.workloads, 1);
	assert_int_equal(config.groups, 0);
	take("--attach 17 --");
	assert_int_equal(config.workloads, 1);
	static const char *const bad[] = {"0", "-1", "x", "1.5", "2147483648", "99999999999999999999", "_"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char line[64];
		char message[128];
		snprintf(line, sizeof line, "--attach %s a", bad[i]);
		snprintf(message, sizeof message, "--attach: '%s': expected the number of a process",
			*bad[i] == '_' ? "" : bad[i]);
		refuse(line, message);
	}
	refuse("--attach 17 --attach 4 --attach 17 a", "--attach: process 17 is given twice");
	refuse("--attach 17 -n 2", NO_COMMAND_BESIDE);
	refuse("--attach 17 : a", "group 0 is empty: expected a command before ':'");
	refuse("--attach 17 a :", "group 1 is empty: expected a command after ':'");
	refuse("a : --attach 17 b", "option '--attach' must stand before the first command: it holds for all groups");
	refuse("--attach 17 -n 100000 a", "100001 workloads are too many: expected at most 100000");
}

static void requirements_are_checked(void **state)
{
	(void)state;
	take("--require=3 a"); /* the first one may do without its name */
	assert_true(config.require_error == 3);
	take("--require=error=3 --require=mse=4 a");
	assert_true(config.require_error == 3 && config.require_mse == 4);
	take("--require=error=3,mse=4 --require=error=2 a");
	assert_true(config.require_error == 2 && config.require_mse == 4);
	take("--require=others=3 --require=mse=4,others=2.5 a");
	assert_true(config.require_others == 2.5 && config.require_mse == 4);
	refuse("--require=others=-1 a", "--require: option 'others': '-1' is out of range: expected a number, at least 0");
	refuse("--require=error=-1 a", "--require: option 'error': '-1' is out of range: expected a number, at least 0");
	refuse("--require=mse=x a", "--require: option 'mse': 'x' is malformed: expected a number, at least 0");
	refuse("--require=speed=1 a", "--require: unknown option 'speed': expected one of error, mse, others");
	refuse("--require=error=1,error=2 a", "--require: option 'error' is given twice");
}

static void names_must_not_be_empty(void **state)
{
	(void)state;
	refuse("-t _ a", "-t: '' is malformed: expected the name of a module");
	refuse("--control= a", "--control: '' is malformed: expected the name of a module");
	refuse("-o _ a", "-o: '' is malformed: expected the name of a file");
	refuse("--stdout= a", "--stdout: '' is malformed: expected the name of a file");
	refuse("--stderr= a", "--stderr: '' is malformed: expected the name of a file");
	refuse("--chdir= a", "--chdir: '' is malformed: expected the name of a folder");
}

static void other_actions_need_no_command(void **state)
{
	(void)state;
	static const struct {
		const char *line;
		int action;
	} known[] = {{"-h", ACTION_HELP}, {"--help", ACTION_HELP}, {"-V", ACTION_VERSION}, {"--version", ACTION_VERSION},
		{"--list-modules", ACTION_LIST_MODULES}, {"--check-machine", ACTION_CHECK_MACHINE},
		{"--help a b : ", ACTION_HELP}};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		take(known[i].line);
		assert_int_equal(config.action, known[i].action);
	}
	take("--dry-run -n1 a");
	assert_int_equal(config.action, ACTION_DRY_RUN);
	refuse("--dry-run", NO_COMMAND);
	take("--help-module control:rbpid");
	assert_int_equal(config.action, ACTION_HELP_MODULE);
	assert_int_equal(config.help_kind, SST_CONTROL);
	assert_string_equal(config.help_name, "rbpid");
	take("--help-module=trace:./x:y.so");
	assert_string_equal(config.help_name, "./x:y.so");
	static const char *const bad[] = {"rbpid", "control:", ":rbpid", "contro:x", "control-module-of-mine:x", ":", "_"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char line[64];
		char message[160];
		snprintf(line, sizeof line, "--help-module %s", bad[i]);
		snprintf(message, sizeof message,
			"--help-module: '%s': expected KIND:NAME with a kind of trace, feedback, control, space, dithering or "
			"actuator",
			*bad[i] == '_' ? "" : bad[i]);
		refuse(line, message);
	}
}

static void files_of_output_are_for_all_groups_or_one(void **state)
{
	(void)state;
	take("--stdout all --stderr err.% a : --stdout=own b : c : --stderr - d");
	static const char *const files[][2] = {{"all", "err.%"}, {"own", "err.%"}, {"all", "err.%"}, {"all", "-"}};
	for (unsigned i = 0; i < 4; i++) {
		assert_string_equal(config.group[i].stdout_file, files[i][0]);
		assert_string_equal(config.group[i].stderr_file, files[i][1]);
	}
	assert_string_equal(config.stdout_file, "all");
	assert_string_equal(config.stderr_file, "err.%");
	take("a : --stdout own b : c");
	assert_null(config.group[0].stdout_file);
	assert_string_equal(config.group[1].stdout_file, "own");
	assert_null(config.group[2].stdout_file);
	assert_null(config.stdout_file);
	refuse("a : --stdout= b", "--stdout: '' is malformed: expected the name of a file");
	refuse("--attach 1 --stdout x", NO_COMMAND_BESIDE);
	refuse("a : --chdir x b", "option '--chdir' must stand before the first command: it holds for all groups");
}

static void something_must_be_controlled(void **state)
{
	(void)state;
	refuse("--free a", "--free: nothing would be controlled: expected a group without it, such as --free COMMAND : COMMAND");
	refuse("--free a : --free b",
		"--free: nothing would be controlled: expected a group without it, such as --free COMMAND : COMMAND");
	take("--attach 1 --free -n 2 a");
	assert_int_equal(config.controlled, 1);
	assert_int_equal(config.workloads, 3);
	refuse("a : --attach 1 b", "option '--attach' must stand before the first command: it holds for all groups");
	refuse("--attach 1 --free", NO_COMMAND_BESIDE);
}

/* The help comes from the table that is parsed: what it shows is understood. */
static void every_option_of_the_help_is_understood(void **state)
{
	(void)state;
	char *help = NULL;
	size_t size = 0;
	unsigned options = 0;
	FILE *to = open_memstream(&help, &size);
	assert_non_null(to);
	config_help(to);
	fclose(to);
	for (char *at = help; (at = strstr(at, " --")); at++) {
		char name[64];
		char line[128];
		if (sscanf(at, " --%63[a-z-]", name) != 1)
			continue;
		options++;
		snprintf(line, sizeof line, "--%s=", name);
		if (parse(line) == 0)
			continue;
		if (strstr(said, "unknown option"))
			fail_msg("--%s: %s", name, said);
	}
	assert_true(options > 25);
	free(help);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(defaults),
		TEST(the_paper_s_command),
		TEST(every_option_has_its_place),
		TEST(a_load_is_short_for_a_constant_trace),
		TEST(files_of_output_are_for_all_groups_or_one),
		TEST(groups_are_separated),
		TEST(separators_can_be_chosen),
		TEST(options_end_at_the_first_word),
		TEST(empty_groups_are_refused),
		TEST(unknown_and_abbreviated_options_are_refused),
		TEST(global_options_stand_before_the_first_command),
		TEST(values_are_checked),
		TEST(what_follows_an_end_is_chosen),
		TEST(processes_are_attached),
		TEST(watches_have_names),
		TEST(requirements_are_checked),
		TEST(names_must_not_be_empty),
		TEST(other_actions_need_no_command),
		TEST(something_must_be_controlled),
		TEST(every_option_of_the_help_is_understood),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
