# SPDX-License-Identifier: MIT
"""The subcommands and options of ssreport: two tables, from which come the parser, --help and what shells complete."""
from __future__ import annotations

import argparse
import math
import os
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from .._units import format_time, parse_load, parse_real, parse_time
from .._words import File

__all__ = ["FILE", "OPTIONS", "SUBCOMMANDS", "Option", "Settings", "Subcommand", "Value", "choice", "picture_format", "read_options", "split_label"]  # fmt: skip


class Subcommand(NamedTuple):
    """It is in of_MODULE. Of its traits, table has no picture, unlabelled no labels, logs passes over iterations."""

    name: str
    argument: str
    module: str
    traits: list[str]
    summary: str


_SUBCOMMANDS = """
accuracy | LOG | runs logs table | mean error and mean squared error of the load
repeats | LOG | runs logs table | means of these figures over repeated runs, with 95 % confidence intervals
timeline | LOG|ITERATIONS|TRACE | runs | target, load, throughput and power over time
throughput | ITERATIONS|LOG | runs | iterations per second in each interval or step
curve | LOG|ITERATIONS | runs | throughput against load
boxes | ITERATIONS|LOG|FILE | values | how long iterations took, or a column of any CSV file: quantiles and box plots
events | LOG|ITERATIONS | runs table | counted events per second and per iteration in each interval or step
interference | LOG|ITERATIONS | runs | how the load of a background slows a foreground down
overall | LOG|ITERATIONS | runs | throughput of all workloads together in each step
efficiency | LOG|ITERATIONS | runs | iterations per watt-hour in each step
ratio | LOG|ITERATIONS | runs | throughput of the first run of each label as a share of that of its second
heatmap | TABLE | values unlabelled | a table of numbers as a picture
histogram | FILE | values | how many values of a column lie in each bin, of one CSV file or of two
means | FILE | values unlabelled table | mean, 95 % confidence interval and median of a column, for each label in it
compare | FILE... -- FILE | values table | whether groups differ: Welch's t, paired differences, quantiles, variances
model | FILE | values table | a straight line and a parabola through points, their errors, and which fits better
fleet | LOG | runs logs | load and target of many machines that ran at the same time
latency | REQUESTS | requests unlabelled | response times of requests, and up to which load they keep a limit
"""


def _read_subcommand(line: str) -> Subcommand:
    name, argument, traits, summary = line.split(" | ")
    module, *more = traits.split()
    return Subcommand(name, argument, module, more, summary)


SUBCOMMANDS = {row.name: row for row in map(_read_subcommand, _SUBCOMMANDS.strip().splitlines())}


# ---- Values ---------------------------------------------------------------------------------------------------------


class Value(NamedTuple):
    """What an option takes. `parse` raises ValueError if a text is malformed; what isn't `is_right` is out of range."""

    parse: Callable[[str], Any]
    expected: str
    is_right: Callable[[Any], Any] = lambda _: True
    choices: tuple[str, ...] = ()

    def __call__(self, text: str) -> Any:
        try:
            value = self.parse(text)
            problem = None if self.is_right(value) else "out of range"
        except (ValueError, OverflowError) as error:
            problem = "out of range" if isinstance(error, OverflowError) else "malformed"
        if problem:
            raise argparse.ArgumentTypeError(f"'{text[:120]}' is {problem}: expected {self.expected}")
        return value


def _time(least_ms: int) -> Value:
    such = f"a time such as 107ms, 0.5s or 1min30s, from {format_time(least_ms * 10**6)} to 366d"
    return Value(_seconds, such, lambda seconds: least_ms / 1000 <= seconds <= 366 * 86400)


def _integer(least: int, most: int) -> Value:
    return Value(int, f"a whole number, from {least} to {most}", lambda number: least <= number <= most)


def choice(*choices: str) -> Value:
    expected = f"{', '.join(choices[:-1])} or {choices[-1]}"
    return Value(lambda text: choices[choices.index(text)], expected, choices=choices)


def _name(text: str) -> str:
    if not text:
        raise ValueError
    return text


def split_label(word: str) -> File:
    """LABEL=FILE, or a file: where there is one of that whole name, or the word begins with `/`, `./` or `../`."""
    label, _, path = word.partition("=")
    is_file = not label or not path or re.match(r"\.{0,2}/", word) or os.path.exists(word)
    return File(word) if is_file else File(path, label)


def _seconds(text: str) -> float:
    return parse_time(text) / 1e9


def _burst(text: str) -> tuple[float, float]:
    points, comma, time = text.partition(",")
    return parse_real(points) / 100, _seconds(time) if comma else 1.0


def _size(text: str) -> tuple[float, float]:
    width, height = map(parse_real, text.split("x"))
    return width, height


def _bounds(text: str) -> tuple[float, float]:
    low, high = text.split(":")
    return parse_real(low) if low else -math.inf, parse_real(high) if high or not low else math.inf


def _quantiles(text: str) -> list[float]:
    return [parse_load(f"{part}%") for part in text.split(",")]


