# SPDX-License-Identifier: MIT
"""What the command line asks for, what it refuses, and where the results go."""
import pathlib
import re
import subprocess
import sys
import types

import pytest
import showstopper
from showstopper import File
from showstopper.cli.command_line import parse
from showstopper.cli.main import run
from showstopper.cli.options import OPTIONS, SUBCOMMANDS

PATH = str(pathlib.Path(showstopper.__file__).parent.parent)
ROWS = "".join(f"{i},{100 + i},0.5,0.49\n" for i in range(1, 31))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.csv", "b.csv", "r=1"):
        (tmp_path / name).write_text("time_s,monotonic_s,target,load\n" + ROWS)
    (tmp_path / "i.csv").write_text("start_s,end_s\n" + "".join(f"{100 + i},{101 + i}\n" for i in range(30)))


@pytest.mark.parametrize(
    "line, name, value",
    [
        ("accuracy -w1s a", "window_s", 1.0),
        ("accuracy --burst 2,500ms a", "burst", (0.02, 0.5)),
        ("timeline --edge 10% --per-step a", "edge", 0.1),
        ("timeline --size 8.5x6 -o x.png a", "size_cm", (8.5, 6.0)),
        ("timeline --recorded 08:30,144 -o x.png a", "recorded", (30600.0, 144.0)),
        ("timeline --offset a=b=-1s --offset c=+2s a", "offsets_s", [("a=b", -1.0), ("c", 2.0)]),
        ("timeline --power m.csv --power l=n.csv a", "powers", [File("m.csv"), File("n.csv", "l")]),
        ("accuracy -f csv -o x a -o y", "outputs", ["x", "y"]),
        ("heatmap --range -5:100 a", "value_range", (-5.0, 100.0)),
        ("means --column x --within :5 a", "within", (-float("inf"), 5.0)),
        ("means --column x --within -1e3:20.5 a", "within", (-1000.0, 20.5)),
        ("latency --limit p99=50ms,mean=1s a", "limits", [{"p99": 0.05, "mean": 1.0}]),
        ("compare --seed 0 --quantiles 5 a", "seed", 0),
    ],
)
def test_values(line, name, value):
    assert getattr(parse(line.split()), name) == value


@pytest.mark.parametrize(
    "line, files",
    [
        ("accuracy a -w 1s b", [File("a"), File("b")]),
        ("accuracy x=a ./x=a /x=a burn/25=a", [File("a", "x"), File("./x=a"), File("/x=a"), File("a", "burn/25")]),
        ("accuracy r=1", [File("r=1")]),  # there is such a file
        ("accuracy -l x a -w 1s b --label=y c", [File("a", "x", 1), File("b", "x", 1), File("c", "y", 2)]),
        ("accuracy a -lx b z=c", [File("a"), File("b", "x", 1), File("c", "z")]),
        ("accuracy - -- -w", [File("-"), File("-w")]),
        ("compare a b -- c", [File("a", "a", 1), File("b", "a", 1), File("c", "c", 2)]),
    ],
)
def test_files_and_labels(line, files):
    assert parse(line.split()).files == files


