/* SPDX-License-Identifier: MIT */
/*
 * Bad values for every option of every program and module. The options are read from --help, --list-modules and --help-module, so that
 * a new one is tested from its first day; what kind of value it takes is told by what help calls its argument.
 *
 * Values that may or may not be right (`general`) must be taken, or refused like all others (refusal_test.h).
 */
#include <check.h>

#include "refusal_test.h"

#define WORDS_MAX 32
#define OPTIONS_MAX 64

static char long_text[5001];

/* ---- Kinds of values -------------------------------------------------------------------------------------------------- */

#define VALUES (const char *const[])

static const char *const general[] = {
	"-", "-1", "nan", "99999999999999999999", "a\nb", "%s%n", "=", ",,", "../..", "\xff\xfe", long_text, NULL};

static const struct kind {
	const char *argument;       /* what help calls it */
	const char *const *refused; /* besides the empty value */
	bool empty;                 /* the empty value is taken */
} kinds[] = {
	{"N",
		VALUES{"x", "1x", "x1", "1.5", "nan", "inf", "1e3", "0x10", " 1", "1 ", "--1", "99999999999999999999",
			"-99999999999999999999", "9223372036854775808", long_text, NULL},
		false},
	{"TIME",
		VALUES{"x", "1x", "-1s", "nan", "inf", "1e3", "0x10s", " 1s", "1 s", "1s1", "1.2.3s", "5S",
			"99999999999999999999s", "9223372036854775808n", long_text, NULL},
		false},
	{"LOAD", VALUES{"x", "-0.1", "2", "101%", "nan", "inf", "1/0", "3/2", "1/", "1e400", "0.5x", "1 %", long_text, NULL},
		false},
	{"NUMBER", VALUES{"x", "1x", "nan", "inf", "-inf", "1e400", "1e999999", "0x", " 1", "1,5", long_text, NULL}, false},
	{"CPUS", VALUES{"x", "-", "-1", "3-1", "1-", "0--1", "0-99999999999", "1.5", "nan", long_text, NULL}, false},
	{"LIST", VALUES{"x", "-", "-1", "3-1", "1-", "0,,1", ",", "0-99999999999", "nan", long_text, NULL}, false},
	{"SCHEME", VALUES{"x", "none", "dynamic-", "per-", "perchip", " neutral", "nan", "0", long_text, NULL}, false},
	{"I/K",
		VALUES{"x", "1", "/", "0/", "/2", "2/2", "0/0", "-1/2", "0/-2", "0.5/2", "1/2/3", " 0/2", "0/2 ", "nan/2",
			"0/65537", "0/99999999999999999999", long_text, NULL},
		false},
	{"VALUE",
		VALUES{"x", "1800", "1.8", "GHz", "%", "0%", "101%", "-1GHz", "0MHz", "1.8 GHz", "1.8Hz", "nanGHz", "infMHz",
			"1e400kHz", "0x1MHz", "2000GHz", "Min", long_text, NULL},
		false},
	{"WHEN",
		VALUES{"x", "now", "0", "@", "@x", "@0", "@-1", "@99999999999999999999", "24:00", "12:60", "1:30", "12:3",
			"2020-01-01T00:00:00", "2027-02-29T00:00:00Z", "2027-01-01", "9999-01-01T00:00:00", " 12:30", "nan",
			long_text, NULL},
		false},
	{"CHOICE", VALUES{"nosuch", "nan", "-1", "0", "|", " ", long_text, NULL}, false},
	{"FLAG", VALUES{"maybe", "2", "nan", "-1", "YES", long_text, NULL}, false},
	{"TEXT", VALUES{NULL}, false},
	{"FILE", VALUES{".", "nowhere/file", "nowhere/", long_text, NULL}, false},
	{"DIR", VALUES{"nowhere", "right.trace", long_text, NULL}, false},
	{"MODULE",
		VALUES{"nosuch", ".", "..", "../control/open", "right.trace", "./right.trace", "/dev/null", "\xff", long_text,
			NULL},
		false},
	{"OPTIONS", VALUES{"nosuch=1", "=", "=1", ",", long_text, NULL}, true},
	{"KIND:NAME", VALUES{"trace", ":", "trace:", ":file", "nosuch:file", "trace:nosuch", "trace:../file", long_text, NULL},
		false},
	{"MODEL[:OPTIONS]",
		VALUES{"nosuch", ":", "parallel:", "parallel:0", "parallel:threads=nan", "parallel:nosuch=1", "single:threads=1",
			"single:iteration=0", "parallel:99999999999999999999", long_text, NULL},
		false},
	{"[MODEL:]OPTIONS",
		VALUES{"nosuch=1", "=", "=1", ",", "0", "service", "service:", "service:0", "service:rate=nan",
			"service:rate=1,mean=2d", "service:rate=1,distribution=normal",
			"service:rate=1,distribution=pareto:shape=1", "service:rate=1,queue=0", long_text, NULL},
		false},
	{"error=PP,mse=PP2,others=PP",
		VALUES{"x", "error=", "error=nan", "error=-1", "mse=inf", "mse=1e400", "error", "others=-0.1", "others=5%",
			"rms=1", "error=1,error=1", ",", long_text, NULL},
		false},
	{"SIZE", VALUES{"x", "-1", "1.5.5M", "nan", "inf", "64X", "99999999999999999999", "99999999999G", long_text, NULL},
		false},
	{"WIDTHxHEIGHT",
		VALUES{"x", "1", "1x", "x1", "-1x1", "1x-1", "nanxnan", "infxinf", "0x0", "1e400x1", "1x1x1", long_text, NULL},
		false},
	{"SHARE", VALUES{"x", "-0.1", "2", "nan", "inf", "1/0", long_text, NULL}, false},
	{"REGEX", VALUES{"(", "[", "*(", NULL}, false},
	{"PID", VALUES{"x", "0", "-1", "1.5", "nan", "1x", "99999999999999999999", "2147483648", long_text, NULL}, false},
	{"[NAME=]PID|GROUP",
		VALUES{"x", "0", "-1", "1.5", "=1", "a=", "a-b=1", "99999999999999999999", "2147483648", "1", "..", "a=../x",
			long_text, NULL},
		false},
	{"PATH", VALUES{"nowhere", long_text, NULL}, false},
	{"STR", VALUES{NULL}, true},
	{"LABEL", VALUES{NULL}, false},
};

