# SPDX-License-Identifier: MIT
"""Reading the command line. All that can be refused before a file is opened is refused here."""
from __future__ import annotations

import argparse
import difflib
import importlib
import re
import shlex
import shutil
import textwrap
from collections.abc import Sequence
from typing import Any

from .. import __version__
from .._errors import InputError
from .._words import File
from .options import OPTIONS, SUBCOMMANDS, Option, Settings, picture_format, split_label
from .output import ENDINGS, table_format

__all__ = ["Information", "parse", "parse_options", "refuse_options", "version"]

# What stands for `-l LABEL` among the words that argparse gives back in their order; no word has such a character.
_LABEL = "\0"


class Information(Exception):
    """A text that was asked for in place of a report."""


def version() -> str:
    """As the other programs have it: 0.1.0 (12371ee), or 0.1.0 where the revision is not known."""
    try:
        build = importlib.import_module("showstopper._build")
    except ImportError:
        return __version__
    return f"{build.VERSION} ({build.REVISION})" if build.REVISION else str(build.VERSION)


# ---- The parser -----------------------------------------------------------------------------------------------------


class _Help(argparse.HelpFormatter):
    def _format_action_invocation(self, action: argparse.Action) -> str:
        names = ", ".join(action.option_strings).rjust(2 + len(max(action.option_strings, key=len)) + 2)
        return f"{names} {action.metavar or ''}".rstrip()


class _Inform(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *rest: Any) -> None:
        is_version = self.dest == "version"
        raise Information(f"{parser.prog} {version()}" if is_version else parser.format_help().rstrip())


def parse_options(
    words: Sequence[str], settings: argparse.Namespace, options: Sequence[Option], usage: str, description: str
) -> list[str]:
    """Sets what options among the words say. `usage` begins with the program. Returns the words that are none, or none of these.

    Raises:
        Information: they ask for help or the version.
        InputError: a value is wrong.
    """
    parser = argparse.ArgumentParser(
        prog=usage.split()[0],
        usage=usage,
        description=description,
        formatter_class=lambda prog: _Help(prog, max_help_position=33),
        add_help=False,
        allow_abbrev=False,
        exit_on_error=False,
    )
    parser._negative_number_matcher = re.compile(r"-[0-9.]")
    group = parser.add_argument_group("Options")
    for option in options:
        names = [f"-{option.letter}"] * bool(option.letter) + [f"--{option.name}"]
        more: dict[str, Any] = {"dest": option.to, "help": option.help.replace("%", "%%")}
        if option.name in ("help", "version"):
            group.add_argument(*names, action=_Inform, nargs=0, **more)
        elif option.argument is None:
            group.add_argument(*names, action="store_true", default=None, **more)
        else:
            action = "append" if option.is_repeated else "store"
            more |= {"type": option.value, "metavar": option.argument}
            group.add_argument(*names, action=action, **more)
    try:
        return list(parser.parse_known_args(words, settings)[1])
    except argparse.ArgumentError as error:
        raise InputError(f"{(error.argument_name or 'option').split('/')[-1]}: {error.message}") from None


def refuse_options(words: Sequence[str], options: Sequence[Option], program: str) -> None:
    """Refuses what looks like an option among words that are none of the program's, of which others may have some."""
    for name in (word.partition("=")[0] for word in words if word.startswith("-") and word != "-"):
        see = f"(see {program} --help)"
        if name in [word for option in options for word in (f"--{option.name}", f"-{option.letter}")]:
            raise InputError(f"{program.split()[-1]} has no option {name} {see}")
        near = difflib.get_close_matches(name[2:], [option.name for option in options], 1)
        raise InputError(f"unknown option '{name}'{f': did you mean --{near[0]}?' if near else ''} {see}")


def _help() -> str:
    width = shutil.get_terminal_size().columns - 2
    lines = ["usage: ssreport SUBCOMMAND [OPTION]... FILE...", ""]
    what = "control logs (showstopper -o), load logs (cpuload), iteration records, requests, and other CSV files"
    lines += textwrap.wrap(f"Makes tables and pictures from {what}.", width) + [""]
    for row in SUBCOMMANDS.values():
        lines += textwrap.wrap(f"  {row.name:13} {row.summary}", width, subsequent_indent=16 * " ")
    more = "ssreport SUBCOMMAND --help shows the options of a subcommand, ssreport --version the version."
    return "\n".join([*lines, "", *textwrap.wrap(more, width)])


# ---- Files ----------------------------------------------------------------------------------------------------------


def _with_labels(words: Sequence[str]) -> list[str]:
    """Each -l and --label with its label as one word, which stays in its place among the files."""
    found, waiting = [], iter(words)
    for word in waiting:
        if word in ("-l", "--label"):
            found.append(_LABEL + next(waiting, ""))
        elif word.startswith("--label=") or (word.startswith("-l") and not word.startswith("--")):
            found.append(_LABEL + word.removeprefix("--label=").removeprefix("-l"))
        else:
            found.append(word)
        if found[-1] == _LABEL:
            raise InputError("--label: expected a label and files behind it")
    return found


def _files(words: Sequence[str]) -> list[File]:
    """Files with the labels before them, and the number of that label."""
    files: list[File] = []
    label, group, is_used = None, 0, True
    for word in [*words, _LABEL]:
        if not word.startswith(_LABEL):
            own = split_label(word)
            files.append(own if own.label is not None else File(word, label, group))
            is_used = is_used or own.label is None
        elif not is_used:
            raise InputError(f"--label: found no file behind '{label}'")
        else:
            label, group, is_used = word[1:], group + 1, False
    return files


