# SPDX-License-Identifier: MIT
"""Pictures of reports, which ssreport draws of the runs of a part."""

from collections.abc import Callable, Iterable

from measure.batch import Part
from measure.process import last_line
from measure.runs import Run
from measure.text import refuse


def having(part: Part, **fields: object) -> list[Run]:
    """The complete runs with these fields, such as workload and repetition."""
    return [run for run in part.complete if all(getattr(run, name) == of for name, of in fields.items())]


def words_of(part: Part, runs: Iterable[Run], label: Callable[[Run], str], records: str = "") -> list[object]:
    """What ssreport is told of runs: labels, logs, and their iteration records of that name."""
    files = {run: part.records(run, records) if records else [] for run in runs}
    return [word for run in files for word in ("-l", label(run), part.log(run), *files[run])]


def draw(subcommand: str, *words: object) -> None:
    """By ssreport in this process, and not by the functions that it calls: a picture says by which command it was made, and whoever has it can make it again."""
    from showstopper.cli.main import run

    status, _, said = run([subcommand, *map(str, words)])
    refuse(status != 0, last_line(said, f"ssreport {subcommand} failed"))


def picture(part: Part, subcommand: str, name: str, caption: str, words: list[object], *options: object) -> None:
    """NAME.svg, in the report where there is something to show. Options are ssreport's."""
    if words:
        draw(subcommand, *options, "-o", part.output / f"{name}.svg", *words)
        part.report.picture(f"{name}.svg", caption)


def panels(height: int, words: list[object]) -> tuple[str, str]:
    """The size of a picture with a panel of that height, in cm, for each run."""
    return "--size", f"16x{height * words.count('-l')}"
