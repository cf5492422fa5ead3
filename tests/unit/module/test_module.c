/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/units.h"
#include "cli/instead.h"
#include "left_out.h"
#include "module/module.h"
#include "module/path.h"

#define FIXTURES SHOWSTOPPER_BUILD "/tests/fixtures/"

static char work[64];
static char error[MODULE_ERROR_MAX];
static struct module module;

/* A folder of modules below `work`, with a link to a fixture (or, with NULL, an empty file). */
static void put(const char *folder, const char *kind, const char *file, const char *fixture)
{
	char path[PATH_MAX];
	char target[PATH_MAX];
	assert_true(snprintf(path, sizeof path, "%s/%s", work, folder) < (int)sizeof path);
	assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
	assert_true(snprintf(path, sizeof path, "%s/%s/%s", work, folder, kind) < (int)sizeof path);
	assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
	assert_true(snprintf(path, sizeof path, "%s/%s/%s/%s", work, folder, kind, file) < (int)sizeof path);
	if (fixture) {
		snprintf(target, sizeof target, FIXTURES "%s.so", fixture);
		assert_int_equal(symlink(target, path), 0);
	} else {
		const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
		assert_true(fd >= 0);
		close(fd);
	}
}

/* Sets the search path; each `@` stands for the test's folder. */
static void search(const char *folders)
{
	char path[1024] = "";
	size_t used = 0;
	for (; *folders; folders++)
		used += (size_t)snprintf(
			path + used, sizeof path - used, "%.*s", *folders == '@' ? INT_MAX : 1, *folders == '@' ? work : folders);
	assert_int_equal(setenv("SHOWSTOPPER_MODULE_PATH", path, 1), 0);
}

static int enter(void **state)
{
	(void)state;
	strcpy(work, "/tmp/test_module.XXXXXX");
	memset(error, '#', sizeof error);
	unsetenv("SHOWSTOPPER_MODULE_PATH");
	return mkdtemp(work) ? 0 : -1;
}

static int leave(void **state)
{
	(void)state;
	char command[128];
	snprintf(command, sizeof command, "rm -rf %s", work);
	return system(command); // NOLINT(cert-env33-c): a name of our own
}

static void load(const char *name, const char *options)
{
	if (module_load(&module, SST_CONTROL, name, options, error) != 0)
		fail_msg("%s", error);
}

static bool is_zero(const struct module *what)
{
	return !what->handle && !what->base && !what->state && !what->path && !what->memory.block && !what->memory.count;
}

/* Refused with a message that ends so, and nothing is left of it. */
static void refuse(enum sst_kind kind, const char *name, const char *options, const char *ending)
{
	memset(error, '#', sizeof error);
	memset(&module, 0x5a, sizeof module);
	assert_int_equal(module_load(&module, kind, name, options, error), -1);
	assert_true(is_zero(&module));
	assert_non_null(memchr(error, '\0', sizeof error));
	if (!strstr(error, ending) || strcmp(strstr(error, ending), ending) != 0)
		fail_msg("message '%s', expected it to end in '%s'", error, ending);
	/* It begins with kind and name, and is one line. */
	char head[PATH_MAX];
	snprintf(head, sizeof head, "%s module '%s': ", module_kind_name(kind), name);
	assert_memory_equal(error, head, strlen(head));
	assert_null(strchr(error, '\n'));
}

struct good {
	double duty;
	int64_t time, count;
	double real;
	bool flag;
	const char *text;
	int choice;
	const struct sst_cpus *cpus;
};

static void kinds_have_names(void **state)
{
	(void)state;
	static const char *const names[KINDS] = {"trace", "feedback", "control", "space", "dithering", "actuator"};
	for (int kind = 0; kind < KINDS; kind++) {
		assert_string_equal(module_kind_name((enum sst_kind)kind), names[kind]);
		assert_int_equal(module_kind_find(names[kind]), kind);
	}
	assert_int_equal(module_kind_find(""), -1);
	assert_int_equal(module_kind_find("tra"), -1);
	assert_int_equal(module_kind_find("traces"), -1);
}

