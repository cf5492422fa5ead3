# SPDX-License-Identifier: MIT
"""Figures: ssreport computes them. What is here asks it, and puts them into tables."""

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from measure.process import attempt, output_of
from measure.text import Row, Trouble, known, number, rows_of

Key = tuple[str, ...]


@dataclass(frozen=True)
class Summary:
    """Of some values. `half` is half of the length of the mean's 95 % confidence interval, `error` its standard error; None of fewer than two."""

    count: int
    mean: float
    half: float | None
    median: float
    least: float
    most: float
    total: float
    error: float | None


def summaries(build: Path, values: Iterable[tuple[Key, float]]) -> dict[Key, Summary]:
    """Of the values of each key, by one call of ssreport."""
    keys: dict[Key, int] = {}
    lines = [f"{keys.setdefault(key, len(keys))},{value!r}\n" for key, value in values]
    if not lines:
        return {}
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write("label,value\n" + "".join(lines))
        file.flush()
        rows = rows_of(output_of([build / "ssreport", "means", "--column", "value", "-f", "csv", file.name]))
    return {key: summary(rows[place]) for key, place in keys.items()}


def summary(row: Row) -> Summary:
    mean, median, least, most, total = (known(row, name) for name in ("mean", "median", "least", "most", "sum"))
    return Summary(int(row["count"]), mean, number(row, "half"), median, least, most, total, number(row, "error"))


def summarize(build: Path, values: Iterable[float]) -> Summary | None:
    return summaries(build, (((), value) for value in values)).get(())


def report(build: Path, subcommand: str, *words: object) -> list[Row]:
    """The table of a subcommand of ssreport."""
    return rows_of(report_text(build, subcommand, *words))


def report_text(build: Path, subcommand: str, *words: object) -> str:
    return draw(build, subcommand, "-f", "csv", *words)


def reason(said: str, otherwise: str) -> str:
    """Why a program failed: what it said last. Before that it may have said what it left out."""
    return (said.strip().splitlines() or [otherwise])[-1]


def draw(build: Path, subcommand: str, *words: object) -> str:
    """As it says itself, with pictures or tables for its -o. What it prints."""
    result = attempt([build / "ssreport", subcommand, *words])
    if result.returncode != 0:
        raise Trouble(reason(result.stderr, f"ssreport {subcommand} failed"))
    return result.stdout


def is_whole(target: float, processors: int) -> bool:
    """Whether a number of instances that take a processor each makes up a load, to within a percentage point: what N-bench can do at best.
    Of other loads it is nobody's fault to miss them, and no merit to come closer."""
    return abs(100 * whole_instances(target, processors) / processors - target) <= 1


def whole_instances(target: float, processors: int) -> int:
    return max(1, int(target / 100 * processors + 0.5))


def on_line(points: list[tuple[float, float]], at: float) -> float | None:
    """The straight line between the points around this load, from none at no load; None beyond them."""
    low = max((point for point in points if point[0] <= at), default=(0.0, 0.0))
    high = min((point for point in points if point[0] >= at), default=None)
    if high is None:
        return None
    return high[1] if high[0] == low[0] else low[1] + (high[1] - low[1]) * (at - low[0]) / (high[0] - low[0])


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
