/* SPDX-License-Identifier: MIT */
#include "cpuload/row_writer.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"

#define LABEL_WIDTH 12
#define CELL_WIDTH 9 /* of a table, at least */
/* Longest text of a number: the largest double with its decimals. */
#define NUMBER_MAX 400

struct row_writer {
	int fd;
	enum row_format format;
	const struct row_column *column;
	size_t count;
	char *line;
	size_t used, size;
};

struct row_writer *row_writer_new(int fd, enum row_format format, const struct row_column *column, size_t count)
{
	struct row_writer *const writer = malloc(sizeof *writer);
	if (!writer)
		return NULL;
	const size_t size = 256 + count * (NUMBER_MAX + sizeof column->name + 8);
	*writer = (struct row_writer){
		.fd = fd, .format = format, .column = column, .count = count, .line = malloc(size), .size = size};
	if (writer->line)
		return writer;
	free(writer);
	return NULL;
}

void row_writer_free(struct row_writer *writer)
{
	if (!writer)
		return;
	free(writer->line);
	free(writer);
}

__attribute__((format(printf, 2, 3))) static void add(struct row_writer *writer, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	const int length = vsnprintf(writer->line + writer->used, writer->size - writer->used, format, arguments);
	va_end(arguments);
	if (length > 0)
		writer->used += (size_t)length;
	if (writer->used >= writer->size)
		writer->used = writer->size - 1;
}

/* Writes the line that was put together. */
static int flush(struct row_writer *writer)
{
	const int result = whole_line_write(writer->fd, writer->line, writer->used, NULL);
	writer->used = 0;
	return result;
}

static int cell_width(const struct row_column *column)
{
	const int length = (int)strlen(column->title);
	return length > CELL_WIDTH ? length : CELL_WIDTH;
}

int row_writer_line(struct row_writer *writer, const char *line)
{
	const size_t length = strlen(line);
	if (length + 2 > writer->size) {
		char *const larger = realloc(writer->line, length + 2);
		if (!larger)
			return -1;
		writer->line = larger;
		writer->size = length + 2;
	}
	add(writer, "%s\n", line);
	return flush(writer);
}

int row_writer_header(struct row_writer *writer, const char *heading)
{
	switch (writer->format) {
	case ROW_CSV:
		for (size_t i = 0; i < writer->count; i++)
			add(writer, "%s%s", i > 0 ? "," : "", writer->column[i].name);
		break;
	case ROW_JSONL:
		return 0;
	case ROW_TABLE:
		if (heading && row_writer_line(writer, heading) != 0)
			return -1;
		add(writer, "%-*s", LABEL_WIDTH, "time");
		for (size_t i = 0; i < writer->count; i++)
			if (writer->column[i].title[0])
				add(writer, " %*s", cell_width(&writer->column[i]), writer->column[i].title);
		break;
	}
	add(writer, "\n");
	return flush(writer);
}

static double scaled(const struct row_writer *writer, size_t i, double value)
{
	const double result = writer->format == ROW_TABLE ? value * writer->column[i].table_scale : value;
	return result == 0 ? 0 : result; /* no minus zero */
}

static void add_cell(struct row_writer *writer, size_t i, double value)
{
	const struct row_column *const column = &writer->column[i];
	const bool has_value = isfinite(value);
	value = scaled(writer, i, value);
	switch (writer->format) {
	case ROW_CSV:
		add(writer, "%s", i > 0 ? "," : "");
		if (has_value)
			add(writer, "%.*f", column->decimals, value);
		break;
	case ROW_JSONL:
		add(writer, "%s\"%s\":", i > 0 ? "," : "{", column->name);
		if (has_value)
			add(writer, "%.*f", column->decimals, value);
		else
			add(writer, "null");
		break;
	case ROW_TABLE:
		if (!column->title[0])
			break;
		if (has_value)
			add(writer, " %*.*f", cell_width(column), column->table_decimals, value);
		else
			add(writer, " %*s", cell_width(column), "n/a");
		break;
	}
}

int row_writer_row(struct row_writer *writer, const char *label, const double *value)
{
	if (writer->format == ROW_TABLE)
		add(writer, "%-*s", LABEL_WIDTH, label);
	for (size_t i = 0; i < writer->count; i++)
		add_cell(writer, i, value[i]);
	add(writer, writer->format == ROW_JSONL ? "}\n" : "\n");
	return flush(writer);
}
