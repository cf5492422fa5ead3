/* SPDX-License-Identifier: MIT */
/*
 * Powercap is a tree of zones whose numbers show it: intel-rapl:0 is a package, intel-rapl:0:1 a part of it (cores), or its memory,
 * which the package doesn't include on most machines. Adding up the packages alone counts nothing twice; memory is left out.
 * The same package may be listed again below another interface (intel-rapl-mmio:0), which the names tell. "psys" is the whole platform.
 *
 * hwmon chips measure anything, from batteries to graphics cards. Without being asked only those are taken that are known to
 * measure processors or the whole machine.
 */
#include "meters/power.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "self/source.h"

#define POWERCAP "/sys/class/powercap"
#define HWMON "/sys/class/hwmon"
#define SENSORS_MAX 256
#define NAME_SIZE 64

static const char *const known_chips[] = {"amd_energy", "zenpower", "fam15h_power", "xgene", "power_meter"};

struct sensor {
	int fd;
	char name[NAME_SIZE];
	uint64_t range; /* of an energy counter: the largest value */
	uint64_t last;
};

struct linux_power {
	bool is_energy; /* in uJ; else power in uW */
	size_t count;
	struct sensor sensor[SENSORS_MAX];
	int64_t polled_ns, since_ns;
	uint64_t energy; /* of energy counters, uJ since since_ns */
	double joules;   /* of sensors, since since_ns */
	double watts;    /* … which they showed at polled_ns */
	bool is_broken;  /* a reading has failed since then */
};

bool linux_power_growth(uint64_t before, uint64_t now, uint64_t range, uint64_t *growth)
{
	if (now >= before)
		*growth = now - before;
	else if (range >= before)
		*growth = range - before + now;
	else
		return false;
	return true;
}

/* ---- Small files of /sys ---------------------------------------------------------------------------------------------- */

static bool join(char path[static PATH_MAX], const char *directory, const char *entry, const char *file)
{
	const int length = snprintf(path, PATH_MAX, "%s/%s%s%s", directory, entry, file[0] ? "/" : "", file);
	return length > 0 && length < PATH_MAX;
}

static bool read_number(int fd, uint64_t *value, int64_t *when_ns)
{
	char text[32];
	const ssize_t length = linux_source_read_record(fd, text, sizeof text, when_ns);
	const char *at = text;
	return length > 0 && linux_number(&at, text + length, value);
}

/* The entries of a directory that begin with `prefix`, in order, ended by NULL; NULL when it can't be listed. Freed by free_names. */
static char **list_names(const char *root, const char *path, const char *prefix)
{
	struct dirent **entry = NULL;
	const int fd = linux_source_open(root, path);
	const int count = fd < 0 ? -1 : scandirat(fd, ".", &entry, NULL, versionsort);
	char **const names = count < 0 ? NULL : calloc((size_t)count + 1, sizeof *names);
	size_t used = 0;
	for (int i = 0; i < count; i++) {
		const char *const name = entry[i]->d_name;
		if (names && name[0] != '.' && strncmp(name, prefix, strlen(prefix)) == 0 && (names[used] = strdup(name)) != NULL)
			used++;
		free(entry[i]);
	}
	free(entry);
	if (fd >= 0)
		close(fd);
	return names;
}

static void free_names(char **names)
{
	for (size_t i = 0; names && names[i]; i++)
		free(names[i]);
	free(names);
}

/* ---- Sources ---------------------------------------------------------------------------------------------------------- */

static bool add_sensor(struct linux_power *power, const char *root, const char *path, const char *name, uint64_t range)
{
	if (power->count == SENSORS_MAX) {
		errno = ENOSPC;
		return false;
	}
	struct sensor *const sensor = &power->sensor[power->count];
	*sensor = (struct sensor){.fd = linux_source_open(root, path), .range = range};
	if (sensor->fd < 0)
		return false;
	errno = 0;
	if (!read_number(sensor->fd, &sensor->last, NULL)) {
		const int saved = errno ? errno : EINVAL;
		close(sensor->fd);
		errno = saved;
		return false;
	}
	snprintf(sensor->name, sizeof sensor->name, "%s", name);
	power->count++;
	return true;
}