static void a_file_is_loaded_with_its_defaults(void **state)
{
	(void)state;
	load(FIXTURES "good.so", NULL);
	assert_string_equal(module.base->name, "good");
	assert_string_equal(module.path, FIXTURES "good.so");
	const struct good *good = module.state;
	assert_true(good->duty == 0.5);
	assert_int_equal(good->time, NS_PER_S);
	assert_int_equal(good->count, 3);
	assert_true(good->real != good->real);
	assert_false(good->flag);
	assert_string_equal(good->text, "nothing");
	assert_int_equal(good->choice, -1);
	assert_int_equal(good->cpus->count, 1);
	const struct sst_control_input in = {.target = 0.3};
	struct sst_control_output out = {0};
	module.control->step(module.state, &in, &out);
	assert_true(out.duty == 0.5);
	module_unload(&module);
	assert_true(is_zero(&module));
	module_unload(&module); /* twice does no harm */
	/* Unloaded means that it is no longer in the process. */
	assert_null(dlopen(FIXTURES "good.so", RTLD_NOLOAD | RTLD_NOW));
}

static void options_reach_the_state(void **state)
{
	(void)state;
	load(FIXTURES "good.so", "25%,choice=two,text=x,flag,cpus=1,3");
	const struct good *good = module.state;
	assert_true(good->duty == 0.25);
	assert_int_equal(good->choice, 1);
	assert_string_equal(good->text, "x");
	assert_true(good->flag);
	assert_int_equal(good->cpus->count, 2);
	module_unload(&module);
}

static void without_state_there_is_a_byte(void **state)
{
	(void)state;
	assert_int_equal(module_load(&module, SST_SPACE, FIXTURES "bare.so", NULL, error), 0);
	assert_non_null(module.state);
	assert_true(module.space->local(module.state, 0.25, 0, 1) == 0.25);
	module_unload(&module);
	refuse(SST_SPACE, FIXTURES "bare.so", "x=1", "unknown option 'x': there are no options");
}

static void wrong_options_are_refused(void **state)
{
	(void)state;
	const char *const file = FIXTURES "good.so";
	refuse(SST_CONTROL, file, "speed=3",
		"unknown option 'speed': expected one of duty, time, count, real, flag, text, choice, cpus");
	refuse(SST_CONTROL, file, "count=10", "option 'count': '10' is out of range: expected a whole number, at most 9");
	refuse(SST_CONTROL, file, "duty=half",
		"option 'duty': 'half' is malformed: expected a load from 0 to 1, such as 1/3, 0.25 or 25%");
	refuse(SST_CONTROL, file, "cpus=1,choice=three", "option 'choice': 'three' is malformed: expected one or two");
}

/* What is said of a module of the next ABI. */
static const char *wrong_abi(const char *file)
{
	static char message[128];
	snprintf(message, sizeof message, "%s has control ABI %u, expected %u", file, SST_CONTROL_ABI + 1, SST_CONTROL_ABI);
	return message;
}

