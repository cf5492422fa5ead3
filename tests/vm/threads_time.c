/* SPDX-License-Identifier: MIT */
/*
 * How much of a machine's time all its threads used, by their own clocks: a witness of the load beside every counter that the load is read
 * from. The kernel tells a thread's clock to its own process alone, and a process's clock, which is of all threads that it has and had, to
 * everybody; a thread of the kernel is a process here. So the time is that of all processes, and of those whose end a parent has waited for,
 * which is told by the parent. A thread of the kernel that ends has nobody who waits: of it counts what was seen last. A process whose
 * parent ignores its end is lost.
 *
 * Kernels with CONFIG_IRQ_TIME_ACCOUNTING take the time of interrupts out of these clocks; others, as Debian's, leave it with the thread that was
 * interrupted. It is told beside them, as the columns irq and softirq of /proc/stat have it. That of interrupts of an idle processor is in neither where ticks are
 * counted.
 *
 * usage: threads_time SECONDS
 * Prints "busy SHARE own SHARE irq SHARE from S to S": the shares are of the time of all processors, of all threads with its own, of its own alone,
 * and of interrupts; the rest is the interval on the monotonic clock.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S INT64_C(1000000000)
#define SCAN_NS (NS_PER_S / 4)
/* No kernel of Linux has more. */
#define PIDS (4 << 20)
#define OF_KERNEL 0x00200000

struct kernel_thread {
	pid_t pid;
	int64_t ns;
};

static struct {
	unsigned char known[PIDS / 8];
	struct kernel_thread *threads;
	size_t count;
	size_t room;
	int64_t ended_ns;
} kernel;

struct sum {
	int64_t when_ns;
	int64_t all_ns;
	int64_t own_ns;
	int64_t irq_ns;
};

static void __attribute__((noreturn)) give_up(const char *what)
{
	fprintf(stderr, "threads_time: %s: %s\n", what, strerror(errno));
	exit(125);
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec now;
	return clock_gettime(clock, &now) == 0 ? now.tv_sec * NS_PER_S + now.tv_nsec : -1;
}

/* -1 where there is no such process. */
static int64_t process_ns(pid_t pid)
{
	enum { SCHEDULED = 2 };
	return clock_ns((clockid_t)(~(unsigned)pid << 3 | SCHEDULED));
}

struct about {
	bool of_kernel;
	/* Of ended descendants, in the unit of the file. */
	int64_t waited_for;
};

/* Of what proc_pid_stat(5) lists, after the name. */
enum { FLAGS = 9, CHILDREN_USER = 16, CHILDREN_SYSTEM = 17 };

static void take(struct about *about, const char *text)
{
	const char *field = text;
	*about = (struct about){0};
	for (int number = 3; number <= CHILDREN_SYSTEM; number++) {
		field += strspn(field, " ");
		if (number == FLAGS)
			about->of_kernel = (strtoul(field, NULL, 10) & OF_KERNEL) != 0;
		if (number >= CHILDREN_USER)
			about->waited_for += strtoll(field, NULL, 10);
		field += strcspn(field, " ");
	}
}

static bool look(pid_t pid, struct about *about)
{
	char name[32];
	char text[1024];
	snprintf(name, sizeof name, "/proc/%d/stat", (int)pid);
	const int file = open(name, O_RDONLY | O_CLOEXEC);
	const ssize_t length = file >= 0 ? read(file, text, sizeof text - 1) : -1;
	if (file >= 0)
		close(file);
	if (length <= 0)
		return false;
	text[length] = '\0';
	/* The name, in parentheses, may have any in it. */
	const char *const end = strrchr(text, ')');
	if (end)
		take(about, end + 1);
	return end != NULL;
}

static void note_kernel_thread(pid_t pid)
{
	if (kernel.count == kernel.room) {
		kernel.room = kernel.room ? 2 * kernel.room : 256;
		kernel.threads = realloc(kernel.threads, kernel.room * sizeof *kernel.threads);
		if (!kernel.threads)
			give_up("threads of the kernel");
	}
	kernel.threads[kernel.count++] = (struct kernel_thread){pid, 0};
}

