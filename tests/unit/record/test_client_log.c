/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"
#include "record/client_log.h"

#define MS NS_PER_MS

static char error[CSV_ERROR_MAX];
static struct csv *csv;
static struct client_log *client;
static struct request_record record;
static const struct client_columns none;

static bool open_with(const char *text, const struct client_columns *columns)
{
	csv = csv_open_text_unread(text, strlen(text), "f", error);
	assert_non_null(csv);
	client = client_log_new(csv, "f", columns, error);
	return client != NULL;
}

static void open_text(const char *text, const char *program)
{
	if (!open_with(text, &none))
		print_message("%s\n", error);
	assert_non_null(client);
	if (program)
		assert_string_equal(client_log_program(client), program);
}

static void close_text(void)
{
	client_log_free(client);
	csv_close(csv);
}

static void expect_record(int64_t begin_ns, int64_t end_ns, enum request_fate fate, long status)
{
	const int line = client_log_next(client, &record);
	if (line != REQUEST_LINE_RECORD)
		print_message("%s\n", client_log_error(client));
	assert_int_equal(line, REQUEST_LINE_RECORD);
	assert_int_equal(record.planned_ns, begin_ns);
	assert_int_equal(record.end_ns, end_ns);
	assert_int_equal(record.fate, fate);
	assert_int_equal(record.status, status);
}

/* The end, behind so many wrong lines, of which the first has this message. */
static void expect_end(size_t wrong, const char *message)
{
	const char *first;
	assert_int_equal(client_log_next(client, &record), REQUEST_LINE_END);
	assert_int_equal(client_log_wrong(client, &first), wrong);
	if (message)
		assert_string_equal(first, message);
	else
		assert_null(first);
	close_text();
}

static void our_own_records_are_read(void **state)
{
	(void)state;
	open_text(REQUEST_LOG_HEADER "\n,0,,,,,http://a/,,\n0,0,1,1.5,2,3,200,,1700000003\n", NULL);
	assert_null(client_log_program(client));
	expect_record(NS_PER_S, 3 * NS_PER_S, REQUEST_ANSWERED, 200);
	double wall;
	assert_int_equal(client_log_wall(client, &record, &wall), 0);
	assert_true(wall == 1700000003);
	assert_null(client_log_lacks_schedule(client));
	expect_end(0, NULL);
	/* A wrong one is not passed over. */
	open_text(REQUEST_LOG_HEADER "\n0,0,1,1,1,x,200,,\n", NULL);
	assert_int_equal(client_log_next(client, &record), -1);
	assert_string_equal(client_log_error(client), "f:2:11: end_s: found 'x', expected a number");
	close_text();
	open_text("{\"request\":null,\"url\":0,\"planned_s\":null,\"arrival_s\":null,\"sent_s\":null,\"end_s\":null,\"status\":"
		  "\"x \\\"y\\\"\","
		  "\"bytes\":null,\"time_unix_s\":null}\n{\"request\":7,\"url\":0,\"planned_s\":1.000000001,\"arrival_s\":2,"
		  "\"sent_s\":3,"
		  "\"end_s\":4,\"status\":1,\"bytes\":null,\"time_unix_s\":5}\n",
		NULL);
	expect_record(1000000001, 4 * NS_PER_S, REQUEST_ANSWERED, 1);
	/* Of a command. */
	assert_true(client_log_is_error(client, &record));
	expect_end(0, NULL);
}

