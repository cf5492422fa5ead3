/* SPDX-License-Identifier: MIT */
/*
 * The machine is read by a source of its own: rows end before the command where COUNT says so, and they may be about something else
 * than the machine.
 */
#include "cpuload/account.h"

#include <math.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/units.h"
#include "record/load_meter.h"

void account_begin(struct account *account, const struct settings *settings)
{
	const struct linux_load_settings wanted = {.root = settings->sysroot, .source = settings->source};
	char error[LINUX_LOAD_SOURCE_ERROR_MAX];
	*account = (struct account){.settings = settings, .machine = linux_load_source_open(&wanted, error)};
	if (account->machine && linux_load_source_read(account->machine) != 0)
		account_close(account);
	account->start_ns = clock_now();
}

void account_end(struct account *account, int wait_status, const struct rusage *usage)
{
	account->end_ns = clock_now();
	account->has_ended = true;
	account->wait_status = wait_status;
	account->usage = *usage;
	if (account->machine && linux_load_source_read(account->machine) != 0)
		account_close(account);
}

static double seconds(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

static void print_machine(const struct account *account)
{
	struct sst_sample sample;
	struct load_meter meter = {0};
	if (!account->machine || !linux_load_source_sample(account->machine, &sample)) {
		diag("the machine: its load is not known");
		return;
	}
	const double processors = linux_load_source_processors(account->machine);
	/* The counters' unit can make anything of some milliseconds. */
	if (5 * linux_load_source_noise(account->machine, processors) > sample.capacity) {
		diag("the machine: its load is not known, %s was too short", account->settings->command[0]);
		return;
	}
	const double load = load_meter_add(&meter, &sample, 0);
	diag("the machine: %.2f %%, CPU time %.2f s on %.0f processor%s", 100 * load, load * sample.capacity, processors,
		processors == 1 ? "" : "s");
}

void account_print(const struct account *account)
{
	if (!account->has_ended || account->settings->quiet)
		return;
	const char *const command = account->settings->command[0];
	const double user_s = seconds(&account->usage.ru_utime), system_s = seconds(&account->usage.ru_stime);
	const double elapsed_s = (double)(account->end_ns - account->start_ns) / (double)NS_PER_S;
	if (WIFSIGNALED(account->wait_status))
		diag("%s was ended by signal %d (%s)", command, WTERMSIG(account->wait_status),
			strsignal(WTERMSIG(account->wait_status)));
	char load[64] = "";
	if (account->machine) {
		const double processors = linux_load_source_processors(account->machine);
		snprintf(load, sizeof load, "%.2f %% of the machine, ",
			100 * (user_s + system_s) / elapsed_s / fmax(processors, 1));
	}
	diag("%s: %sCPU time %.3f s (user %.3f s, system %.3f s) in %.3f s", command, load, user_s + system_s, user_s, system_s,
		elapsed_s);
	print_machine(account);
}

void account_close(struct account *account)
{
	linux_load_source_close(account->machine);
	account->machine = NULL;
}
