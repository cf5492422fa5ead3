# SPDX-License-Identifier: MIT
"""Mutants of a project of three functions: which its tests notice, which are none, and what is said of them."""

import os
import signal
import subprocess
from pathlib import Path

import pytest
from measure import mutants
from measure.confined import confined as run_confined
from measure.confined import sweep_groups
from measure.executed import Executed
from measure.mutants import EQUIVALENT, MISSED, NOTICED, Found, Mutant
from measure.process import has_program
from measure.text import Trouble

FILE = "src/sum/sum.c"
SUM = """int sum(int a, int b)
{
	return a + b;
}
int untested(int a)
{
	return a * 2;
}
int forever(int a)
{
	while (a > 0)
		a--;
	return a;
}
"""
TEST = """int sum(int a, int b);
int forever(int a);
int main(void)
{
	return sum(2, 2) != 4 || sum(5, 1) != 6 || forever(3) != 0;
}
"""
BUILD = """cmake_minimum_required(VERSION 3.22)
project(sums LANGUAGES C)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
include(CTest)
if(SHOWSTOPPER_SANITIZE)
	add_compile_options(-g -fsanitize=undefined)
	add_link_options(-fsanitize=undefined)
endif()
if(SHOWSTOPPER_COVERAGE)
	add_compile_options(--coverage)
	add_link_options(--coverage)
endif()
add_library(sums STATIC src/sum/sum.c)
add_executable(test_sum tests/test_sum.c)
target_link_libraries(test_sum sums)
add_test(NAME test_sum COMMAND test_sum)
add_test(NAME test_broken COMMAND false)
add_test(NAME script COMMAND sh ${CMAKE_SOURCE_DIR}/tests/script.sh)
set_tests_properties(script PROPERTIES SKIP_RETURN_CODE 77 ENVIRONMENT "WHERE=${CMAKE_BINARY_DIR}")
"""
# What is seen by whole programs alone.
SCRIPT = '[ "$(basename "$WHERE")" = build ] || exit 1\nexit 77\n'


def mutant(line: int, new: str) -> Mutant:
    old = SUM.splitlines()[line - 1]
    return Mutant(FILE, line, old, new)


NOISY = mutant(3, "\treturn a - b;")
QUIET = mutant(7, "\treturn a * 3;")
ENDLESS = mutant(12, "\t\ta = a;")
SAME = mutant(3, "\treturn (a + b);")
BROKEN = mutant(3, "\treturn a +* b,\n\t\t;")


MOUNTS = (
    'cd "$1" && mkdir lower upper work on && mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work on'
)


HAS_GCOVR = has_program("gcovr") or os.environ.get("SHOWSTOPPER_TEST_PACKAGES") in ("yes", "tests")