static void pgbench_is_read(void **state)
{
	(void)state;
	const int64_t end_ns = INT64_C(1795391973) * NS_PER_S;
	open_text("0 1 381 0 1795391973 548357\nhalf of a li\n0 2 failed 0 1795391973 548432\n1 1 x 0 1795391973 1\n0 3 9 0 "
		  "1795391973 7\n",
		"the log of pgbench -l");
	expect_record(end_ns + 548357000 - 381000, end_ns + 548357000, REQUEST_EXPECTED, 0);
	assert_non_null(client_log_lacks_schedule(client));
	assert_true(client_log_has_wall(client));
	expect_record(end_ns + 548432000, end_ns + 548432000, REQUEST_FAILED, 0);
	expect_record(end_ns - 2000, end_ns + 7000, REQUEST_EXPECTED, 0);
	expect_end(2, "f:2:1: found 'half of a li', expected numbers such as 0 1 2345 0 1767225600 123456");
	/* By --rate: the time runs from the schedule, which it lags behind. */
	open_text("1 1 3563 0 1795391975 602072 3205\n0 2 skipped 0 1795391978 642052 0\n", "the log of pgbench -l");
	expect_record(end_ns + 2 * NS_PER_S + 602072000 - 3563000, end_ns + 2 * NS_PER_S + 602072000, REQUEST_EXPECTED, 0);
	assert_int_equal(record.sent_ns - record.planned_ns, 3205000);
	assert_null(client_log_lacks_schedule(client));
	expect_record(end_ns + 5 * NS_PER_S + 642052000, end_ns + 5 * NS_PER_S + 642052000, REQUEST_DROPPED, 0);
	assert_int_equal(record.sent_ns, REQUEST_LOG_NEVER);
	expect_end(0, NULL);
	/* Retries are no lag. */
	open_text("0 1 2076 0 1795391979 709959 0\n0 2 37 0 1795391979 710017 2\n", "the log of pgbench -l");
	expect_record(end_ns + 6 * NS_PER_S + 709959000 - 2076000, end_ns + 6 * NS_PER_S + 709959000, REQUEST_EXPECTED, 0);
	assert_non_null(client_log_lacks_schedule(client));
	close_text();
	/* Lines may end as those of other systems do. */
	open_text("0 1 2076 0 1795391979 709959\r\n0 2 37 0 1795391979 710017\r\n", "the log of pgbench -l");
	expect_record(end_ns + 6 * NS_PER_S + 709959000 - 2076000, end_ns + 6 * NS_PER_S + 709959000, REQUEST_EXPECTED, 0);
	expect_record(end_ns + 6 * NS_PER_S + 710017000 - 37000, end_ns + 6 * NS_PER_S + 710017000, REQUEST_EXPECTED, 0);
	expect_end(0, NULL);
	/* That of --aggregate-interval has no transactions. */
	assert_false(open_with("1345828501 5601 1542744 483552416 61 2573\n", &none));
	close_text();
}

static void hey_is_read(void **state)
{
	(void)state;
	open_text("response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset\n"
		  "0.0014,0.0001,0.0000,0.0001,0.0012,0.0001,200,0.0621\n0.0010,0,0,0,0\n0.5,0,0,0,0,0,503,1\n,0,0,0,0,0,200,2\n",
		"the CSV of hey");
	expect_record(62100000, 63500000, REQUEST_ANSWERED, 200);
	assert_true(client_log_lacks_day(client));
	assert_false(client_log_has_wall(client));
	expect_record(NS_PER_S, NS_PER_S + 500 * MS, REQUEST_ANSWERED, 503);
	assert_true(client_log_is_error(client, &record));
	expect_end(2, "f:3: found 5 fields, expected 8 as in the header");
}

