/* SPDX-License-Identifier: MIT */
/* By yajl, a block of the file at a time. */
#include "trace/import_json.h"

#include <errno.h>
#include <string.h>

#include <yajl/yajl_parse.h>

#define DEPTH_MAX ((size_t)32)
#define PATH_MAX_BYTES ((size_t)256)

struct level {
	size_t length; /* of the path to it */
	bool is_map;
};

struct json {
	struct import *import;
	const struct import_json_events *events;
	void *reader;
	yajl_handle parser;
	char path[PATH_MAX_BYTES];
	struct level level[DEPTH_MAX];
	size_t depth;
	const char *block; /* NULL: the file has ended */
	size_t length;     /* of the block */
	uint64_t lines;    /* before the block */
	size_t column;     /* bytes of the last of these before the block */
	size_t silent;     /* bytes since the last token */
};

/* Where in its file the parser is, for messages. */
static void find_place(void *context)
{
	struct json *const json = context;
	const size_t used = json->block ? yajl_get_bytes_consumed(json->parser) : 0;
	const char *at = json->block;
	const char *const end = json->block ? json->block + (used < json->length ? used : json->length) : NULL;
	uint64_t lines = json->lines;
	size_t column = json->column;
	for (const char *newline; at && (newline = memchr(at, '\n', (size_t)(end - at))); at = newline + 1) {
		lines++;
		column = 0;
	}
	json->import->text.line = lines + 1;
	json->import->text.column = column + (size_t)(end - at);
	if (json->import->text.column == 0)
		json->import->text.column = 1;
}

static int refuse(struct json *json, const char *what)
{
	find_place(json);
	return import_refuse(json->import, "line %llu, byte %zu: %s", (unsigned long long)json->import->text.line,
		json->import->text.column, what);
}

/* ---- The path --------------------------------------------------------------------------------------------------------- */

/* A path that is too long is one that no reader knows. */
static void name(struct json *json, size_t length, const char *text, size_t text_length)
{
	const bool has_room = length + text_length + 2 < PATH_MAX_BYTES;
	const bool is_member = length > 0 && *text != '[';
	if (!has_room) {
		text = "?";
		text_length = length + 2 < PATH_MAX_BYTES;
	}
	if (is_member && has_room)
		json->path[length++] = '.';
	memcpy(json->path + length, text, text_length);
	json->path[length + text_length] = '\0';
}

static void name_element(struct json *json)
{
	if (json->depth > 0 && !json->level[json->depth - 1].is_map)
		name(json, json->level[json->depth - 1].length, "[]", 2);
	else if (json->depth == 0)
		*json->path = '\0';
}

static int take(struct json *json, const char *text, size_t length)
{
	json->silent = 0;
	name_element(json);
	return json->events->value(json->reader, json->path, &(struct import_field){text, length}) == 0;
}

static int begin(struct json *json, bool is_map)
{
	json->silent = 0;
	if (json->depth == DEPTH_MAX)
		return refuse(json, "found more levels than 32") == 0;
	name_element(json);
	json->level[json->depth++] = (struct level){strlen(json->path), is_map};
	return 1;
}

static int end(struct json *json)
{
	json->silent = 0;
	json->path[json->level[--json->depth].length] = '\0';
	return json->events->end(json->reader, json->path) == 0;
}

/* ---- What yajl calls: 1 to go on, 0 to stop ----------------------------------------------------------------------------- */

static int on_null(void *context)
{
	return take(context, "null", 4);
}

static int on_boolean(void *context, int value)
{
	return value ? take(context, "true", 4) : take(context, "false", 5);
}

static int on_number(void *context, const char *text, size_t length)
{
	return take(context, text, length);
}

static int on_string(void *context, const unsigned char *text, size_t length)
{
	return take(context, (const char *)text, length);
}

static int on_start_map(void *context)
{
	return begin(context, true);
}

static int on_start_array(void *context)
{
	return begin(context, false);
}

static int on_end(void *context)
{
	return end(context);
}

static int on_key(void *context, const unsigned char *text, size_t length)
{
	struct json *const json = context;
	json->silent = 0;
	name(json, json->level[json->depth - 1].length, (const char *)text, length);
	return 1;
}

static const yajl_callbacks callbacks = {.yajl_null = on_null,
	.yajl_boolean = on_boolean,
	.yajl_number = on_number,
	.yajl_string = on_string,
	.yajl_start_map = on_start_map,
	.yajl_map_key = on_key,
	.yajl_end_map = on_end,
	.yajl_start_array = on_start_array,
	.yajl_end_array = on_end};

/* ---- The file --------------------------------------------------------------------------------------------------------- */

static int refuse_broken(struct json *json)
{
	char what[120];
	unsigned char *const said = yajl_get_error(json->parser, 0, NULL, 0);
	snprintf(what, sizeof what, "found broken JSON (%.*s)", said ? (int)strcspn((const char *)said, "\n") : 0,
		said ? (const char *)said : "");
	if (said)
		yajl_free_error(json->parser, said);
	return refuse(json, json->block ? what : "found the end of the file within JSON: it is cut off");
}

static int parse(struct json *json)
{
	const yajl_status status = json->block ? yajl_parse(json->parser, (const unsigned char *)json->block, json->length)
					       : yajl_complete_parse(json->parser);
	if (status == yajl_status_client_canceled)
		return -1;
	if (status != yajl_status_ok)
		return refuse_broken(json);
	for (size_t i = 0; json->block && i < json->length;) {
		const char *const newline = memchr(json->block + i, '\n', json->length - i);
		if (!newline) {
			json->column += json->length - i;
			break;
		}
		json->lines++;
		json->column = 0;
		i = (size_t)(newline - json->block) + 1;
	}
	return 0;
}

int import_json_read(struct import *import, const struct import_json_events *events, void *reader)
{
	struct json json = {.import = import, .events = events, .reader = reader};
	ssize_t got = 0;
	int result = 0;
	json.parser = yajl_alloc(&callbacks, NULL, &json);
	if (!json.parser)
		return import_refuse(import, "%s", strerror(ENOMEM));
	yajl_config(json.parser, yajl_allow_multiple_values, 1);
	import->text.place = find_place;
	import->text.placer = &json;
	while (result == 0 && (got = import_next_block(import, &json.block)) > 0) {
		json.length = (size_t)got;
		json.silent += json.length;
		result = parse(&json);
		if (result == 0 && json.silent > IMPORT_LINE_MAX + json.length)
			result = refuse(&json, "found a text that is too long");
	}
	json.block = NULL;
	if (result == 0)
		result = got < 0 ? -1 : parse(&json);
	import->text.place = NULL;
	yajl_free(json.parser);
	return result;
}
