# SPDX-License-Identifier: MIT
"""Which rows of CSV files make which groups, and what is refused."""
import io

import pandas as pd
import pytest
from showstopper.cli.main import run

FILES = {
    "old": "name,seconds\nx,10\nx,12\nx,11.5\n",
    "new": "name,seconds\nx,9\ny,12\ny,10.25\n",
    "few": "seconds\n30\n31\n\n",
    "gap": 'x\n1\n""\n3\n',
    "word": "seconds\n1\nabc\n",
    "words": "a,b\nx,y\n",
    "empty": "seconds\n",
    "number": "l,x\n1,5\n1,6\n2,8\n2,9\n",
    "label": "label,v\na,1\nb,2\na,3\n",
    "points": "n,x,y\na,1,2\na,2,3\na,3,5\n",
    "pieces": "name,before,after\none,2.3,0.9\ntwo,1.1,\n",
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)


@pytest.mark.parametrize(
    "line, groups",
    [
        ("compare old new", "old 3 new 3"),
        ("compare a=old a=few b=new", "a 5 b 3"),
        ("compare old few -- new", "old 5 new 3"),
        ("compare old new --by name", "x 4 y 2"),
        ("compare number --by l", "1 2 2 2"),  # labels that are numbers are no values
        ("means label --column v", "a 2 b 1"),
        ("means z=label --column v", "a 2 b 1"),  # labels are those of rows
        ("means z=few --column seconds", "z 2"),
        ("means old few --column seconds", "old 3 few 2"),
        ("means empty --column seconds", ""),
        ("boxes label --column v", "a 2 b 1"),
        ("boxes z=label --column v", "z 3"),
        ("boxes old new --column seconds --by name", "x 4 y 2"),
        ("model points", "points 3 points 3"),
        ("model points --column x --column y --by n", "a 3 a 3"),
        ("histogram pieces --column before --bins 2", "pieces 1 pieces 1"),
        ("histogram pieces --column before --column after --width 2", "before 1 before 1 after 1 after 0"),
    ],
)
def test_groups(line, groups):
    name, *words = line.split()
    table = pd.read_csv(io.StringIO(run([name, "-fcsv", *words]).out), dtype={"a": str})
    if "test" in table:
        table = table[table["test"] == "mean"].rename(columns={"a": "label", "count_a": "count"})
    assert " ".join(f"{label} {count:.0f}" for label, count in zip(table["label"], table["count"])) == groups


@pytest.mark.parametrize(
    "line, error",
    [
        ("compare old", "found one group, expected two or more: files with -- between them, or --by NAME"),
        ("compare old new --column nix", "old:1: found the columns name,seconds, expected nix as --column says"),
        ("compare old gap", "gap:1: found the columns x, expected seconds as in the first file"),
        ("compare old new --by nix", "old:1: found the columns name,seconds, expected nix as --by says"),
        ("compare words old", "words:2: found no number in the columns a,b, expected one, or --column NAME"),
        ("compare old word", "word:3: seconds: found 'abc', expected a number"),
        ("compare gap few --column x --paired", "gap:3: x: found no value, expected one in each row with --paired"),
        ("compare old empty", "found 0 values of empty, expected two or more"),
        ("model old", "old:2: found no second number in the columns name,seconds"),
        ("model empty", "found no point"),
        ("heatmap words", "words: row x: b: found 'y', expected a number"),
        ("heatmap number --outlier y", "--outlier: found no row or column called y"),
    ],
)
def test_refused(line, error):
    status, out, found = run(line.split())
    assert (status, out) == (125, "") and found.startswith(f"ssreport: {error}")
