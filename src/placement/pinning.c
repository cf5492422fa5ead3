/* SPDX-License-Identifier: MIT */
/*
 * Machines are uneven: a chip has an odd number of cores, a core one thread where others have two, some processors are offline or
 * belong to somebody else. So what doesn't go evenly into the parts is dealt out in turn, and the turn goes on from chip to chip
 * and from core to core. Cores are divided by kind (number of threads; fast and slow ones), so that a part gets its share of each kind.
 */
#include "placement/pinning.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"

static const char *const names[PIN_SCHEMES] = {
	[PIN_NEUTRAL] = "neutral",
	[PIN_PER_CHIP] = "per-chip",
	[PIN_PER_CORE] = "per-core",
	[PIN_PER_THREAD] = "per-thread",
	[PIN_PACKED] = "packed",
	[PIN_SPREAD] = "spread",
};

const char *pinning_name(enum pinning scheme)
{
	return scheme == PIN_NONE ? "none" : scheme == PIN_DYNAMIC ? "dynamic" : names[scheme];
}

enum pinning pinning_find(const char *name)
{
	for (int scheme = 0; scheme < PIN_SCHEMES; scheme++)
		if (names[scheme] && strcmp(name, names[scheme]) == 0)
			return (enum pinning)scheme;
	return PIN_NONE;
}

/* A processor as the schemes see it. */
struct seat {
	unsigned cpu;
	unsigned chip;     /* of the machine, from 0 */
	unsigned core;     /* of its chip, from 0 */
	unsigned thread;   /* of its core, from 0 */
	unsigned siblings; /* threads of its core */
	unsigned kind;     /* of its core */
	unsigned owner;    /* the part */
};

/* What there is of each. */
struct extent {
	unsigned chips, cores, threads; /* of the machine; at most on a chip; at most on a core */
};

static struct extent number_seats(const struct place *place, size_t count, struct seat *seat)
{
	struct extent extent = {0};
	size_t first = 0; /* of the core */
	for (size_t i = 0; i < count; i++) {
		seat[i] = (struct seat){.cpu = place[i].cpu, .kind = place[i].kind};
		const bool same_chip = i && place[i].chip == place[i - 1].chip;
		const bool same_core = same_chip && place[i].core == place[i - 1].core;
		if (i)
			seat[i].chip = seat[i - 1].chip + !same_chip;
		if (same_chip)
			seat[i].core = seat[i - 1].core + !same_core;
		if (same_core)
			seat[i].thread = seat[i - 1].thread + 1;
		else
			first = i;
		for (size_t k = first; k <= i; k++)
			seat[k].siblings = seat[i].thread + 1;
		if (seat[i].chip + 1 > extent.chips)
			extent.chips = seat[i].chip + 1;
		if (seat[i].core + 1 > extent.cores)
			extent.cores = seat[i].core + 1;
		if (seat[i].thread + 1 > extent.threads)
			extent.threads = seat[i].thread + 1;
	}
	return extent;
}

/* Whose the item is that is at place `at` of `count`; what is left over goes to one part after the other. */
static unsigned deal(unsigned at, unsigned count, unsigned parts, unsigned *turn)
{
	const unsigned each = count / parts;
	if (at < each * parts)
		return at / each;
	const unsigned owner = *turn;
	*turn = (*turn + 1) % parts;
	return owner;
}

/* Slices as even as can be. */
static void slice(struct seat *seat, size_t count, unsigned parts)
{
	size_t at = 0;
	for (unsigned part = 0; part < parts; part++)
		for (const size_t end = (part + 1) * count / parts; at < end; at++)
			seat[at].owner = part;
}

static void by_chip(struct seat *seat, size_t count, const struct extent *extent, unsigned parts)
{
	for (size_t i = 0; i < count; i++)
		seat[i].owner = (unsigned)((size_t)seat[i].chip * parts / extent->chips);
}

static bool are_alike(const struct seat *a, const struct seat *b)
{
	return a->siblings == b->siblings && a->kind == b->kind;
}

