/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
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

#include "control/shared.h"
#include "processes/process.h"

static const size_t no_modules[KINDS];

static void parts_lie_on_lines_of_their_own(void **state)
{
	(void)state;
	const size_t module_size[KINDS] = {1, 0, 129, 0, 64, 0};
	size_t offset[KINDS];
	const size_t alone = shared_layout(3, no_modules, offset);
	for (int kind = 0; kind < KINDS; kind++)
		assert_int_equal(offset[kind], 0);
	assert_true(alone >= sizeof(struct shared) + 3 * sizeof(struct slot));
	const size_t size = shared_layout(3, module_size, offset);
	assert_int_equal(offset[SST_FEEDBACK], 0);
	assert_int_equal(offset[SST_SPACE], 0);
	assert_true(offset[SST_TRACE] >= alone);
	assert_true(offset[SST_CONTROL] >= offset[SST_TRACE] + 1);
	assert_true(offset[SST_DITHERING] >= offset[SST_CONTROL] + 129);
	assert_true(size >= offset[SST_DITHERING] + 64);
	for (int kind = 0; kind < KINDS; kind++)
		assert_int_equal(offset[kind] % 64, 0);
	assert_int_equal(sizeof(struct slot) % 128, 0);
	assert_int_equal(offsetof(struct shared, slot) % 128, 0);
	assert_true(offsetof(struct shared, estimate) / 64 > offsetof(struct shared, sampler) / 64);
	assert_true(offsetof(struct slot, record) / 64 > offsetof(struct slot, executor_cpu_ns) / 64);
	assert_true(offsetof(struct slot, lateness) / 64 > offsetof(struct slot, record) / 64);
	/* Every atomic works without a lock, or it would not work between processes. */
	assert_true(atomic_is_lock_free(&((struct slot *)NULL)->published));
	assert_true(atomic_is_lock_free(&((struct slot *)NULL)->workload_cpu_ns));
	assert_true(atomic_is_lock_free(&((struct slot *)NULL)->pid));
}

static struct stat unlinked;
static int names_unlinked;

static int no_room; /* the error of what reserves memory; 0: there is room */

/* In place of libc's. */
int posix_fallocate(int fd, off_t offset, off_t size)
{
	return no_room ? no_room : ftruncate(fd, offset + size);
}

/* In place of libc's, for the moment in which a segment has a name. */
int shm_unlink(const char *name)
{
	char path[128];
	snprintf(path, sizeof path, "/dev/shm%s", name);
	assert_int_equal(stat(path, &unlinked), 0);
	names_unlinked++;
	return unlink(path);
}

static void nobody_else_can_open_it(void **state)
{
	(void)state;
	const mode_t before = umask(0);
	names_unlinked = 0;
	struct shared *shared = shared_create(1, no_modules);
	umask(before);
	assert_non_null(shared);
	assert_int_equal(names_unlinked, 1);
	assert_true(S_ISREG(unlinked.st_mode));
	assert_int_equal(unlinked.st_mode & 07777, 0600);
	assert_int_equal(unlinked.st_uid, geteuid());
	shared_destroy(shared);
}

static void memory_is_prepared(void **state)
{
	(void)state;
	const size_t module_size[KINDS] = {0, 0, 24, 0, 0, 0};
	struct shared *shared = shared_create(2, module_size);
	assert_non_null(shared);
	assert_int_equal(shared->workloads, 2);
	struct estimate_record estimate;
	shared_read_estimate(shared, &estimate);
	assert_true(isnan(estimate.load));
	assert_true(estimate.work == 0 && estimate.capacity == 0 && estimate.owed == 0);
	assert_int_equal(estimate.samples, 0);
	assert_int_equal(atomic_load(&shared->phase), SHARED_HOLD);
	for (unsigned i = 0; i < 2; i++) {
		struct slot_record record;
		latch_read(&shared->slot[i].record, &record, LATCH_SIZE(struct slot_record));
		assert_true(isnan(record.load));
		assert_int_equal(record.alive, 0);
		assert_false(shared_is_live(shared, i));
		assert_false(atomic_load(&shared->slot[i].has_published));
	}
	assert_null(shared_module(shared, SST_TRACE));
	char *module = shared_module(shared, SST_CONTROL);
	assert_non_null(module);
	assert_int_equal((uintptr_t)module % 64, 0);
	for (size_t i = 0; i < 24; i++)
		assert_int_equal(module[i], 0);
	memset(module, 1, 24);
	shared_destroy(shared);
	shared_destroy(NULL);
}

