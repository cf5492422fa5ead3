# SPDX-License-Identifier: MIT
"""The engine as its users see it: an experiment of one's own, the live line."""

import os
import pty
import subprocess
import sys
from pathlib import Path

from conftest import ROOT
from measure import making


def test_the_experiment_of_the_readme(tmp_path: Path) -> None:
    code = (ROOT / "tools/experiments/README.md").read_text().split("```python\n")[1].split("```")[0]
    assert len(code.splitlines()) <= 30
    (tmp_path / "tools/experiments").mkdir(parents=True)
    (tmp_path / "tools/measure").symlink_to(ROOT / "tools/measure")
    script = tmp_path / "tools/experiments/quantum"
    script.write_text(code)
    result = subprocess.run(
        [sys.executable, "-B", script, "--dry-run", "-w", "burn-single", "-l", "50", "-n", "2"],
        capture_output=True,
        text=True,
    )
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert len(lines) == 5 and lines[4].startswith("4 runs, ")
    assert lines[3].startswith("burn-single_50_107m_2: ") and lines[3].endswith(" -T 50% -D quantum=107m")


def test_load_of_the_run_that_runs(tmp_path: Path) -> None:
    assert making.load_now(tmp_path) == ""
    rows = "time_s,monotonic_s,target,load\n0.5,1,,0.9\n"
    (tmp_path / "log.csv").write_text(f"{rows}1,1.5,0.5,0.4")
    assert making.load_now(tmp_path) == ": load 90 %, warming up"
    (tmp_path / "log.csv").write_text(f"{rows}1,1.5,0.5,0.4\n1.5,2,0.")
    assert making.load_now(tmp_path) == ": load 40 %, target 50 %"


def test_a_live_line_on_a_terminal_alone(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("time_s,monotonic_s,target,load\n0.5,1,0.5,0.4\n1,1.5,0.5,0.4\n")
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'tools')!r}); import subprocess; from pathlib import Path; from measure import making\n"
        f"making.watch(subprocess.Popen(['sleep', '1.5']), Path({str(tmp_path)!r}), 'run 7 of 36', 90)"
    )
    words = [sys.executable, "-B", "-c", code]
    assert subprocess.run(words, capture_output=True, text=True).stdout == ""
    outer, inner = pty.openpty()
    process = subprocess.Popen(words, stdout=inner)
    os.close(inner)
    said = b""
    try:
        while part := os.read(outer, 4096):
            said += part
    except OSError:
        pass
    process.wait()
    assert b"run 7 of 36: load 40 %, target 50 %, done at " in said
    assert said.endswith(b"\r\x1b[K")


def test_quick_or_full_whichever_is_said_last() -> None:
    def count(*words: str) -> int:
        script = ROOT / "tools/experiments/sweep"
        run = [sys.executable, "-B", str(script), "--dry-run", "--simulate", "-w", "burn-single", *words]
        return len(subprocess.run(run, capture_output=True, text=True, check=True).stdout.splitlines())

    quick, full = count("-q"), count("-f")
    assert quick != full
    assert count("-f", "-q") == quick and count("-q", "--full") == full