def _groups(words: Sequence[str]) -> list[File]:
    """Files of groups with -- between them, each called by its first file."""
    groups: list[list[str]] = [[]]
    for word in words:
        if word.startswith(_LABEL):
            raise InputError("found --label and --, expected one of them between groups")
        if word.startswith("-") and word not in ("-", "--"):
            raise InputError(f"found {word} behind --, expected a file; options stand before the first --")
        groups += [[]] if word == "--" else []
        groups[-1] += [word] if word != "--" else []
    names = [group[0] if group else "" for group in groups]
    if "" in names or len(set(names)) < len(names):
        raise InputError(f"found groups that begin with {', '.join(names)}, expected files, others in each group")
    return [File(word, name, place) for place, (name, group) in enumerate(zip(names, groups), 1) for word in group]


# ---- What goes together ---------------------------------------------------------------------------------------------

_RULES = """
throughput events: per-step excludes interval
curve: interval excludes edge
heatmap ratio: range excludes outlier
histogram: width excludes bins
means: within excludes precision
latency: edge excludes window
boxes: column excludes warmup
boxes: column excludes join
boxes: column excludes offset
boxes: by needs column
timeline throughput events: edge needs per-step
means: shares needs within
compare: resamples needs quantiles
compare: seed needs quantiles
ratio: range needs matrix
ratio: outlier needs matrix
"""
_COLUMNS = {"boxes": (0, 1), "histogram": (1, 2), "means": (1,), "compare": (0, 1), "model": (0, 2)}


def _check_rules(settings: Settings) -> None:
    for line in _RULES.strip().splitlines():
        names, one, verb, other = line.replace(":", "").rsplit(" ", 3)
        if settings.subcommand.name not in names.split() or not settings.has(one):
            continue
        if verb == "excludes" and settings.has(other):
            raise InputError(f"found --{one} and --{other}, expected one of them")
        if verb == "needs" and not settings.has(other):
            raise InputError(f"found --{one} without --{other}")
    for name in ("size", "recorded", "axis", "picture"):
        if settings.has(name) and not settings.wants_picture:
            raise InputError(f"found --{name}, but no picture (--output FILE.png, .svg or .pdf)")


def _check_columns(settings: Settings) -> None:
    names, files = settings.column_names, settings.files
    expected = _COLUMNS.get(settings.subcommand.name, (0,))
    if len(names) not in expected:
        counts = " or ".join(map(str, expected))
        raise InputError(f"found {len(names)} options --column NAME, expected {counts}: whose values")
    if len(set(names)) < len(names):
        raise InputError(f"--column: found '{names[0]}' twice, expected another column")
    if settings.subcommand.name == "histogram" and len(names) > 1 and (len(files) > 1 or files[0].label is not None):
        expected_files = "expected one file, without a label: the histograms have the names of the columns"
        raise InputError(f"found two columns, {expected_files}")
    if settings.by is not None and any(file.label is not None for file in files):
        raise InputError("found --by beside labels or --, expected one of them to make groups")


def _check_outputs(settings: Settings) -> None:
    name, tables = settings.subcommand.name, "a table (.txt .csv .md .json)"
    without = " without --matrix" if name == "ratio" and not settings.matrix else ""
    for path in settings.outputs:
        if picture_format(path) and ("table" in settings.subcommand.traits or without):
            raise InputError(f"--output: found {path}, but {name} has no picture{without}, expected {tables}")
        if not picture_format(path) and not settings.format and not table_format(path):
            endings = " ".join(filter(None, ENDINGS))
            expected = f"the ending of a picture (.png .svg .pdf) or of a table ({endings}), or --format NAME"
            raise InputError(f"--output: found {path}, expected {expected}")


def parse(arguments: Sequence[str]) -> Settings:
    """What the command line asks for.

    Raises:
        Information: it asks for help or the version.
        InputError: it is wrong.
    """
    name = arguments[0] if arguments else ""
    if name in ("-V", "--version", "-h", "--help"):
        raise Information(_help() if "h" in name else f"ssreport {version()}")
    if name not in SUBCOMMANDS:
        near = difflib.get_close_matches(name, SUBCOMMANDS, 1) or ["accuracy or timeline"]
        found = f"'{name}'" if arguments else "no subcommand"
        raise InputError(f"found {found}, expected a subcommand such as {near[0]} (see ssreport --help)")
    settings = Settings(SUBCOMMANDS[name], shlex.join(["ssreport", *arguments]))
    words = list(arguments[1:])
    end = words.index("--") if "--" in words else len(words)
    before, behind = words[:end], words[end:]
    is_labelled = "unlabelled" not in settings.subcommand.traits
    argument = f"[LABEL=]{settings.subcommand.argument}" if is_labelled else settings.subcommand.argument
    found_words = parse_options(
        _with_labels(before) if is_labelled else before,
        settings,
        [option for option in OPTIONS if name in option.uses],
        f"ssreport {name} [OPTION]... {argument}...",
        f"Reports {settings.subcommand.summary}.",
    )
    refuse_options(found_words, OPTIONS, f"ssreport {name}")
    settings.files = (
        _groups([*found_words, *behind]) if behind and name == "compare" else _files([*found_words, *behind[1:]])
    )
    if not settings.files:
        raise InputError(f"expected files (see ssreport {name} --help)")
    if name == "heatmap" and len(settings.files) > 1:
        raise InputError(f"found {len(settings.files)} files, expected one table")
    for check in (_check_outputs, _check_rules, _check_columns):
        check(settings)
    return settings
