/* SPDX-License-Identifier: MIT */
/*
 * That there is a hypervisor the processor says (x86), or the firmware (a device tree). Its name is guessed: from the clock that it offers,
 * from what it calls itself, and from who made the machine.
 */
#include "self/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#include "base/units.h"
#include "self/host_text.h"

#define CLOCKS "/sys/devices/system/clocksource/clocksource0/"

struct sst_cpus *linux_cpu_list(const struct sst_env *env, const char *name)
{
	char path[96];
	snprintf(path, sizeof path, "/sys/devices/system/cpu/%s", name);
	/* Old kernels write "(null)" for no processor. */
	return host_cpus(env, path);
}

/* ---- The hypervisor --------------------------------------------------------------------------------------------------- */

/* The beginning of a file as a string, up to one of these characters; "" where it can't be read. */
static void read_start(const struct sst_env *env, const char *path, const char *ends, char *start, size_t size)
{
	char *const text = host_text(env, path, NULL);
	snprintf(start, size, "%s", text ? text + strspn(text, " ") : "");
	start[strcspn(start, ends)] = '\0';
	free(text);
}

/* Whether the first processor's line of flags has the word. */
static bool has_flag(const struct sst_env *env)
{
	char *const text = host_text(env, "/proc/cpuinfo", NULL);
	char *const flags = text ? strstr(text, "\nflags") : NULL;
	if (flags)
		flags[1 + strcspn(flags + 1, "\n")] = '\0';
	const bool found = flags && strstr(flags, " hypervisor");
	free(text);
	return found;
}

bool linux_hypervisor_find(const struct sst_env *env, char name[static LINUX_HYPERVISOR_NAME_MAX])
{
	static const struct {
		const char *path, *mark, *name;
	} signs[] = {
		{CLOCKS "available_clocksource", "kvm-clock", "KVM"},
		{CLOCKS "available_clocksource", "hyperv", "Hyper-V"},
		{"/sys/hypervisor/type", "xen", "Xen"},
		{"/sys/class/dmi/id/sys_vendor", "QEMU", "QEMU"},
		{"/sys/class/dmi/id/sys_vendor", "VMware", "VMware"},
		{"/sys/class/dmi/id/sys_vendor", "innotek", "VirtualBox"},
		{"/sys/class/dmi/id/sys_vendor", "Xen", "Xen"},
		{"/sys/class/dmi/id/sys_vendor", "Parallels", "Parallels"},
	};
	char line[256];
	name[0] = '\0';
	read_start(env, "/proc/device-tree/hypervisor/compatible", "\n", line, sizeof line);
	if (!has_flag(env) && !*line)
		return false;
	for (size_t i = 0; !*name && i < sizeof signs / sizeof *signs; i++) {
		read_start(env, signs[i].path, "\n", line, sizeof line);
		if (strstr(line, signs[i].mark))
			snprintf(name, LINUX_HYPERVISOR_NAME_MAX, "%s", signs[i].name);
	}
	return true;
}

/* ---- The clock -------------------------------------------------------------------------------------------------------- */

void linux_clock_source(const struct sst_env *env, char name[static LINUX_CLOCK_SOURCE_MAX])
{
	read_start(env, CLOCKS "current_clocksource", " \n", name, LINUX_CLOCK_SOURCE_MAX);
}

bool linux_clock_source_is_slow(const char *name)
{
	static const char *const slow[] = {"hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit"};
	for (size_t i = 0; i < sizeof slow / sizeof *slow; i++)
		if (strcmp(name, slow[i]) == 0)
			return true;
	return false;
}

bool linux_clock_source_has(const struct sst_env *env, const char *name)
{
	char *const names = host_text(env, CLOCKS "available_clocksource", NULL);
	const bool has = host_has_word(names, name);
	free(names);
	return has;
}

double linux_clock_suspended_s(void)
{
	struct timespec boot, awake;
	if (clock_gettime(CLOCK_MONOTONIC, &awake) != 0 || clock_gettime(CLOCK_BOOTTIME, &boot) != 0)
		return 0;
	return (double)(boot.tv_sec - awake.tv_sec) + (double)(boot.tv_nsec - awake.tv_nsec) / 1e9;
}