static void wrong_modules_are_refused(void **state)
{
	(void)state;
	refuse(SST_CONTROL, FIXTURES "wrong_abi.so", NULL, wrong_abi("/wrong_abi.so"));
	char size[64];
	snprintf(size, sizeof size, "/wrong_size.so has a struct of %zu bytes, expected %zu", sizeof(struct sst_control) - 8,
		sizeof(struct sst_control));
	refuse(SST_CONTROL, FIXTURES "wrong_size.so", NULL, size);
	refuse(SST_CONTROL, FIXTURES "wrong_kind.so", NULL,
		"/wrong_kind.so is a nameless kind of module, expected one of kind control");
	refuse(SST_SPACE, FIXTURES "good.so", NULL, "/good.so is a control module, expected one of kind space");
	refuse(SST_CONTROL, FIXTURES "bare.so", NULL, "/bare.so is a space module, expected one of kind control");
	refuse(SST_CONTROL, FIXTURES "wrong_name.so", NULL,
		"/wrong_name.so calls itself 'another', expected the name of its file");
	refuse(SST_CONTROL, FIXTURES "no_name.so", NULL, "/no_name.so has no name, summary or version");
	refuse(SST_CONTROL, FIXTURES "no_summary.so", NULL, "/no_summary.so has no name, summary or version");
	refuse(SST_TRACE, FIXTURES "no_hook_trace.so", NULL, "/no_hook_trace.so lacks the required hook 'target'");
	refuse(SST_FEEDBACK, FIXTURES "no_hook_feedback.so", NULL, "/no_hook_feedback.so lacks the required hook 'interval'");
	refuse(SST_CONTROL, FIXTURES "no_hook_control.so", NULL, "/no_hook_control.so lacks the required hook 'step'");
	refuse(SST_SPACE, FIXTURES "no_hook_space.so", NULL, "/no_hook_space.so lacks the required hook 'local'");
	refuse(SST_DITHERING, FIXTURES "no_hook_dithering.so", NULL, "/no_hook_dithering.so lacks the required hook 'next'");
	refuse(SST_TRACE, FIXTURES "wrong_abi.so", NULL, "/wrong_abi.so is a control module, expected one of kind trace");
	refuse(SST_CONTROL, FIXTURES "bad_table.so", NULL, "/bad_table.so: option 'gain' has the default '2', out of its bounds");
	refuse(SST_CONTROL, FIXTURES "no_symbol.so", NULL,
		"/no_symbol.so exports no 'sst_module', expected a Showstopper module");
	refuse(SST_CONTROL, FIXTURES "unresolved.so", NULL, "undefined symbol: a_function_that_nobody_has");
	refuse(SST_CONTROL, FIXTURES "absent.so", NULL, "No such file or directory");
	refuse(SST_CONTROL, FIXTURES, NULL, "Is a directory");
	/* What was refused is not in the process any more. */
	assert_null(dlopen(FIXTURES "wrong_abi.so", RTLD_NOLOAD | RTLD_NOW));
	assert_null(dlopen(FIXTURES "bad_table.so", RTLD_NOLOAD | RTLD_NOW));
}

static void a_file_that_is_no_shared_object_is_refused(void **state)
{
	(void)state;
	char path[PATH_MAX];
	put("a", "control", "empty.so", NULL);
	snprintf(path, sizeof path, "%s/a/control/empty.so", work);
	refuse(SST_CONTROL, path, NULL, "file too short");
}

static void names_are_found_in_the_search_path(void **state)
{
	(void)state;
	put("a", "control", "good.so", "good");
	put("b", "control", "refuses.so", "refuses");
	put("b", "space", "bare.so", "bare");
	search("@/absent::@/a:@/b");
	load("good", NULL);
	assert_non_null(strstr(module.path, "/a/control/good.so"));
	module_unload(&module);
	load("refuses", NULL);
	module_unload(&module);
	/* The kind is part of where a module is. */
	refuse(SST_SPACE, "good", NULL, "(showstopper --list-modules shows what there is)");
	assert_non_null(strstr(error, "no space/good.so in "));
	assert_non_null(strstr(error, work)); /* the folders that were looked in */
	refuse(SST_CONTROL, "absent", NULL, "(showstopper --list-modules shows what there is)");
	refuse(SST_CONTROL, "", NULL, "(showstopper --list-modules shows what there is)");
	/* A name has no folder part but its own: nothing is found above the path. */
	refuse(SST_CONTROL, "../control/good", NULL, "No such file or directory");
}

static void the_first_folder_wins(void **state)
{
	(void)state;
	put("a", "control", "good.so", "good");
	put("b", "control", "good.so", "wrong_abi");
	search("@/a:@/b");
	load("good", NULL);
	module_unload(&module);
	search("@/b:@/a");
	refuse(SST_CONTROL, "good", NULL, wrong_abi("/b/control/good.so"));
	/* A module under the name of another is none. */
	put("a", "control", "goodish.so", "good");
	refuse(SST_CONTROL, "goodish", NULL, "/a/control/goodish.so calls itself 'good', expected the name of its file");
}

static void the_path_ends_at_the_program(void **state)
{
	(void)state;
	/* This program lies in <build>/tests. */
	char *folders = module_path_describe();
	assert_non_null(folders);
	assert_memory_equal(folders, SHOWSTOPPER_BUILD "/tests/modules:", strlen(SHOWSTOPPER_BUILD "/tests/modules:"));
	assert_non_null(strstr(folders, "/showstopper/modules"));
	free(folders);
	search("/x:/y");
	folders = module_path_describe();
	assert_non_null(folders);
	assert_memory_equal(folders, "/x:/y:/", 7);
	free(folders);
	errno = 0;
	assert_null(module_path_find("control", "absent"));
	assert_int_equal(errno, ENOENT);
}