static void jmeter_is_read(void **state)
{
	(void)state;
	const int64_t base_ns = INT64_C(1509841690552) * MS;
	open_text(
		"timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,Latency\n"
		"1509841690552,354,\"log, in\",200,OK,login 1-1,text,true,,2781,354\n"
		"1509841690553,10,a,200,OK,t 1-1,text,false,\"Test failed: text\nexpected \"\"b\"\"\",1,9\n"
		"1509841690554,20,a,Non HTTP response code: java.net.SocketTimeoutException,m,t,text,false,,1,9\n"
		"1509841690555,20,a,Non HTTP response code: org.apache.http.conn.HttpHostConnectException,m,t,text,false,,1,9\n"
		"2017/11/05 00:28:10,20,a,200,m,t,text,true,,1,9\n"
		"1509841690556,0,a,,m,t,text,true,,1,9\n",
		"the JTL of JMeter");
	expect_record(base_ns, base_ns + 354 * MS, REQUEST_EXPECTED, 0);
	expect_record(base_ns + MS, base_ns + 11 * MS, REQUEST_UNEXPECTED, 0);
	expect_record(base_ns + 2 * MS, base_ns + 22 * MS, REQUEST_TIMEOUT, 0);
	expect_record(base_ns + 3 * MS, base_ns + 23 * MS, REQUEST_REFUSED, 0);
	expect_record(base_ns + 4 * MS, base_ns + 4 * MS, REQUEST_EXPECTED, 0);
	expect_end(1, "f:7:1: timeStamp: found '2017/11/05 00:28:10', expected a number");
	/* Without a word on success the status is what there is. */
	open_text("timeStamp,elapsed,responseCode\n1509841690552,1,404\n", "the JTL of JMeter");
	expect_record(base_ns, base_ns + MS, REQUEST_ANSWERED, 404);
	close_text();
}

static void vegeta_is_read(void **state)
{
	(void)state;
	const int64_t begin_ns = INT64_C(1600000000123456789);
	open_text("1600000000123456789,200,2345678,0,612,,aGVs,big,0,GET,http://a/,\n"
		  "1600000000123456790,0,30000000000,0,0,\"Get \"\"http://a/\"\": context deadline exceeded "
		  "(Client.Timeout)\",,big,1,GET,,\n"
		  "1600000000123456791,0,1,0,0,dial tcp: connect: connection refused,,big,2\n"
		  "1600000000123456792,0,1,0,0,EOF,,big,3\n\n1600000000123,200,1,0,0,,\n1600000000123456793,500,1,0,0,500 "
		  "Internal,\n",
		"the CSV of vegeta");
	expect_record(begin_ns, begin_ns + 2345678, REQUEST_ANSWERED, 200);
	assert_int_equal(record.bytes, 612);
	expect_record(begin_ns + 1, begin_ns + 1 + 30 * NS_PER_S, REQUEST_TIMEOUT, 0);
	expect_record(begin_ns + 2, begin_ns + 3, REQUEST_REFUSED, 0);
	expect_record(begin_ns + 3, begin_ns + 4, REQUEST_FAILED, 0);
	expect_record(begin_ns + 4, begin_ns + 5, REQUEST_ANSWERED, 500);
	expect_end(
		1, "f:6:1: found '1600000000123,200,1,0,0,,', expected numbers such as 1767225600123456789,200,2345678,0,612,");
}

static void k6_is_read(void **state)
{
	(void)state;
	const int64_t end_ns = INT64_C(1595325560) * NS_PER_S;
	open_text("metric_name,timestamp,metric_value,check,error,error_code,expected_response,group,method,name,proto,scenario,"
		  "status\n"
		  "http_reqs,1595325560,1.000000,,,,true,,GET,http://a,HTTP/1.1,default,200\n"
		  "http_req_duration,1595325560,221.899000,,,,true,,GET,http://a,HTTP/1.1,default,200\n"
		  "http_req_blocked,1595325560,x,,,,true,,GET,http://a,HTTP/1.1,default,200\n"
		  "http_req_duration,1595325560001,60000,,timeout,1050,false,,GET,http://a,HTTP/1.1,default,0\n"
		  "http_req_duration,1595325560000002000,1,,,,false,,GET,http://a,HTTP/1.1,default,404\n"
		  "http_req_duration,2020-07-21T09:59:20.5Z,1,,,1212,false,,GET,http://a,HTTP/1.1,default,\n"
		  "http_req_duration,today,1,,,,true,,GET,http://a,HTTP/1.1,default,200\n",
		"the CSV of k6");
	expect_record(end_ns - 221899000, end_ns, REQUEST_EXPECTED, 200);
	assert_true(client_log_is_coarse(client));
	expect_record(end_ns + MS - 60 * NS_PER_S, end_ns + MS, REQUEST_TIMEOUT, 0);
	expect_record(end_ns + 2000 - MS, end_ns + 2000, REQUEST_UNEXPECTED, 404);
	expect_record(end_ns + 499 * MS, end_ns + 500 * MS, REQUEST_FAILED, 0);
	expect_end(1, "f:8:19: timestamp: found 'today', expected a time since 1970, or one such as 2026-01-01T12:00:00.5Z");
	/* Other metrics alone are no requests. */
	open_text("metric_name,timestamp,metric_value,status\nvus,1595325560,1,\n", "the CSV of k6");
	expect_end(0, NULL);
}

