# SPDX-License-Identifier: MIT
"""Figures: the package showstopper computes them, in this process. What is here asks it for them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from measure.text import Row, Trouble, rows_of

# What prints help or refuses has no need of pandas: it is imported where something is computed.
if TYPE_CHECKING:
    import pandas as pd

K = TypeVar("K", bound=Hashable)
DAY = 86400.0


@dataclass(frozen=True)
class Summary:
    """Of some values, as showstopper.means has it. `half` is half of the length of the mean's 95 % confidence interval, `error` its standard error; None of
    fewer than two. The rest is known only where it was asked for."""

    count: int
    mean: float
    half: float | None
    median: float
    least: float
    most: float
    sum: float
    error: float | None
    low: float | None = None
    high: float | None = None
    place: str | None = None
    p: float | None = None
    p_holm: float | None = None
    needed: float | None = None


def summaries(values: Iterable[tuple[K, float | None]], **how: Any) -> dict[K, Summary]:
    """Of the values of each key that has some. `how`: options of showstopper.means."""
    found = [(key, value) for key, value in values if value is not None and isfinite(value)]
    if not found:
        return {}
    import pandas as pd
    from showstopper.statistics import means

    places = {key: place for place, key in enumerate(dict.fromkeys(key for key, _ in found))}
    frame = pd.DataFrame([(places[key], value) for key, value in found], columns=["label", "value"])
    table = means(frame, "value", **how)
    rows = table.drop(columns="label").astype(object).where(table.notna(), None).to_dict("records")
    return {key: Summary(**row) for key, row in zip(places, rows)}


def summarize(values: Iterable[float | None]) -> Summary | None:
    return summaries(((), value) for value in values).get(())


def welch(one: Sequence[float], two: Sequence[float]) -> pd.Series[Any]:
    """What the second have more than the first, two or more of each: the row of Welch's t in the package's table "compare"."""
    import pandas as pd
    from showstopper.statistics import compare

    frame = pd.DataFrame({"label": ["one"] * len(one) + ["two"] * len(two), "value": [*one, *two]})
    row: pd.Series[Any] = compare(frame, "value").set_index("test").loc["Welch's t"]
    return row


# ---- Tables of the package --------------------------------------------------------------------------------------------------------


def asked(function: Callable[[], Any], said: list[str] | None = None) -> Any:
    """What a function of the package comes to. What it refuses is trouble; what it warns of is appended to `said`, if anybody wants that."""
    from showstopper import InputError, InputWarning

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", InputWarning)
        try:
            return function()
        except InputError as error:
            raise Trouble(f"ssreport: {error}") from error
        finally:
            if said is not None:
                said += [f"ssreport: {warning.message}" for warning in caught]


def table(name: str, files: Iterable[tuple[str, Iterable[Path]]], said: list[str] | None = None, **how: Any) -> pd.DataFrame:  # fmt: skip
    """The package's table of this name, of runs: labels, with the files of each. `how`: options of the function."""
    import showstopper

    labelled = [showstopper.File(str(file), label, run) for run, (label, own) in enumerate(files, 1) for file in own]
    frame: pd.DataFrame = asked(lambda: getattr(showstopper, name)(showstopper.join(labelled), **how), said)
    return frame


def repeats(files: Iterable[tuple[str, Iterable[Path]]], **how: Any) -> pd.DataFrame:
    """Of the accuracies of logs, those of one label together."""
    from showstopper.accuracy import repeats as of

    return of(table("accuracy", files, **how))


def csv_of(frame: pd.DataFrame, name: str, all_digits: bool = False) -> str:
    """A table of this name, as ssreport writes it: what is kept of batches."""
    from showstopper import SCHEMAS
    from showstopper.cli.tables import to_csv

    return to_csv(frame, SCHEMAS[name], all_digits)


def rows(frame: pd.DataFrame, name: str, all_digits: bool = False) -> list[Row]:
    """The same as texts by their columns."""
    return rows_of(csv_of(frame, name, all_digits))


def latency(requests: Path, log: Path | None = None, **how: Any) -> pd.DataFrame:
    """The package's table of response times."""
    from showstopper.latency import latency as of

    frame: pd.DataFrame = asked(lambda: of(requests, log, **how))
    return frame


def draw(subcommand: str, *words: object, stdin: str = "") -> str:
    """What a subcommand of ssreport prints; pictures, and tables for its -o, say by which command they were made."""
    from showstopper.cli.main import run

    status, text, said = run([subcommand, *map(str, words)], stdin=stdin)
    if status != 0:
        raise Trouble(last_line(said, f"ssreport {subcommand} failed"))
    return text


def last_line(said: str, otherwise: str) -> str:
    """Why a program failed. Before that it may have said what it left out."""
    return (said.strip().splitlines() or [otherwise])[-1]


# ---- Loads ------------------------------------------------------------------------------------------------------------------------


def is_whole(target: float, processors: int) -> bool:
    """Whether a number of instances that take a processor each makes up a load, to within a percentage point: what N-bench can do at best.
    Of other loads it is nobody's fault to miss them, and no merit to come closer."""
    return abs(100 * whole_instances(target, processors) / processors - target) <= 1


def whole_instances(target: float, processors: int) -> int:
    return max(1, int(target / 100 * processors + 0.5))


def on_line(points: list[tuple[float, float]], at: float) -> float | None:
    """The straight line between the points around this load, from none at no load; None beyond them."""
    import numpy as np

    loads, values = zip((0.0, 0.0), *sorted(points))
    return None if at > loads[-1] else float(np.interp(at, loads, values))


def bursts_said(rows: Iterable[Row]) -> str:
    """How many samples of how many met a burst, of rows with the columns samples and bursts."""
    found = list(rows)
    samples = sum(int(float(row.get("samples") or 0)) for row in found)
    if not samples or any(not row.get("bursts") for row in found):
        return "What others did meanwhile is unavailable."
    bursts = sum(int(float(row["bursts"])) for row in found)
    return f"{bursts or 'None'} of {samples} samples met a burst of others."
