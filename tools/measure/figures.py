# SPDX-License-Identifier: MIT
"""Figures: the package showstopper computes them, in this process. What is here asks it, and puts them into tables."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, TypeVar

from measure.text import Row, Trouble, rows_of

Key = tuple[str, ...]
K = TypeVar("K", bound=Hashable)


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
    # Only here, as what prints help or refuses has no need of them.
    import pandas as pd
    from showstopper.statistics import means

    places = {key: place for place, key in enumerate(dict.fromkeys(key for key, _ in found))}
    table = means(
        pd.DataFrame([(places[key], value) for key, value in found], columns=["label", "value"]), "value", **how
    )
    rows = table.drop(columns="label").astype(object).where(table.notna(), None).to_dict("records")
    return {key: Summary(**row) for key, row in zip(places, rows)}


def summarize(values: Iterable[float | None]) -> Summary | None:
    return summaries(((), value) for value in values).get(())


def welch(one: Iterable[float], two: Iterable[float]) -> dict[str, float | None]:
    """What the second have more than the first, two or more of each: `estimate`, from `low` to `high`, `percent` of the first, and `p` of Welch's t."""
    import pandas as pd
    from showstopper.statistics import compare

    values = [("one", value) for value in one] + [("two", value) for value in two]
    table = compare(pd.DataFrame(values, columns=["label", "value"]), "value").set_index("test")
    row = table.loc["Welch's t", ["estimate", "low", "high", "percent", "p"]]
    return {name: float(value) if isfinite(value) else None for name, value in row.items()}


def report(subcommand: str, *words: object) -> list[Row]:
    """The table of a subcommand of ssreport."""
    return rows_of(report_text(subcommand, *words))


def report_text(subcommand: str, *words: object) -> str:
    return draw(subcommand, "-f", "csv", *words)


def reason(said: str, otherwise: str) -> str:
    """Why a program failed: what it said last. Before that it may have said what it left out."""
    return (said.strip().splitlines() or [otherwise])[-1]


def draw(subcommand: str, *words: object, stdin: str = "") -> str:
    """As it says itself, with pictures or tables for its -o. What it prints."""
    status, text, said = ask(subcommand, *words, stdin=stdin)
    if status != 0:
        raise Trouble(reason(said, f"ssreport {subcommand} failed"))
    return text


def ask(subcommand: str, *words: object, stdin: str = "") -> tuple[int, str, str]:
    """A subcommand of ssreport: its status, what it prints, and what it says of that."""
    from showstopper.cli.main import run

    return run([subcommand, *map(str, words)], stdin=stdin)


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


def by_size(texts: Iterable[str]) -> list[str]:
    """Numbers by their size; what is none stays at the end."""
    found = list(dict.fromkeys(texts))
    numbers = [text for text in found if text.replace(".", "", 1).isdigit()]
    return sorted(numbers, key=float) + [text for text in found if text not in numbers]


def heads(head: str, settings: Iterable[str], columns: Sequence[str]) -> list[str]:
    """A column for each setting; where several figures are shown, one for each of them."""
    return [head, *(f"{of}: {column}" if len(columns) > 1 else of for of in settings for column in columns)]


def pivot(rows: Sequence[Row], head: str, settings: Sequence[str], *columns: str) -> list[list[str]]:
    """A row for each value of the column `head`, a column for each figure of each setting; with a ± where there is a column NAME_half."""

    def value(row: Row, column: str) -> str:
        half = row.get(f"{column}_half") or ""
        return row[column] + (f" ±{half}" if half else "")

    none = [""] * len(columns)
    cells = {(row[head], row["setting"]): [value(row, name) for name in columns] for row in rows if row[columns[0]]}
    table = [heads(head, settings, columns)]
    for of in by_size(row[head] for row in rows):
        table.append([of, *(cell for name in settings for cell in cells.get((of, name), none))])
    return table
