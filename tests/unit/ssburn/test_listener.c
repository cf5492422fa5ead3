/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/splitmix.h"
#include "ssburn/listener.h"

static char error[LISTENER_ERROR_MAX], name[LISTENER_NAME_MAX];

static void addresses_are_read(void **state)
{
	(void)state;
	static const struct {
		const char *text, *name;
	} taken[] = {
		{"8080", "http://127.0.0.1:8080/"},
		{"0", "http://127.0.0.1:0/"},
		{":65535", "http://127.0.0.1:65535/"},
		{"localhost:80", "http://127.0.0.1:80/"},
		{"127.0.0.2:80", "http://127.0.0.2:80/"},
		{"0.0.0.0:80", "http://0.0.0.0:80/"},
		{"[::1]:80", "http://[::1]:80/"},
		{"[::]:080", "http://[::]:80/"},
		{"[::ffff:127.0.0.1]:80", "http://[::ffff:127.0.0.1]:80/"},
		{"unix:/a/b:8", "unix:/a/b:8"},
		{"unix:80", "unix:80"},
	};
	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
		struct listener listener;
		assert_int_equal(listener_parse(taken[i].text, &listener), 0);
		assert_string_equal(listener_name(&listener, name), taken[i].name);
		assert_int_equal(listener.fd, -1);
	}
}

static void others_are_refused(void **state)
{
	(void)state;
	static const char *const wrong[] = {"", ":", "x", "-1", "+1", "65536", "99999999999999999999", "1.2.3.4",
		"1.2.3.4:", "1.2.3:80", "example.org:80", "::1:80", "[::1]", "[::1]:", "[]:80", "[127.0.0.1]:80", "[::1:80",
		"::1]:80", " 1:80", "80 ", "0x50", "unix:", "http://127.0.0.1:80",
		"[0123456789012345678901234567890123456789012345678901234567890]:80"};
	char path[200] = "unix:";
	struct listener listener;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		if (listener_parse(wrong[i], &listener) == 0)
			fail_msg("'%s' is %s", wrong[i], listener_name(&listener, name));
	memset(path + 5, 'x', 107);
	assert_int_equal(listener_parse(path, &listener), 0);
	path[5 + 107] = 'x';
	assert_int_equal(listener_parse(path, &listener), -1);
}

static void any_text_is_an_address_or_refused(void **state)
{
	(void)state;
	static const char bytes[] = "0123456789:.[]afunix/ -\xff";
	uint64_t random = 34;
	for (int i = 0; i < 200000; i++) {
		char text[64];
		const size_t length = splitmix_below(&random, sizeof text);
		for (size_t j = 0; j < length; j++)
			text[j] = bytes[splitmix_below(&random, sizeof bytes - 1)];
		text[length] = '\0';
		struct listener listener;
		if (listener_parse(text, &listener) == 0)
			assert_true(listener.length > 0 && strlen(listener_name(&listener, name)) > 5);
	}
}

static void open_at(struct listener *listener, const char *text, int expected)
{
	assert_int_equal(listener_parse(text, listener), 0);
	if (listener_open(listener, error) != expected)
		fail_msg("%s: expected %d, %s", text, expected, expected == 0 ? error : "it listens");
}

static void port_0_becomes_a_free_one(void **state)
{
	(void)state;
	struct listener one, other;
	char text[LISTENER_NAME_MAX];
	open_at(&one, "0", 0);
	const unsigned long port = strtoul(strrchr(listener_name(&one, name), ':') + 1, NULL, 10);
	assert_true(port > 0 && port <= UINT16_MAX);
	snprintf(text, sizeof text, "%lu", port);
	open_at(&other, text, -1);
	assert_non_null(strstr(error, "127.0.0.1:"));
	assert_non_null(strstr(error, "in use"));
	listener_close(&other);
	listener_close(&one);
	open_at(&other, text, 0);
	listener_close(&other);
	listener_close(&other);
}

static bool is_there(const char *path)
{
	struct stat status;
	return lstat(path, &status) == 0;
}

static void a_dead_servers_socket_is_replaced(void **state)
{
	(void)state;
	struct listener one, other;
	open_at(&one, "unix:socket", 0);
	open_at(&other, "unix:socket", -1);
	assert_true(is_there("socket"));
	/* As if it had been killed. */
	close(one.fd);
	open_at(&other, "unix:socket", 0);
	listener_close(&other);
	assert_false(is_there("socket"));
}

static void what_is_something_else_stays(void **state)
{
	(void)state;
	struct listener listener;
	struct stat before, after;
	FILE *const file = fopen("file", "w");
	fclose(file);
	assert_int_equal(symlink("nowhere", "link"), 0);
	open_at(&listener, "unix:file", -1);
	open_at(&listener, "unix:link", -1);
	open_at(&listener, "unix:nowhere/socket", -1);
	open_at(&listener, "unix:.", -1);
	assert_true(is_there("file") && is_there("link"));
	/* One of datagrams that is in use, though nobody can connect to it. */
	const int datagrams = socket(AF_UNIX, SOCK_DGRAM, 0);
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "datagrams"};
	assert_int_equal(bind(datagrams, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(lstat("datagrams", &before), 0);
	open_at(&listener, "unix:datagrams", -1);
	assert_int_equal(lstat("datagrams", &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	close(datagrams);
	/* A live one that takes nobody more. */
	const int busy = socket(AF_UNIX, SOCK_STREAM, 0);
	strcpy(address.sun_path, "busy");
	assert_int_equal(bind(busy, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(listen(busy, 0), 0);
	const int client = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(connect(client, (struct sockaddr *)&address, sizeof address), 0);
	open_at(&listener, "unix:busy", -1);
	assert_true(is_there("busy"));
	close(client);
	close(busy);
}

/* Another user's, whoever listens there. */
static void a_socket_of_others_stays(void **state)
{
	(void)state;
	struct listener one, other;
	if (geteuid() != 0)
		skip();
	open_at(&one, "unix:theirs", 0);
	close(one.fd);
	assert_int_equal(chown("theirs", 1, 1), 0);
	open_at(&other, "unix:theirs", -1);
	assert_true(is_there("theirs"));
}

static void what_took_its_place_stays(void **state)
{
	(void)state;
	struct listener listener, other;
	open_at(&listener, "unix:gone", 0);
	assert_int_equal(unlink("gone"), 0);
	FILE *const file = fopen("gone", "w");
	fclose(file);
	listener_close(&listener);
	assert_true(is_there("gone"));
	open_at(&listener, "unix:again", 0);
	assert_int_equal(unlink("again"), 0);
	open_at(&other, "unix:again", 0);
	listener_close(&listener);
	assert_true(is_there("again"));
	listener_close(&other);
	assert_false(is_there("again"));
}

static int begin(void **state)
{
	(void)state;
	static char folder[] = "/tmp/test_listener.XXXXXX";
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	char folder[64];
	static const char *const left[] = {"file", "link", "datagrams", "busy", "theirs", "gone"};
	for (size_t i = 0; i < sizeof left / sizeof *left; i++)
		unlink(left[i]);
	return getcwd(folder, sizeof folder) && chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_read),
		cmocka_unit_test(others_are_refused),
		cmocka_unit_test(any_text_is_an_address_or_refused),
		cmocka_unit_test(port_0_becomes_a_free_one),
		cmocka_unit_test(a_dead_servers_socket_is_replaced),
		cmocka_unit_test(what_is_something_else_stays),
		cmocka_unit_test(a_socket_of_others_stays),
		cmocka_unit_test(what_took_its_place_stays),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
