/* SPDX-License-Identifier: MIT */
/*
 * The moments of the readings are start + k × interval on CLOCK_MONOTONIC, so they don't drift. A reading may come late; each row
 * is computed from the times of the two readings that bound it, so a late one makes rows longer or shorter and not wrong.
 *
 * All signals that matter are blocked and fetched between readings. There are no handlers, and no row is ever interrupted.
 */
#include "cpuload/life.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/units.h"
#include "cpuload/account.h"
#include "cpuload/command.h"

/* A last row shorter than two units of the kernel's counters would say nothing. */
#define LAST_ROW_LEAST (20 * NS_PER_MS)

struct life {
	struct rows *rows;
	sigset_t fetched; /* signals that are blocked, for sigtimedwait */
	pid_t command;    /* 0: none, or it has ended */
	struct account account;
	int status;   /* to exit with */
	bool is_over; /* a signal, or the end of the command */
};

static void reap(struct life *life)
{
	int wait_status;
	struct rusage usage;
	if (life->command <= 0 || wait4(life->command, &wait_status, WNOHANG, &usage) != life->command)
		return;
	account_end(&life->account, wait_status, &usage);
	life->command = 0;
	life->is_over = true;
	life->status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

static void handle(struct life *life, const siginfo_t *info)
{
	const bool is_of_terminal = info->si_code > 0;
	/* Behind the ^C that the terminal shows. What comes next fails too if this does. */
	if (info->si_signo == SIGINT && is_of_terminal && life->rows->is_terminal)
		row_writer_line(life->rows->writer, "");
	if (info->si_signo == SIGCHLD) {
		reap(life);
	} else if (!life->rows->settings->command) {
		life->is_over = true;
	} else if (life->command > 0 && !is_of_terminal) {
		/* One of the terminal has reached the command already: it is in the same process group. */
		kill(life->command, info->si_signo);
	}
}

/* Waits for a signal until that moment (INT64_MAX: for ever) and handles it. */
static void wait_until(struct life *life, int64_t when_ns)
{
	siginfo_t info;
	const int64_t left_ns = when_ns - clock_now();
	const struct timespec left = {
		.tv_sec = left_ns > 0 ? left_ns / NS_PER_S : 0, .tv_nsec = left_ns > 0 ? left_ns % NS_PER_S : 0};
	if (sigtimedwait(&life->fetched, &info, when_ns == INT64_MAX ? NULL : &left) > 0)
		handle(life, &info);
}

/* Waits until then, or until it is over; meanwhile looks after what can't be left alone for so long. 0, or -1 after a complaint. */
static int rest(struct life *life, int64_t deadline_ns)
{
	/* Signals are looked for at least once, also when rows take longer than the interval. */
	do {
		const int64_t look_ns = rows_look_when(life->rows);
		wait_until(life, deadline_ns < look_ns ? deadline_ns : look_ns);
		if (rows_look(life->rows) != 0)
			return -1;
	} while (!life->is_over && clock_now() < deadline_ns);
	return 0;
}

/* Records until it is over. 0, or -1 after a complaint. */
static int record(struct life *life)
{
	struct rows *const rows = life->rows;
	const int64_t interval_ns = rows->settings->interval_ns, count = rows->settings->count;
	while (!life->is_over && (count == 0 || rows->written < count)) {
		const int64_t passed = (rows->last_ns - rows->start_ns) / interval_ns;
		if (rest(life, rows->start_ns + (passed + 1) * interval_ns) != 0)
			return -1;
		if (life->is_over && clock_now() - rows->last_ns < LAST_ROW_LEAST)
			return 0;
		if (rows_read(rows) != 0)
			return -1;
		const bool has_ended = life->command <= 0 && linux_load_source_has_ended(rows->source);
		struct sst_sample sample;
		if (has_ended && !linux_load_source_sample(rows->source, &sample))
			return 0;
		if (rows_add(rows) != 0)
			return -1;
		if (has_ended)
			return 0;
	}
	return 0;
}

int live(struct rows *rows)
{
	const struct settings *const settings = rows->settings;
	struct signals_kept kept;
	struct life life = {.rows = rows};
	if (settings->command) {
		signals_take(&kept, &life.fetched);
	} else {
		signals_ending(&life.fetched);
		sigprocmask(SIG_BLOCK, &life.fetched, NULL);
	}
	const int found = settings->command ? command_check(settings->command) : 0;
	if (found != 0)
		return found;
	if (rows_begin(rows) != 0 || rows_start(rows) != 0)
		return EXIT_TROUBLE;
	if (settings->command) {
		account_begin(&life.account, settings);
		const int status = command_start(settings->command, &kept, &life.command);
		if (status != 0) {
			account_close(&life.account);
			return status;
		}
	}
	int result = record(&life);
	if (result == 0)
		result = rows_end(rows);
	/* The command is never left alone, even when nothing more is recorded. */
	while (life.command > 0) {
		wait_until(&life, INT64_MAX);
		reap(&life);
	}
	account_print(&life.account);
	account_close(&life.account);
	return result == 0 ? life.status : EXIT_TROUBLE;
}