static char names[1024];

static void note(const char *name, void *context)
{
	assert_ptr_equal(context, names);
	strcat(names, name);
	strcat(names, " ");
}

static const char *listed(enum sst_kind kind)
{
	names[0] = '\0';
	assert_int_equal(module_list(kind, note, names), 0);
	return names;
}

static void lists_are_sorted_and_each_name_once(void **state)
{
	(void)state;
	assert_string_equal(listed(SST_CONTROL), ""); /* nothing anywhere */
	put("a", "control", "good.so", "good");
	put("a", "control", "README", NULL);
	put("a", "control", ".so", NULL);
	put("a", "control", "so", NULL);
	put("a", "control", "old.so.1", NULL);
	put("b", "control", "good.so", "good");
	put("b", "control", "abc.so", "bare");
	put("b", "space", "bare.so", "bare");
	search("@/a:@/b:@/a:@/absent:");
	assert_string_equal(listed(SST_CONTROL), "abc good ");
	assert_string_equal(listed(SST_SPACE), "bare ");
	assert_string_equal(listed(SST_TRACE), "");
}

/* What a function prints; errors go to stderr, which is kept too. */
static char said[4096];

static const char *standard_error(int (*function)(FILE *to), char *printed, size_t size, int *result)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/stderr", work);
	const int saved = dup(STDERR_FILENO);
	const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_true(saved >= 0 && fd >= 0);
	printed[0] = '\0';
	FILE *to = fmemopen(printed, size, "w");
	assert_non_null(to);
	dup2(fd, STDERR_FILENO);
	*result = function(to);
	dup2(saved, STDERR_FILENO);
	close(saved);
	fclose(to);
	const ssize_t length = pread(fd, said, sizeof said - 1, 0);
	close(fd);
	assert_true(length >= 0);
	said[length] = '\0';
	return said;
}

static int help_good(FILE *to)
{
	return module_info_help(SST_CONTROL, "good", to);
}

static int help_bare(FILE *to)
{
	return module_info_help(SST_SPACE, "bare", to);
}

static int help_absent(FILE *to)
{
	return module_info_help(SST_SPACE, "absent", to);
}

static const char described[] = "control:good           as it should be\n"
				"space:bare             nothing but a hook\n"
				"actuator:freezer       a control group for each workload, frozen and thawed\n"
				"actuator:quota         the bandwidth of a control group for each workload\n"
				"actuator:signals       SIGSTOP and SIGCONT for each process\n";

static void modules_are_described_from_their_tables(void **state)
{
	(void)state;
	char printed[8192];
	int result;
	put("a", "control", "good.so", "good");
	put("a", "space", "bare.so", "bare");
	search("@/a");
	assert_string_equal(standard_error(module_info_list, printed, sizeof printed, &result), "");
	assert_int_equal(result, 0);
	assert_string_equal(printed, described);
	assert_string_equal(standard_error(help_good, printed, sizeof printed, &result), "");
	assert_int_equal(result, 0);
	assert_ptr_equal(strstr(printed, "control module good, version 7\nas it should be\nfile: /"), printed);
	assert_non_null(strstr(printed, "\n  duty=LOAD\n      duty cycle; default 50%\n"));
	assert_string_equal(standard_error(help_bare, printed, sizeof printed, &result), "");
	assert_int_equal(result, 0);
	assert_non_null(strstr(printed, "\nno options\n"));
	assert_non_null(strstr(
		standard_error(help_absent, printed, sizeof printed, &result), "space module 'absent': no space/absent.so in"));
	assert_int_equal(result, -1);
	assert_string_equal(printed, "");
}

static void a_broken_module_does_not_hide_the_others(void **state)
{
	(void)state;
	char printed[8192];
	int result;
	put("a", "control", "broken.so", NULL);
	put("a", "control", "good.so", "good");
	put("a", "space", "bare.so", "bare");
	search("@/a");
	assert_non_null(strstr(standard_error(module_info_list, printed, sizeof printed, &result), "control module 'broken': "));
	assert_int_equal(result, -1);
	assert_string_equal(printed, described);
}