/* Whether none before seat[at] is of its kind. */
static bool is_first_of_kind(const struct seat *seat, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (are_alike(&seat[i], &seat[at]))
			return false;
	return true;
}

/* The cores of one kind among `count` seats. */
static void deal_kind(struct seat *seat, size_t count, const struct seat *kind, unsigned parts, unsigned *turn)
{
	unsigned cores = 0;
	unsigned at = 0;
	for (size_t i = 0; i < count; i++)
		cores += are_alike(&seat[i], kind) && seat[i].thread == 0;
	for (size_t i = 0; i < count; i++)
		if (are_alike(&seat[i], kind))
			seat[i].owner = seat[i].thread ? seat[i - 1].owner : deal(at++, cores, parts, turn);
}

/* The cores of one chip, from `seat` on; returns how many seats it has. */
static size_t divide_chip(struct seat *seat, size_t count, const struct extent *extent, unsigned parts, unsigned *turn)
{
	size_t end = 0;
	while (end < count && seat[end].chip == seat->chip)
		end++;
	for (unsigned threads = extent->threads; threads > 0; threads--)
		for (size_t i = 0; i < end; i++)
			if (seat[i].siblings == threads && is_first_of_kind(seat, i))
				deal_kind(seat, end, &seat[i], parts, turn);
	return end;
}

static void by_core(struct seat *seat, size_t count, const struct extent *extent, unsigned parts)
{
	unsigned turn = 0;
	for (size_t at = 0; at < count;)
		at += divide_chip(seat + at, count - at, extent, parts, &turn);
}

static void by_thread(struct seat *seat, size_t count, unsigned parts)
{
	unsigned turn = 0;
	for (size_t i = 0; i < count; i++)
		seat[i].owner = deal(seat[i].thread, seat[i].siblings, parts, &turn);
}

/* First threads before second ones, and of these, first cores of all chips before second ones. */
static int compare_far(const void *a, const void *b)
{
	const struct seat *left = a;
	const struct seat *right = b;
	const unsigned key[2][3] = {{left->thread, left->core, left->chip}, {right->thread, right->core, right->chip}};
	for (int i = 0; i < 3; i++)
		if (key[0][i] != key[1][i])
			return key[0][i] < key[1][i] ? -1 : 1;
	return 0;
}

static bool divide(
	struct seat *seat, size_t count, const struct extent *extent, enum pinning scheme, unsigned parts, char *reason)
{
	unsigned there = (unsigned)count;
	const char *where = "the machine has";
	const char *what = "processor";
	if (scheme == PIN_PER_CHIP) {
		there = extent->chips;
		what = "chip";
	} else if (scheme == PIN_PER_CORE) {
		there = extent->cores;
		where = "no chip has more than";
		what = "core";
	} else if (scheme == PIN_PER_THREAD) {
		there = extent->threads;
		where = "no core has more than";
		what = "thread";
	}
	if (there < parts) {
		snprintf(reason, PINNING_REASON_MAX, "%s %u usable %s%s, too few for %u parts", where, there, what,
			there == 1 ? "" : "s", parts);
		return false;
	}
	if (scheme == PIN_PER_CHIP)
		by_chip(seat, count, extent, parts);
	else if (scheme == PIN_PER_CORE)
		by_core(seat, count, extent, parts);
	else if (scheme == PIN_PER_THREAD)
		by_thread(seat, count, parts);
	if (scheme == PIN_SPREAD)
		qsort(seat, count, sizeof *seat, compare_far);
	if (scheme == PIN_PACKED || scheme == PIN_SPREAD)
		slice(seat, count, parts);
	return true;
}

