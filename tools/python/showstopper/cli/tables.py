# SPDX-License-Identifier: MIT
"""Tables of results: text and Markdown for people, CSV and JSON (an array with an object per row) for programs."""
from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._schema import Column, Schema

__all__ = ["FORMATS", "Report", "clean", "shown", "to_csv", "to_json", "to_markdown", "to_text"]

# Figures of fewer samples tell nothing.
_FEW = 20


class Report(NamedTuple):
    """A table, perhaps a picture, which `draw` makes by the module `plot`, and perhaps a sentence for people."""

    frame: pd.DataFrame
    schema: Schema
    draw: Callable[[Any], Any] | None = None
    note: str | None = None


def clean(text: str) -> str:
    """A text as UTF-8 without control characters, whatever bytes a label or the name of a file has."""
    return re.sub("[\ud800-\udfff]", "\ufffd", re.sub("[\x00-\x1f\x7f-\x9f]", "?", text))


def _numbers(column: pd.Series) -> list[float]:
    return list(column.to_numpy(np.float64, na_value=math.nan).tolist())


def _printed(number: float, column: Column, form: str, endless: str) -> str:
    """Without the sign of a zero. An interval may have no upper end; else what is not finite is no value."""
    if not math.isfinite(number):
        return endless if number == math.inf and "high" in column.name else ""
    text = form % number
    return text[1:] if text[0] == "-" and not text.strip("-0.") else text


# ---- For programs


def _cells(frame: pd.DataFrame, column: Column, all_digits: bool, endless: str) -> list[str | None]:
    """Texts, and numbers as texts; those that are not known are empty."""
    values = frame[column.name]
    if column.kind == "text":
        return [text if isinstance(text, str) else None for text in values.tolist()]
    form = "%.17g" if all_digits or column.decimals is None else f"%.{column.decimals}f"
    return [_printed(number, column, form, endless) for number in _numbers(values)]


def to_csv(frame: pd.DataFrame, schema: Schema, all_digits: bool = False) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(schema.names)
    writer.writerows(zip(*(_cells(frame, column, all_digits, "inf") for column in schema.columns)))
    return text.getvalue()


def to_json(frame: pd.DataFrame, schema: Schema, all_digits: bool = False) -> str:
    def quoted(text: str | None) -> str:
        return "null" if text is None else json.dumps(clean(text), ensure_ascii=False)

    columns = []
    for column in schema.columns:
        cells = _cells(frame, column, all_digits, '"inf"')
        values = map(quoted, cells) if column.kind == "text" else (cell or "null" for cell in cells)
        columns.append([f"{quoted(column.name)}:{value}" for value in values])
    return "[" + ",".join("\n{" + ",".join(row) + "}" for row in zip(*columns)) + "\n]\n"


# ---- For people


def _shown_number(number: float, samples: float, column: Column) -> str:
    if math.isnan(number):
        return column.lack or ""
    if samples < _FEW:
        return f"{samples:.0f} sample{'' if samples == 1 else 's'}"
    if 0 <= number < column.least:
        return f"<{column.least:g}"
    return _printed(number * column.scale, column, f"%.{column.title_decimals}f", "no end")


def _shown_column(frame: pd.DataFrame, column: Column) -> list[str]:
    if column.kind == "text":
        return [clean(text) if isinstance(text, str) else column.lack or "" for text in frame[column.name].tolist()]
    of, less = column.samples or (None, None)
    samples = frame[of] - (frame[less].fillna(0) if less else 0) if of in frame else pd.Series(math.nan, frame.index)
    return [_shown_number(*pair, column) for pair in zip(_numbers(frame[column.name]), _numbers(samples))]


def shown(frame: pd.DataFrame, schema: Schema) -> list[tuple[Column, list[str]]]:
    """The columns that people see, with their cells: those with a title, and with a value or something in its place."""
    return [
        (column, _shown_column(frame, column))
        for column in schema.columns
        if column.title is not None and len(frame) and (column.lack or frame[column.name].notna().any())
    ]


def to_text(frame: pd.DataFrame, schema: Schema, all_digits: bool = False) -> str:
    """Numbers are at the right of their columns, texts at the left."""
    aligned = []
    for column, cells in shown(frame, schema):
        cells = [column.title or "", *cells]
        width = max(map(len, cells))
        aligned.append([cell.ljust(width) if column.kind == "text" else cell.rjust(width) for cell in cells])
    return "".join("  ".join(row) + "\n" for row in zip(*aligned)) or "\n"


def to_markdown(frame: pd.DataFrame, schema: Schema, all_digits: bool = False) -> str:
    columns = shown(frame, schema)
    # What would end a cell, or begin a tag.
    escaped = [[re.sub(r"([\\|<>`*_\[\]])", r"\\\1", cell) for cell in [c.title or "", *cells]] for c, cells in columns]
    rows = ["".join(f"| {cell} " for cell in row) + "|\n" for row in zip(*escaped)] or ["|\n"]
    rule = "".join("| --- " if column.kind == "text" else "| ---: " for column, _ in columns) + "|\n"
    return rows[0] + rule + "".join(rows[1:])


FORMATS = {"text": to_text, "csv": to_csv, "markdown": to_markdown, "json": to_json}