/* The last refusal says whose fault it was. */
static void refuse_naming(const char *path, const char *culprit)
{
	char expected[2 * PATH_MAX + sizeof ":  belongs to"];
	snprintf(expected, sizeof expected, "%s: %s belongs to", path, culprit);
	if (!strstr(error, expected))
		fail_msg("'%s' should contain '%s'", error, expected);
}

static void root_loads_nothing_that_others_can_write(void **state)
{
	(void)state;
	if (geteuid() != 0) {
		left_out("not root");
		skip();
	}
	char path[PATH_MAX];
	char folder[PATH_MAX];
	char command[3 * PATH_MAX];
	snprintf(folder, sizeof folder, "%s/mine", work);
	snprintf(path, sizeof path, "%s/mine/good.so", work);
	snprintf(command, sizeof command, "mkdir %s/mine && cp " FIXTURES "good.so %s/mine", work, work);
	assert_int_equal(system(command), 0); // NOLINT(cert-env33-c): names of our own
	assert_int_equal(chmod(path, 0755), 0);
	assert_int_equal(chmod(folder, 0755), 0);
	load(path, NULL);
	module_unload(&module);
	static const char *const message =
		"belongs to, or can be written by, somebody else than root, with whose rights this runs";
	assert_int_equal(chmod(path, 0757), 0);
	refuse(SST_CONTROL, path, NULL, message);
	assert_int_equal(chmod(path, 0755), 0);
	assert_int_equal(chmod(folder, 01777), 0);
	refuse(SST_CONTROL, path, NULL, message);
	assert_int_equal(chmod(folder, 0755), 0);
	assert_int_equal(chown(path, 65534, 0), 0);
	refuse(SST_CONTROL, path, NULL, message);
	assert_int_equal(chown(path, 0, 0), 0);
	load(path, NULL);
	module_unload(&module);
	/* Folders further up count as well, */
	char above[PATH_MAX];
	snprintf(above, sizeof above, "%s", work);
	assert_int_equal(chmod(above, 0777), 0);
	refuse(SST_CONTROL, path, NULL, message);
	refuse_naming(path, above);
	/* but not one like /tmp, in which others can't exchange what isn't theirs, */
	assert_int_equal(chmod(above, 01777), 0);
	load(path, NULL);
	module_unload(&module);
	/* unless the next folder is theirs. */
	assert_int_equal(chown(folder, 65534, 0), 0);
	refuse(SST_CONTROL, path, NULL, message);
	assert_int_equal(chown(folder, 0, 0), 0);
	assert_int_equal(chmod(above, 0770), 0);
	assert_int_equal(chown(above, 0, 65534), 0);
	refuse(SST_CONTROL, path, NULL, message);
	assert_int_equal(chown(above, 0, 0), 0);
	assert_int_equal(chmod(above, 0700), 0);
	/* A link is as good as the folder that it lies in, and where it leads; it is the file's that counts, not the name's. */
	char link_folder[PATH_MAX];
	char link_path[PATH_MAX];
	snprintf(link_folder, sizeof link_folder, "%s/links", work);
	snprintf(link_path, sizeof link_path, "%s/links/good.so", work);
	assert_int_equal(mkdir(link_folder, 0755), 0);
	assert_int_equal(symlink("../mine/../links/../mine/good.so", link_path), 0);
	load(link_path, NULL);
	module_unload(&module);
	assert_int_equal(chmod(link_folder, 0777), 0);
	refuse(SST_CONTROL, link_path, NULL, message);
	refuse_naming(link_path, link_folder);
	assert_int_equal(chmod(link_folder, 0755), 0);
	assert_int_equal(chmod(folder, 0777), 0);
	refuse(SST_CONTROL, link_path, NULL, message);
	refuse_naming(link_path, folder);
	assert_int_equal(chmod(folder, 0755), 0);
	assert_int_equal(chmod(path, 0757), 0);
	refuse(SST_CONTROL, link_path, NULL, message);
	refuse_naming(link_path, path);
	assert_int_equal(chmod(path, 0755), 0);
	assert_int_equal(unlink(link_path), 0);
	assert_int_equal(symlink("good.so", link_path), 0);
	refuse(SST_CONTROL, link_path, NULL, "Too many levels of symbolic links");
	/* A folder on the way that is a link, in a place where others can make it lead elsewhere. */
	char way[PATH_MAX];
	char through[PATH_MAX];
	snprintf(way, sizeof way, "%s/way", work);
	snprintf(through, sizeof through, "%s/way/good.so", work);
	assert_int_equal(symlink(folder, way), 0);
	load(through, NULL);
	module_unload(&module);
	assert_int_equal(chmod(above, 0777), 0);
	refuse(SST_CONTROL, through, NULL, message);
	assert_int_equal(chmod(above, 01777), 0);
	load(through, NULL);
	module_unload(&module);
	assert_int_equal(lchown(way, 65534, 65534), 0);
	refuse(SST_CONTROL, through, NULL, message);
	assert_int_equal(chmod(above, 0700), 0);
	/* Also by a path that is relative to the current folder, and at the very top. */
	assert_int_equal(chdir(folder), 0);
	load("./good.so", NULL);
	module_unload(&module);
	assert_int_equal(chmod(folder, 0777), 0);
	refuse(SST_CONTROL, "./good.so", NULL, message);
	assert_int_equal(chdir("/"), 0);
	refuse(SST_CONTROL, "/absent.so", NULL, "No such file or directory");
}

