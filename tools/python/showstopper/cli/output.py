# SPDX-License-Identifier: MIT
"""Writing tables and pictures, to files that are neither read nor written twice."""
from __future__ import annotations

import contextlib
import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from .._errors import InputError, InputWarning
from .options import Settings, picture_format

if TYPE_CHECKING:  # it imports pandas
    from .tables import Report

__all__ = ["ENDINGS", "check_files", "table_format", "whole", "write"]

ENDINGS = {"": "text", ".txt": "text", ".csv": "csv", ".md": "markdown", ".json": "json"}
_FOR_PEOPLE = ("text", "markdown")


def table_format(path: str) -> str | None:
    """That of the ending of a file's name, or None."""
    return ENDINGS.get(os.path.splitext(path)[1].lower())


def _identity(path: str) -> object:
    """By what a file is known, whatever its name. None: it doesn't matter how often it is used."""
    if path == "-":
        return path
    if not os.path.exists(path):
        return os.path.realpath(path)
    return (os.stat(path).st_dev, os.stat(path).st_ino) if os.path.isfile(path) else None


def check_files(inputs: Iterable[str], outputs: Iterable[str]) -> None:
    """Refuses an output that is an input, or another output, or in no folder."""
    read = {_identity(path) for path in inputs} - {None, "-"}
    written: dict[object, str] = {}
    for path in outputs:
        if not os.path.isdir(os.path.dirname(path) or "."):
            raise InputError(f"can't write {path}: No such file or directory")
        identity = _identity(path)
        if identity in read:
            raise InputError(f"--output: {path} is one of the files to read: expected another file")
        if identity in written:
            raise InputError(
                f"--output: {path} would be written twice, also as {written[identity]}: expected two files"
            )
        if identity is not None:
            written[identity] = path


@contextlib.contextmanager
def whole(path: str) -> Iterator[None]:
    """Around the writing of a file: half a file is worse than none, and is emptied.

    Raises:
        InputError: it can't be written.
    """
    try:
        yield
    except (OSError, MemoryError) as error:
        is_open = getattr(error, "filename", None) is None
        if is_open and path != "-" and os.path.isfile(path):
            os.truncate(path, 0)
        if isinstance(error, MemoryError):
            raise
        name = "standard output" if path == "-" else path
        raise InputError(f"can't write {name}: {os.strerror(error.errno or 0)}") from None


def _write_table(report: Report, form: str, path: str, all_digits: bool) -> None:
    from .tables import FORMATS

    text = FORMATS[form](report.frame, report.schema, all_digits)
    if report.note and form in _FOR_PEOPLE:
        text += f"\n{report.note}\n"
    if path == "-":
        sys.stdout.write(text)
    else:
        with open(path, "wb") as file:
            file.write(text.encode("utf-8", "surrogateescape"))


def _write_picture(report: Report, path: str, command: str) -> None:
    from .. import plot
    from .command_line import version
    from .tables import clean

    assert report.draw
    command = re.sub(r"(?<=[ ='])/[^ ']*/", "", clean(command))  # the same on each machine
    plot.save(report.draw(plot), path, version=version(), command=command)


def write(report: Report, settings: Settings) -> None:
    """Writes the table or picture to each output. A sentence that stands below no table for people is said."""
    outputs = settings.outputs or ["-"]
    forms = ["" if picture_format(path) else settings.format or table_format(path) or "text" for path in outputs]
    if report.note and not set(_FOR_PEOPLE) & set(forms):
        warnings.warn(report.note, InputWarning, stacklevel=2)
    for path, form in zip(outputs, forms):
        with whole(path):
            if form:
                _write_table(report, form, path, bool(settings.all_digits))
            else:
                _write_picture(report, path, settings.command)