static void nginx_is_read(void **state)
{
	(void)state;
	const int64_t end_ns = INT64_C(1795391971) * NS_PER_S;
	open_text("est of a line\" 200 6 \"-\" \"-\" 0.001\n"
		  "::1 - - [22/Nov/2026:23:59:31 +0000] \"GET /a\\x22[b] HTTP/1.1\" 200 6 \"-\" \"curl/7.88 (x, 1.250)\" 0.003\n"
		  "1.2.3.4 - j doe [23/Nov/2026:01:29:31 +0130] \"\" 400 0 \"-\" \"-\" rt=0.000 urt=\"-\"\n"
		  "1.2.3.4 - - [22/Nov/2026:22:59:31 -0100] \"GET / HTTP/2.0\" 499 - \"-\" \"a \\\" b\" urt=\"9.000\" "
		  "request_time=\"1.500\" "
		  "msec=1795391971.250\n"
		  "1.2.3.4 - - [22/Nov/2026:22:59:31 +0000] \"GET / HTTP/1.1\" 200 6 \"-\" \"-\"\n"
		  "1.2.3.4 - - [32/Nov/2026:22:59:31 +0000] \"GET / HTTP/1.1\" 200 6 \"-\" \"-\" 0.001\n"
		  "1.2.3.4 - - [31/Nov/2026:22:59:31 +0000] \"GET / HTTP/1.1\" 200 6 \"-\" \"-\" 0.001\n",
		"the access log of nginx");
	expect_record(end_ns - 3 * MS, end_ns, REQUEST_ANSWERED, 200);
	assert_true(client_log_is_coarse(client));
	expect_record(end_ns, end_ns, REQUEST_ANSWERED, 400);
	expect_record(end_ns + 250 * MS - 1500 * MS, end_ns + 250 * MS, REQUEST_ANSWERED, 499);
	expect_end(4,
		"f:1:1: found 'est of a line\" 200 6 \"-\" \"-\" 0.001', expected a line such as … [22/Nov/2026:12:00:00 +0000] "
		"\"GET /\" 200 6 …");
	/* A client may call itself what it likes, and its user be anybody. */
	open_text("::1 - [x [22/Nov/2026:23:59:31 +0000] \"GET / HTTP/1.1\" 200 6 \"-\" \"Foo/1 0.500 rt=0.700 1795391971.250 "
		  "x\" 0.003\r\n"
		  "::1 - - [22/Nov/2026:23:59:31 +0000] \"GET / HTTP/1.1\" 200 6 \"-\" \"0.500\" \"0.004\"\n"
		  "::1 - - [22/Nov/2026:23:59:31 +0000] \"GET / HTTP/1.1\" 200 6 \"0.005\" \"0.004\"\n"
		  "::1 - - [22/Nov/2026:23:59:31 +0000] \"GET / HTTP/1.1\" 200 6 \"0.500\" \"a 0.500\"\n"
		  "::1 - - [22/Nov/2026:23:59:31 +0000] \"GET / HTTP/1.1\" 200 6 \"-\" \"0.500 \\",
		"the access log of nginx");
	expect_record(end_ns - 3 * MS, end_ns, REQUEST_ANSWERED, 200);
	expect_record(end_ns - 4 * MS, end_ns, REQUEST_ANSWERED, 200);
	expect_record(end_ns - 5 * MS, end_ns, REQUEST_ANSWERED, 200);
	expect_end(1, "f:4:1: found no time that the request took, expected $request_time in nginx's log_format, such as 0.003");
	/* That of everybody else: what is lacking is said. */
	open_text("::1 - - [22/Nov/2026:23:59:31 +0000] \"GET / HTTP/1.1\" 200 6 \"-\" \"-\"\n", "the access log of nginx");
	assert_int_equal(client_log_next(client, &record), -1);
	assert_string_equal(client_log_error(client),
		"f:1:1: found no time that the request took, expected $request_time in nginx's log_format, such as 0.003");
	close_text();
}