def _recorded(text: str) -> tuple[float, float | None]:
    clock, comma, speed = text.partition(",")
    if not re.fullmatch("([01][0-9]|2[0-3]):[0-5][0-9]", clock):
        raise ValueError
    return int(clock[:2]) * 3600.0 + int(clock[3:]) * 60, parse_real(speed) if comma else None


def _offset(text: str) -> tuple[str, float]:
    name, _, time = text.rpartition("=")
    return _name(name), (-1 if time[:1] == "-" else 1) * _seconds(time[1:] if time[:1] in ("-", "+") else time)


_LIMITS = ("mean", "p50", "p90", "p95", "p99", "p99.9", "max")


def _limit(text: str) -> dict[str, float]:
    parts = [part.partition("=") for part in text.split(",")]
    limits = {_LIMITS[_LIMITS.index(name)]: _seconds(time) for name, _, time in parts}
    if len(limits) < len(parts):
        raise ValueError
    return limits


FILE = Value(_name, "the name of a file")
NAME = Value(_name, "a name")
_VALUES = {
    "output": FILE,
    "format": choice("text", "csv", "markdown", "json"),
    "join": choice("auto", "wall", "monotonic"),
    "offset": Value(_offset, "the name of a file or a label, and a time, such as fore.csv=-0.35s"),
    "power": Value(lambda text: split_label(_name(text)), "the name of a file, perhaps with a label before it"),
    "window": _time(1),
    "settle": _time(0),
    "skip-edges": _time(0),
    "burst": Value(_burst, "0 to 100 percentage points, perhaps with a time, such as 3,1s", lambda it: 0 <= it[0] <= 1),
    "interval": _time(1),
    "edge": Value(parse_load, "a share below 1/2, such as 1/6 or 10%", lambda share: share < 0.5),
    "range": Value(_bounds, "two numbers, such as -5:100", lambda it: -math.inf < it[0] < it[1] < math.inf),
    "columns": _integer(1, 12),
    "recorded": Value(
        _recorded, "a time of day, perhaps with a speed: 08:00,144", lambda it: it[1] is None or 1e-6 <= it[1] <= 1e6
    ),
    "quantiles": Value(_quantiles, "up to 20 numbers from 0 to 100, such as 5,50,95", lambda it: len(it) <= 20),
    "within": Value(_bounds, "two numbers or one, the lower one first, such as -5:5 or 0:", lambda it: it[0] < it[1]),
    "precision": Value(parse_load, "a share of the mean above 0, such as 5%", lambda share: share > 0),
    "resamples": _integer(1000, 1_000_000),
    "seed": _integer(0, 2**63 - 1),
    "width": Value(parse_real, "a number above 0, such as 0.1", lambda width: width > 0),
    "bins": _integer(1, 10_000),
    "log": FILE,
    "from": choice("planned", "arrival", "sent"),
    "unit": choice("s", "ms", "us", "ns"),
    "limit": Value(_limit, f"{', '.join(_LIMITS[:-1])} or max once each with a time, such as p99=50ms"),
    "picture": choice("curve", "timeline", "tail"),
    "size": Value(_size, "width and height in cm, 3 to 100, such as 8.5x6", lambda it: 3 <= min(it) <= max(it) <= 100),
}


# ---- Options --------------------------------------------------------------------------------------------------------


class Option(NamedTuple):
    """An option, or without an argument a flag. `to` is the setting that it makes, a list where it may be repeated."""

    letter: str
    name: str
    argument: str | None
    uses: list[str]
    help: str
    value: Value
    to: str
    is_repeated: bool


_GROUPS = {
    "ALL": " ".join(SUBCOMMANDS),
    "COLOCATION": "interference overall efficiency ratio",
    "JOINED": "timeline throughput curve events interference overall efficiency ratio boxes",
    "LABELLED": " ".join(row.name for row in SUBCOMMANDS.values() if "unlabelled" not in row.traits),
    "DRAWN": "interference overall efficiency ratio timeline throughput curve heatmap fleet boxes histogram latency",
}