static pid_t next_pid(DIR *proc)
{
	const struct dirent *entry;
	while ((entry = readdir(proc))) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		const long pid = strtol(entry->d_name, NULL, 10);
		if (pid < PIDS)
			return (pid_t)pid;
	}
	return 0;
}

/* Of those that are new. */
static void find_kernel_threads(DIR *proc)
{
	struct about about;
	rewinddir(proc);
	for (pid_t pid; (pid = next_pid(proc));) {
		unsigned char *const byte = &kernel.known[pid / 8];
		const unsigned bit = 1U << pid % 8;
		if (*byte & bit || !look(pid, &about))
			continue;
		*byte = (unsigned char)(*byte | bit);
		if (about.of_kernel)
			note_kernel_thread(pid);
	}
}

/* One that has ended leaves what it used. */
static void read_kernel_threads(void)
{
	for (size_t i = 0; i < kernel.count;) {
		struct kernel_thread *const thread = &kernel.threads[i];
		const int64_t ns = process_ns(thread->pid);
		if (ns >= thread->ns) {
			thread->ns = ns;
			i++;
			continue;
		}
		kernel.ended_ns += thread->ns;
		kernel.known[thread->pid / 8] = (unsigned char)(kernel.known[thread->pid / 8] & ~(1U << thread->pid % 8));
		*thread = kernel.threads[--kernel.count];
	}
}

static int64_t irq_ns(void)
{
	unsigned long long irq = 0, softirq = 0;
	FILE *const stat = fopen("/proc/stat", "r");
	if (!stat || fscanf(stat, "cpu %*u %*u %*u %*u %*u %llu %llu", &irq, &softirq) != 2)
		give_up("/proc/stat");
	fclose(stat);
	return (int64_t)(irq + softirq) * (NS_PER_S / sysconf(_SC_CLK_TCK));
}

static struct sum take_sum(DIR *proc)
{
	struct about about;
	struct sum sum = {.when_ns = clock_ns(CLOCK_MONOTONIC), .own_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID), .irq_ns = irq_ns()};
	int64_t waited_for = 0;
	read_kernel_threads();
	rewinddir(proc);
	for (pid_t pid; (pid = next_pid(proc));) {
		const int64_t ns = process_ns(pid);
		if (ns < 0 || !look(pid, &about))
			continue;
		sum.all_ns += ns;
		waited_for += about.waited_for;
	}
	sum.all_ns += kernel.ended_ns + waited_for * (NS_PER_S / sysconf(_SC_CLK_TCK));
	return sum;
}

static void sleep_until(int64_t when_ns)
{
	const struct timespec when = {when_ns / NS_PER_S, when_ns % NS_PER_S};
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL) == EINTR)
		;
}

int main(int argc, char **argv)
{
	char *end = NULL;
	const double seconds = argc == 2 ? strtod(argv[1], &end) : 0;
	if (!end || end == argv[1] || *end || !(seconds >= 0.01 && seconds <= 86400)) {
		fputs("usage: threads_time SECONDS\n", stderr);
		return 125;
	}
	DIR *const proc = opendir("/proc");
	if (!proc)
		give_up("/proc");
	find_kernel_threads(proc);
	/* The first time takes longer than the last one would, as the kernel has nothing at hand. */
	(void)take_sum(proc);
	const struct sum first = take_sum(proc);
	const int64_t end_ns = first.when_ns + (int64_t)(seconds * (double)NS_PER_S);
	for (int64_t at_ns = first.when_ns + SCAN_NS; at_ns < end_ns; at_ns += SCAN_NS) {
		sleep_until(at_ns);
		find_kernel_threads(proc);
		read_kernel_threads();
	}
	sleep_until(end_ns);
	const struct sum last = take_sum(proc);
	closedir(proc);
	const double time = (double)(last.when_ns - first.when_ns) * (double)sysconf(_SC_NPROCESSORS_ONLN);
	printf("busy %.6f own %.6f irq %.6f from %.6f to %.6f\n", (double)(last.all_ns - first.all_ns) / time,
		(double)(last.own_ns - first.own_ns) / time, (double)(last.irq_ns - first.irq_ns) / time,
		(double)first.when_ns / (double)NS_PER_S, (double)last.when_ns / (double)NS_PER_S);
	return 0;
}