/* How many segments of ours there are in /dev/shm. */
static unsigned segments(void)
{
	unsigned count = 0;
	DIR *directory = opendir("/dev/shm");
	assert_non_null(directory);
	char own[64];
	snprintf(own, sizeof own, "showstopper.%d.", (int)getpid());
	for (struct dirent *entry; (entry = readdir(directory));)
		count += strncmp(entry->d_name, own, strlen(own)) == 0;
	closedir(directory);
	return count;
}

static void nothing_is_left_and_children_share_it(void **state)
{
	(void)state;
	struct shared *shared = shared_create(1, no_modules);
	assert_non_null(shared);
	assert_int_equal(segments(), 0);
	const pid_t pid = fork();
	if (pid == 0) {
		shared_set_live(shared, 0, true);
		_exit(0);
	}
	assert_true(pid > 0);
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(shared_is_live(shared, 0));
	shared_destroy(shared);
}

static void create_file(const char *name, char *path, size_t size)
{
	snprintf(path, size, "/dev/shm/%s", name);
	const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	close(fd);
}

/* What a SIGKILL between two system calls left behind goes with the next run; what belongs to somebody alive stays. */
static void abandoned_segments_are_removed(void **state)
{
	(void)state;
	char dead[128];
	char reused[128];
	char alive[128];
	char other[128];
	char name[64];
	struct linux_process self;
	assert_int_equal(linux_process_read(getpid(), &self), 0);
	const pid_t pid = fork();
	if (pid == 0)
		_exit(0);
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	snprintf(name, sizeof name, "showstopper.%d.%llu", (int)pid, (unsigned long long)self.start_ticks);
	create_file(name, dead, sizeof dead);
	snprintf(name, sizeof name, "showstopper.%d.%llu", (int)getpid(), (unsigned long long)self.start_ticks + 1);
	create_file(name, reused, sizeof reused);
	struct linux_process parent;
	assert_int_equal(linux_process_read(getppid(), &parent), 0);
	snprintf(name, sizeof name, "showstopper.%d.%llu", (int)parent.pid, (unsigned long long)parent.start_ticks);
	create_file(name, alive, sizeof alive);
	snprintf(name, sizeof name, "showstopper.%d.%llu.txt", (int)pid, (unsigned long long)self.start_ticks);
	create_file(name, other, sizeof other);
	struct shared *shared = shared_create(1, no_modules);
	const int found[] = {access(dead, F_OK), access(reused, F_OK), access(alive, F_OK), access(other, F_OK)};
	unlink(alive);
	unlink(other);
	unlink(dead);
	unlink(reused);
	assert_non_null(shared);
	shared_destroy(shared);
	assert_int_equal(found[0], -1);
	assert_int_equal(found[1], -1);
	assert_int_equal(found[2], 0);
	assert_int_equal(found[3], 0);
}

static void coming_and_going_is_told_once(void **state)
{
	(void)state;
	struct shared *shared = shared_create(2, no_modules);
	assert_non_null(shared);
	const uint32_t before = atomic_load(&shared->generation);
	shared_set_live(shared, 1, false);
	assert_int_equal(atomic_load(&shared->generation), before);
	shared_set_live(shared, 1, true);
	assert_int_equal(atomic_load(&shared->generation), before + 1);
	shared_set_live(shared, 1, true);
	assert_int_equal(atomic_load(&shared->generation), before + 1);
	shared_set_live(shared, 1, false);
	shared_set_live(shared, 1, false);
	assert_int_equal(atomic_load(&shared->generation), before + 2);
	shared_destroy(shared);
}

