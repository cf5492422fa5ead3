# SPDX-License-Identifier: MIT
from pathlib import Path

import pytest
from measure import text
from measure.options import options
from measure.text import Trouble


def test_words_of_the_shell() -> None:
    assert text.quoted("plain-1.2/%@+=:,_") == "plain-1.2/%@+=:,_"
    assert text.quoted("") == "''"
    assert text.quoted("it's $x") == "'it'\\''s $x'"


def test_numbers_are_printed_as_awk_prints_them() -> None:
    assert [text.shortest(value) for value in (3.0, 0.1, 1234567.0, 0.1230000001, 90.5)] == [
        "3",
        "0.1",
        "1234567",
        "0.123",
        "90.5",
    ]


def test_times() -> None:
    assert text.in_seconds("1M30s500ms") == 90.5
    assert text.in_seconds("10") == 10
    assert (text.as_time(59), text.as_time(61), text.as_time(3661)) == ("59 s", "1 min 01 s", "1 h 01 min")


def test_numbers_of_options() -> None:
    assert text.number_from("-n", "7", 1) == 7
    for wrong in ("", "0", "1.5", "-1", "x", "9999999999999999"):
        with pytest.raises(Trouble, match=r"^-n: '.*' is no whole number from 1$"):
            text.number_from("-n", wrong, 1)


def test_options_in_any_order() -> None:
    rest: list[str] = []
    found = list(options(["a", "-q", "--name", "x", "b"], "-q/--quick", "-n/--name", "", rest))
    assert found == [("-q", "quick", ""), ("--name", "name", "x")]
    assert rest == ["a", "b"]
    with pytest.raises(Trouble, match="^--name needs a value$"):
        list(options(["--name"], "", "-n/--name", ""))
    with pytest.raises(Trouble, match=r"^unexpected argument '--nam' \(--help says more\)$"):
        list(options(["--nam"], "", "-n/--name", ""))
    assert list(options(["--slurm", "--slurm=-p x"], "--slurm --slurm=", "", "")) == [
        ("--slurm", "slurm", ""),
        ("--slurm", "slurm", "-p x"),
    ]


def test_a_file_is_written_as_a_whole(tmp_path: Path) -> None:
    text.write(tmp_path / "file", "one\n")
    with pytest.raises(Trouble, match="^can't write .*/nowhere/file: "):
        text.write(tmp_path / "nowhere/file", "two\n")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_markdown() -> None:
    assert list(text.markdown([["a", "b"], ["x", "1"]])) == ["| a | b |", "| --- | ---: |", "| x | 1 |"]
