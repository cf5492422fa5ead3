/* SPDX-License-Identifier: MIT */
/* Who interprets a file: as its first line says, or its program headers. */
#include "workloads/spawn.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/test_interpreter.XXXXXX";
static int file;

static int enter(void **state)
{
	(void)state;
	strcpy(strrchr(path, '.'), ".XXXXXX");
	file = mkstemp(path);
	return file >= 0 ? 0 : -1;
}

static int leave(void **state)
{
	(void)state;
	close(file);
	return unlink(path);
}

static void put(const void *from, size_t size, off_t offset)
{
	assert_int_equal(pwrite(file, from, size, offset), size);
}

/* NULL: none. */
static void expect(const char *name)
{
	char found[PATH_MAX];
	assert_true(command_interpreter(path, found) == (name != NULL));
	if (name)
		assert_string_equal(found, name);
}

static void expect_of(const char *text, const char *name)
{
	assert_int_equal(ftruncate(file, 0), 0);
	put(text, strlen(text), 0);
	expect(name);
}

static void scripts_name_it(void **state)
{
	(void)state;
	expect_of("#!/bin/sh\n", "/bin/sh");
	expect_of("#! \t/usr/bin/env -S perl\necho\n", "/usr/bin/env");
	expect_of("#!bin/sh\n", NULL);
	expect_of("#!/bin/sh", NULL);
	expect_of("# /bin/sh\n", NULL);
	expect_of("", NULL);
	char long_one[400] = "#!/";
	memset(long_one + 3, 'x', 300);
	expect_of(long_one, NULL);
	char found[PATH_MAX];
	assert_false(command_interpreter("/nonexistent", found));
	assert_true(command_interpreter("/proc/self/exe", found) && *found == '/');
}

/* A program of this machine with those parts, each of which has the text. */
static void put_program(const ElfW(Word) * type, const char *const *text, unsigned count)
{
	ElfW(Ehdr) header;
	const int own = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	assert_int_equal(read(own, &header, sizeof header), sizeof header);
	close(own);
	header.e_phoff = sizeof header;
	header.e_phnum = (uint16_t)count;
	assert_int_equal(ftruncate(file, 0), 0);
	put(&header, sizeof header, 0);
	for (unsigned i = 0; i < count; i++) {
		const ElfW(Phdr) part = {.p_type = type[i], .p_offset = 4096 + i * 64, .p_filesz = strlen(text[i]) + 1};
		put(&part, sizeof part, (off_t)(sizeof header + i * sizeof part));
		put(text[i], strlen(text[i]) + 1, (off_t)part.p_offset);
	}
}

static void programs_name_their_loader(void **state)
{
	(void)state;
	static const ElfW(Word) types[] = {PT_LOAD, PT_DYNAMIC, PT_INTERP, PT_PHDR};
	static const char *const texts[] = {"/code", "/links", "/lib/loader", "/parts"};
	put_program(types, texts, 4);
	expect("/lib/loader");
	/* The header may be cut off before it, or the text. */
	assert_int_equal(ftruncate(file, sizeof(ElfW(Ehdr)) + 2 * sizeof(ElfW(Phdr)) + 8), 0);
	expect(NULL);
	put_program(types, texts, 4);
	assert_int_equal(ftruncate(file, 4096 + 2 * 64 + 5), 0);
	expect(NULL);
	/* A static program. */
	put_program(types, texts, 2);
	expect(NULL);
	static const char *const odd[] = {"/code", "/links", "lib/loader"};
	put_program(types, odd, 3);
	expect(NULL);
	static const char *const empty[] = {"/code", "/links", ""};
	put_program(types, empty, 3);
	expect(NULL);
}

static void programs_of_other_machines_name_none(void **state)
{
	(void)state;
	static const ElfW(Word) type = PT_INTERP;
	static const char *const text = "/lib/loader";
	put_program(&type, &text, 1);
	expect("/lib/loader");
	const ElfW(Half) other = EM_VAX, size = sizeof(ElfW(Phdr)) - 8;
	put(&other, sizeof other, offsetof(ElfW(Ehdr), e_machine));
	expect(NULL);
	put_program(&type, &text, 1);
	put(&size, sizeof size, offsetof(ElfW(Ehdr), e_phentsize));
	expect(NULL);
	put_program(&type, &text, 1);
	put("X", 1, 1);
	expect(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(scripts_name_it, enter, leave),
		cmocka_unit_test_setup_teardown(programs_name_their_loader, enter, leave),
		cmocka_unit_test_setup_teardown(programs_of_other_machines_name_none, enter, leave),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