static bool has_sensor(const struct linux_power *power, const char *name)
{
	for (size_t i = 0; i < power->count; i++)
		if (strcmp(power->sensor[i].name, name) == 0)
			return true;
	return false;
}

/* Adds a zone whose name begins with `name`, unless there is one of its name already. */
static void add_zone(
	struct linux_power *power, const char *root, const char *zone, const char *name, char error[static LINUX_POWER_ERROR_MAX])
{
	char path[PATH_MAX], zone_name[NAME_SIZE];
	uint64_t range;
	if (!join(path, POWERCAP, zone, "name") || !linux_source_line(root, path, zone_name, NAME_SIZE) ||
		strncmp(zone_name, name, strlen(name)) != 0 || has_sensor(power, zone_name))
		return;
	if (!join(path, POWERCAP, zone, "max_energy_range_uj") || !linux_source_number(root, path, &range))
		range = 0;
	if (join(path, POWERCAP, zone, "energy_uj") && !add_sensor(power, root, path, zone_name, range))
		snprintf(error, LINUX_POWER_ERROR_MAX, "can't read %.100s%.250s: %s", root, path, strerror(errno));
}

static void add_zones(struct linux_power *power, const char *root, char *const *zones, const char *name,
	char error[static LINUX_POWER_ERROR_MAX])
{
	for (int mmio = 0; mmio <= 1; mmio++)
		for (size_t i = 0; zones[i]; i++)
			if ((strstr(zones[i], "-mmio") != NULL) == mmio)
				add_zone(power, root, zones[i], name, error);
}

static bool open_rapl(struct linux_power *power, const char *root, char error[static LINUX_POWER_ERROR_MAX])
{
	char **const zones = list_names(root, POWERCAP, "");
	if (!zones) {
		snprintf(error, LINUX_POWER_ERROR_MAX, "there is no %s" POWERCAP, root);
		return false;
	}
	snprintf(error, LINUX_POWER_ERROR_MAX, "%s" POWERCAP " has no package", root);
	power->is_energy = true;
	add_zones(power, root, zones, "package", error);
	if (power->count == 0)
		add_zones(power, root, zones, "psys", error);
	free_names(zones);
	return power->count > 0;
}

/* The one of intel-rapl:0:2 is intel-rapl:0; a zone at the top has none. */
static bool read_parent_name(const char *root, const char *zone, char name[static NAME_SIZE])
{
	char path[PATH_MAX], parent[NAME_MAX + 1];
	const char *const colon = strrchr(zone, ':');
	if (!colon || !memchr(zone, ':', (size_t)(colon - zone)))
		return false;
	snprintf(parent, sizeof parent, "%.*s", (int)(colon - zone), zone);
	return join(path, POWERCAP, parent, "name") && linux_source_line(root, path, name, NAME_SIZE);
}

/* Letters that a column's name can have. */
static void copy_name(char to[static LINUX_POWER_NAME_MAX], const char *name, const char *suffix)
{
	snprintf(to, LINUX_POWER_NAME_MAX, "%.12s%.11s", name, suffix);
	for (char *at = to; *at; at++)
		if (!isalnum((unsigned char)*at) && *at != '-')
			*at = '_';
}

static bool has_zone(const struct linux_power_zone *zones, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(zones[i].name, name) == 0)
			return true;
	return false;
}

/* What a zone is called: with the number of its package where there are several. False for one that is there already, or isn't one. */
static bool name_zone(const char *root, const char *zone, bool has_packages, const struct linux_power_zone *zones, size_t count,
	char to[static LINUX_POWER_NAME_MAX])
{
	char path[PATH_MAX], name[NAME_SIZE], parent[NAME_SIZE] = "";
	if (!join(path, POWERCAP, zone, "name") || !linux_source_line(root, path, name, NAME_SIZE))
		return false;
	const bool is_part = read_parent_name(root, zone, parent) && strncmp(parent, "package", 7) == 0;
	copy_name(to, name, is_part && has_packages ? parent + 7 : "");
	return *to && !has_zone(zones, count, to);
}