def confined() -> bool:
    return subprocess.call(["unshare", "--pid", "--fork", "--mount", "true"], stderr=subprocess.DEVNULL) == 0


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name, text in {
        FILE: SUM,
        "tests/test_sum.c": TEST,
        "tests/script.sh": SCRIPT,
        "CMakeLists.txt": BUILD,
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    for words in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", "-C", root, *words], check=True)
    return root


@pytest.mark.skipif(not confined(), reason="namespaces are not permitted here")
@pytest.mark.skipif(not HAS_GCOVR, reason="gcovr is missing")
def test_mistakes_are_put_in_and_taken_out(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(mutants, "LEAST_LIMIT_S", 1.0)
    folder = tmp_path / "there"
    copy = mutants.Copy(project, folder, 2, ["sums"])
    known = [("src/*", "test_{name}|test_broken"), ("src/sum/*", "script")]
    results = mutants.Results(folder / "results.csv", "one", project)
    order = [BROKEN, NOISY, SAME, QUIET, ENDLESS]
    found = mutants.measured(copy, order, 9, 1e9, results, {}, known)
    assert [(one.mutant, one.verdict, one.by) for one in found] == [
        (NOISY, NOTICED, "test_sum"),
        (QUIET, MISSED, ""),
        (ENDLESS, NOTICED, "test_sum"),
    ]
    assert [one.verdict for one in results.found.values()] == [mutants.BROKEN, NOTICED, mutants.SAME, MISSED, NOTICED]
    assert "test_broken fails as things are, and is left out" in capsys.readouterr().out
    assert mutants.survivors(found) == [f"{FILE}:7", "- return a * 2;", "+ return a * 3;", ""]
    # Neither the project nor its copy is another one afterwards.
    assert (project / FILE).read_text() == SUM == (copy.tree / FILE).read_text()
    assert copy.builds(["test_sum"]) and copy.tests["test_sum"].passes(60)
    # What was left in the copy goes, and what is new comes.
    (copy.tree / FILE).write_text("")
    (copy.tree / "src/old.c").write_text("")
    copy.fetch()
    assert (copy.tree / FILE).read_text() == SUM and not (copy.tree / "src/old.c").exists()
    # Of the same revision nothing is tried twice.
    again = mutants.Results(folder / "results.csv", "one", project)
    assert again.found == results.found
    monkeypatch.setattr(copy, "try_one", None)
    assert mutants.measured(copy, order, 2, 1e9, again, {}, known) == found[:2]
    # Of another one it is what was missed, as there may be more tests; and where its file is another one all is, the test first that noticed it.
    other = mutants.Results(folder / "results.csv", "two", project)
    assert set(again.found) - set(other.found) == {QUIET}
    (project / FILE).write_text(f"{SUM}\n")
    other = mutants.Results(folder / "results.csv", "two", project)
    assert other.found == {} and other.first == {one.change: "test_sum" for one in (NOISY, ENDLESS)}
    copy.leave_scripts_out()
    assert sorted(copy.tests) == ["test_sum"]
    # What a script has noticed is missed without scripts.
    other.add(Found(SAME, NOTICED, "script"))
    assert mutants.measured(copy, [SAME], 1, 1e9, other, {}, known) == [Found(SAME, MISSED, mutants.UNITS)]


@pytest.mark.skipif(not confined(), reason="namespaces are not permitted here")
@pytest.mark.skipif(not HAS_GCOVR, reason="gcovr is missing")
def test_what_units_miss_is_left_to_scripts(project: Path, tmp_path: Path) -> None:
    copy = mutants.Copy(project, tmp_path / "there", 2, ["sums"])
    known = [("src/*", "test_{name}"), ("src/sum/*", "script|again|never")]
    all_tests = copy.tests
    copy.leave_scripts_out()
    results = mutants.Results(tmp_path / "results.csv", "one", project)
    found = mutants.measured(copy, [NOISY, QUIET], 9, 1e9, results, {}, known)
    assert found == [Found(NOISY, NOTICED, "test_sum"), Found(QUIET, MISSED, mutants.UNITS)]
    copy.tests, copy.units_only = all_tests, False
    (tmp_path / "there/copy/tree/tests/script.sh").write_text("grep -q '[*] 2' ../tree/src/sum/sum.c")
    again = mutants.Results(tmp_path / "results.csv", "one", project)
    copy.seconds.clear()
    found = mutants.measured(copy, [NOISY, QUIET], 9, 1e9, again, {}, known)
    assert found == [Found(NOISY, NOTICED, "test_sum"), Found(QUIET, NOTICED, "script")]
    assert list(copy.seconds) == ["script"]


@pytest.mark.skipif(not confined(), reason="namespaces are not permitted here")
@pytest.mark.skipif(not HAS_GCOVR, reason="gcovr is missing")
def test_a_script_that_fails_beside_others_alone_notices_nothing(project: Path, tmp_path: Path) -> None:
    """It passes as things are, fails twice, as on a busy machine, and passes from there on."""
    (project / "tests/script.sh").write_text(
        'echo >>"$WHERE/runs"\ncase $(wc -l <"$WHERE/runs") in 2 | 3) exit 1 ;; esac\n'
    )
    copy = mutants.Copy(project, tmp_path / "there", 2, ["sums"])
    copy.executed.tests.clear()
    results = mutants.Results(tmp_path / "results.csv", "one", project)
    assert mutants.measured(copy, [QUIET], 1, 1e9, results, {}, [("src/*", "script")]) == [Found(QUIET, MISSED)]
    assert len((copy.build / "runs").read_text().splitlines()) == 4


@pytest.mark.skipif(not confined(), reason="namespaces are not permitted here")
@pytest.mark.skipif(not HAS_GCOVR, reason="gcovr is missing")
def test_mutants_side_by_side_do_not_meet(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if subprocess.call(["unshare", "--mount", "sh", "-c", MOUNTS, "sh", tmp_path], stderr=subprocess.DEVNULL) != 0:
        pytest.skip("no overlay can be mounted here")
    monkeypatch.setattr(mutants, "LEAST_LIMIT_S", 1.0)
    folder = tmp_path / "there"
    copy = mutants.Copy(project, folder, 1, ["sums"], "one")
    known = [("src/*", "test_{name}")]
    order = [BROKEN, ENDLESS, NOISY, SAME, QUIET, mutant(3, "\treturn a * b;"), mutant(7, "\treturn a / 2;")]
    results = mutants.Results(folder / "results.csv", "one", project)
    found = mutants.measured(copy, order, 4, 1e9, results, {}, known, 3)
    assert [(one.mutant, one.verdict) for one in found] == [
        (ENDLESS, NOTICED),
        (NOISY, NOTICED),
        (QUIET, MISSED),
        (order[5], NOTICED),
    ]
    # The copy that they share is as it was, and what they wrote elsewhere is gone.
    assert (copy.tree / FILE).read_text() == SUM and not (copy.build / "plain.o").exists()
    assert sorted(path.name for path in folder.iterdir()) == ["copy", "results.csv", "tests"]
    # What came of them is kept, whether it was waited for or not, and so is what is known of tests.
    kept = mutants.Results(folder / "results.csv", "one", project)
    verdicts = [mutants.BROKEN, NOTICED, NOTICED, mutants.SAME, MISSED, NOTICED]
    assert [kept.found[one].verdict for one in order[:6]] == verdicts
    assert copy.kept and sorted(path.name for path in copy.kept.iterdir()) == ["test_sum.lines", "test_sum.seconds"]
    # After the time none is begun.
    with pytest.raises(Trouble, match="there is no mutant"):
        mutants.measured(copy, order[6:], 1, 0, mutants.Results(tmp_path / "r.csv", "one", project), {}, known, 3)
    # What goes wrong in one of them is said.
    monkeypatch.setattr(copy, "objects", {})
    with pytest.raises(KeyError, match=FILE):
        mutants.measured(copy, order, 1, 1e9, mutants.Results(tmp_path / "r.csv", "one", project), {}, known, 2)


@pytest.mark.skipif(not confined(), reason="namespaces are not permitted here")
@pytest.mark.skipif(not HAS_GCOVR, reason="gcovr is missing")
def test_tests_that_execute_a_line(project: Path, tmp_path: Path) -> None:
    (project / "tests/test_doubles.c").write_text(
        "int untested(int a);\nint main(void)\n{\n\treturn untested(2) != 4;\n}\n"
    )
    (project / "tests/test_none.c").write_text("int main(void)\n{\n\treturn 0;\n}\n")
    with (project / "CMakeLists.txt").open("a") as build:
        for name in ("test_doubles", "test_none"):
            build.write(
                f"add_executable({name} tests/{name}.c)\ntarget_link_libraries({name} sums)\nadd_test(NAME {name} COMMAND {name})\n"
            )
    executed = Executed(project, tmp_path / "counted", 2, tmp_path / "kept/one")
    names = ["test_none", "test_sum", "test_doubles"]
    assert executed.see(FILE, 3, names) == ["test_sum"]
    assert executed.see(FILE, 7, names) == ["test_doubles"]
    # A line without code, and one that nobody executes.
    assert executed.see(FILE, 10, names) == ["test_sum", "test_doubles"]
    assert executed.see(FILE, 7, names[:2]) == names[:2]
    assert executed.of("test_sum")[FILE] == {
        1: True,
        3: True,
        5: False,
        7: False,
        9: True,
        11: True,
        12: True,
        13: True,
    }
    # Of one that fails nothing is known.
    assert executed.see(FILE, 3, [*names, "test_broken"]) == ["test_sum", "test_broken"]
    # What was found of the same revision is not counted again.
    again = Executed(project, tmp_path / "counted", 2, tmp_path / "kept/one")
    again.tests.clear()
    assert again.of("test_sum") == executed.of("test_sum")
    other = Executed(project, tmp_path / "counted", 2, tmp_path / "kept/two")
    other.tests.clear()
    assert other.of("test_sum") == {}


@pytest.mark.skipif(not confined(), reason="namespaces are not permitted here")
def test_no_test_inherits_what_nohup_ignores() -> None:
    hangs_up = ["sh", "-c", "kill -HUP $$; exit 3"]
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert subprocess.call(hangs_up) == 3
        assert run_confined(hangs_up, 60) == 128 + signal.SIGHUP
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.skipif(
    not confined() or not Path("/proc/sys/kernel/ns_last_pid").exists(),
    reason="numbers of processes can't be chosen here",
)
def test_processes_of_two_tests_have_other_numbers(tmp_path: Path) -> None:
    """What they share, such as control groups, is named by them."""
    numbers = tmp_path / "numbers"
    for _ in range(3):
        assert run_confined(["sh", "-c", 'sh -c "echo \\$\\$" >>"$0"', numbers], 60) == 0
    assert len(set(numbers.read_text().split())) > 1


def test_groups_of_killed_tests_go(tmp_path: Path) -> None:
    for name in ("v1/test-7/showstopper-1/0", "v1/sst-test-3", "v2/lxc.sst-test-3", "v1/other/0", "v2/test-8"):
        (tmp_path / name).mkdir(parents=True)
    # As the kernel keeps one that a process is in; its parent stays too.
    (tmp_path / "v2/test-8/process").touch()
    (tmp_path / "v2/test-8/freezer.state").write_text("FROZEN")
    assert sweep_groups(tmp_path) == 5
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_dir()) == [
        "v1",
        "v1/other",
        "v1/other/0",
        "v2",
        "v2/test-8",
    ]
    assert (tmp_path / "v2/test-8/freezer.state").read_text() == "THAWED"


def test_what_is_drawn_follows_from_the_seed() -> None:
    many = [Mutant("a.c", line, str(line), f"{line} {of}") for line in range(1, 40) for of in range(line)]
    order = mutants.drawn(many, 7)
    assert order == mutants.drawn(reversed(many), 7) != mutants.drawn(many, 8)
    # Each line once, before any of them comes up again.
    assert sorted(one.line for one in order[:39]) == list(range(1, 40))
    assert len(order) == len(many)
    # Lines before them, another file and a mutant less change nothing for the others.
    moved = [Mutant(one.file, one.line + 5, one.old, one.new) for one in many]
    more = [*moved, *(Mutant("b.c", line, str(line), "") for line in range(1, 9))]
    assert [(one.old, one.new) for one in mutants.drawn(more, 7) if one.file == "a.c"] == [
        (one.old, one.new) for one in order
    ]
    assert order[:-1] == mutants.drawn(set(many) - {order[-1]}, 7)
    # Lines of the same text have places of their own.
    twice = [Mutant("a.c", line, "same", "other") for line in (1, 2)]
    assert sorted(mutants.drawn(twice, 7)) == twice


def test_tests_of_a_file() -> None:
    known = [("src/*", "test_{folder}_.*"), ("src/base/*", "cli_(one|two)"), ("modules/*", "test_(.*_)?{name}")]
    names = ["test_base_a", "test_base_b", "test_control_a", "cli_one", "cli_one_more", "test_sine", "test_trace_sine"]
    assert mutants.tests_of("src/base/units.c", known, names) == ["test_base_a", "test_base_b", "cli_one"]
    assert mutants.tests_of("src/control/loop.c", known, names) == ["test_control_a"]
    assert mutants.tests_of("modules/trace/sine.c", known, names) == ["test_sine", "test_trace_sine"]
    assert mutants.tests_of("tools/a.c", known, names) == []


def test_every_source_has_tests(root: Path) -> None:
    known = mutants.read_map(root / "tests/mutants/tests")
    scripts = [f"cli_{path.stem}" for path in root.glob("tests/cli/*.sh")]
    units = [f"test_{path.parent.name}_{path.stem[5:]}" for path in root.glob("tests/unit/*/test_*.c")]
    names = [*scripts, *units, *(path.stem for path in root.glob("tests/modules/test_*.c"))]
    for path in [*root.glob("src/**/*.c"), *root.glob("modules/*/*.c"), *root.glob("tools/*/*.c")]:
        file = str(path.relative_to(root))
        assert mutants.tests_of(file, known, names), file
    mutants.read_equivalent(root / "tests/mutants/equivalent", root)


def test_equivalent_mutants_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("one;\n\ttwo;\nfour;\n\tfour;\n")
    names = tmp_path / "equivalent"
    names.write_text("# Said first.\n\na.c\n- two;\n+ 2;\nit is\nthe same\n\n\na.c\n- one;\n+ 1;\nlikewise\n")
    known = mutants.read_equivalent(names, tmp_path)
    assert known == {("a.c", "two;", "2;"): "it is the same", ("a.c", "one;", "1;"): "likewise"}
    for text, said in {
        "a.c\n- three;\n+ 3;\nwhy": "a.c has no line 'three;'",
        "a.c\n- four;\n+ 4;\nwhy": "a.c has 2 lines 'four;'",
        "a.c\n- one;\n+ 1;": "expected a file",
        "a.c\n+ one;\n- 1;\nwhy": "expected a file",
    }.items():
        names.write_text(text)
        with pytest.raises(Trouble, match=said):
            mutants.read_equivalent(names, tmp_path)
    assert mutants.read_equivalent(tmp_path / "none", tmp_path) == {}


def test_the_table_counts_by_folder() -> None:
    def of(file: str, verdict: str) -> Found:
        return Found(Mutant(file, 1, "", ""), verdict)

    found = [of("src/b/x.c", NOTICED), of("src/b/y.c", MISSED), of("src/b/y.c", NOTICED), of("src/a/x.c", EQUIVALENT)]
    assert mutants.table_of(found) == [
        ["folder", "mutants", "equivalent", "noticed", "not noticed", "noticed, %"],
        ["`src/a/`", "1", "1", "0", "0", ""],
        ["`src/b/`", "3", "0", "2", "1", "67"],
        ["all", "4", "1", "2", "1", "67"],
    ]
