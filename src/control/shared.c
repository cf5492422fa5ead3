/* SPDX-License-Identifier: MIT */
#include "control/shared.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "groups/attached_group.h"
#include "processes/descendants.h"
#include "processes/process_handle.h"

/* Names begin so; PID and start time of the creator follow. */
#define NAME_PREFIX "showstopper."

static size_t round_up(size_t size)
{
	return (size + 127) / 128 * 128;
}

/* Of the bits that say who is live. */
static unsigned words(unsigned workloads)
{
	return (workloads + 63) / 64;
}

/* Behind the slots. */
static size_t pages_offset(unsigned workloads)
{
	return round_up(sizeof(struct shared) + workloads * sizeof(struct slot));
}

static size_t live_offset(unsigned workloads)
{
	return pages_offset(workloads) + round_up((workloads + 1) * sizeof(struct snapshot_page));
}

size_t shared_layout(unsigned workloads, const size_t module_size[static KINDS], size_t offset[static KINDS])
{
	size_t size = live_offset(workloads) + round_up(words(workloads) * sizeof(uint64_t));
	for (int kind = 0; kind < KINDS; kind++) {
		offset[kind] = module_size[kind] ? size : 0;
		size += round_up(module_size[kind]);
	}
	return size;
}

void shared_init(struct shared *shared, unsigned workloads, size_t size, const size_t offset[static KINDS])
{
	shared->workloads = workloads;
	shared->size = size;
	memcpy(shared->module_offset, offset, sizeof shared->module_offset);
	shared->pages_offset = pages_offset(workloads);
	shared->live_offset = live_offset(workloads);
	const struct estimate_record none = {.load = NAN};
	shared_post_estimate(shared, 0, 0, &none);
	const struct slot_record idle = {.load = NAN};
	for (unsigned i = 0; i < workloads; i++)
		latch_write(&shared->slot[i].record, &idle, LATCH_SIZE(struct slot_record));
}

/* Segments live for a moment only; one whose creator is gone was left by a SIGKILL within that moment. */
static void remove_abandoned(void)
{
	DIR *directory = opendir("/dev/shm");
	if (!directory)
		return;
	const int folder = dirfd(directory);
	for (struct dirent *entry; folder >= 0 && (entry = readdir(directory));) {
		int pid;
		unsigned long long start;
		int end = 0;
		struct stat status;
		// NOLINTNEXTLINE(cert-err34-c): a number out of range is that of no process
		if (sscanf(entry->d_name, NAME_PREFIX "%d.%llu%n", &pid, &start, &end) != 2 || entry->d_name[end] != '\0')
			continue;
		if (fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || status.st_uid != geteuid())
			continue;
		struct linux_process now;
		if (process_look(&(struct process){.pid = pid, .start_ticks = start}, &now) != 0)
			unlinkat(folder, entry->d_name, 0);
	}
	closedir(directory);
}

/* MAP_FAILED with errno. */
static void *map_named(const char *name, size_t size)
{
	const int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return MAP_FAILED;
	shm_unlink(name);
	/* Allocated now: a full /dev/shm is an error here and not a SIGBUS later. */
	const int error = posix_fallocate(fd, 0, (off_t)size);
	if (error) {
		close(fd);
		errno = error;
		return MAP_FAILED;
	}
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	const int saved = errno;
	close(fd);
	errno = saved;
	return memory;
}

/* As in containers whose /dev has no shm, or one that can't be written. One that is full is an error. */
static bool there_is_none(int error)
{
	return error == ENOENT || error == ENOTDIR || error == EACCES || error == EPERM || error == EROFS || error == ENOSYS;
}

