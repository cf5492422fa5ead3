/* SPDX-License-Identifier: MIT */
/*
 * For tests of modules: loads one from the build as the master would, with options, and prepares it in surroundings that a test
 * can change. Needs SHOWSTOPPER_BUILD and sscore, and, for the macros alone, a test framework.
 *
 *	struct module_test test;
 *	module_test_start(&test, SST_TRACE, "sine", "period=4s");      // the test is over (abort) when it is refused
 *	test.module.trace->target(test.module.state, 0) …
 *	module_test_end(&test);
 *
 *	module_test_load(&test, SST_TRACE, "sine", "period=0") // NULL, or why it was refused; then there is nothing to end
 */
#ifndef MODULE_TEST_H
#define MODULE_TEST_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "module/module.h"

struct module_test {
	struct module module;
	/* refuse() and say() store the message, list() knows no folder; the others are NULL until the test sets them. */
	struct sst_host host;
	struct sst_env env; /* workloads 1, index 0, entropy 1 */
	char message[MODULE_ERROR_MAX];
	char printed[1024]; /* see module_test_options */
};

static inline int module_test_refuse(const struct sst_env *env, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline int module_test_refuse(const struct sst_env *env, const char *format, ...)
{
	struct module_test *test = (struct module_test *)(void *)((char *)(void *)env - offsetof(struct module_test, env));
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(test->message, sizeof test->message, format, arguments);
	va_end(arguments);
	return -1;
}

static inline void module_test_say(const struct sst_env *env, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline void module_test_say(const struct sst_env *env, const char *format, ...)
{
	struct module_test *test = (struct module_test *)(void *)((char *)(void *)env - offsetof(struct module_test, env));
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(test->message, sizeof test->message, format, arguments);
	va_end(arguments);
}

static inline ssize_t module_test_list(const struct sst_env *env, const char *path, char *names, size_t size)
{
	(void)env, (void)path, (void)names, (void)size;
	errno = ENOENT;
	return -1;
}

/* Loads and sets options, without prepare: for tests that change test->env or test->host first. As module_test_load. */
static inline const char *module_test_open(struct module_test *test, enum sst_kind kind, const char *name, const char *options)
{
	char path[4096];
	memset(test, 0, sizeof *test);
	test->host.refuse = module_test_refuse;
	test->host.say = module_test_say;
	test->host.list = module_test_list;
	test->env.host = &test->host;
	test->env.workloads = 1;
	test->env.entropy = 1;
	snprintf(path, sizeof path, "%s/modules/%s/%s.so", SHOWSTOPPER_BUILD, module_kind_name(kind), name);
	if (module_load(&test->module, kind, path, options, test->message) != 0)
		return test->message;
	/* The size is a multiple of the alignment, as aligned_alloc wants it, and never 0. */
	const size_t shared_size = (test->module.base->shared_size + 64) / 64 * 64;
	test->env.shared = aligned_alloc(64, shared_size);
	if (!test->env.shared)
		abort();
	memset(test->env.shared, 0, shared_size);
	return NULL;
}

static inline void module_test_end(struct module_test *test)
{
	if (test->module.base && test->module.base->fini)
		test->module.base->fini(test->module.state, &test->env);
	module_unload(&test->module);
	free(test->env.shared);
	test->env.shared = NULL;
}

/* Calls prepare, for module_test_open. As module_test_load. */
static inline const char *module_test_prepare(struct module_test *test)
{
	if (!test->module.base->prepare || test->module.base->prepare(test->module.state, &test->env) == 0)
		return NULL;
	module_test_end(test);
	return test->message;
}

static inline const char *module_test_load(struct module_test *test, enum sst_kind kind, const char *name, const char *options)
{
	const char *refused = module_test_open(test, kind, name, options);
	return refused ? refused : module_test_prepare(test);
}

static inline void module_test_start(struct module_test *test, enum sst_kind kind, const char *name, const char *options)
{
	const char *refused = module_test_load(test, kind, name, options);
	if (refused) {
		fprintf(stderr, "%s with '%s' is refused: %s\n", name, options ? options : "", refused);
		abort();
	}
}

/* As an executor has it: prepared and initialised. */
static inline void module_test_begin(struct module_test *test, enum sst_kind kind, const char *name, const char *options)
{
	module_test_start(test, kind, name, options);
	if (test->module.base->init && test->module.base->init(test->module.state, &test->env) != 0)
		abort();
}

/* The module of a second executor of the run of `first`, which must be ended before that. */
static inline void module_test_join(struct module_test *second, const struct module_test *first, const char *options)
{
	const struct sst_module *module = first->module.base;
	module_test_start(second, module->kind, module->name, options);
	free(second->env.shared);
	second->env.shared = first->env.shared;
	if (module->init && second->module.base->init(second->module.state, &second->env) != 0)
		abort();
}

static inline void module_test_leave(struct module_test *second)
{
	second->env.shared = NULL;
	module_test_end(second);
}

/* Whether a result is within the tolerance; says what it was if not. NaN is near nothing. */
static inline bool module_test_near(double found, double expected, double tolerance)
{
	if (found - expected <= tolerance && expected - found <= tolerance)
		return true;
	fprintf(stderr, "found %.17g, expected %.17g within %g\n", found, expected, tolerance);
	return false;
}

#define assert_near(found, expected, tolerance) assert_true(module_test_near(found, expected, tolerance))

/* The options as they would be recorded, after prepare. */
static inline const char *module_test_options(struct module_test *test)
{
	FILE *to = fmemopen(test->printed, sizeof test->printed, "w");
	if (!to)
		abort();
	option_print(test->module.base->options, test->module.state, to);
	fclose(to);
	return test->printed;
}

#endif