static void haproxy_is_read(void **state)
{
	(void)state;
	const int64_t begin_ns = INT64_C(1795391971) * NS_PER_S;
	setenv("TZ", "UTC0", 1);
	open_text("Nov 22 23:59:31 host haproxy[14389]: Proxy fe started.\n"
		  "Nov 22 23:59:31 host haproxy[14389]: 10.0.1.2:33317 [22/Nov/2026:23:59:31.655] fe~ be/s1 10/0/30/69/109 200 "
		  "2750 - - ---- "
		  "1/1/1/1/0 0/0 {1wt.eu} {} \"GET /[x] HTTP/1.1\"\n"
		  "::1:1 [22/Nov/2026:23:59:31.656] fe be/s1 0/0/0/-1/5001 -1 0 - - sH-- 1/1/0/0/0 0/0 \"GET / HTTP/1.1\"\n"
		  "::1:1 [22/Nov/2026:23:59:31.657] fe be/<NOSRV> 0/-1/-1/-1/+7 503 0 - - SC-- 1/1/0/0/0 0/0 \"GET / HTTP/1.1\"\n"
		  "::1:1 [22/Nov/2026:23:59:31.658] fe be/s1 0/0/12 212 -- 0/0/0/0/0 0/0\n",
		"the log of HAProxy");
	expect_record(begin_ns + 655 * MS, begin_ns + 764 * MS, REQUEST_ANSWERED, 200);
	expect_record(begin_ns + 656 * MS, begin_ns + 656 * MS + 5001 * MS, REQUEST_TIMEOUT, 0);
	expect_record(begin_ns + 657 * MS, begin_ns + 664 * MS, REQUEST_ANSWERED, 503);
	expect_end(2, "f:1:1: found 'Nov 22 23:59:31 host haproxy[14389]: Pro', expected a request such as … "
		      "[22/Nov/2026:12:00:00.123] front back/server 0/0/1/2/3 200 …");
	/* Its time is the machine's own, and has no zone. */
	open_text("::1:1 [22/Nov/2026:23:59:31.656] fe be/s1 0/0/12/1/13 200 0 - - ---- 1/1/0/0/0 0/0 \"GET / HTTP/1.1\"\n"
		  "::1:1 [22/Nov/2026:23:59:31.657 +0100] fe be/s1 0/0/12/1/13 200 0 - - ---- 1/1/0/0/0 0/0 \"GET / HTTP/1.1\"\n"
		  "::1:1 [22/Nov/2026:23:59:31] fe be/s1 0/0/12/1/13 200 0 - - ---- 1/1/0/0/0 0/0 \"GET / HTTP/1.1\"\n",
		"the log of HAProxy");
	expect_record(begin_ns + 656 * MS, begin_ns + 669 * MS, REQUEST_ANSWERED, 200);
	assert_int_equal(client_log_next(client, &record), REQUEST_LINE_END);
	const char *strange;
	assert_int_equal(client_log_wrong(client, &strange), 2);
	close_text();
	/* What it says when it starts comes before. */
	char *text = NULL;
	size_t length;
	FILE *const to = open_memstream(&text, &length);
	assert_non_null(to);
	for (int i = 0; i < 100; i++)
		fprintf(to, "[NOTICE] (%d) : New worker forked\n", i);
	fputs("::1:1 [22/Nov/2026:23:59:31.656] fe be/s1 0/0/0/1/5 200 0 - - ---- 1/1/0/0/0 0/0 \"GET / HTTP/1.1\"\n", to);
	assert_int_equal(fclose(to), 0);
	open_text(text, "the log of HAProxy");
	expect_record(begin_ns + 656 * MS, begin_ns + 661 * MS, REQUEST_ANSWERED, 200);
	close_text();
	free(text);
}

