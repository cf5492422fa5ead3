# SPDX-License-Identifier: MIT
"""What shells complete: they ask `ssreport --complete WORD...`, as all our programs (src/base/complete.h)."""
from __future__ import annotations

from collections.abc import Iterator, Sequence

from .options import OPTIONS, SUBCOMMANDS, Option

__all__ = ["answers", "of_options"]

_FILES = ("output", "power", "log")


def _value(options: Sequence[Option], before: str, last: str) -> tuple[Option, str] | None:
    """The option whose value is completed, with what stands before the value in the last word."""
    for option in options:
        if option.argument is None:
            continue
        names = (f"-{option.letter}" if option.letter else None, f"--{option.name}")
        if before in names:
            return option, ""
        if last.startswith(f"--{option.name}="):
            return option, f"--{option.name}="
        if names[0] and last.startswith(names[0]) and last != names[0]:
            return option, names[0]
    return None


def answers(words: Sequence[str]) -> Iterator[str]:
    """A line for each candidate for the last of these words, which stand behind the program's name up to the cursor."""
    *before, last = words
    name = before[0] if before else ""
    if name not in SUBCOMMANDS:
        if last.startswith("-"):
            yield from ("-h\tprint this", "--help\tprint this", "-V\tprint the version", "--version\tprint the version")
        yield from (f"{row.name}\t{row.summary}" for row in SUBCOMMANDS.values())
        return
    yield from of_options([option for option in OPTIONS if name in option.uses], words)


def of_options(options: Sequence[Option], words: Sequence[str]) -> Iterator[str]:
    """The same for the last of the words of a program, or a subcommand, that takes these options and files."""
    *before, last = words
    is_behind = "--" in before
    found = None if is_behind else _value(options, before[-1] if before else "", last)
    if found:
        option, begin = found
        if option.name in _FILES:
            yield f":file\t{begin}"
        yield from (f"{begin}{choice}\t" for choice in option.value.choices)
    elif last.startswith("-") and not is_behind:
        for option in options:
            yield from (f"-{option.letter}\t{option.help}" for _ in option.letter)
            yield f"--{option.name}\t{option.help}"
    else:
        yield f":file\t{last[:last.find('=') + 1]}"