static bool has_several_packages(const char *root, char *const *names)
{
	char path[PATH_MAX], name[NAME_SIZE];
	size_t packages = 0;
	for (size_t i = 0; names[i]; i++)
		packages += !strstr(names[i], "-mmio") && join(path, POWERCAP, names[i], "name") &&
			    linux_source_line(root, path, name, NAME_SIZE) && strncmp(name, "package", 7) == 0;
	return packages > 1;
}

/* A source of this zone alone, or NULL. */
static struct linux_power *open_zone(const char *root, const char *zone, char error[static LINUX_POWER_ERROR_MAX])
{
	struct linux_power *const power = calloc(1, sizeof *power);
	double seconds;
	if (power) {
		power->is_energy = true;
		add_zone(power, root, zone, "", error);
	}
	if (!power || power->count == 0) {
		free(power);
		return NULL;
	}
	linux_power_joules(power, &seconds);
	return power;
}

size_t linux_power_zones_open(const char *root, struct linux_power_zone **zones, char error[static LINUX_POWER_ERROR_MAX])
{
	char **const names = list_names(root, POWERCAP, "");
	size_t found = 0;
	size_t most = 0;
	snprintf(error, LINUX_POWER_ERROR_MAX, names ? "%s" POWERCAP " has no zone" : "there is no %s" POWERCAP, root);
	while (names && names[most])
		most++;
	*zones = calloc(most + 1, sizeof **zones);
	const bool has_packages = names && has_several_packages(root, names);
	/* Packages before parts; another interface to the same ones last. */
	for (int pass = 0; *zones && pass < 3; pass++)
		for (size_t i = 0; i < most; i++) {
			const bool is_mmio = strstr(names[i], "-mmio") != NULL;
			const bool is_part = strchr(names[i], ':') != strrchr(names[i], ':');
			struct linux_power_zone *const zone = &(*zones)[found];
			if (pass == (is_mmio ? 2 : is_part) &&
				name_zone(root, names[i], has_packages, *zones, found, zone->name) &&
				(zone->power = open_zone(root, names[i], error)) != NULL)
				found++;
		}
	free_names(names);
	if (found == 0) {
		free(*zones);
		*zones = NULL;
	}
	return found;
}

void linux_power_zones_close(struct linux_power_zone *zones, size_t count)
{
	for (size_t i = 0; i < count; i++)
		linux_power_close(zones[i].power);
	free(zones);
}

/* Adds what a chip has: energy counters, else averages of power, else power. Of amd_energy the sockets only, which include the cores. */
static bool add_chip(struct linux_power *power, const char *root, const char *directory, const char *chip)
{
	static const struct {
		const char *prefix, *suffix;
		bool is_energy;
	} kinds[] = {{"energy", "_input", true}, {"power", "_average", false}, {"power", "_input", false}};
	char path[PATH_MAX], label[NAME_SIZE];
	for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds && power->count == 0; kind++) {
		char **const files = list_names(root, directory, kinds[kind].prefix);
		for (size_t i = 0; files && files[i]; i++) {
			const size_t length = strlen(files[i]), suffix = strlen(kinds[kind].suffix);
			if (length <= suffix || strcmp(files[i] + length - suffix, kinds[kind].suffix) != 0)
				continue;
			char label_file[NAME_MAX + sizeof "_label"];
			snprintf(label_file, sizeof label_file, "%.*s_label", (int)(length - suffix), files[i]);
			const bool has_label =
				join(path, directory, label_file, "") && linux_source_line(root, path, label, NAME_SIZE);
			if (strcmp(chip, "amd_energy") == 0 && has_label && strncmp(label, "Esocket", 7) != 0)
				continue;
			if (join(path, directory, files[i], ""))
				add_sensor(power, root, path, files[i], 0);
		}
		free_names(files);
		power->is_energy = kinds[kind].is_energy;
	}
	return power->count > 0;
}

