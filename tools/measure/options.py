# SPDX-License-Identifier: MIT
"""A command line as a table: each option with its names, what it takes, its default and what it does. argparse reads words by it, and prints --help."""

from argparse import SUPPRESS, Action, ArgumentError, ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import partial
from itertools import islice
from typing import Any, ClassVar, NamedTuple, TypeVar, cast

from measure.text import Trouble, is_positive, listed, number_from, refuse, seconds_from, words_of

T = TypeVar("T")
Read = Callable[[str, str], T]  # of the long name of an option, and its value


class Option(NamedTuple):
    words: list[str]
    default: Any
    said: Any  # to argparse


def option(names: str, read: Read[T] | list[T], default: T, help: str) -> T:
    """An attribute of a Command, which has this default, or what was read, or one of a list; what is read into a dictionary is added. `names` are such
    as -n/--repeat N; a value in brackets may be left out. `help` is formatted with the command as {of}."""
    names, _, metavar = names.replace("[", " [").partition(" ")
    words = names.split("/")
    said: Any = {"choices": read} if isinstance(read, list) else {"type": partial(read, words[-1])}
    said |= {"help": help, "metavar": metavar, "action": Add if isinstance(default, dict) else "store"}
    return cast(T, Option(words, default, said))


def flag(names: str, help: str, **said: str) -> bool:
    """`said` is for argparse: the action and dest of a flag that undoes another one."""
    return cast(bool, Option(names.split("/"), False, {"help": help, "action": "store_true"} | said))


class Add(Action):
    def __call__(self, _parser: object, given: object, found: Any, _word: object = None) -> None:
        before = getattr(given, self.dest, {})
        for word in found:
            refuse(word and word in before, f"{self.option_strings[-1]}: {word} is given twice")
        setattr(given, self.dest, before | found)


class Command:
    """The command line of a program: its options are those of its attributes that option() and flag() make."""

    usage: ClassVar[str] = ""  # what --help says before the options
    closing: ClassVar[str] = ""  # and after them
    has_command: ClassVar[bool] = False  # from the first word that is no option, the rest is a command with its own

    @classmethod
    def table(cls) -> dict[str, Option]:
        """By attribute, those of base classes first. Of two options of one name the later one has it."""
        found = {key: of for base in reversed(cls.__mro__) for key, of in vars(base).items() if isinstance(of, Option)}
        return {key: of for key, of in found.items() if getattr(cls, key) is of}

    def __init__(self, arguments: Sequence[str], rest: list[str] | None = None) -> None:
        """What is no option goes to `rest`, where there may be such. --help ends the program."""
        vars(self).update((key, copy(of.default)) for key, of in self.table().items())
        parser = ArgumentParser(usage=SUPPRESS, description=self.usage.format(of=self), epilog=self.closing.format(of=self),
                                formatter_class=partial(RawDescriptionHelpFormatter, max_help_position=32, width=146),
                                argument_default=SUPPRESS, conflict_handler="resolve", allow_abbrev=False, exit_on_error=False)  # fmt: skip
        for key, of in self.table().items():
            help = of.said["help"].format(of=self).replace("%", "%%") or SUPPRESS  # hidden without
            parser.add_argument(*of.words, **({"dest": key} | of.said | {"help": help}))
        words = iter(arguments)
        try:
            given, others = parser.parse_known_args([*self.joined(words)])
        except ArgumentError as error:
            why = error.message.replace("ignored explicit argument", "expected no value, found")
            raise Trouble(f"{(error.argument_name or '').split('/')[-1]}: {why}") from None
        for word in [*others, *words] if rest is None else [word for word in others if word.startswith("-")]:
            raise Trouble(f"unexpected argument '{word}' (--help says more)")
        vars(self).update(vars(given))
        if rest is not None:
            rest += [*others, *words]

    def joined(self, words: Iterator[str]) -> Iterator[str]:
        """Up to -- each option with its value as one word: argparse takes none that begins with a hyphen for the value of the word before."""
        takes = {word: of.said.get("metavar", "") for of in self.table().values() for word in of.words}
        for word in iter(lambda: next(words, "--"), "--"):
            value = [""] if takes.get(word, "").startswith("[") else islice(words, 1 if takes.get(word) else 0)
            yield "=".join([word, *value])
            if self.has_command and not word.startswith("-"):
                return


def like(is_right: Callable[[str], object], otherwise: str) -> Read[str]:
    def read(name: str, value: str) -> str:
        refuse(not is_right(value), f"{name}: '{value}' is {otherwise}")
        return value

    return read


def whole(least: int, most: int | None = None) -> Read[int]:
    return lambda name, value: number_from(name, value, least, most)


def duration(least: int) -> Read[int]:
    return lambda name, value: seconds_from(name, value, least)


def one_of(names: str) -> list[str]:
    return names.split()


def unlike(name: str, value: str) -> list[str]:
    """Words, each once."""
    words = words_of(value)
    for word in words:
        refuse(words.count(word) > 1, f"{name}: {word} is given twice")
    return words


def each(read: Read[T]) -> Read[list[T]]:
    return lambda name, value: [read(name, word) for word in unlike(name, value) or [""]]


def some_of(names: str) -> Read[list[str]]:
    return each(like(names.split().__contains__, f"none of {listed(names.split())}"))


text: Read[str] = lambda _, value: value
blanks: Read[list[str]] = lambda _, value: value.split()
positive = like(is_positive, "no number above 0")
loads = each(like(partial(is_positive, most=100), "no load in percent, above 0 and at most 100"))
