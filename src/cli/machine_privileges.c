/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/machine.h"
#include "control/shared.h"
#include "groups/cgroup_places.h"
#include "groups/group_tree.h"
#include "self/host_text.h"
#include "self/scheduling.h"
#include "workloads/containment.h"

static void add_priority(struct findings *findings)
{
	static const char name[] = "priority";
	struct scheduling user;
	scheduling_save(&user);
	const struct scheduling_grant tried = scheduling_try(&user);
	if (tried.grant == GRANT_FIFO) {
		findings_add(findings, name, FINDING_CHOSEN, "SCHED_FIFO %d", tried.value);
		return;
	}
	struct finding *const finding =
		tried.grant == GRANT_NICE
			? findings_add(findings, name, FINDING_CHOSEN, "nice %d, as SCHED_FIFO is not permitted", tried.value)
			: findings_add(findings, name, FINDING_UNAVAILABLE, "nothing above the workloads' is permitted");
	finding_weigh(finding, FINDING_LOWERS,
		"SCHED_FIFO is not permitted: workloads are stopped late where the processors are saturated");
	char command[SCHEDULING_REMEDY_MAX];
	if (scheduling_remedy(command))
		finding_remedy(finding, command, "to permit SCHED_FIFO");
	else if (geteuid() == 0)
		finding_remedy(finding, NULL, "to permit SCHED_FIFO: CAP_SYS_NICE (docker and podman: --cap-add=SYS_NICE)");
	else
		finding_remedy(finding, NULL, "to permit SCHED_FIFO: a limit rtprio of 2 (see limits.conf), and a new login");
}

/* Whether a file of /proc/sys says this. */
static bool says(const struct sst_env *env, const char *path, char what)
{
	size_t length = 0;
	char *const text = host_text(env, path, &length);
	const bool said = text && length > 0 && text[0] == what && (length == 1 || text[1] == '\n');
	free(text);
	return said;
}

static const char *containment_command(const struct sst_env *env)
{
	if (says(env, "/proc/sys/kernel/unprivileged_userns_clone", '0'))
		return "sudo sysctl kernel.unprivileged_userns_clone=1";
	if (says(env, "/proc/sys/user/max_user_namespaces", '0'))
		return "sudo sysctl user.max_user_namespaces=10000";
	if (says(env, "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", '1'))
		return "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0";
	return NULL;
}

static void add_containment(struct findings *findings, const struct config *config, const struct sst_env *env)
{
	char reason[CONTAINMENT_REASON_MAX];
	bool user_namespace;
	const bool is_asked = config->contain == CONTAIN_PIDNS;
	fflush(NULL);
	if (containment_is_permitted(&user_namespace, reason)) {
		findings_add(findings, "containment", is_asked ? FINDING_CHOSEN : FINDING_AVAILABLE, "--contain=pidns%s",
			user_namespace ? ", in a user namespace" : "");
		return;
	}
	struct finding *const finding = findings_add(findings, "containment", FINDING_UNAVAILABLE, "%s", reason);
	if (is_asked)
		finding_weigh(finding, FINDING_STOPS, "--contain=pidns: %.230s", reason);
	const char *const command = geteuid() == 0 ? NULL : containment_command(env);
	if (command)
		finding_remedy(finding, command, "to permit it");
}

static void add_processes(struct findings *findings)
{
	const char *what;
	const int error = linux_facilities_processes(&what);
	if (!linux_facilities_own_proc()) {
		static const char text[] = "/proc shows the processes of another PID namespace";
		struct finding *const other = findings_add(findings, "processes", FINDING_UNAVAILABLE, "%s", text);
		finding_weigh(other, FINDING_STOPS, "%s", text);
		finding_remedy(other, NULL, "a /proc of this one (unshare --mount-proc)");
		return;
	}
	if (error == 0) {
		findings_add(findings, "processes", FINDING_CHOSEN, "pidfd_open, child subreaper");
		return;
	}
	struct finding *const finding = findings_add(findings, "processes", FINDING_UNAVAILABLE, "%s: %s", what, strerror(error));
	finding_weigh(finding, FINDING_STOPS, "%s: %s", what, strerror(error));
	finding_remedy(
		finding, NULL, "Linux 5.3 or newer, and a sandbox that permits it (docker: --security-opt seccomp=unconfined)");
}

