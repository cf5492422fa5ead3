# SPDX-License-Identifier: MIT
"""The manual pages, against the package."""
from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

import showstopper
from showstopper.cli.options import SUBCOMMANDS

FOLDER = Path(showstopper.__file__).parent.parent
REPORT = (FOLDER / "ssreport.1").read_text()
PAGE = (FOLDER / "showstopper-python.7").read_text()


def tables() -> dict[str, list[str]]:
    """The columns of each table of the manual."""
    part = REPORT.partition(".Sh TABLES")[2].partition(".Sh")[0]
    found: dict[str, list[str]] = {}
    for item in part.split(".It Cm ")[1:]:
        names, _, text = item.partition("\n")
        columns = [
            name for line in re.findall(r"^\.Cm (.*)$", text, re.M) for name in line.split() if name[0].isalpha()
        ]
        found |= {name: columns for name in names.replace(",", " ").split()}
    return {
        name: columns for name, columns in found.items() if name not in ("boxes", "histogram")
    }  # theirs depend on options


@pytest.mark.parametrize("name", sorted(tables()))
def test_the_manual_has_the_columns_of_the_table(name: str) -> None:
    assert tables()[name] == showstopper.SCHEMAS[name].names


def test_help_has_the_columns_of_the_table() -> None:
    for function, table in ((showstopper.curve, "curve"), (showstopper.read_requests, "requests")):
        assert all(f"{name}" in (function.__doc__ or "") for name in showstopper.SCHEMAS[table].names)


def test_the_manual_has_all_subcommands() -> None:
    assert set(SUBCOMMANDS) == set(re.findall(r"^\.It Cm ([a-z]+) (?:Ar|Fl)", REPORT, re.M))


def test_the_ten_lines_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = PAGE.partition(".Bd -literal -offset indent\n")[2].partition(".Ed")[0]
    rows = "".join(f"{k / 2},{100 + k / 2},0.5,{0.48 + k % 3 / 50}\n" for k in range(1, 41))
    (tmp_path / "log.csv").write_text("time_s,monotonic_s,target,load\n" + rows)
    monkeypatch.chdir(tmp_path)
    exec(textwrap.dedent(lines), {})
    assert (tmp_path / "log.svg").stat().st_size > 1000
    assert len(lines.splitlines()) == 10