/* Where help says less than there is to know. */
static const struct {
	const char *program, *option, *kind;
} exceptions[] = {
	{"cpuload", "source", "CHOICE"},
	{"cpuload", "format", "CHOICE"},
	{"ssiterate", "format", "CHOICE"},
	{"ssiterate", "stream", "CHOICE"},
	{"ssrequest", "format", "CHOICE"},
	{"ssrequest", "arrivals", "CHOICE"},
	{"ssrequest", "beyond", "CHOICE"},
	{"ssburn", "profile", "CHOICE"},
	{"ssburn", "work", "N"},
	{"ssburn", "phase", "N"},
	{"sssim", "accounting", "CHOICE"},
	{"sssim", "priority", "CHOICE"},
	{"sssim", "processors", "N"},
	{"showstopper", "progress", "CHOICE"},
	{"showstopper", "when-one-ends", "CHOICE"},
	/* These are not looked at before there is a use for them, or anything goes. */
	{"cpuload", "power-source", "LABEL"},
};

/* NULL for one that this test doesn't know: only the general rule holds then. */
static const struct kind *find_kind(const char *program, const char *option, const char *argument)
{
	for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
		if (strcmp(exceptions[i].program, program) == 0 && strcmp(exceptions[i].option, option) == 0)
			argument = exceptions[i].kind;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(kinds[i].argument, argument) == 0)
			return &kinds[i];
	return NULL;
}

/* ---- Options of programs ---------------------------------------------------------------------------------------------- */

struct option {
	int letter; /* 0 for none */
	char name[40];
	char argument[40]; /* empty for none */
};

/* Lines such as "  -n, --name=ARG  help" and "      --name ARG  help". Returns how many options there are. */
static size_t parse_help(char *const *word, struct option *option)
{
	size_t count = 0;
	if (run(word) != 0)
		complain(word, "expected status 0");
	char *help = file_text("out");
	for (char *line = strtok(help, "\n"); line; line = strtok(NULL, "\n")) {
		char *at = line + strspn(line, " ");
		struct option found = {0};
		if (at == line || *at != '-')
			continue;
		if (at[1] != '-' && strncmp(at + 2, ", --", 4) == 0) {
			found.letter = at[1];
			at += 4;
		}
		if (strncmp(at, "--", 2) != 0)
			continue;
		at += 2;
		const size_t name = strcspn(at, " =");
		ck_assert_uint_lt(name, sizeof found.name);
		memcpy(found.name, at, name);
		at += name;
		if (*at == '=' || (*at == ' ' && at[1] != ' ')) {
			const size_t argument = strcspn(at + 1, " ");
			ck_assert_uint_lt(argument, sizeof found.argument);
			memcpy(found.argument, at + 1, argument);
		}
		ck_assert_uint_lt(count, OPTIONS_MAX);
		option[count++] = found;
	}
	free(help);
	return count;
}