int pinning_cpus(const struct place *place, size_t count, enum pinning scheme, unsigned part, unsigned parts,
	struct sst_cpus **cpus, char reason[static PINNING_REASON_MAX])
{
	*cpus = NULL;
	if (scheme == PIN_NEUTRAL)
		return 0;
	struct seat *seat = calloc(count + 1, sizeof *seat);
	unsigned *own = calloc(count + 1, sizeof *own);
	size_t owned = 0;
	int result = -1;
	snprintf(reason, PINNING_REASON_MAX, "%s", strerror(ENOMEM));
	if (!seat || !own)
		goto out;
	const struct extent extent = number_seats(place, count, seat);
	if (!divide(seat, count, &extent, scheme, parts, reason))
		goto out;
	for (size_t i = 0; i < count; i++)
		if (seat[i].owner == part)
			own[owned++] = seat[i].cpu;
	*cpus = cpus_make(own, owned);
	if (*cpus)
		result = 0;
out:
	free(seat);
	free(own);
	return result;
}

/* As the option table fills it: choices are indices into `schemes`. */
struct settings {
	int below, above;
	double threshold, hysteresis;
	int64_t dwell_ns;
};

static const char *const schemes[] = {"neutral", "per-chip", "per-core", "per-thread", "packed", "spread", NULL};

static const struct sst_option options[] = {
	SST_OPTION("below", CHOICE, struct settings, below, "scheme at low load", .initial = "per-thread", .choices = schemes),
	SST_OPTION("above", CHOICE, struct settings, above, "scheme at high load", .initial = "per-chip", .choices = schemes),
	SST_OPTION("threshold", LOAD, struct settings, threshold, "load between the two", .initial = "50%"),
	SST_OPTION("hysteresis", LOAD, struct settings, hysteresis, "so far beyond the threshold they change", .initial = "5%"),
	SST_OPTION("dwell", TIME, struct settings, dwell_ns, "least time between two changes", .initial = "5s", .least = "0",
		.most = "1d"),
	{0},
};

int dynamic_pinning_parse(const char *text, struct dynamic_pinning *dynamic, char error[static OPTION_ERROR_MAX])
{
	struct settings settings;
	struct option_memory memory = {0};
	const int result = option_parse(options, text, &settings, &memory, error);
	option_free(&memory);
	if (result != 0)
		return -1;
	*dynamic = (struct dynamic_pinning){
		.below = pinning_find(schemes[settings.below]),
		.above = pinning_find(schemes[settings.above]),
		.threshold = settings.threshold,
		.hysteresis = settings.hysteresis,
		.dwell_ns = settings.dwell_ns,
	};
	if (dynamic->below == dynamic->above) {
		snprintf(error, OPTION_ERROR_MAX, "below and above are both %s: expected two schemes",
			pinning_name(dynamic->below));
		return -1;
	}
	if (dynamic->threshold - dynamic->hysteresis > 0 && dynamic->threshold + dynamic->hysteresis < 1)
		return 0;
	snprintf(error, OPTION_ERROR_MAX,
		"threshold %g with hysteresis %g can't be passed both ways: expected what stays between 0 and 1",
		dynamic->threshold, dynamic->hysteresis);
	return -1;
}

void dynamic_pinning_print(const struct dynamic_pinning *dynamic, FILE *to)
{
	const struct settings settings = {
		.below = (int)dynamic->below - PIN_NEUTRAL,
		.above = (int)dynamic->above - PIN_NEUTRAL,
		.threshold = dynamic->threshold,
		.hysteresis = dynamic->hysteresis,
		.dwell_ns = dynamic->dwell_ns,
	};
	option_print(options, &settings, to);
}

bool dynamic_pinning_step(struct pinning_course *course, double load, int64_t now_ns)
{
	const struct dynamic_pinning *const settings = course->settings;
	if (isnan(load) || now_ns - course->since_ns < settings->dwell_ns)
		return false;
	if (course->is_above ? load >= settings->threshold - settings->hysteresis
			     : load <= settings->threshold + settings->hysteresis)
		return false;
	course->is_above = !course->is_above;
	course->since_ns = now_ns;
	return true;
}

enum pinning dynamic_pinning_scheme(const struct pinning_course *course)
{
	return course->is_above ? course->settings->above : course->settings->below;
}