static void what_a_module_reads_is_not_written(void **state)
{
	(void)state;
	char message[FILE_USES_ERROR_MAX];
	char trace[PATH_MAX], way[PATH_MAX];
	put("folder", "trace", "a", NULL);
	snprintf(trace, sizeof trace, "%s/folder/trace/a", work);
	snprintf(way, sizeof way, "%s/way", work);
	assert_int_equal(symlink(trace, way), 0);
	assert_int_equal(module_load(&module, SST_TRACE, SHOWSTOPPER_BUILD "/modules/trace/file.so", trace, error), 0);
	const struct {
		const char *path, *expected;
	} refused[] = {
		{way, "is the input of the trace module: expected another file"},
		{SHOWSTOPPER_BUILD "/./modules/trace/file.so", "is the trace module: expected another file"},
	};
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		struct file_uses uses = {0};
		char expected[2 * PATH_MAX];
		module_files(&module, &uses);
		file_uses_add(&uses, FILE_IS_WRITTEN, "--log", refused[i].path);
		assert_int_equal(file_uses_check(&uses, message), -1);
		snprintf(expected, sizeof expected, "--log: %s %s", refused[i].path, refused[i].expected);
		assert_string_equal(message, expected);
	}
	struct file_uses uses = {0};
	module_files(&module, &uses);
	file_uses_add(&uses, FILE_IS_WRITTEN, "--log", "/tmp/another");
	assert_int_equal(file_uses_check(&uses, message), 0);
	module_unload(&module);
}

/* Who isn't root, and got no rights by executing the program, loads what is its own. */
static void trust_matters_to_root(void **state)
{
	(void)state;
	if (geteuid() != 0) {
		left_out("only root can be somebody else");
		assert_false(module_trust_matters());
		return;
	}
	assert_true(module_trust_matters());
	assert_int_equal(seteuid(65534), 0);
	const bool matters = module_trust_matters();
	assert_int_equal(seteuid(0), 0);
	assert_false(matters);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, enter, leave)
	const struct CMUnitTest tests[] = {
		TEST(kinds_have_names),
		TEST(a_file_is_loaded_with_its_defaults),
		TEST(options_reach_the_state),
		TEST(without_state_there_is_a_byte),
		TEST(wrong_options_are_refused),
		TEST(wrong_modules_are_refused),
		TEST(a_file_that_is_no_shared_object_is_refused),
		TEST(names_are_found_in_the_search_path),
		TEST(the_first_folder_wins),
		TEST(the_path_ends_at_the_program),
		TEST(lists_are_sorted_and_each_name_once),
		TEST(modules_are_described_from_their_tables),
		TEST(a_broken_module_does_not_hide_the_others),
		TEST(what_a_module_reads_is_not_written),
		TEST(root_loads_nothing_that_others_can_write),
		TEST(trust_matters_to_root),
	};
	left_out_begin();
	return left_out_status(cmocka_run_group_tests(tests, NULL, NULL));
}
