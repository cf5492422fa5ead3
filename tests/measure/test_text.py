# SPDX-License-Identifier: MIT
from pathlib import Path

import pytest
from measure import text
from measure.options import Command, blanks, duration, flag, option, whole
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


def pair(_: str, value: str) -> dict[str, str]:
    return {value.partition("=")[0]: value.partition("=")[2]}


class Given(Command):
    usage, closing = "usage: given [OPTION]... WORD...", "That is {of.number}.\n"
    quick = flag("-q/--quick", "in no time")
    number = option("-n/--number N", whole(1, 9), 3, "how many ({of.number})")
    time = option("-t/--time TIME", duration(2), 0, "how long")
    slurm: list[str] = option("--slurm[=OPTIONS]", blanks, [], "on a cluster")
    shares: dict[str, str] = option("--share NAME=N", pair, {}, "of each")
    hidden = flag("--hidden", "")


def given(*words: str) -> Given:
    return Given(words, [])


def test_options_in_any_order() -> None:
    rest: list[str] = []
    of = Given(["a", "-q", "--number", "7", "b", "--slurm=-p x"], rest)
    assert (of.quick, of.number, of.slurm, of.hidden, rest) == (True, 7, ["-p", "x"], False, ["a", "b"])
    assert (given().quick, given().number, given("-n", "4", "-n", "5").number) == (False, 3, 5)
    assert (given("--slurm").slurm, given("--hidden").hidden) == ([], True)
    assert given("--share", "a=1", "--share", "b=2").shares == {"a": "1", "b": "2"} and given().shares == {}


@pytest.mark.parametrize(
    "words, said",
    [
        ("--number", "--number needs a value"),
        ("-n 0", "--number: '0' is no whole number from 1 to 9"),
        ("--num 1", r"unexpected argument '--num' \(--help says more\)"),
        ("--number=1", r"unexpected argument '--number=1' \(--help says more\)"),
        ("-t 1", "--time: '1' is no whole number from 2 of seconds, such as 90, 90s or 1M30s"),
        ("-t 2500ms", "--time: '2500ms' is no whole number from 2 of .*"),
        ("--share a=1 --share a=2", "--share: a is given twice"),
    ],
)
def test_what_options_refuse(words: str, said: str) -> None:
    with pytest.raises(Trouble, match=f"^{said}$"):
        given(*words.split())


def test_times_of_options() -> None:
    assert [given("-t", time).time for time in ("5", "5s", "1M30s", "2000ms")] == [5, 5, 90, 2]


def test_help_is_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        given("-q", "--help")
    assert (
        capsys.readouterr().out
        == """\
usage: given [OPTION]... WORD...
  -q, --quick             in no time
  -n, --number N          how many (3)
  -t, --time TIME         how long
      --slurm[=OPTIONS]   on a cluster
      --share NAME=N      of each
  -h, --help              print this
That is 3.
"""
    )


def test_a_file_is_written_as_a_whole(tmp_path: Path) -> None:
    text.write(tmp_path / "file", "one\n")
    with pytest.raises(Trouble, match="^can't write .*/nowhere/file: "):
        text.write(tmp_path / "nowhere/file", "two\n")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_markdown() -> None:
    assert list(text.markdown([["a", "b"], ["x", "1"]])) == ["| a | b |", "| --- | ---: |", "| x | 1 |"]