/* What stands around the option in question. */
static const struct program {
	const char *before[8];
	const char *harmless[4]; /* added where a value may be taken */
	const char *after[8];
} programs[] = {
	{{"showstopper", "-T", "50%", "-r", "500m"}, {"--dry-run"}, {"touch", "started"}},
	{{"cpuload"}, {NULL}, {"10m", "1", "--", "touch", "started"}},
	{{"ssiterate", "-n", "1"}, {NULL}, {"touch", "started"}},
	{{"ssburn", "-n", "1", "-w", "1"}, {NULL}, {NULL}},
	{{"sstrace"}, {NULL}, {"right.trace"}},
	{{"sssim", "-q", "-T", "50%", "-r", "500m"}, {NULL}, {NULL}},
	{{"ssrequest", "--rate", "1000", "-n", "1"}, {"--dry-run"}, {"--", "touch", "started"}},
	{{"ssrequest", "--rate", "1000", "-n", "1", "-q"}, {"--dry-run"}, {"http://127.0.0.1:1/"}},
};

static size_t append(char **word, size_t count, const char *const *more)
{
	for (; *more; more++)
		word[count++] = (char *)*more;
	word[count] = NULL;
	return count;
}

/* The command line with the words of an option in it. */
static void build(const struct program *program, bool harmless, const char *first, const char *second, char **word)
{
	const char *const given[] = {first, second, NULL};
	size_t count = append(word, 0, program->before);
	if (harmless)
		count = append(word, count, program->harmless);
	count = append(word, count, given);
	append(word, count, program->after);
}

static void try_value(const struct program *program, const struct option *option, const char *value, bool must_be_refused)
{
	char *word[WORDS_MAX];
	char long_form[sizeof long_text + 64];
	char short_form[3] = {'-', (char)option->letter, '\0'};
	/* Both ways of giving a value, in turn. */
	static unsigned turn;
	/* Messages about options of a trace module name the module. */
	char name[sizeof option->name];
	const char *const tail = strstr(option->name, "-options");
	snprintf(name, sizeof name, "%.*s", (int)(tail ? (size_t)(tail - option->name) : strlen(option->name)), option->name);
	snprintf(long_form, sizeof long_form, "--%s=%s", option->name, value);
	if (option->letter && ++turn % 2)
		build(program, !must_be_refused, short_form, value, word);
	else
		build(program, !must_be_refused, long_form, NULL, word);
	if (must_be_refused)
		refuse(word, name, value);
	else
		survive(word, name, value);
}

static void try_option(const struct program *program, const struct option *option)
{
	char *word[WORDS_MAX];
	char name[64];
	const char *const alone[] = {name, NULL};
	const struct kind *kind = find_kind(program->before[0], option->name, option->argument);
	snprintf(name, sizeof name, "--%s", option->name);
	if (!*option->argument) {
		strcat(name, "=1");
		build(program, false, name, NULL, word);
		refuse(word, option->name, NULL);
		return;
	}
	append(word, append(word, 0, program->before), alone);
	refuse(word, option->name, NULL);
	if (option->letter) {
		snprintf(name, sizeof name, "-%c", option->letter);
		append(word, append(word, 0, program->before), alone);
		refuse(word, option->name, name);
	}
	if (!(kind && kind->empty))
		try_value(program, option, "", true);
	for (const char *const *value = kind ? kind->refused : NULL; value && *value; value++)
		try_value(program, option, *value, true);
	for (const char *const *value = general; *value; value++)
		try_value(program, option, *value, false);
}

static void try_unknown(const struct program *program, const struct option *option, size_t count)
{
	char *word[WORDS_MAX];
	const char *const unknown[] = {"--nosuch", "--nosuch=1", "-?", "--", "-"};
	for (size_t i = 0; i < 3; i++) {
		build(program, false, unknown[i], NULL, word);
		refuse(word, NULL, NULL);
	}
	for (size_t i = 0; i < count; i++) {
		char shorter[48];
		bool is_another = false;
		snprintf(shorter, sizeof shorter, "--%s", option[i].name);
		shorter[strlen(shorter) - 1] = '\0';
		for (size_t k = 0; k < count; k++)
			is_another |= strcmp(option[k].name, shorter + 2) == 0;
		if (is_another)
			continue;
		build(program, false, shorter, *option[i].argument ? "1" : NULL, word);
		refuse(word, shorter, NULL);
	}
}

/* One may be left out of the build, for want of a library. */
static bool is_built(const char *program)
{
	char path[512];
	snprintf(path, sizeof path, "%s/%s", SHOWSTOPPER_BUILD, program);
	if (strcmp(program, "ssrequest") != 0 || access(path, X_OK) == 0)
		return true;
	printf("%s isn't built\n", program);
	return false;
}