struct shared *shared_create(unsigned workloads, const size_t module_size[static KINDS])
{
	size_t offset[KINDS];
	const size_t size = shared_layout(workloads, module_size, offset);
	struct linux_process self;
	char name[64];
	remove_abandoned();
	if (linux_process_read(getpid(), &self) != 0)
		return NULL;
	snprintf(name, sizeof name, "/" NAME_PREFIX "%d.%llu", (int)getpid(), (unsigned long long)self.start_ticks);
	void *memory = map_named(name, size);
	/* Forks inherit memory without a name all the same. */
	if (memory == MAP_FAILED && there_is_none(errno))
		memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	shared_init(memory, workloads, size, offset);
	return memory;
}

void shared_destroy(struct shared *shared)
{
	if (shared)
		munmap(shared, shared->size);
}

void *shared_module(struct shared *shared, enum sst_kind kind)
{
	return shared->module_offset[kind] ? (char *)shared + shared->module_offset[kind] : NULL;
}

static struct snapshot_page *pages(const struct shared *shared)
{
	return (struct snapshot_page *)((char *)shared + shared->pages_offset);
}

uint64_t shared_read_estimate(const struct shared *shared, struct estimate_record *record)
{
	return snapshot_read(&shared->estimate, pages(shared), record, LATCH_SIZE(struct estimate_record));
}

bool shared_post_estimate(struct shared *shared, uint32_t writer, uint64_t read, const struct estimate_record *record)
{
	return snapshot_post(&shared->estimate, pages(shared), writer, read, record, LATCH_SIZE(struct estimate_record));
}

static _Atomic uint64_t *live_words(const struct shared *shared)
{
	return (_Atomic uint64_t *)((char *)shared + shared->live_offset);
}

static uint64_t live_word(const struct shared *shared, unsigned word)
{
	return atomic_load_explicit(&live_words(shared)[word], memory_order_relaxed);
}

void shared_set_live(struct shared *shared, unsigned index, bool live)
{
	const uint64_t bit = UINT64_C(1) << index % 64;
	_Atomic uint64_t *const word = &live_words(shared)[index / 64];
	const uint64_t before = live ? atomic_fetch_or(word, bit) : atomic_fetch_and(word, ~bit);
	if (((before & bit) != 0) != live)
		atomic_fetch_add(&shared->generation, 1);
}

bool shared_is_live(const struct shared *shared, unsigned index)
{
	return live_word(shared, index / 64) >> index % 64 & 1;
}

unsigned shared_count_live(const struct shared *shared, unsigned index, unsigned *rank)
{
	const uint64_t own = UINT64_C(1) << index % 64;
	unsigned count = 0;
	for (unsigned i = 0; i < words(shared->workloads); i++) {
		const uint64_t word = live_word(shared, i) | (i == index / 64 ? own : 0);
		if (i == index / 64)
			*rank = count + (unsigned)__builtin_popcountll(word & (own - 1));
		count += (unsigned)__builtin_popcountll(word);
	}
	return count;
}

unsigned shared_next_live(const struct shared *shared, unsigned index)
{
	const unsigned count = words(shared->workloads);
	uint64_t mask = ~UINT64_C(1) << index % 64;
	/* The first word comes round once more, for what stands before `index` in it. */
	for (unsigned i = 0; i <= count; i++, mask = ~UINT64_C(0)) {
		const unsigned at = (index / 64 + i) % count;
		const uint64_t word = live_word(shared, at) & mask;
		if (word)
			return at * 64 + (unsigned)__builtin_ctzll(word);
	}
	return shared->workloads;
}

unsigned shared_neighbours(const struct shared *shared, unsigned index, unsigned most, unsigned *neighbour)
{
	unsigned count = 0;
	for (unsigned next = index; count < most; neighbour[count++] = next) {
		next = shared_next_live(shared, next);
		/* All round. One that isn't live itself comes to the first of them again. */
		if (next == index || next == shared->workloads || (count > 0 && next == neighbour[0]))
			break;
	}
	return count;
}

