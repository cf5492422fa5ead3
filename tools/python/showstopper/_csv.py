# SPDX-License-Identifier: MIT
"""Reading CSV (RFC 4180) with a header, and JSON Lines, whose first line says what the columns are.

pandas parses the file. Only when that fails a line is looked for that is to blame. A file whose writer was killed ends in half a line, which
is left out.
"""
from __future__ import annotations

import csv
import io
import json
import math
import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import IO, BinaryIO, Union

import numpy as np
import pandas as pd

from ._errors import InputError, InputWarning
from ._units import NUMBER

__all__ = ["NUMBER", "CsvFile", "PathOrFile", "is_regular", "name_of", "read_bytes"]

PathOrFile = Union[str, "os.PathLike[str]", IO[bytes], IO[str]]

_BLOCK = 1 << 20
_SHOWN = 40


def name_of(file: PathOrFile) -> str:
    """What messages call a file: its path as given; "standard input" for "-"."""
    if isinstance(file, (str, os.PathLike)):
        return "standard input" if file == "-" else os.fspath(file)
    return str(getattr(file, "name", "the file"))


def read_bytes(file: PathOrFile) -> bytes:
    """All of a file, of standard input ("-"), or what is left of an open one.

    Raises:
        InputError: it can't be read.
    """
    try:
        if file == "-":
            return sys.stdin.buffer.read()
        if isinstance(file, (str, os.PathLike)):
            with open(file, "rb") as opened:
                return opened.read()
        content = file.read()
        return content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
    except OSError as error:
        raise InputError(f"{name_of(file)}: {os.strerror(error.errno) if error.errno else error}") from error


def _is_whole(file: PathOrFile) -> bool:
    """Whether a path is of a file that ends with a whole line, and so needn't be in memory."""
    try:
        if not isinstance(file, (str, os.PathLike)) or file == "-" or not os.path.isfile(file):
            return False
        with open(file, "rb") as opened:
            opened.seek(-1, io.SEEK_END)
            return opened.read() == b"\n"
    except OSError:
        return False


def _shown(text: str, most: int = _SHOWN) -> str:
    """Text of a file for a message: printable, and not too much of it."""
    return re.sub("[^ -~]", "?", text[:most]) + ("..." if len(text) > most else "")


