/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "self/iteration_counter.h"

static int counter;
static _Atomic uint64_t *number;
static struct iteration_count count;

static int begin(void **state)
{
	(void)state;
	memset(&count, 0, sizeof count);
	counter = iteration_counter_make();
	assert_true(counter > STDERR_FILENO);
	number = mmap(NULL, sizeof *number, PROT_READ | PROT_WRITE, MAP_SHARED, counter, 0);
	assert_true(number != MAP_FAILED);
	return 0;
}

static int end(void **state)
{
	(void)state;
	munmap((void *)number, sizeof *number);
	close(counter);
	unsetenv(ITERATION_COUNTER_VARIABLE);
	return 0;
}

static void what_is_raised_is_counted(void **state)
{
	(void)state;
	assert_int_equal(iteration_counter_read(counter, &count), 0);
	iteration_counter_raise(number, 3);
	assert_int_equal(iteration_counter_read(counter, &count), 3);
	iteration_counter_raise(number, 1);
	assert_int_equal(iteration_counter_read(counter, &count), 4);
	assert_int_equal(iteration_counter_read(counter, &count), 4);
	iteration_counter_raise(NULL, 1);
}

static void who_begins_anew_is_counted_on(void **state)
{
	(void)state;
	*number = 10;
	assert_int_equal(iteration_counter_read(counter, &count), 10);
	*number = 2;
	assert_int_equal(iteration_counter_read(counter, &count), 10);
	*number = 5;
	assert_int_equal(iteration_counter_read(counter, &count), 13);
}

static void leaps_are_not_counted(void **state)
{
	(void)state;
	const uint64_t odd[] = {UINT64_MAX, 0, UINT64_C(1) << 63, (UINT64_C(1) << 63) + (UINT64_C(1) << 33), 1};
	*number = 7;
	assert_int_equal(iteration_counter_read(counter, &count), 7);
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		*number = odd[i];
		assert_int_equal(iteration_counter_read(counter, &count), 7);
	}
	*number = 4;
	assert_int_equal(iteration_counter_read(counter, &count), 10);
}

static void its_size_stays(void **state)
{
	(void)state;
	struct stat status;
	assert_int_equal(ftruncate(counter, 0), -1);
	assert_int_equal(ftruncate(counter, 1 << 20), -1);
	assert_int_equal(fcntl(counter, F_ADD_SEALS, F_SEAL_WRITE), -1);
	assert_int_equal(fstat(counter, &status), 0);
	assert_int_equal(status.st_size, ITERATION_COUNTER_SIZE);
	*number = 7;
	fallocate(counter, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, ITERATION_COUNTER_SIZE);
	assert_int_equal(iteration_counter_read(counter, &count), 0);
}

static void a_counter_that_is_closed_counts_nothing(void **state)
{
	(void)state;
	iteration_counter_raise(number, 2);
	assert_int_equal(iteration_counter_read(counter, &count), 2);
	assert_int_equal(iteration_counter_read(9999, &count), 2);
}

/* As a workload, after exec. */
static int count_once(void)
{
	_Atomic uint64_t *const own = iteration_counter_find();
	iteration_counter_raise(own, 1);
	return own && !getenv(ITERATION_COUNTER_VARIABLE) ? 0 : 1;
}

static void a_program_finds_its_own(void **state)
{
	(void)state;
	const pid_t child = fork();
	if (child == 0) {
		if (iteration_counter_hand_on(counter) == 0)
			execl("/proc/self/exe", "test", "count", (char *)NULL);
		_exit(125);
	}
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(iteration_counter_read(counter, &count), 1);
}

static void a_file_in_its_place_is_left_alone(void **state)
{
	(void)state;
	char path[64], text[8] = "";
	FILE *const file = tmpfile();
	assert_non_null(file);
	assert_int_equal(pwrite(fileno(file), "precious", 8, 0), 8);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
	setenv(ITERATION_COUNTER_VARIABLE, path, 1);
	assert_null((void *)iteration_counter_find());
	assert_null(getenv(ITERATION_COUNTER_VARIABLE));
	assert_int_equal(pread(fileno(file), text, 8, 0), 8);
	assert_memory_equal(text, "precious", 8);
	fclose(file);
	setenv(ITERATION_COUNTER_VARIABLE, "/proc/self/fd/9999", 1);
	assert_null((void *)iteration_counter_find());
	assert_null((void *)iteration_counter_find());
}

static void many_readers_lose_nothing(void **state)
{
	(void)state;
	enum { READERS = 3, RAISED = 20000 };
	struct iteration_count *const shared =
		mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(shared != MAP_FAILED);
	for (int i = 0; i < READERS; i++)
		if (fork() == 0) {
			for (uint64_t seen = 0, now; seen < RAISED; seen = now)
				if ((now = iteration_counter_read(counter, shared)) < seen)
					_exit(1);
			_exit(0);
		}
	for (int i = 0; i < RAISED; i++)
		iteration_counter_raise(number, 1);
	for (int i = 0; i < READERS; i++) {
		int status;
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	assert_int_equal(iteration_counter_read(counter, shared), RAISED);
	munmap(shared, sizeof *shared);
}

int main(int arguments, char **argument)
{
	(void)argument;
	if (arguments > 1)
		return count_once();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_raised_is_counted, begin, end),
		cmocka_unit_test_setup_teardown(who_begins_anew_is_counted_on, begin, end),
		cmocka_unit_test_setup_teardown(leaps_are_not_counted, begin, end),
		cmocka_unit_test_setup_teardown(its_size_stays, begin, end),
		cmocka_unit_test_setup_teardown(a_counter_that_is_closed_counts_nothing, begin, end),
		cmocka_unit_test_setup_teardown(a_program_finds_its_own, begin, end),
		cmocka_unit_test_setup_teardown(a_file_in_its_place_is_left_alone, begin, end),
		cmocka_unit_test_setup_teardown(many_readers_lose_nothing, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