static bool is(double found, double expected)
{
	if (fabs(found - expected) < 1e-6)
		return true;
	fprintf(stderr, "found %.17g, expected %.17g\n", found, expected);
	return false;
}

static void integrals_hold_the_present_values(void **state)
{
	(void)state;
	struct slot_record record = {.load = NAN};
	slot_record_advance(&record, 1000); /* the first time there is nothing before it */
	assert_int_equal(record.since_ns, 1000);
	assert_true(record.duty_ns == 0 && record.running_ns == 0 && record.alive_ns == 0);
	record.duty = 0.25;
	record.running = 1;
	record.alive = 1;
	record.at_bound = BOUND_NEITHER;
	slot_record_advance(&record, 1400);
	assert_true(is(record.duty_ns, 100)); /* 0.25 × 400 */
	assert_true(is(record.running_ns, 400));
	assert_true(is(record.alive_ns, 400));
	assert_true(is(record.control_ns, 400));
	assert_true(is(record.loaded_ns, 0)); /* the load was unknown */
	record.load = 0.5;
	record.running = 0;
	record.at_bound = BOUND_SATURATED;
	slot_record_advance(&record, 1500);
	assert_true(is(record.duty_ns, 125));
	assert_true(is(record.running_ns, 400));
	assert_true(is(record.load_ns, 50));
	assert_true(is(record.loaded_ns, 100));
	assert_true(is(record.saturated_ns, 100));
	record.at_bound = BOUND_STARVED;
	slot_record_advance(&record, 1520);
	assert_true(is(record.starved_ns, 20));
	assert_true(is(record.saturated_ns, 100));
	assert_true(is(record.control_ns, 520));
	record.at_bound = BOUND_FREE; /* free */
	record.alive = 0;
	slot_record_advance(&record, 1600);
	assert_true(is(record.control_ns, 520));
	assert_true(is(record.alive_ns, 520));
	assert_int_equal(record.since_ns, 1600);
}

/* Against the same by looking at each workload. */
static void who_is_live_is_counted_by_bits(void **state)
{
	(void)state;
	static const unsigned sizes[] = {1, 2, 3, 63, 64, 65, 130, 1000};
	uint64_t random = 42;
	for (size_t at = 0; at < sizeof sizes / sizeof *sizes; at++) {
		const unsigned n = sizes[at];
		struct shared *shared = shared_create(n, no_modules);
		assert_non_null(shared);
		for (unsigned round = 0; round < 40; round++) {
			for (unsigned i = 0; i < n; i++) {
				random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
				/* From none to all. */
				shared_set_live(shared, i, (random >> 33) % 39 < round);
			}
			const unsigned index = (unsigned)(random >> 40) % n;
			unsigned rank = 0;
			unsigned count = 0;
			unsigned found_rank = n;
			unsigned next = n;
			for (unsigned i = 0; i < n; i++) {
				if (i == index)
					rank = count;
				count += i == index || shared_is_live(shared, i);
			}
			for (unsigned step = n; step > 0; step--)
				if (shared_is_live(shared, (index + step) % n))
					next = (index + step) % n;
			assert_int_equal(shared_count_live(shared, index, &found_rank), count);
			assert_int_equal(found_rank, rank);
			assert_int_equal(shared_next_live(shared, index), next);
		}
		shared_destroy(shared);
	}
}

static void integrals_never_go_back(void **state)
{
	(void)state;
	struct slot_record record = {.since_ns = 1000, .duty = 1, .running = 1, .alive = 1, .load = 1};
	slot_record_advance(&record, 400); /* somebody else's clock reading was a little older */
	assert_int_equal(record.since_ns, 1000);
	assert_true(record.duty_ns == 0 && record.load_ns == 0);
	slot_record_advance(&record, 1000);
	assert_true(record.duty_ns == 0);
	slot_record_advance(&record, 1001);
	assert_true(is(record.duty_ns, 1));
}

