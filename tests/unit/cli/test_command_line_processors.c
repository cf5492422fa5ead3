/* SPDX-License-Identifier: MIT */
/* Which processors a group may use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/units.h"
#include "command_line_test.h"
#include "load/processors.h"
#include "processes/affinity.h"

static void processors_of_groups(void **state)
{
	(void)state;
	struct sst_cpus *allowed = linux_affinity_get();
	char line[256];
	char message[256];
	assert_non_null(allowed);
	const unsigned first = allowed->cpu[0];
	snprintf(line, sizeof line, "--cpus %u a : b", first);
	take(line);
	assert_int_equal(config.group[0].instances, 1);
	assert_int_equal(config.group[0].cpus->count, 1);
	assert_null(config.group[1].cpus);
	assert_null(config.cpus); /* the second group may use all */
	assert_int_equal(config.group[1].instances, linux_processors_usable());
	snprintf(line, sizeof line, "--cpus=%u -n 3 a : --free b", first);
	take(line);
	assert_int_equal(config.group[0].instances, 3);
	assert_true(config.group[1].free);
	assert_int_equal(config.controlled, 3);
	if (sysconf(_SC_NPROCESSORS_ONLN) > 1) {
		assert_non_null(config.cpus);
		assert_int_equal(config.cpus->count, 1);
		assert_int_equal(config.cpus->cpu[0], first);
	} else {
		assert_null(config.cpus);
	}
	snprintf(line, sizeof line, "--attach 1 --cpus=%u a", first);
	take(line);
	assert_null(config.cpus);
	refuse("--cpus 65535 a", NULL);
	assert_non_null(strstr(
		said, "--cpus: processor 65535 can't be used: it is offline, not there or not allowed; expected some of "));
	refuse("--cpus 1- a", "--cpus: '1-' is malformed: expected a list of processors such as 0-3,8");
	refuse("--cpus 65536 a", "--cpus: '65536' is out of range: expected a list of processors such as 0-3,8");
	snprintf(line, sizeof line, "--cpus %u --pin packed --part 0/1 a", first);
	refuse(line, "--cpus and --pin: expected one of them for a group");
	refuse("--part 0/2 a", "--part: expected --pin with it, such as --pin per-core --part 0/2");
	refuse("--pin packed a", "--pin=packed: expected --part with it, such as --part 0/2");
	refuse("--pin per-cip --part 0/2 a",
		"--pin: 'per-cip' is malformed: expected neutral, per-chip, per-core, per-thread, packed, spread or dynamic");
	static const char *const bad[] = {"2/2", "0/0", "-1/2", "1", "/", "0/", "/2", "0/65537", "1/2/3", "0.5/2", "_"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		snprintf(line, sizeof line, "--pin packed --part %s a", bad[i]);
		snprintf(message, sizeof message,
			"--part: '%s': expected I/K, where I is a whole number from 0 and below K, such as 0/2",
			*bad[i] == '_' ? "" : bad[i]);
		refuse(line, message);
	}
	take("--pin packed --part 0/1 a");
	assert_int_equal(config.group[0].cpus->count, allowed->count);
	take("--pin neutral a");
	assert_null(config.group[0].cpus);
	assert_int_equal(config.group[0].instances, linux_processors_usable());
	take("--pin neutral --part 1/60000 a");
	assert_int_equal(config.group[0].instances, 1);
	free(allowed);
}

static void dynamic_pinning(void **state)
{
	(void)state;
	refuse("--pin dynamic a",
		"--pin=dynamic: expected two groups with it, or more, such as --pin dynamic COMMAND : --pin dynamic COMMAND");
	refuse("--pin dynamic --part 0/2 a : --pin dynamic b",
		"--part: expected none with --pin=dynamic, whose parts are the groups in their order");
	refuse("--pin dynamic:dwell=1s a : --pin dynamic:dwell=1s b",
		"--pin=dynamic: the settings are given twice: expected them in one group");
	setenv("HWLOC_SYNTHETIC", "pack:1 core:1 pu:1", 1);
	refuse("--pin dynamic a : --pin dynamic b",
		"--pin=per-thread: no core has more than 1 usable thread, too few for 2 parts; "
		"--pin dynamic:below=SCHEME,above=SCHEME takes others (--list-pins shows them)");
	unsetenv("HWLOC_SYNTHETIC");
	if (linux_processors_usable() < 2)
		return;
	take("--pin dynamic a : c : --free --pin dynamic:below=neutral,above=spread,dwell=1s b");
	assert_int_equal(config.dynamics, 2);
	assert_int_equal(config.dynamic.dwell_ns, NS_PER_S);
	assert_int_equal(config.group[0].part, 0);
	assert_int_equal(config.group[2].part, 1);
	assert_int_equal(config.group[2].parts, 2);
	assert_null(config.group[0].cpus);
	assert_non_null(config.group[0].moved);
	assert_null(config.group[1].moved);
	assert_null(config.cpus);
	assert_null(config.moved); /* the second group may use all */
	assert_int_equal(config.workloads, config.group[0].instances + config.group[1].instances + config.group[2].instances);
	assert_true(config.group[0].instances < linux_processors_usable());
	take("-n 1 --pin dynamic:neutral,above=spread a : -n 1 --free --pin dynamic b");
	assert_int_equal(config.workloads, 2);
	assert_null(config.cpus);
	assert_non_null(config.moved);
	assert_int_equal(config.moved->count, config.group[0].moved->count);
}

#define REMOVED                                                                                                                  \
	"--frequency has been removed: expected clocks that are held around the run, such as by cpupower frequency-set --min "   \
	"1.8GHz "                                                                                                                \
	"--max 1.8GHz"

static void clocks_are_held_by_others(void **state)
{
	(void)state;
	refuse("--frequency 1.8GHz a", REMOVED);
	refuse("a : --frequency 1.8GHz b", REMOVED);
	refuse("--frequen 1.8GHz a", "unknown option '--frequen' (see showstopper --help)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(processors_of_groups),
		TEST(clocks_are_held_by_others),
		TEST(dynamic_pinning),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