/* Those that sstrace gives to ssimport, which refuses what is wrong: tests/python/test_history.py. */
static bool is_handed_on(const char *program, const char *option)
{
	static const char *const names[] = {"from", "machines", "machine", "mean-of", "step", "cpu", "column", "load", "time",
		"zone", "unit", "stamp", "delimiter", "capacity", "smooth", "strict"};
	bool is_found = false;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		is_found |= strcmp(option, names[i]) == 0;
	return is_found && strcmp(program, "sstrace") == 0;
}

START_TEST(options_of_programs)
{
	const struct program *program = &programs[_i];
	struct option option[OPTIONS_MAX];
	char *word[WORDS_MAX];
	const char *const help[] = {"--help", NULL};
	const char *const head[] = {program->before[0], NULL};
	append(word, append(word, 0, head), help);
	if (!is_built(program->before[0]))
		return;
	const size_t count = parse_help(word, option);
	ck_assert_uint_ge(count, 5);
	/* As it is, it is right. */
	build(program, true, NULL, NULL, word);
	ck_assert_msg(run(word) == 0, "%s", command_line(word));
	clean();
	for (size_t i = 0; i < count; i++)
		if (!is_handed_on(program->before[0], option[i].name))
			try_option(program, &option[i]);
	try_unknown(program, option, count);
	printf("%s: %zu options, %u runs\n", program->before[0], count, runs);
	fflush(stdout);
	ck_assert_uint_eq(failures, 0);
}
END_TEST

/* ---- Options of modules ----------------------------------------------------------------------------------------------- */

static const char module_letters[] = "tfcsda";
static const char *const module_kinds[] = {"trace", "feedback", "control", "space", "dithering", "actuator"};

struct module_option {
	char name[40], type[120];
	bool required;
};

/* Lines such as "  name=TYPE", each followed by one of help. */
static size_t parse_module_help(const char *module, struct module_option *option)
{
	char *word[] = {(char *)"showstopper", (char *)"--help-module", (char *)module, NULL};
	size_t count = 0;
	if (run(word) != 0)
		complain(word, "expected status 0");
	char *help = file_text("out");
	for (char *line = strtok(help, "\n"); line; line = strtok(NULL, "\n")) {
		if (strncmp(line, "      ", 6) == 0 && count)
			option[count - 1].required = strstr(line, "; required") != NULL;
		else if (strncmp(line, "  ", 2) == 0 &&
			 sscanf(line, "  %39[^=]=%119s", option[count].name, option[count].type) == 2)
			count++;
		ck_assert_uint_lt(count, OPTIONS_MAX);
	}
	free(help);
	return count;
}

static const char *module_type(const char *type)
{
	if (strcmp(type, "INTEGER") == 0)
		return "N";
	if (strcmp(type, "yes|no") == 0)
		return "FLAG";
	/* A list, or a word for one. */
	if (strncmp(type, "CPUS|", 5) == 0)
		return "CPUS";
	return strchr(type, '|') ? "CHOICE" : type;
}

static const char *right_value(const char *type)
{
	return strcmp(type, "FILE") == 0   ? "right.trace"
	       : strcmp(type, "LOAD") == 0 ? "50%"
	       : strcmp(type, "TIME") == 0 ? "1s"
					   : "1";
}

/* The options that must be there, save one. */
static void required_others(const struct module_option *option, size_t count, size_t except, char *text, size_t size)
{
	size_t used = 0;
	*text = '\0';
	for (size_t i = 0; i < count; i++)
		if (i != except && option[i].required)
			used += (size_t)snprintf(text + used, size - used, "%s=%s,", option[i].name, right_value(option[i].type));
}

static void try_module_value(
	const char *module, const struct module_option *option, size_t count, size_t at, const char *value, bool refused)
{
	char *word[WORDS_MAX] = {(char *)"showstopper"};
	char others[200], options[sizeof long_text + 300];
	size_t kind = 0;
	while (strncmp(module, module_kinds[kind], strlen(module_kinds[kind])) != 0)
		kind++;
	const char choose[] = {'-', module_letters[kind], '\0'};
	const char set[] = {'-', (char)(module_letters[kind] - 'a' + 'A'), '\0'};
	const char *const command[] = {
		refused ? "-q" : "--dry-run", choose, strchr(module, ':') + 1, set, options, "touch", "started", NULL};
	const char *const target[] = {"-T", "50%", NULL};
	required_others(option, count, at, others, sizeof others);
	snprintf(options, sizeof options, "%s%.39s=%s", others, option[at].name, value);
	append(word, append(word, 1, kind ? target : target + 2), command);
	if (refused)
		refuse(word, option[at].name, NULL);
	else
		survive(word, strchr(module, ':') + 1, NULL);
}

