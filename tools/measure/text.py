# SPDX-License-Identifier: MIT
"""Words, numbers and tables, as the programs here read and write them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from math import isfinite, isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

# What prints help or refuses has no need of pandas: it is imported where something is computed.
if TYPE_CHECKING:
    import pandas as pd

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
Row = dict[str, str]


class Trouble(Exception):
    """Ends a program with this message and status 125."""


def refuse(is_so: object, why: str) -> None:
    if is_so:
        raise Trouble(why)


def refuse_others(folder: Path, mark: str) -> None:
    """Refuses a folder for results that has files in it, but not the file `mark` that each of our own has."""
    has_files = any(not path.is_dir() for path in folder.rglob("*"))
    is_other = folder.exists() and not (folder.is_dir() and ((folder / mark).exists() or not has_files))
    refuse(is_other, f"{folder} is there and not empty, and none of ours (it has no {mark}): expected another --output")


def quoted(word: str) -> str:
    """As a word of the shell."""
    if word and re.fullmatch(r"[A-Za-z0-9_/.,:=+%@-]+", word):
        return word
    return "'" + word.replace("'", "'\\''") + "'"


def quoted_words(words: Iterable[str]) -> str:
    return " ".join(quoted(word) for word in words)


def words_of(text: str) -> list[str]:
    """Of a list with commas."""
    return [word for word in re.split(r"[,\s]+", text) if word]


def listed(words: Iterable[str]) -> str:
    return ", ".join(words)


def shortest(value: float) -> str:
    """A number as it is printed without a format: six digits at most."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else f"{value:.6g}"


def as_time(seconds: float) -> str:
    s = int(seconds)
    if s >= 3600:
        return f"{s // 3600} h {s % 3600 // 60:02d} min"
    return f"{s // 60} min {s % 60:02d} s" if s >= 60 else f"{s} s"


UNITS = {"n": 1e-9, "ns": 1e-9, "u": 1e-6, "us": 1e-6, "m": 1e-3, "ms": 1e-3, "s": 1.0, "": 1.0}
UNITS |= {"M": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}


def in_seconds(time: str) -> float:
    """Of a time such as 1M30s, as showstopper reads it."""
    return sum(float(number) * UNITS.get(unit, 1.0) for number, unit in re.findall(r"([0-9.]+)([A-Za-z]*)", time))


def number_from(option: str, value: str, least: int, most: int | None = None) -> int:
    if re.fullmatch(r"[0-9]{1,15}", value) and int(value) >= least and (most is None or int(value) <= most):
        return int(value)
    raise Trouble(f"{option}: '{value}' is no whole number from {least}{f' to {most}' if most is not None else ''}")


def seconds_from(option: str, value: str, least: int) -> int:
    """Whole ones, also as a time with units."""
    is_time = re.fullmatch(rf"([0-9]+(\.[0-9]*)?({'|'.join(filter(None, UNITS))}))+|[0-9]{{1,15}}", value)
    found = in_seconds(value) if is_time else -1
    expected = f"whole number from {least} of seconds, such as 90, 90s or 1M30s"
    refuse(found < least or found % 1, f"{option}: '{value}' is no {expected}")
    return int(found)


def is_positive(text: str, most: float = float("inf")) -> bool:
    return bool(re.fullmatch(r"[0-9]+(\.[0-9]+)?", text)) and 0 < float(text) <= most


def number(row: Mapping[Any, Any], column: str) -> float | None:
    """Of a row of texts, or of records(). None where the column isn't there, or empty, or where the end of an interval is infinite."""
    found = row.get(column)
    value = nan if found is None or found == "" else float(found)
    return value if isfinite(value) else None


def known(row: Mapping[Any, Any], column: str) -> float:
    value = number(row, column)
    if value is None:
        raise Trouble(f"there is no {column} where there must be one")
    return value


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """All values of each key."""
    found: dict[K, list[V]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def formatted(value: float | None, form: str, before: str = "") -> str:
    """A number in this form, with what stands before it; empty where it is not known."""
    return "" if value is None or isnan(value) else f"{before}{value:{form}}"


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Its rows by their columns, with None for what is not known."""
    found: list[dict[str, Any]] = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return found


def read_csv(path: Path) -> list[Row]:
    try:
        with path.open(newline="", encoding="utf-8") as file:
            return rows_of(file.read())
    except OSError as error:
        raise Trouble(f"{path}: {error.strerror}") from error


def kept_csv(path: Path) -> list[Row]:
    """None where there is no such file."""
    return read_csv(path) if path.exists() else []


def succeeded(records: Path) -> list[Row]:
    """Iterations that did not fail, none where there is no such file. Older records have no status."""
    return [row for row in kept_csv(records) if row.get("status", "0") == "0"]


def rows_of(text: str) -> list[Row]:
    return [
        {name: value or "" for name, value in row.items() if name}
        for row in csv.DictReader(io.StringIO(text, newline=""))
    ]


def lines_of(path: Path) -> list[str]:
    """None where there is no such file."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def first_line(path: Path) -> str:
    return next(iter(lines_of(path)), "")


def write(path: Path, text: str) -> None:
    """As a whole, or not at all."""
    new = path.with_name(path.name + ".new")
    try:
        new.write_text(text, encoding="utf-8")
        new.replace(path)
    except OSError as error:
        new.unlink(missing_ok=True)
        raise Trouble(f"can't write {path}: {error.strerror}") from error


def table_text(table: Iterable[Sequence[str]]) -> str:
    """CSV without quotes."""
    return "".join(",".join(row) + "\n" for row in table)


def markdown(table: Sequence[Sequence[str]], align: str = "") -> Iterator[str]:
    """The lines of a table whose first row is its head. `align`: l or r for each column; all but the first are numbers without it."""
    align = align or "l" + "r" * (len(table[0]) - 1)
    for number_of, row in enumerate(table):
        yield "|" + "".join(f" {cell} |" for cell in row)
        if number_of == 0:
            yield "|" + "".join(" --- |" if of == "l" else " ---: |" for of in align)
