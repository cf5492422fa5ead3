# SPDX-License-Identifier: MIT
"""tools/experiments/clocks on a made-up tree of cpufreq. Clocks of a kernel are held by tests/vm/cases/frequency.sh."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import ROOT

FREE = ["1000000 3600000"] * 2
# By policy: processors, steps.
POLICIES = {0: ("0 1", ""), 1: ("2 3", "800000 1800000 2400000 3600000")}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for number, (cpus, steps) in POLICIES.items():
        folder = policy(tmp_path, number)
        folder.mkdir(parents=True)
        values = {"affected_cpus": cpus, "cpuinfo_min_freq": 800000, "cpuinfo_max_freq": 3600000}
        values |= {"scaling_min_freq": 1000000, "scaling_max_freq": 3600000, "scaling_available_frequencies": steps}
        for name, value in values.items():
            (folder / name).write_text(f"{value}\n")
    return tmp_path


def policy(tree: Path, number: int) -> Path:
    return tree / f"sys/devices/system/cpu/cpufreq/policy{number}"


def limits(tree: Path) -> list[str]:
    names = ("scaling_min_freq", "scaling_max_freq")
    return [" ".join((policy(tree, number) / name).read_text().strip() for name in names) for number in POLICIES]


def wait_for(true: Callable[[], bool]) -> None:
    until = time.monotonic() + 20
    while not true():
        assert time.monotonic() < until
        time.sleep(0.01)


def is_free(tree: Path) -> bool:
    return limits(tree) == FREE and (tree / "run/showstopper/clocks").read_text() == ""


def clocks(tree: Path, *words: object, cpus: str = "0-3") -> list[str]:
    return [str(ROOT / "tools/experiments/clocks"), "--sysroot", str(tree), "--cpus", cpus, *map(str, words)]


def run(tree: Path, *words: object, cpus: str = "0-3") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(clocks(tree, *words, cpus=cpus), capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    "wish, cpus, held",
    [
        ("min", "0-3", ["800000 800000"] * 2),
        ("max", "0-3", ["3600000 3600000"] * 2),
        ("1.8GHz", "0-3", ["1800000 1800000"] * 2),
        ("1900MHz", "0,1", ["1900000 1900000", FREE[1]]),
        ("60%", "0-3", ["2160000 2160000", "2400000 2400000"]),  # 2.16 GHz, or the nearest step
        ("1%", "2", [FREE[0], "800000 800000"]),
        ("800000kHz", "3", [FREE[0], "800000 800000"]),
    ],
)
def test_what_is_held_meanwhile(tree: Path, wish: str, cpus: str, held: list[str]) -> None:
    show = f"cd {tree}/sys/devices/system/cpu/cpufreq && paste -d' ' policy0/scaling_m[ia]*_freq policy1/scaling_m[ia]*_freq; exit 3"
    result = run(tree, wish, "sh", "-c", show, cpus=cpus)
    values = result.stdout.split()  # the glob has the upper limit first
    assert [f"{values[1]} {values[0]}", f"{values[3]} {values[2]}"] == held
    assert result.returncode == 3
    wait_for(lambda: is_free(tree))


@pytest.mark.parametrize(
    "words, cpus, said",
    [
        (["1900MHz", "true"], "0-3", "processor 2 has no 1900MHz; the nearest that it has is 1800MHz"),
        (["5GHz", "true"], "0", "processor 0 has no 5GHz; the nearest that it has is 3600MHz"),
        (["fast", "true"], "0", "'fast': expected a frequency such as 1.8GHz"),
        (["101%", "true"], "0", "'101%': expected a frequency such as 1.8GHz"),
        (["0MHz", "true"], "0", "'0MHz': expected a frequency such as 1.8GHz"),
        (["min", "true"], "3-4", "--cpus: 3-4: processors [4] have no clock that can be set"),
        (["min", "true"], "3-1", "--cpus: '3-1': expected a list of processors"),
        (["min"], "0", "expected a command behind the frequency"),
        ([], "0", "expected a frequency (--help says more)"),
        (["--check", "min", "true"], "0", "--check: found the command 'true', expected none"),
    ],
)
def test_what_is_refused(tree: Path, words: list[str], cpus: str, said: str) -> None:
    result = run(tree, *words, cpus=cpus)
    assert (result.returncode, result.stdout) == (125, "")
    assert result.stderr.startswith(f"tools/experiments/clocks: {said}") and result.stderr.count("\n") == 1
    assert limits(tree) == FREE and not (tree / "run").exists()


def test_a_machine_without_clocks(tmp_path: Path) -> None:
    assert "this machine has no cpufreq" in run(tmp_path, "min", "true").stderr


def test_check_changes_nothing(tree: Path) -> None:
    assert run(tree, "--check", "min").returncode == 0
    assert limits(tree) == FREE and not (tree / "run").exists()


def test_a_clock_of_other_processors_is_said(tree: Path) -> None:
    result = run(tree, "min", "true", cpus="0")
    assert result.stderr == "tools/experiments/clocks: the clock of policy0 is also that of processors [1]\n"


def test_signals_are_as_the_user_has_them(tree: Path) -> None:
    assert run(tree, "max", "sh", "-c", "kill -PIPE $$; echo alive").returncode == -signal.SIGPIPE


def test_a_command_that_is_not_there(tree: Path) -> None:
    result = run(tree, "min", "./nothing")
    assert (
        result.returncode == 125 and result.stderr == "tools/experiments/clocks: ./nothing: No such file or directory\n"
    )
    wait_for(lambda: is_free(tree))


def begin(tree: Path) -> "subprocess.Popen[str]":
    process = subprocess.Popen(clocks(tree, "min", "sleep", "60"), stderr=subprocess.DEVNULL, text=True)
    wait_for(lambda: limits(tree) == ["800000 800000"] * 2)
    return process


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_command(tree: Path, number: signal.Signals) -> None:
    process = begin(tree)
    process.send_signal(number)
    assert process.wait() == -number
    wait_for(lambda: is_free(tree))


def test_the_next_one_gives_back_what_a_killed_one_has_left(tree: Path) -> None:
    with begin(tree) as process:
        held = next(found for found in Path("/proc").glob("[0-9]*") if is_holder(found, tree))
        os.kill(int(held.name), signal.SIGKILL)
        process.kill()
    assert limits(tree) == ["800000 800000"] * 2
    # Somebody has changed one of them since.
    (policy(tree, 1) / "scaling_max_freq").write_text("2400000\n")
    result = run(tree, "--cpus", "0", "max", "true", cpus="0-3")
    assert "gave back what one had left that was killed: limits of policy0\n" in result.stderr
    assert "policy1" not in result.stderr
    wait_for(lambda: limits(tree) == [FREE[0], "800000 2400000"])


def is_holder(entry: Path, tree: Path) -> bool:
    try:
        return (
            str(tree) in (entry / "cmdline").read_text()
            and (entry / "stat").read_text().split(") ")[1].split()[3] == entry.name
        )
    except OSError:
        return False


def test_one_at_a_time(tree: Path) -> None:
    with begin(tree) as process:
        result = run(tree, "max", "true")
        assert result.returncode == 125 and "another tools/experiments/clocks holds clocks" in result.stderr
        assert limits(tree) == ["800000 800000"] * 2
        process.kill()
    wait_for(lambda: is_free(tree))


def test_a_record_that_is_none(tree: Path) -> None:
    record = tree / "run/showstopper/clocks"
    record.parent.mkdir(parents=True)
    record.write_text('{"policy0": 1}')
    result = run(tree, "max", "true")
    assert result.returncode == 125 and "found no record of held clocks" in result.stderr
    assert limits(tree) == FREE


def test_a_clock_that_goes_away_is_given_back_when_it_is_there_again(tree: Path) -> None:
    away = tree / "away"
    result = run(tree, "1.8GHz", "mv", policy(tree, 0), away)
    assert result.returncode == 0
    wait_for(lambda: "policy0" in (tree / "run/showstopper/clocks").read_text())
    wait_for(lambda: (policy(tree, 1) / "scaling_max_freq").read_text() == "3600000\n")
    assert run(tree, "2.4GHz", "true", cpus="2,3").returncode == 0
    wait_for(lambda: list(json.loads((tree / "run/showstopper/clocks").read_text() or "{}")) == ["policy0"])
    away.rename(policy(tree, 0))
    assert limits(tree)[0] == "1800000 1800000"
    assert "limits of policy0" in run(tree, "max", "true").stderr
    wait_for(lambda: is_free(tree))


def test_a_record_that_was_being_written(tree: Path) -> None:
    record = tree / "run/showstopper/clocks"
    record.parent.mkdir(parents=True)
    for name in ("scaling_min_freq", "scaling_max_freq"):
        (policy(tree, 0) / name).write_text("1800000\n")
    record.write_text('{"policy0": [1800000, 3600000, 1000000, 3600000]}], "policy1": [1800')
    assert "limits of policy0" in run(tree, "max", "true").stderr
    wait_for(lambda: is_free(tree))