static void try_module(const char *module)
{
	struct module_option option[OPTIONS_MAX];
	memset(option, 0, sizeof option);
	const size_t count = parse_module_help(module, option);
	for (size_t i = 0; i < count; i++) {
		const struct kind *kind = find_kind("", option[i].name, module_type(option[i].type));
		if (!kind) {
			printf("%s: this test doesn't know values of type %s\n", module, option[i].type);
			failures++;
			continue;
		}
		try_module_value(module, option, count, i, "", true);
		for (const char *const *value = kind->refused; *value; value++)
			try_module_value(module, option, count, i, *value, true);
		for (const char *const *value = general; *value; value++)
			try_module_value(module, option, count, i, *value, false);
	}
}

START_TEST(options_of_modules)
{
	char *word[] = {(char *)"showstopper", (char *)"--list-modules", NULL};
	char *line[OPTIONS_MAX];
	size_t count = 0;
	unsigned tried = 0;
	ck_assert_int_eq(run(word), 0);
	char *list = file_text("out");
	for (char *at = strtok(list, "\n"); at; at = strtok(NULL, "\n")) {
		ck_assert_uint_lt(count, OPTIONS_MAX);
		line[count++] = at;
	}
	for (size_t i = 0; i < count; i++) {
		line[i][strcspn(line[i], " ")] = '\0';
		if (strncmp(line[i], module_kinds[_i], strlen(module_kinds[_i])) == 0) {
			try_module(line[i]);
			tried++;
		}
	}
	free(list);
	printf("%s modules: %u runs\n", module_kinds[_i], runs);
	fflush(stdout);
	ck_assert_uint_gt(tried, 1);
	ck_assert_uint_eq(failures, 0);
}
END_TEST

/* ---- Words that are no options ---------------------------------------------------------------------------------------- */

START_TEST(odd_words)
{
	static const char *const lines[][8] = {
		{"showstopper"},
		{"showstopper", "-T", "50%"},
		{"showstopper", "-T", "50%", "--"},
		{"showstopper", "-T", "50%", ":", "touch", "started"},
		{"showstopper", "-T", "50%", "touch", "started", ":"},
		{"showstopper", "-T", "50%", "touch", "started", ":", "-q"},
		{"cpuload", "x"},
		{"cpuload", "nan"},
		{"cpuload", "-1"},
		{"cpuload", "1h", "x"},
		{"cpuload", "1h", "-1"},
		{"cpuload", "1h", "1e3"},
		{"cpuload", "1h", "99999999999999999999"},
		{"cpuload", "0", "1"},
		{"cpuload", "99999999999999999999s", "1"},
		{"cpuload", "10m", "1", "1"},
		{"cpuload", "10m", "1", "--"},
		{"ssiterate"},
		{"ssiterate", "-n", "1"},
		{"ssiterate", "-n", "1", "--"},
		{"ssrequest"},
		{"ssrequest", "--rate", "1"},
		{"ssrequest", "--rate", "1", "--"},
		{"ssrequest", "--rate", "1", "word"},
		{"ssrequest", "--rate", "1", "http://"},
		{"ssrequest", "touch", "started"},
		{"ssburn", "-n", "1", "word"},
		{"sssim"},
		{"sssim", "-T", "50%", "-r", "1s", "word"},
		{"sstrace", "right.trace", "right.trace"},
		{"sstrace", "nosuch.trace"},
		{"sstrace", "--check", "."},
	};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		if (is_built(lines[i][0]))
			refuse((char **)lines[i], NULL, NULL);
	ck_assert_uint_eq(failures, 0);
}
END_TEST

/* ---- All -------------------------------------------------------------------------------------------------------------- */

static void enter(void)
{
	memset(long_text, 'x', sizeof long_text - 1);
	enter_folder();
}

int main(void)
{
	Suite *suite = suite_create("bad input");
	TCase *test = tcase_create("bad input");
	tcase_set_timeout(test, 280);
	tcase_add_unchecked_fixture(test, enter, leave_folder);
	tcase_add_loop_test(test, options_of_programs, 0, (int)(sizeof programs / sizeof *programs));
	tcase_add_loop_test(test, options_of_modules, 0, (int)(sizeof module_kinds / sizeof *module_kinds));
	tcase_add_test(test, odd_words);
	suite_add_tcase(suite, test);
	return run_tests(suite);
}
