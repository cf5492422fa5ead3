# SPDX-License-Identifier: MIT
"""Programs: how long they take to start, and what they have begun when they are interrupted."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT
from measure.process import is_over, wait_until

PROGRAM = """
import sys
from measure.process import {name}, run_program
run_program("test", lambda _: {name}(["sh", "-c", "sleep 600 & echo $! >{said}; sleep 600 & echo $! >>{said}; wait"]{more}))
"""


@pytest.mark.parametrize("name, more", [("call", ""), ("attempt", ", session=True")])
def test_what_a_shell_has_begun_ends_with_it(name: str, more: str, tmp_path: Path) -> None:
    said = tmp_path / "said"
    program = PROGRAM.format(name=name, more=more, said=said)
    process = subprocess.Popen(
        [sys.executable, "-B", "-c", program], env=os.environ | {"PYTHONPATH": str(ROOT / "tools")}
    )
    assert wait_until(lambda: said.exists() and len(said.read_text().split()) == 2, 20)
    numbers = list(map(int, said.read_text().split()))
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 143
    assert wait_until(lambda: all(map(is_over, numbers)), 10)


@pytest.mark.parametrize("program", ["experiments/traces", "experiments/colocation", "bench/peers"])
def test_help_needs_no_pandas(program: str) -> None:
    """It takes a second to start, and programs start hundreds of times in tests and in batches."""
    words = [sys.executable, "-X", "importtime", str(ROOT / "tools" / program), "--help"]
    assert "pandas" not in subprocess.run(words, capture_output=True, text=True, check=True).stderr