static void any_csv_is_read(void **state)
{
	(void)state;
	static const char text[] =
		"begin,end_ms,took_us,day\n1,2500,300,2026-11-22T23:59:31.5+00:00\n2,1000,,\n3,3000,1,2026-11-22T23:59:31Z\n";
	const struct client_columns both = {.start = "begin", .end = "end_ms", .unit = 1};
	assert_true(open_with(text, &both));
	expect_record(NS_PER_S, 2500 * MS, REQUEST_EXPECTED, 0);
	assert_true(client_log_lacks_status(client));
	assert_false(client_log_has_wall(client));
	expect_record(3 * NS_PER_S, 3 * NS_PER_S, REQUEST_EXPECTED, 0);
	expect_end(1, "f:3:1: found a request that ends before it begins, or decades later");
	const struct client_columns back = {.end = "day", .time = "took_us"};
	assert_true(open_with(text, &back));
	expect_record(INT64_C(1795391971) * NS_PER_S + 500 * MS - 300000, INT64_C(1795391971) * NS_PER_S + 500 * MS,
		REQUEST_EXPECTED, 0);
	assert_true(client_log_has_wall(client));
	assert_int_equal(client_log_next(client, &record), REQUEST_LINE_RECORD);
	expect_end(1, "f:3:9: day: found nothing, expected a time");
	const struct client_columns alone = {.time = "took_us"};
	assert_true(open_with(text, &alone));
	expect_record(0, 300000, REQUEST_EXPECTED, 0);
	expect_record(NS_PER_S, NS_PER_S + 1000, REQUEST_EXPECTED, 0);
	assert_true(client_log_lacks_moments(client));
	expect_end(1, "f:3:8: took_us: found nothing, expected a number");
	const struct client_columns unknown = {.time = "begin"};
	assert_true(open_with(text, &unknown));
	assert_int_equal(client_log_next(client, &record), -1);
	assert_string_equal(client_log_error(client),
		"f:2:1: begin: found no unit at the end of this name, such as _ms, expected --unit s, ms, us or ns");
	close_text();
	const struct client_columns lost = {.time = "took"};
	assert_false(open_with(text, &lost));
	assert_string_equal(error, "f:1: found no column 'took' among begin,end_ms,took_us,day");
	close_text();
}

static void what_is_nothing_is_refused(void **state)
{
	(void)state;
	assert_false(open_with("a,b\n1,2\n", &none));
	assert_string_equal(error,
		"f:1: found the columns a,b, expected those of requests (ssrequest -o), the log of pgbench, hey, JMeter, "
		"vegeta, k6, nginx or HAProxy, or --start and --end or --time");
	close_text();
	assert_false(open_with("", &none));
	assert_string_equal(error, "f: found an empty file, expected CSV with a header");
	close_text();
	/* A quote without its end takes the rest of the file: it can't be passed over. */
	open_text("timeStamp,elapsed,responseCode\n1509841690552,1,404\n1,\"2,3\n4,5,6\n", "the JTL of JMeter");
	assert_int_equal(client_log_next(client, &record), REQUEST_LINE_RECORD);
	assert_int_equal(client_log_next(client, &record), -1);
	assert_string_equal(client_log_error(client), "f:3: found a quoted field without its end");
	close_text();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(our_own_records_are_read),
		cmocka_unit_test(pgbench_is_read),
		cmocka_unit_test(hey_is_read),
		cmocka_unit_test(jmeter_is_read),
		cmocka_unit_test(vegeta_is_read),
		cmocka_unit_test(k6_is_read),
		cmocka_unit_test(nginx_is_read),
		cmocka_unit_test(haproxy_is_read),
		cmocka_unit_test(any_csv_is_read),
		cmocka_unit_test(what_is_nothing_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