# Name, subcommands or groups of them, help.
_OPTIONS = """
-o --output FILE | ALL | write a picture (.png .svg .pdf) or a table to FILE; may be repeated
-f --format NAME | ALL | of tables: text, csv, markdown, json (that of FILE's ending, or text)
-l --label LABEL | LABELLED | the files that follow are one run of this label
--join CLOCK | JOINED | joins files: wall, monotonic, or auto: wall for those of several machines (auto)
--offset NAME=TIME | JOINED | move the times of a file, or of the iterations of a label; may be repeated
--power [LABEL=]FILE | timeline throughput curve efficiency | CSV of a power meter: time and watts; may be repeated
-w --window TIME | accuracy repeats timeline fleet latency | length of a sample (the rows of the log) or a row
--settle TIME | accuracy repeats | leave out so much after control begins
--skip-edges TIME | accuracy repeats | leave out so much after each jump of the target
--burst PP[,TIME] | accuracy repeats | a load of others above so many points, and so long after it (3,1s)
--per-target | accuracy | add a row for each level of the target
-i --interval TIME | timeline throughput curve events | count iterations over so long (6s; curve: in steps)
--per-step | throughput events timeline | a row for each step of the target; in a timeline also its mean power
--edge SHARE | COLOCATION timeline throughput curve events latency | left out at both ends of each step (1/6)
--warmup | timeline throughput events boxes | show the warm-up too
--reference LABEL | overall efficiency | show each step relative to that of this label's runs
--matrix | ratio | a row for each foreground, a column for each background, of labels such as fop/h2
--range LOW:HIGH | heatmap ratio | numbers of the lightest and of the darkest colour (those of the table)
--outlier NAME | heatmap ratio | leave a row and column out of these; may be repeated
--columns N | timeline | logs beside each other in a picture (1)
--recorded HH:MM[,SPEED] | timeline | the axis of a picture has the recorded time of day, this where control begins
--quantiles LIST | boxes compare | of the table, in per cent (boxes: 5,25,50,75,95; compare: none)
--column NAME | boxes histogram means compare model | whose values count; histogram: or two; model: that of x, then of y
--within LOW:HIGH | means | whether means lie between these bounds, one of which may be left out
--shares | means | --within: values are 0 or 1
--precision PERCENT | means | how many values it takes to know a mean within this
--by NAME | boxes compare model | the column whose texts tell the groups apart
--paired | compare | the first values of all groups belong together, the second ones, and so on
--resamples N | compare latency | how often values are drawn for intervals (9999; latency: 1000)
--seed N | compare latency | of these draws (1)
--width NUMBER | histogram | of a bin (one that makes 8 to 21 bins)
--bins N | histogram | so many, from the least value to the greatest
--axis NAME | boxes histogram | what the horizontal axis of a picture is of; boxes: what numbers in labels are of
--log FILE | latency | the log of the load meanwhile: a row for each step of its target (without: of the rate)
--from MOMENT | latency | since when: planned, arrival, sent (planned; without a schedule sent)
--start COLUMN | latency | of other CSV: when a request began
--end COLUMN | latency | of other CSV: when a request ended
--time COLUMN | latency | of other CSV: how long a request took
--unit NAME | latency | of these columns, where their names don't end with one such as _ms: s, ms, us, ns
--limit LIST | latency | say up to which load these are kept, such as p99=50ms or mean=1s,p95=2s
--picture NAME | latency | which: curve over the load or the rate, timeline, or tail (curve; without rows tail)
--all-digits | ALL | of numbers in CSV and JSON, for computing with them
--size WIDTHxHEIGHT | DRAWN | of a picture, in cm (8.5 wide, as a column)
-h --help | ALL | print this
-V --version | ALL | print the version
"""

# Settings that have another name than their option: that of the argument of a function.
_SETTINGS = {"window": "window_s", "settle": "settle_s", "skip-edges": "skip_edges_s", "interval": "interval_s"}
_SETTINGS |= {"join": "clocks", "warmup": "with_warmup", "range": "value_range", "size": "size_cm", "from": "from_"}
_REPEATED = {"output": "outputs", "offset": "offsets_s", "power": "powers", "outlier": "outliers"}
_REPEATED |= {"column": "column_names", "limit": "limits"}


def _setting(name: str) -> str:
    return (_SETTINGS | _REPEATED).get(name, name.replace("-", "_"))


def read_options(
    text: str, values: Mapping[str, Value], settings: Mapping[str, str], repeated: Collection[str] = ()
) -> tuple[Option, ...]:
    """Options from lines of their names, their uses and their help.

    Args:
        values: by the names of those that take another than a name.
        settings: the settings of those that have another name than it.
    """
    options = []
    for line in text.strip().splitlines():
        names, *uses, help = line.split(" | ")
        found = re.fullmatch(r"(?:-(.) )?--(\S+)(?: (.+))?", names)
        assert found
        name = found[2]
        of = " ".join(_GROUPS.get(word, word) for word in " ".join(uses).split()).split()
        to = settings.get(name, name.replace("-", "_"))
        value = values.get(name, NAME)
        options.append(Option(found[1] or "", name, found[3], of, help, value, to, name in repeated))
    return tuple(options)


OPTIONS = read_options(_OPTIONS, _VALUES, _SETTINGS | _REPEATED, _REPEATED)


def picture_format(path: str) -> str | None:
    """That of the ending of a file's name; None if it is none of a picture."""
    ending = os.path.splitext(path)[1].lower()
    return ending[1:] if ending in (".png", ".svg", ".pdf") else None


class Settings(argparse.Namespace):
    """What the command line asks for: an attribute for each option, None or an empty list where it isn't given."""

    def __init__(self, subcommand: Subcommand, command: str) -> None:
        super().__init__(**{option.to: [] if option.is_repeated else None for option in OPTIONS})
        self.subcommand = subcommand
        self.command = command
        self.files: list[File] = []

    def given(self, *names: str) -> dict[str, Any]:
        """These settings as arguments of a function, but for those that are not given."""
        return {name: value for name in names if (value := getattr(self, name)) not in (None, [])}

    def has(self, option: str) -> bool:
        return getattr(self, _setting(option)) not in (None, [])

    @property
    def wants_picture(self) -> bool:
        return any(map(picture_format, self.outputs))