/* ---- Swap ------------------------------------------------------------------------------------------------------------- */

/* The number behind a name at the beginning of a line. */
static bool find(const char *text, const char *name, uint64_t *value)
{
	const size_t width = strlen(name);
	for (const char *at = text; at; at = strchr(at, '\n'), at += at != NULL)
		if (strncmp(at, name, width) == 0) {
			at += width;
			at += strspn(at, " :");
			return linux_number(&at, at + strlen(at), value);
		}
	return false;
}

bool linux_swap_read(const struct sst_env *env, struct linux_swap *swap)
{
	uint64_t in, out;
	char *const memory = host_text(env, "/proc/meminfo", NULL);
	char *const traffic = host_text(env, "/proc/vmstat", NULL);
	const bool told = find(memory, "SwapTotal:", &swap->total_kib) && find(memory, "SwapFree:", &swap->free_kib) &&
			  find(traffic, "pswpin ", &in) && find(traffic, "pswpout ", &out);
	if (told)
		swap->pages = in + out;
	free(memory);
	free(traffic);
	return told;
}

/* ---- How processor time is accounted -------------------------------------------------------------------------------- */

bool linux_accounting_idle_clock(const struct sst_env *env)
{
	char *commands = host_text(env, "/proc/cmdline", NULL);
	bool idle_clock = !host_has_word(commands, "nohz=off") && !host_has_word(commands, "nohz=0");
	free(commands);
	char *timers = host_beginning(env, "/proc/timer_list", 16384, NULL);
	/* `.nohz_mode : 0` before Linux 6.10, `.nohz : 0` since. */
	for (const char *at = timers; at && (at = strstr(at, ".nohz")); at++) {
		const char *colon = strchr(at, ':');
		if (colon && (strncmp(at, ".nohz ", 6) == 0 || strncmp(at, ".nohz_mode ", 11) == 0)) {
			idle_clock = strtol(colon + 1, NULL, 10) != 0;
			break;
		}
	}
	free(timers);
	return idle_clock;
}

static char *inflate_text(const char *packed, size_t length)
{
	const size_t limit = 1 << 20;
	char *text = malloc(limit + 1);
	z_stream stream = {
		.next_in = (Bytef *)packed, .avail_in = (uInt)length, .next_out = (Bytef *)text, .avail_out = (uInt)limit};
	if (!text || inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) {
		free(text);
		return NULL;
	}
	inflate(&stream, Z_FINISH); /* what came out before an error is as good as it gets */
	text[limit - stream.avail_out] = '\0';
	inflateEnd(&stream);
	return text;
}

/* The list is empty, or "(null)", where there are none; older kernels have no such file. */
static bool has_full_dynticks(const struct sst_env *env)
{
	char *list = host_text(env, "/sys/devices/system/cpu/nohz_full", NULL);
	if (list) {
		const bool some = *list >= '0' && *list <= '9';
		free(list);
		return some;
	}
	char *commands = host_text(env, "/proc/cmdline", NULL);
	const char *option = commands ? strstr(commands, "nohz_full=") : NULL;
	const bool asked = option && (option == commands || option[-1] == ' ');
	free(commands);
	return asked;
}

const char *linux_accounting_mode(const struct sst_env *env, const char *release)
{
	const char *mode = "unknown";
	char path[300];
	size_t length;
	char *config = NULL;
	char *packed = host_text(env, "/proc/config.gz", &length);
	if (packed) {
		config = inflate_text(packed, length);
	} else {
		snprintf(path, sizeof path, "/boot/config-%.200s", release);
		config = host_text(env, path, NULL);
	}
	if (!config)
		goto out;
	if (host_has_word(config, "CONFIG_VIRT_CPU_ACCOUNTING_GEN=y"))
		/* Compiled in, it is used on kernels that were also told which processors are to have no tick. */
		mode = has_full_dynticks(env) ? "virtual (full dynticks)" : "tick";
	else if (host_has_word(config, "CONFIG_VIRT_CPU_ACCOUNTING_NATIVE=y"))
		mode = "virtual (native)";
	else if (host_has_word(config, "CONFIG_TICK_CPU_ACCOUNTING=y"))
		mode = "tick";
out:
	free(config);
	free(packed);
	return mode;
}