def is_regular(file: BinaryIO, columns: int, separator: str = ",") -> bool:
    """Whether each line of the rest of a file has so many fields, none of them quoted."""
    others = bytes(set(range(256)) - set(f'{separator}"\n'.encode()))
    marks = b"".join(block.translate(None, others) for block in iter(lambda: file.read(_BLOCK), b""))
    row = separator.encode() * (columns - 1) + b"\n"
    marks += b"" if marks.endswith(b"\n") else b"\n"
    return marks == row * (len(marks) // len(row))


class CsvFile:
    """A CSV or JSON Lines file.

    Attributes:
        name: for messages.
        columns: the names in the header.
        is_cut: whether it ended in half a line, which is left out.

    Raises:
        InputError: it can't be read, or has no header.
    """

    def __init__(self, file: PathOrFile) -> None:
        self.name = name_of(file)
        self._path = file if isinstance(file, (str, os.PathLike)) and _is_whole(file) else None
        content = b"" if self._path else read_bytes(file)
        self._content = content[: content.rfind(b"\n") + 1]
        self.is_cut = len(self._content) < len(content)
        with self._open() as opened:
            first = opened.readline()
        if not first:
            found = "header that is cut off" if self.is_cut else "empty file"
            raise InputError(f"{self.name}:1: found {found}, expected CSV with a header, or JSON Lines")
        self.is_json = first.startswith(b"{")
        if self.is_json:
            with self._open() as opened:
                self._path, self._content = None, self._converted(opened)
        self.columns = tuple(next(self.rows())[1])
        if re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", "".join(self.columns)):
            found = self.shown_columns()
            raise InputError(f"{self.name}:1: found '{found}', expected a line of text with the names of columns")

    def _open(self) -> BinaryIO:
        return open(self._path, "rb") if self._path else io.BytesIO(self._content)

    def _converted(self, lines: Iterable[bytes]) -> bytes:
        """Lines of JSON as those of CSV."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        columns: list[str] = []
        for number, line in enumerate(lines, 1):
            try:
                row = json.loads(line, parse_float=str, parse_int=str)
            except ValueError as error:
                expected = 'a line of JSON such as {"a":1,"b":null}'
                raise InputError(f"{self.name}:{number}: found no JSON ({error}), expected {expected}") from error
            if not columns:
                columns = list(row)
                writer.writerow(columns)
            if not isinstance(row, dict) or list(row) != columns:
                raise InputError(f"{self.name}:{number}: expected an object with the members of the first line")
            writer.writerow(row.values())
        return text.getvalue().encode("utf-8", "surrogateescape")

    def shown_columns(self) -> str:
        """The names, for messages."""
        return _shown(",".join(self.columns), 156)

    # ---- Rows

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """The number of the line and the fields of each row, of which the first one is the header."""
        line = 0 if self.is_json else 1
        with io.TextIOWrapper(self._open(), "utf-8-sig", "surrogateescape", newline="") as text:
            reader = csv.reader(text, strict=True)
            try:
                for fields in reader:
                    yield line, fields or [""]
                    line = reader.line_num + (0 if self.is_json else 1)
            except csv.Error as error:
                raise InputError(
                    f"{self.name}:{line}: found broken quotes ({error}), expected them as in RFC 4180"
                ) from None

    def read(
        self, numbers: Iterable[str] = (), texts: Iterable[str] = (), unknown: Mapping[str, Sequence[str]] | None = None
    ) -> pd.DataFrame:
        """The rows of some columns; those that the file lacks are left out.

        Args:
            numbers: become float64; an empty field is NaN.
            texts: become str.
            unknown: other texts that stand for NaN in a column of numbers.

        Warns:
            InputWarning: the file ended in half a line.

        Raises:
            InputError: a row has another number of fields than the header, or something else than a number where one is expected.
        """
        numbers = [name for name in dict.fromkeys(numbers) if name in self.columns]
        texts = [name for name in dict.fromkeys(texts) if name in self.columns and name not in numbers]
        if self.is_cut:
            warnings.warn(f"{self.name}: the last line is not whole and is left out", InputWarning, stacklevel=2)
        # Texts, since pandas takes numbers for places among the columns that are read.
        places = {str(self.columns.index(name)): name for name in (*numbers, *texts)}
        types = {place: np.float64 if name in numbers else object for place, name in places.items()}
        blank = {place: ["", *(unknown or {}).get(name, ())] for place, name in places.items() if name in numbers}
        try:
            if any(len(fields) != len(self.columns) for _, fields in self._irregular()):
                raise ValueError("found rows with another number of fields than the header")
            with self._open() as file:
                frame = pd.read_csv(
                    file,
                    header=0,
                    names=list(map(str, range(len(self.columns)))),
                    index_col=False,
                    usecols=list(places),
                    dtype=types,
                    na_values=blank,
                    keep_default_na=False,
                    skip_blank_lines=False,
                    encoding_errors="surrogateescape",
                )
            if any(np.isinf(frame[place].to_numpy()).any() for place in blank):
                raise ValueError("found an infinite number")
        except (ValueError, OverflowError) as error:
            self._refuse_fault(numbers, unknown or {})
            raise InputError(f"{self.name}: {error}") from None
        frame.columns = [places[place] for place in frame]
        return frame

    def _irregular(self) -> Iterable[tuple[int, list[str]]]:
        """No rows if all have as many fields as the header, else all."""
        with self._open() as file:
            return () if is_regular(file, len(self.columns)) else self.rows()

    # ---- What is wrong

    def _refuse_fault(self, numbers: Sequence[str], unknown: Mapping[str, Sequence[str]]) -> None:
        places = [(self.columns.index(name), name) for name in numbers]
        for line, fields in islice(self.rows(), 1, None):
            if len(fields) != len(self.columns):
                found = f"found {len(fields)} field{'' if len(fields) == 1 else 's'}"
                raise InputError(f"{self.name}:{line}: {found}, expected {len(self.columns)} as in the header")
            for text, name in ((fields[place], name) for place, name in places):
                is_number = NUMBER.match(text) and math.isfinite(float(text))
                if text and not is_number and text not in unknown.get(name, ()):
                    raise InputError(f"{self.name}:{line}: {_shown(name)}: found '{_shown(text)}', expected a number")

    def refused(self, row: int, column: str, message: str) -> InputError:
        """The error for a field of a row, from 0: "FILE:LINE: COLUMN: found X, expected Y", of which `message` are the last two."""
        line, _ = next(islice(self.rows(), row + 1, None))
        return InputError(f"{self.name}:{line}: {_shown(column)}: {message}")