static void add_children(struct findings *findings, const struct sst_env *env)
{
	const char *const hides =
		geteuid() != 0 && linux_facilities_hidepid(env) ? "; processes of other users are hidden (hidepid)" : "";
	if (linux_facilities_children()) {
		findings_add(findings, "children", FINDING_CHOSEN, "listed in /proc%s", hides);
		return;
	}
	struct finding *const finding =
		findings_add(findings, "children", FINDING_UNAVAILABLE, "trees are found by reading all of /proc%s", hides);
	finding_weigh(finding, FINDING_LOWERS, "new processes of a workload are found later, by reading all of /proc");
	finding_remedy(finding, NULL, "a kernel with CONFIG_PROC_CHILDREN, and /proc of its own");
}

/* Taken as a run takes it. */
static void add_shared_memory(struct findings *findings)
{
	static const char name[] = "shared_memory";
	const size_t sizes[KINDS] = {0};
	struct shared *const shared = shared_create(1, sizes);
	const int error = errno;
	if (shared && linux_facilities_shm())
		findings_add(findings, name, FINDING_CHOSEN, "/dev/shm");
	else if (shared)
		findings_add(findings, name, FINDING_CHOSEN, "without a name, as /dev/shm can't be had");
	else {
		struct finding *const finding = findings_add(findings, name, FINDING_UNAVAILABLE, "%s", strerror(error));
		finding_weigh(finding, FINDING_STOPS, "memory can't be shared: %s", strerror(error));
		if (error == ENOSPC)
			finding_remedy(finding, "sudo mount -o remount,size=64M /dev/shm", "to make room");
	}
	shared_destroy(shared);
}

/* Whether there is a group of this version that we are in, and whether groups can be made in it. */
static bool describe_group(const struct sst_env *env, const char *root, bool unified, char *text, size_t size)
{
	char folder[PATH_MAX];
	if (!linux_cgroup_own_folder(env, unified ? NULL : "cpu", folder))
		return false;
	char whole[2 * PATH_MAX];
	snprintf(whole, sizeof whole, "%s%s", root, folder);
	const bool writable = access(whole, W_OK) == 0;
	const size_t used = strlen(text);
	snprintf(text + used, size - used, "%sversion %d, %.200s%s", used ? "; " : "", unified ? 2 : 1, folder,
		writable ? "" : " (may not be written)");
	return writable;
}

static void add_groups(struct findings *findings, const struct config *config, const struct sst_env *env)
{
	char text[560] = "";
	const bool unified = describe_group(env, config->root, true, text, sizeof text);
	const bool first = describe_group(env, config->root, false, text, sizeof text);
	if (!*text)
		snprintf(text, sizeof text, "none that we are in is mounted");
	struct finding *const finding =
		findings_add(findings, "control_groups", unified || first ? FINDING_AVAILABLE : FINDING_UNAVAILABLE, "%s", text);
	if (!unified && !first && geteuid() != 0 && access("/run/systemd/system", F_OK) == 0)
		finding_remedy(
			finding, "systemd-run --user --scope -p Delegate=yes $SHELL", "for a shell with a group of its own");
}

/* Of the actuators beside signals, which always can be had. */
static void add_actuator(struct findings *findings, enum actuator actuator, const char *name)
{
	struct group_place place;
	char why[GROUP_PLACE_ERROR_MAX];
	if (group_place_find(&place, actuator, 0, 0, why) == 0)
		findings_add(findings, name, FINDING_AVAILABLE, "-a %s: version %d, %.200s", name, place.unified ? 2 : 1,
			place.folder);
	else
		findings_add(findings, name, FINDING_UNAVAILABLE, "%.400s", why);
}

void machine_add_privileges(struct findings *findings, const struct config *config, const struct sst_env *env)
{
	findings->section = FINDING_PRIVILEGES;
	add_priority(findings);
	add_containment(findings, config, env);
	add_processes(findings);
	add_children(findings, env);
	add_shared_memory(findings);
	add_groups(findings, config, env);
	add_actuator(findings, ACTUATOR_FREEZER, "freezer");
	add_actuator(findings, ACTUATOR_QUOTA, "quota");
}