void shared_set_lost(struct shared *shared, unsigned index, int64_t now_ns)
{
	struct slot *slot = &shared->slot[index];
	struct slot_record record;
	/* The latch holds the last whole record, whenever its writer died. */
	latch_read(&slot->record, &record, LATCH_SIZE(struct slot_record));
	if (atomic_load(&slot->stood_still))
		record.at_bound = BOUND_FREE;
	slot_record_advance(&record, now_ns);
	record.duty = 0;
	record.running = 0;
	record.at_bound = BOUND_FREE;
	record.alive = 0;
	record.load = NAN;
	latch_write(&slot->record, &record, LATCH_SIZE(struct slot_record));
	atomic_store(&slot->lost, true);
	shared_set_live(shared, index, false);
}

static void add_time(struct slot_record *record, double elapsed)
{
	record->duty_ns += record->duty * elapsed;
	record->running_ns += (double)record->running * elapsed;
	record->alive_ns += (double)record->alive * elapsed;
	if (!isnan(record->load)) {
		record->load_ns += record->load * elapsed;
		record->loaded_ns += elapsed;
	}
	if (record->at_bound != BOUND_FREE)
		record->control_ns += elapsed;
	if (record->at_bound == BOUND_SATURATED)
		record->saturated_ns += elapsed;
	if (record->at_bound == BOUND_STARVED)
		record->starved_ns += elapsed;
}

void slot_record_move(struct slot_record *record, int64_t now_ns)
{
	if (record->since_ns)
		add_time(record, (double)(now_ns - record->since_ns));
	record->since_ns = now_ns;
}

void slot_record_advance(struct slot_record *record, int64_t now_ns)
{
	if (now_ns >= record->since_ns)
		slot_record_move(record, now_ns);
}

void slot_count_lateness(struct slot *slot, int64_t late_ns)
{
	const double us = (double)late_ns / 1000;
	int bucket = us < 1 ? 0 : (int)(4 * log2(us)) + 1;
	if (bucket >= LATENESS_BUCKETS)
		bucket = LATENESS_BUCKETS - 1;
	atomic_fetch_add_explicit(&slot->lateness[bucket], 1, memory_order_relaxed);
}

double lateness_bound_us(unsigned bucket)
{
	return exp2(bucket / 4.0);
}

/*
 * Everything that a workload started is below its executor, also what lost its parent or came with a respawn, and what ended there
 * counts as waited for. An attached tree is elsewhere, and its counter can go back when its processes end.
 */
int64_t slot_group_used(struct slot *slot)
{
	return attached_group_used(slot->attached_group->usage, slot->attached_group->format, &slot->group_cpu_ns);
}

static int64_t of_one(struct slot *slot)
{
	const pid_t executor = atomic_load(&slot->executor);
	int64_t now_ns = 0;
	if (slot->attached_group)
		now_ns = slot_group_used(slot);
	else if (atomic_load(&slot->attached))
		now_ns = descendants_cpu_ns(atomic_load(&slot->pid), true);
	else if (executor && !atomic_load(&slot->lost))
		now_ns = descendants_cpu_ns(executor, false);
	else
		now_ns = atomic_load(&slot->workload_cpu_ns);
	int64_t counted_ns = atomic_load(&slot->tree_cpu_ns);
	while (counted_ns < now_ns && !atomic_compare_exchange_weak(&slot->tree_cpu_ns, &counted_ns, now_ns))
		;
	return counted_ns > now_ns ? counted_ns : now_ns;
}

int64_t workload_time(struct shared *shared)
{
	int64_t total = 0;
	for (uint32_t i = 0; i < shared->workloads; i++)
		if (!shared->slot[i].free)
			total += of_one(&shared->slot[i]);
	return total;
}

int64_t workload_iterations(struct shared *shared)
{
	uint64_t total = 0;
	for (uint32_t i = 0; i < shared->workloads; i++)
		if (shared->slot[i].counter)
			total += iteration_counter_read(shared->slot[i].counter, &shared->slot[i].iterations);
	return total < INT64_MAX ? (int64_t)total : INT64_MAX;
}
