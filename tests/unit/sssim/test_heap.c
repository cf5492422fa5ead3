/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/splitmix.h"
#include "sssim/heap.h"

#define NODES 200

static struct sim_heap heap;
static struct sim_node node[NODES];

static int end(void **state)
{
	(void)state;
	free(heap.entry);
	heap = (struct sim_heap){0};
	for (int i = 0; i < NODES; i++)
		node[i] = (struct sim_node){0};
	return 0;
}

static void equal_keys_leave_in_order(void **state)
{
	(void)state;
	assert_null(sim_heap_first(&heap));
	assert_int_equal(sim_heap_reserve(&heap, 4), 0);
	sim_heap_put(&heap, &node[2], 7);
	sim_heap_put(&heap, &node[0], 7);
	sim_heap_put(&heap, &node[1], -3);
	sim_heap_put(&heap, &node[3], 7);
	static const int order[] = {1, 2, 0, 3};
	for (int i = 0; i < 4; i++) {
		assert_ptr_equal(sim_heap_first(&heap), &node[order[i]]);
		sim_heap_remove(&heap, &node[order[i]]);
	}
	assert_null(sim_heap_first(&heap));
	sim_heap_remove(&heap, &node[0]); /* not in it: nothing happens */
	assert_int_equal(heap.count, 0);
}

/* Against a plain array. */
static void keeps_the_least_first(void **state)
{
	(void)state;
	static int64_t key[NODES];
	static uint64_t order[NODES];
	static bool present[NODES];
	struct sim_random random = sim_random_stream(1, 1);
	uint64_t clock = 0;
	assert_int_equal(sim_heap_reserve(&heap, NODES), 0);
	for (int step = 0; step < 20000; step++) {
		const size_t at = sim_random_below(&random, NODES);
		if (sim_random_below(&random, 3)) {
			key[at] = (int64_t)sim_random_below(&random, 50) - 25;
			order[at] = clock++;
			present[at] = true;
			sim_heap_put(&heap, &node[at], key[at]);
		} else {
			present[at] = false;
			sim_heap_remove(&heap, &node[at]);
		}
		int least = -1;
		for (int i = 0; i < NODES; i++)
			if (present[i] && (least < 0 || key[i] < key[least] || (key[i] == key[least] && order[i] < order[least])))
				least = i;
		assert_ptr_equal(sim_heap_first(&heap), least < 0 ? NULL : &node[least]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(equal_keys_leave_in_order, end),
		cmocka_unit_test_teardown(keeps_the_least_first, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
