# SPDX-License-Identifier: MIT
"""The subcommands that report columns of any CSV files. Each has a function: report_NAME."""
from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from pathlib import PurePath
from itertools import islice
from typing import Any

import pandas as pd

from .._csv import CsvFile
from .._errors import InputError, InputWarning
from .._schema import SCHEMAS
from .._units import NUMBER
from ..boxes import QUANTILES, boxes, boxes_schema, duration_unit, is_misleading, iteration_boxes, iteration_times
from ..heatmap import heatmap
from ..histogram import bins_of, histogram, histogram_schema
from ..models import model
from ..runs import File
from ..statistics import compare, means, means_schema
from .of_runs import read_runs
from .options import Settings
from .tables import Report


def _first_numbers(csv: CsvFile, count: int, without: str | None) -> list[str]:
    """The first columns that have a number in the first row."""
    line, fields = next(islice(csv.rows(), 1, None), (None, []))
    named = dict(reversed([*zip(csv.columns, fields)]))  # of several columns of one name the first
    found = [name for name in csv.columns if name not in (without, "") and NUMBER.match(named.pop(name, ""))][:count]
    if line is not None and len(found) < count:
        which = "second " if found else ""
        place = f"{csv.name}:{line}: found no {which}number in the columns {csv.shown_columns()}"
        raise InputError(f"{place}, expected one, or --column NAME")
    return found


def read_groups(
    files: Sequence[File],
    columns: Sequence[str],
    count: int = 1,
    *,
    by: str | None = None,
    label: str | None = None,
    rows_first: bool = False,
    whole: bool | None = False,
) -> tuple[pd.DataFrame, list[str]]:
    """The rows of all files.

    Args:
        columns: of numbers; if none is given, the first `count` of the first file that have a number in the first row.
        by: the column with the names of groups, that each file must have; `label`: one that a file may have. A file
            without it is a group called by its label, or else by its name. `rows_first`: that column counts for more
            than a file's label.
        whole: refuse a row without a number.

    Returns:
        A frame whose column "" has the names of groups, and the names of its other columns. A file without rows is a
        row of NaN where it makes a group, whatever is in it.
    """
    names, text, parts = list(columns), by or label, []
    for file in files:
        csv = CsvFile(file.path)
        names = names or _first_numbers(csv, count, text)
        as_in = "as --column says" if columns else "as in the first file"
        for name, why in [(by, "as --by says"), *((name, as_in) for name in names)]:
            if name is not None and name not in csv.columns:
                raise InputError(f"{csv.name}:1: found the columns {csv.shown_columns()}, expected {name} {why}")
        frame = csv.read(numbers=names)
        lacks = frame.isna().to_numpy().any(axis=1)
        if whole and lacks.any():
            what = "found no value, expected one in each row with --paired"
            raise csv.refused(int(lacks.argmax()), names[0], what)
        if text in csv.columns and (rows_first or file.label is None):
            frame.insert(0, "", csv.read(texts=[str(text)])[text])
        else:
            if frame.empty and (file.label is not None or text is None):
                frame = pd.DataFrame([[math.nan] * len(names)], columns=names)
            frame.insert(0, "", csv.name if file.label is None else file.label)
        parts.append(frame)
    names = names or ["x", "y"][:count]  # of files without a row
    return pd.concat(parts, ignore_index=True).reindex(columns=["", *names]), names


def report_boxes(settings: Settings) -> Report:
    shares = settings.quantiles or list(QUANTILES)
    more = settings.given("axis", "size_cm")
    if settings.column_names:
        frame, (column,) = read_groups(settings.files, settings.column_names, by=settings.by, label="label")
        table = boxes(frame, column, "", quantiles=shares)
        return Report(table, boxes_schema(shares), lambda plot: plot.boxes(frame, column, "", **more))
    runs, warmup = read_runs(settings), settings.given("with_warmup")
    frame, loads = iteration_times(runs, **warmup)
    table = iteration_boxes(runs, quantiles=shares, **warmup)
    unit = duration_unit(frame.groupby("label")["duration_s"].median().max())
    if settings.axis is None or "load" in settings.axis.lower():  # else the number is of something else
        for label, load in loads.items():
            if is_misleading(label, load):
                found = f"found a load of {100 * load:.1f} %, not that of the label"
                warnings.warn(f"warning: label {label}: {found}", InputWarning, stacklevel=2)

    def draw(plot: Any) -> Any:
        return plot.boxes(frame, "duration_s", "label", loads=loads, is_duration=True, **more)

    return Report(table, boxes_schema(shares, unit), draw)


def report_histogram(settings: Settings) -> Report:
    def labelled(file: File) -> File:
        name = "stdin" if file.path == "-" else PurePath(file.path).name
        return file if file.label is not None else file._replace(label=name.removesuffix(".csv") or name)

    names = settings.column_names
    frame, _ = read_groups(list(map(labelled, settings.files)), names)
    column, axis = names[0], settings.axis or names[0]
    if len(names) > 1:
        frame = frame.melt(value_vars=names, var_name="", value_name="values")
        column, axis = "values", settings.axis or ""
    table = histogram(frame, column, "", width=settings.width, bins=settings.bins)
    size = settings.given("size_cm")
    schema = histogram_schema(bins_of(table))
    return Report(table, schema, lambda plot: plot.histogram(table, axis=axis, **size))


def report_means(settings: Settings) -> Report:
    frame, names = read_groups(settings.files, settings.column_names, label="label", rows_first=True)
    given = settings.given("within", "shares", "precision")
    schema = means_schema(settings.has("within"), settings.has("precision"))
    return Report(means(frame, names[0], "", **given), schema)


def report_compare(settings: Settings) -> Report:
    frame, names = read_groups(settings.files, settings.column_names, by=settings.by, whole=settings.paired)
    if frame[""].nunique() < 2:
        raise InputError("found one group, expected two or more: files with -- between them, or --by NAME")
    given = settings.given("paired", "quantiles", "resamples", "seed")
    return Report(compare(frame, names[0], "", **given), SCHEMAS["compare"])


def report_model(settings: Settings) -> Report:
    frame, (x, y) = read_groups(settings.files, settings.column_names, 2, by=settings.by)
    return Report(model(frame, x, y, ""), SCHEMAS["model"])


def report_heatmap(settings: Settings) -> Report:
    csv = CsvFile(settings.files[0].path)
    try:
        cells = heatmap(csv.read(texts=csv.columns))
    except InputError as error:
        raise InputError(str(error) if str(error).startswith(csv.name) else f"{csv.name}: {error}") from None
    for name in settings.outliers:
        if name not in {*cells["row"], *cells["column"]}:
            raise InputError(f"--outlier: found no row or column called {name}")
    more = settings.given("value_range", "outliers", "size_cm") | {"corner": csv.columns[0]}
    return Report(cells, SCHEMAS["heatmap"], lambda plot: plot.heatmap(cells, **more))
