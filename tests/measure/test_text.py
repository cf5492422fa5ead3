# SPDX-License-Identifier: MIT
import re
from pathlib import Path

import pytest
from measure import text
from measure.options import Command, blanks, duration, each, flag, one_of, option, whole
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
    slow = flag("-s/--slow", "with time", action="store_false", dest="quick")
    number = option("-n/--number N", whole(1, 9), 3, "how many ({of.number})")
    time = option("-t/--time TIME", duration(2), 0, "how long")
    slurm: list[str] = option("--slurm[=OPTIONS]", blanks, [], "on a cluster")
    shares: dict[str, str] = option("--share NAME=N", pair, {}, "of each")
    hidden = flag("--hidden", "")
    kind = option("-k/--kind KIND", one_of("one other"), "one", "one or other ({of.kind}), 100 %")
    sizes: list[int] = option("--sizes LIST", each(whole(1)), [3], "in turn")


class Starter(Given):
    has_command = True


def given(*words: str) -> Given:
    return Given(words, [])


def test_options_in_any_order() -> None:
    rest: list[str] = []
    of = Given(["a", "-q", "--number", "7", "b", "--slurm=-p x"], rest)
    assert (of.quick, of.number, of.slurm, of.hidden, rest) == (True, 7, ["-p", "x"], False, ["a", "b"])
    assert (given().quick, given().number, given("-n", "4", "-n", "5").number) == (False, 3, 5)
    assert (given("--slurm").slurm, given("--hidden").hidden) == ([], True)
    assert (given("-q", "-s").quick, given("-s", "-q").quick) == (False, True)
    assert (given("--number=7").number, given("-k", "other").kind, given("--sizes", "4,5 6").sizes) == (
        7,
        "other",
        [4, 5, 6],
    )
    assert given("--share", "a=1", "--share", "b=2").shares == {"a": "1", "b": "2"} and given().shares == {}


def test_values_may_look_like_options() -> None:
    rest: list[str] = []
    of = Given(["--slurm", "a", "--slurm=--number 3", "--", "-q"], rest)
    assert (of.slurm, of.quick, rest) == (["--number", "3"], False, ["a", "-q"])
    assert given("-t", "9", "--share", "-n=-q").shares == {"-n": "-q"}


@pytest.mark.parametrize("between", [[], ["--"]])
def test_a_command_has_options_of_its_own(between: list[str]) -> None:
    rest: list[str] = []
    of = Starter(["-n", "4", "--slurm", *between, "true", "-n", "5", "--slurm", "--"], rest)
    assert (of.number, of.slurm, rest) == (4, [], ["true", "-n", "5", "--slurm", "--"])


@pytest.mark.parametrize("words, refused", [("a", "a"), ("-- -q", "-q"), ("-x a", "-x")])
def test_what_is_no_option_is_refused_where_there_is_none(words: str, refused: str) -> None:
    with pytest.raises(Trouble, match=rf"^unexpected argument '{refused}' \(--help says more\)$"):
        Given(words.split())


@pytest.mark.parametrize(
    "words, said",
    [
        ("--number", "--number: expected one argument"),
        ("-n 0", "--number: '0' is no whole number from 1 to 9"),
        ("--num 1", r"unexpected argument '--num' \(--help says more\)"),
        ("--num=1", r"unexpected argument '--num=1' \(--help says more\)"),
        ("--quick=1", "--quick: expected no value, found '1'"),
        ("-k third", r"--kind: invalid choice: 'third' \(choose from '?one'?, '?other'?\)"),
        ("--sizes 1,1", "--sizes: 1 is given twice"),
        ("--sizes ,", "--sizes: '' is no whole number from 1"),
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
    with pytest.raises(SystemExit) as ended:
        given("-q", "-n", "4", "--help")
    first, *lines, last = filter(None, capsys.readouterr().out.splitlines())
    assert (ended.value.code, first, last) == (0, "usage: given [OPTION]... WORD...", "That is 3.")
    said = "in no time|with time|how many (3)|how long|on a cluster|of each|one or other (one), 100 %|in turn"
    found = [re.fullmatch(r" +(-.*\S)  +(.*)", line) for line in lines[2:]]
    assert [of and of[2] for of in found] == said.split("|")
    names = "-q --quick|-s --slow|-n --number|-t --time|--slurm|--share|-k --kind|--sizes"
    assert [of and " ".join(re.findall("--?[a-z]+", of[1])) for of in found] == names.split("|")


def test_a_file_is_written_as_a_whole(tmp_path: Path) -> None:
    text.write(tmp_path / "file", "one\n")
    with pytest.raises(Trouble, match="^can't write .*/nowhere/file: "):
        text.write(tmp_path / "nowhere/file", "two\n")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_markdown() -> None:
    assert list(text.markdown([["a", "b"], ["x", "1"]])) == ["| a | b |", "| --- | ---: |", "| x | 1 |"]
