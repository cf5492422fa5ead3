/* SPDX-License-Identifier: MIT */
/*
 * The workloads of tests/faults: each does one thing that makes a tree of processes hard to keep hold of. Children are called
 * CHILD, so that whoever looks from outside can tell the process that was started from those that it made.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHILD "faults_child"

/* A chain that is left over can be killed by nobody: each of its processes is gone before it is found. So it ends by itself. */
#define CHAIN_LIFE_S 180

static time_t born_s;

static void sleep_us(long us)
{
	const struct timespec time = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};
	nanosleep(&time, NULL);
}

static void burn_us(long us)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	const long long end = now.tv_sec * 1000000000LL + now.tv_nsec + us * 1000LL;
	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	while (now.tv_sec * 1000000000LL + now.tv_nsec < end);
}

static time_t now_s(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

static void busy(void)
{
	for (;;)
		burn_us(1000000);
}

/* Many of these beside each other leave the machine some room. */
static void half_busy(void)
{
	for (;;) {
		burn_us(1000);
		sleep_us(2000);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
}

/* The name is changed before: a child may be stopped before its first step. */
static pid_t fork_child(void)
{
	char name[16];
	prctl(PR_GET_NAME, name);
	prctl(PR_SET_NAME, CHILD);
	const pid_t pid = fork();
	if (pid != 0)
		prctl(PR_SET_NAME, name);
	return pid;
}

static void child(void (*body)(void))
{
	if (fork_child() == 0) {
		body();
		_exit(0);
	}
}

static void own_session(void)
{
	setsid();
	child(half_busy);
	half_busy();
}

static void own_group(void)
{
	setpgid(0, 0);
	child(half_busy);
	half_busy();
}

static void orphan(void)
{
	child(own_session);
}

static void tree(void)
{
	child(half_busy);
	child(own_session);
	child(own_group);
	child(orphan);
	half_busy();
}

static void sleepers(void)
{
	setsid();
	for (int i = 0; i < 9; i++)
		child(half_busy);
	half_busy();
}

/* 200 processes and the first one, in 20 sessions. */
static void sessions(void)
{
	for (int i = 0; i < 20; i++)
		child(sleepers);
	half_busy();
}

/* One link of a chain: makes the next and ends, each second one in a session of its own. No process of it lives for long. */
static void chain(void)
{
	for (unsigned link = 0; now_s() - born_s < CHAIN_LIFE_S; link++) {
		if (link % 2)
			setsid();
		if (link % 4 == 3)
			burn_us(300);
		if (fork() > 0)
			_exit(0);
	}
}

static void double_forking(void)
{
	child(chain);
	child(chain);
	half_busy();
}

static void ignore_requests(void)
{
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_IGN);
}

static void stubborn(void)
{
	ignore_requests();
	child(half_busy);
	child(own_session);
	half_busy();
}

/* A thousand a second, some of which lose their parent. */
static void brood(void)
{
	for (unsigned i = 0;; i++) {
		if (fork_child() == 0) {
			if (i % 16 == 0 && fork() > 0)
				_exit(0);
			burn_us(50);
			_exit(0);
		}
		sleep_us(700);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
}

/* What the execution of a set-uid program does to it. */
static void without_death_signal(void)
{
	prctl(PR_SET_PDEATHSIG, 0);
	child(half_busy);
	half_busy();
}

/* Waits for its end, and takes next to nothing of the machine. */
static void idle(void)
{
	for (;;)
		pause();
}

static void deaf(void)
{
	ignore_requests();
	idle();
}

/* For shells: a command that ends soon. */
static void brief(void)
{
	burn_us(5000);
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{"single", busy},
	{"tree", tree},
	{"chain", double_forking},
	{"stubborn", stubborn},
	{"brood", brood},
	{"setuid", without_death_signal},
	{"half", half_busy},
	{"sessions", sessions},
	{"brief", brief},
	{"idle", idle},
	{"deaf", deaf},
};

int main(int argc, char **argv)
{
	born_s = now_s();
	for (size_t i = 0; argc == 2 && i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(argv[1], kinds[i].name) == 0) {
			kinds[i].run();
			return 0;
		}
	fprintf(stderr, "usage: faults_workload KIND, where KIND is one of\n");
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		fprintf(stderr, "  %s\n", kinds[i].name);
	return 2;
}