static void lateness_is_counted_in_quarter_octaves(void **state)
{
	(void)state;
	static const struct {
		int64_t late_ns;
		unsigned bucket;
	} known[] = {{INT64_MIN, 0}, {-1, 0}, {0, 0}, {999, 0}, {1000, 1}, {1189, 1}, {1190, 2}, {1999, 4}, {2000, 5},
		{1000000, 40}, {1024000, 41}, {INT64_MAX, LATENESS_BUCKETS - 1}};
	struct slot *slot = aligned_alloc(128, sizeof *slot);
	assert_non_null(slot);
	memset(slot, 0, sizeof *slot);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		const uint32_t before = atomic_load(&slot->lateness[known[i].bucket]);
		slot_count_lateness(slot, known[i].late_ns);
		if (atomic_load(&slot->lateness[known[i].bucket]) != before + 1)
			fail_msg("%lld ns is not counted in bucket %u", (long long)known[i].late_ns, known[i].bucket);
		if (known[i].bucket < LATENESS_BUCKETS - 1 && known[i].late_ns > 0)
			assert_true((double)known[i].late_ns / 1000 < lateness_bound_us(known[i].bucket));
		if (known[i].bucket)
			assert_true((double)known[i].late_ns / 1000 >= lateness_bound_us(known[i].bucket - 1) - 1e-9);
	}
	free(slot);
	assert_true(is(lateness_bound_us(0), 1));
	assert_true(is(lateness_bound_us(8), 4));
}

static void a_lost_workload_stands_still(void **state)
{
	(void)state;
	struct shared *shared = shared_create(2, no_modules);
	assert_non_null(shared);
	struct slot_record record = {
		.since_ns = 1000, .duty = 0.5, .load = 0.25, .running = 1, .at_bound = 3, .alive = 1, .edges = 7};
	latch_write(&shared->slot[1].record, &record, LATCH_SIZE(struct slot_record));
	shared_set_live(shared, 1, true);
	const uint32_t generation = atomic_load(&shared->generation);
	/* Its executor died within the next write: the copy that nobody reads is half written. */
	atomic_store(&shared->slot[1].record.copy[(atomic_load(&shared->slot[1].record.sequence) + 1) & 1][1], UINT64_MAX);
	shared_set_lost(shared, 1, 3000);
	assert_true(atomic_load(&shared->slot[1].lost));
	assert_false(atomic_load(&shared->slot[0].lost));
	assert_false(shared_is_live(shared, 1));
	assert_int_not_equal(atomic_load(&shared->generation), generation);
	for (int64_t now = 3000; now <= 9000; now += 6000) {
		latch_read(&shared->slot[1].record, &record, LATCH_SIZE(struct slot_record));
		slot_record_advance(&record, now);
		assert_true(record.running_ns == 2000 && record.alive_ns == 2000 && record.duty_ns == 1000 &&
			    record.control_ns == 2000);
		assert_int_equal(record.edges, 7);
		/* Its estimate is no more that of the run. */
		assert_true(record.load_ns == 500 && record.loaded_ns == 2000);
	}
	shared_destroy(shared);
}

/* A full /dev/shm is told as what it is, and leaves no descriptor behind. */
static void without_room_there_is_none(void **state)
{
	(void)state;
	const int next = dup(STDERR_FILENO);
	close(next);
	no_room = ENOSPC;
	errno = 0;
	assert_null(shared_create(3, no_modules));
	assert_int_equal(errno, ENOSPC);
	no_room = 0;
	const int now = dup(STDERR_FILENO);
	close(now);
	assert_int_equal(now, next);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lost_workload_stands_still),
		cmocka_unit_test(parts_lie_on_lines_of_their_own),
		cmocka_unit_test(without_room_there_is_none),
		cmocka_unit_test(nobody_else_can_open_it),
		cmocka_unit_test(memory_is_prepared),
		cmocka_unit_test(nothing_is_left_and_children_share_it),
		cmocka_unit_test(abandoned_segments_are_removed),
		cmocka_unit_test(coming_and_going_is_told_once),
		cmocka_unit_test(integrals_hold_the_present_values),
		cmocka_unit_test(who_is_live_is_counted_by_bits),
		cmocka_unit_test(integrals_never_go_back),
		cmocka_unit_test(lateness_is_counted_in_quarter_octaves),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
