/* SPDX-License-Identifier: MIT */
/*
 * The processor says that there is one (x86), or the firmware (a device tree). Its name is guessed: from the clock that it offers,
 * from what it calls itself, and from who made the machine.
 */
#include "os/hypervisor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/host_text.h"

/* The beginning of a file as a string, without the end of its line; "" where it can't be read. */
static void read_line(const struct sst_env *env, const char *path, char *line, size_t size)
{
	size_t length = 0;
	char *const text = host_text(env, path, &length);
	snprintf(line, size, "%.*s", (int)(length < size ? length : size - 1), text ? text : "");
	line[strcspn(line, "\n")] = '\0';
	free(text);
}

/* Whether the first processor's line of flags has the word. */
static bool has_flag(const struct sst_env *env)
{
	size_t length = 0;
	char *const text = host_text(env, "/proc/cpuinfo", &length);
	const char *const flags = text ? memmem(text, length, "\nflags", 6) : NULL;
	const char *const end = flags ? memchr(flags + 1, '\n', length - (size_t)(flags + 1 - text)) : NULL;
	const bool found = end && memmem(flags, (size_t)(end - flags + 1), " hypervisor", 11);
	free(text);
	return found;
}

bool linux_hypervisor_find(const struct sst_env *env, char name[static LINUX_HYPERVISOR_NAME_MAX])
{
	static const struct {
		const char *path, *mark, *name;
	} signs[] = {
		{"/sys/devices/system/clocksource/clocksource0/available_clocksource", "kvm-clock", "KVM"},
		{"/sys/devices/system/clocksource/clocksource0/available_clocksource", "hyperv", "Hyper-V"},
		{"/sys/hypervisor/type", "xen", "Xen"},
		{"/sys/class/dmi/id/sys_vendor", "QEMU", "QEMU"},
		{"/sys/class/dmi/id/sys_vendor", "VMware", "VMware"},
		{"/sys/class/dmi/id/sys_vendor", "innotek", "VirtualBox"},
		{"/sys/class/dmi/id/sys_vendor", "Xen", "Xen"},
		{"/sys/class/dmi/id/sys_vendor", "Parallels", "Parallels"},
	};
	char line[256];
	name[0] = '\0';
	read_line(env, "/proc/device-tree/hypervisor/compatible", line, sizeof line);
	if (!has_flag(env) && !*line)
		return false;
	for (size_t i = 0; !*name && i < sizeof signs / sizeof *signs; i++) {
		read_line(env, signs[i].path, line, sizeof line);
		if (strstr(line, signs[i].mark))
			snprintf(name, LINUX_HYPERVISOR_NAME_MAX, "%s", signs[i].name);
	}
	return true;
}
