# SPDX-License-Identifier: MIT
"""A command line as a table: each option with its names, what it takes, its default and what it does. Values, their bounds and --help come from it."""

import re
import textwrap
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar, cast

from measure.text import UNITS, Trouble, in_seconds, is_positive, listed, number_from, refuse, words_of

T = TypeVar("T")
Read = Callable[[str, str], T]  # of the long name of an option, and its value


@dataclass(frozen=True)
class Option:
    """`names` as --help has them, such as -n/--repeat N; a value in brackets may be left out. `help` is formatted with the command as {of}."""

    names: str
    help: str
    default: Any
    read: Read[Any] | None = None

    @property
    def words(self) -> list[str]:
        return re.split(r"[ \[=]", self.names)[0].split("/")

    @property
    def has_value(self) -> bool:
        """In the word behind it."""
        return self.read is not None and "[" not in self.names


def option(names: str, read: Read[T], default: T, help: str) -> T:
    """An attribute of a Command, which has this default or what was read. What is read into a dictionary is added to it."""
    return cast(T, Option(names, help, default, read))


def flag(names: str, help: str) -> bool:
    return cast(bool, Option(names, help, False))


class Command:
    """The command line of a program: its options are those of its attributes that option() and flag() make."""

    usage: ClassVar[str] = ""  # what --help says before the options
    closing: ClassVar[str] = ""  # and after them

    @classmethod
    def table(cls) -> dict[str, Option]:
        """By attribute, those of base classes first."""
        found = {key: of for base in reversed(cls.__mro__) for key, of in vars(base).items() if isinstance(of, Option)}
        return {key: of for key, of in found.items() if getattr(cls, key) is of}

    def __init__(self, arguments: Sequence[str], rest: list[str] | None = None) -> None:
        """What is no option goes to `rest`, where there may be such. --help ends the program."""
        table = self.table()
        for attribute, of in table.items():
            setattr(self, attribute, copy(of.default))
        keys = {word: key for key, of in table.items() for word in of.words}
        words = iter(arguments)
        for word in words:
            name, equals, value = word.partition("=")
            key = keys.get(word) or (keys.get(name) if equals else None)
            if word in ("-h", "--help"):
                print(self.help(), end="")
                raise SystemExit(0)
            if rest is not None and not word.startswith("-"):
                rest.append(word)
            elif not key or (equals and "[" not in table[key].names):
                raise Trouble(f"unexpected argument '{word}' (--help says more)")
            else:
                self.take(key, table[key], next(words, None) if table[key].has_value else value)

    def take(self, key: str, of: Option, value: str | None) -> None:
        name = of.words[-1]
        if value is None:
            raise Trouble(f"{name} needs a value")
        before, found = getattr(self, key), of.read(name, value) if of.read else True
        if isinstance(found, dict):
            for word in found:
                refuse(word and word in before, f"{name}: {word} is given twice")
            found = before | found
        setattr(self, key, found)

    def help(self) -> str:
        said = self.usage.format(of=self)
        if said and not said.endswith("\n"):
            said += "\n"
        taken: set[str] = set()
        lines: list[str] = []
        # Of two options of one name the later one has it.
        for of in reversed(self.table().values()):
            if not of.help:
                continue
            names = [word for word in of.words if word not in taken]
            taken |= set(names)
            value = re.sub("^[^ [=]*", "", of.names)
            head = f"  {'    ' if len(names[0]) > 2 else ''}{', '.join(names)}{value}".ljust(25)
            text = textwrap.wrap(of.help.format(of=self), 120)
            lines[:0] = [f"{head} {text[0]}", *(f"{'':26}{line}" for line in text[1:])]
        lines.append(f"{'  -h, --help':25} print this")
        return said + "\n".join(lines) + "\n" + self.closing.format(of=self)


# ---- What an option takes ---------------------------------------------------------------------------------------------------------


def text(_name: str, value: str) -> str:
    return value


def blanks(_name: str, value: str) -> list[str]:
    """What blanks separate."""
    return value.split()


def whole(least: int, most: int | None = None) -> Read[int]:
    return lambda name, value: number_from(name, value, least, most)


def wholes(least: int, most: int | None = None) -> Read[list[int]]:
    return lambda name, value: [number_from(name, word, least, most) for word in value.split(",")]


def positive(name: str, value: str) -> str:
    refuse(not is_positive(value), f"{name}: '{value}' is no number above 0")
    return value


def duration(least: int) -> Read[int]:
    """Whole ones, also as a time with units."""

    def read(name: str, value: str) -> int:
        units = "|".join(filter(None, UNITS))
        is_time = re.fullmatch(rf"([0-9]+(\.[0-9]*)?({units}))+|[0-9]{{1,15}}", value)
        found = in_seconds(value) if is_time else -1
        is_whole = found >= least and found == int(found)
        refuse(not is_whole, f"{name}: '{value}' is no whole number from {least} of seconds, such as 90, 90s or 1M30s")
        return int(found)

    return read


def one_of(names: str, more: str = "") -> Read[str]:
    def read(name: str, value: str) -> str:
        refuse(value not in names.split(), f"{name}: '{value}' is none of {listed(names.split())}{more}")
        return value

    return read


def plain(name: str, value: str) -> str:
    is_plain = re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", value)
    refuse(not is_plain, f"{name}: '{value}' is no name of small letters, digits and hyphens")
    return value


def unlike(name: str, value: str) -> list[str]:
    """Words, each once."""
    words = words_of(value)
    for word in words:
        refuse(words.count(word) > 1, f"{name}: {word} is given twice")
    return words


def some_of(names: str) -> Read[list[str]]:
    def read(name: str, value: str) -> list[str]:
        words = [one_of(names)(name, word) for word in unlike(name, value)]
        refuse(not words, f"{name}: expected some of {listed(names.split())}")
        return words

    return read


def loads(name: str, value: str) -> list[str]:
    words = words_of(value)
    refuse(not words, f"{name}: expected loads in percent")
    for word in words:
        refuse(not is_positive(word, 100), f"{name}: '{word}' is no load in percent, above 0 and at most 100")
    return words


def by_workload(name: str, value: str) -> dict[str, int]:
    """By workload; what is for all of them is that of ''."""
    if "=" not in value:
        return {"": duration(0)(name, value)}
    found = {}
    for word in words_of(value):
        workload, equals, time_of = word.partition("=")
        refuse(not equals, f"{name}: '{word}': expected WORKLOAD=SECONDS")
        found[workload] = duration(0)(name, time_of)
    return found