static bool open_chip(struct linux_power *power, const char *root, const char *chip, char error[static LINUX_POWER_ERROR_MAX])
{
	char path[PATH_MAX], name[NAME_SIZE];
	char **const chips = list_names(root, HWMON, "hwmon");
	bool is_there = false;
	for (size_t i = 0; chips && chips[i] && power->count == 0; i++) {
		if (!join(path, HWMON, chips[i], "name") || !linux_source_line(root, path, name, NAME_SIZE) ||
			strcmp(name, chip) != 0)
			continue;
		is_there = true;
		if (join(path, HWMON, chips[i], ""))
			add_chip(power, root, path, chip);
	}
	free_names(chips);
	if (power->count == 0)
		snprintf(error, LINUX_POWER_ERROR_MAX,
			is_there ? "the chip '%.60s' has no power sensor that can be read"
				 : "there is no chip '%.60s' in %s" HWMON,
			chip, root);
	return power->count > 0;
}

struct linux_power *linux_power_open(const char *root, const char *source, char error[static LINUX_POWER_ERROR_MAX])
{
	struct linux_power *const power = calloc(1, sizeof *power);
	if (!power) {
		snprintf(error, LINUX_POWER_ERROR_MAX, "%s", strerror(errno));
		return NULL;
	}
	bool found;
	if (source && strcmp(source, "rapl") != 0) {
		found = open_chip(power, root, source, error);
	} else {
		found = open_rapl(power, root, error);
		char ignored[LINUX_POWER_ERROR_MAX];
		for (size_t i = 0; !source && !found && i < sizeof known_chips / sizeof *known_chips; i++)
			found = open_chip(power, root, known_chips[i], ignored);
		if (!source && !found) {
			const size_t used = strlen(error);
			snprintf(error + used, LINUX_POWER_ERROR_MAX - used,
				", and no chip of %s" HWMON " is known to measure it", root);
		}
	}
	if (!found) {
		linux_power_close(power);
		return NULL;
	}
	/* The counters' first values are taken together. */
	double seconds;
	linux_power_joules(power, &seconds);
	return power;
}

void linux_power_close(struct linux_power *power)
{
	if (!power)
		return;
	for (size_t i = 0; i < power->count; i++)
		close(power->sensor[i].fd);
	free(power);
}

static double sensors_watts(const struct linux_power *power, int64_t *when_ns)
{
	double watts = 0;
	for (size_t i = 0; i < power->count; i++) {
		uint64_t value;
		if (!read_number(power->sensor[i].fd, &value, i == 0 ? when_ns : NULL))
			return NAN;
		watts += (double)value / 1e6;
	}
	return watts;
}

/* The mean of what is shown at both ends, times the time. */
static void poll_sensors(struct linux_power *power)
{
	int64_t when_ns = power->polled_ns;
	const double watts = sensors_watts(power, &when_ns);
	if (isnan(watts) || isnan(power->watts))
		power->is_broken = true;
	else
		power->joules += (power->watts + watts) / 2 * (double)(when_ns - power->polled_ns) / 1e9;
	power->watts = watts;
	power->polled_ns = when_ns;
}

void linux_power_poll(struct linux_power *power)
{
	if (!power->is_energy) {
		poll_sensors(power);
		return;
	}
	for (size_t i = 0; i < power->count; i++) {
		struct sensor *const sensor = &power->sensor[i];
		uint64_t value, growth;
		int64_t when_ns;
		if (!read_number(sensor->fd, &value, &when_ns)) {
			power->is_broken = true;
			continue;
		}
		if (i == 0)
			power->polled_ns = when_ns;
		if (linux_power_growth(sensor->last, value, sensor->range, &growth))
			power->energy += growth;
		else
			power->is_broken = true;
		sensor->last = value;
	}
}

double linux_power_joules(struct linux_power *power, double *seconds)
{
	linux_power_poll(power);
	const double joules = power->is_energy ? (double)power->energy / 1e6 : power->joules;
	const bool is_whole = !power->is_broken && power->polled_ns > power->since_ns;
	*seconds = ((double)power->polled_ns - (double)power->since_ns) / 1e9;
	power->since_ns = power->polled_ns;
	power->energy = 0;
	power->joules = 0;
	power->is_broken = false;
	return is_whole ? joules : NAN;
}

double linux_power_watts(struct linux_power *power)
{
	double seconds;
	if (!power->is_energy)
		return sensors_watts(power, NULL);
	const double joules = linux_power_joules(power, &seconds);
	return joules / seconds;
}