@pytest.mark.parametrize(
    "line, message",
    [
        ("", "found no subcommand, expected a subcommand such as accuracy or timeline (see ssreport --help)"),
        ("timelin", "found 'timelin', expected a subcommand such as timeline (see ssreport --help)"),
        ("accuracy", "expected files (see ssreport accuracy --help)"),
        ("accuracy --windo 1s a", "unknown option '--windo': did you mean --window?"),
        ("accuracy a -w", "--window: expected one argument"),
        ("accuracy --per-target=1 a", "--per-target: ignored explicit argument '1'"),
        ("accuracy --edge 0.1 a", "accuracy has no option --edge"),
        ("heatmap -l x a", "heatmap has no option -l"),
        ("accuracy -w x a", "--window: 'x' is malformed: expected a time such as 107ms, 0.5s or 1min30s, from 1ms"),
        ("accuracy -f x a", "--format: 'x' is malformed: expected text, csv, markdown or json"),
        ("timeline --columns 13 a", "--columns: '13' is out of range: expected a whole number, from 1 to 12"),
        ("timeline --edge 0.5 a", "--edge: '0.5' is out of range: expected a share below 1/2"),
        ("latency --log= a", "--log: '' is malformed: expected the name of a file"),
        ("timeline --size 8x8 a", "found --size, but no picture (--output FILE.png, .svg or .pdf)"),
        ("latency --limit p99=1,p99=2 a", "--limit: 'p99=1,p99=2' is malformed: expected mean, p50"),
        ("compare a b --quantiles 101", "--quantiles: '101' is out of range"),
        ("means a --column x --within :", "--within: ':' is malformed"),
        ("histogram --column x --column x a", "--column: found 'x' twice"),
        ("means a", "found 0 options --column NAME, expected 1:"),
        ("histogram --column x --column y a b", "found two columns, expected one file"),
        ("accuracy -l x -l y a", "--label: found no file behind 'x'"),
        ("accuracy -l", "--label: expected a label"),
        ("accuracy -o x.png a", "--output: found x.png, but accuracy has no picture, expected a table"),
        ("accuracy -o x.foo a", "--output: found x.foo, expected the ending of a picture (.png .svg .pdf) or"),
        ("compare a --", "found groups that begin with "),
        ("compare -l x a -- b", "found --label and --, expected one of them between groups"),
        ("compare a -- a", "found groups that begin with a, a, expected files, others in each"),
        ("compare a -- b -w", "found -w behind --, expected a file; options stand before the first --"),
        ("compare x=a b --by name", "found --by beside labels"),
        ("timeline --edge 0.1 a", "found --edge without --per-step"),
        ("throughput --per-step -i 1s a", "found --per-step and --interval, expected one of them"),
        ("heatmap a b", "found 2 files, expected one table"),
        ("accuracy missing", "missing: No such file or directory"),
        ("accuracy i.csv", "found iterations only, expected a control log (showstopper -o)"),
        ("accuracy a.csv -o ./a.csv", "--output: ./a.csv is one of the files to read: expected another file"),
        ("accuracy a.csv -o x -o ./x", "--output: ./x would be written twice, also as x: expected two files"),
        ("accuracy a.csv -o none/x", "can't write none/x: No such file or directory"),
        ("accuracy a.csv -o /dev/full", "can't write /dev/full: No space left on device"),
    ],
)
def test_what_is_refused_ends_with_status_125_and_one_line(line, message):
    result = run(line.split())
    assert result[:2] == (125, "") and result.error.startswith(f"ssreport: {message}")
    assert result.error.count("\n") == 1 and pathlib.Path("a.csv").read_text().endswith(ROWS)


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_help_has_the_options_of_the_subcommand(name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    status, text, error = run([name, "--help"])
    assert (status, error) == (0, "") and all(len(line) <= 60 for line in text.splitlines()[1:])
    assert set(re.findall("^  .{4}--([a-z-]+)", text, re.M)) == {o.name for o in OPTIONS if name in o.uses}


@pytest.mark.parametrize(
    "words, answers",
    [
        (["he"], [*SUBCOMMANDS]),
        (["-"], ["-h", "--help", "-V", "--version", *SUBCOMMANDS]),
        (
            ["model", "-"],
            "-o --output -f --format -l --label --column --by --all-digits -h --help -V --version".split(),
        ),
        (["accuracy", "-f", "m"], ["text", "csv", "markdown", "json"]),
        (["accuracy", "a", "--format=m"], [f"--format={name}" for name in ("text", "csv", "markdown", "json")]),
        (["latency", "--unit", ""], ["s", "ms", "us", "ns"]),
        (["accuracy", "-w", ""], []),
        (["accuracy", "-on"], [":file\t-o"]),
        (["accuracy", ""], [":file\t"]),
        (["accuracy", "x=a"], [":file\tx="]),
        (["compare", "a", "--", "-"], [":file\t"]),
    ],
)
def test_completion(words, answers):
    lines = run(["--complete", *words]).out.splitlines()
    assert [line if line[0] == ":" else line.split("\t")[0] for line in lines if line] == answers


@pytest.mark.parametrize(
    "path, options, first",
    [
        ("x", [], "label"),
        ("x.CSV", [], "label,file,level"),
        ("x.md", [], "| label |"),
        ("x.json", [], "["),
        ("x.foo", ["-f", "csv"], "label,file,level"),
    ],
)
def test_the_ending_says_the_format(path, options, first):
    assert run(["accuracy", "a.csv", "-o", path, *options]) == (0, "", "")
    assert pathlib.Path(path).read_text().startswith(first)


@pytest.mark.parametrize("files, has_files", [(["a.csv", "b.csv"], False), (["x=a.csv", "x=b.csv"], True)])
def test_people_see_files_where_labels_do_not_tell(files, has_files):
    assert ("  file " in run(["accuracy", *files]).out) is has_files


def test_standard_input_and_a_message_about_a_strange_name():
    text = pathlib.Path("a.csv").read_text()
    pathlib.Path("c\n.csv").write_text(text + "31,")
    message = "ssreport: c?.csv: the last line is not whole and is left out\n"
    assert run(["accuracy", "-"], stdin=text).out.splitlines()[1].startswith("stdin ")
    assert run(["accuracy", "c\n.csv"])[::2] == (0, message)


@pytest.mark.parametrize("name", ["timeline", "throughput", "curve", "boxes"])
def test_pictures(name, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "showstopper._build", types.SimpleNamespace(VERSION="1.2", REVISION="abc"))
    paths = [tmp_path / f"x.{ending}" for ending in ("png", "svg", "pdf", "csv")]
    contents = []
    for _ in range(2):
        assert run([name, "a.csv", "i.csv", *(f"-o{path}" for path in paths)]) == (0, "", "")
        contents.append([path.read_bytes() for path in paths])
    assert contents[0] == contents[1] and [content[:4] for content in contents[0]] == [
        b"\x89PNG",
        b"<?xm",
        b"%PDF",
        b"labe",
    ]
    assert all(
        b"Showstopper 1.2 (abc)" in text and b"ssreport %s a.csv" % name.encode() in text for text in contents[0][:2]
    )


def test_functions_hide_modules_of_the_same_name():
    import showstopper.accuracy  # noqa: F401

    assert callable(showstopper.accuracy) and all(hasattr(showstopper, name) for name in showstopper.__all__)


@pytest.mark.parametrize(
    "command, status, error",
    [
        ("--help; ! python -X importtime -m showstopper compare 2>&1 | grep numpy", 0, ""),
        ("-V >&-", 125, "ssreport: can't write standard output: Bad file descriptor\n"),
        ("accuracy a.csv >/dev/full", 125, "ssreport: can't write standard output: No space left on device\n"),
        ("accuracy a.csv 2>&- <&-", 0, ""),
        ("accuracy x 2>&-", 125, ""),
        ("accuracy - <a.csv", 0, ""),
    ],
)
def test_the_process(command, status, error):
    command = f'python() {{ {sys.executable} "$@"; }}; python -m showstopper {command}'
    done = subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, env={"PYTHONPATH": PATH, "PYTHONDONTWRITEBYTECODE": "1"}
    )
    assert (done.returncode, done.stderr) == (status, error)
