# SPDX-License-Identifier: MIT
"""What a run needs around it: a server, a background program, readers of the load. A helper is started and looked after here; it is well before the run
begins, ends cleanly, and is gone when this process is, also after a SIGKILL."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from measure import process
from measure.text import Trouble


class Helper:
    """Runs in a `with`. `healthy` says whether it is ready; a server whose port answers, say. What it starts itself ends with its session."""

    def __init__(self, *words: str | Path, name: str = "", healthy: Callable[[], bool] | None = None, patience: float = 10,
                 stdout: Path | None = None, session: bool = False) -> None:  # fmt: skip
        self.words, self.name = words, name or Path(words[0]).name
        self.healthy, self.patience, self.stdout, self.session = healthy, patience, stdout, session
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> Helper:
        with ExitStack() as around:
            to = around.enter_context(self.stdout.open("wb")) if self.stdout else None
            bind = "KILL" if self.session else "TERM"
            self.process = process.start(self.words, stdout=to, session=self.session, bind=bind)
        if self.healthy and not process.wait_until(lambda: self.is_well() or not self.is_alive(), self.patience):
            self.end()
            raise Trouble(f"{self.name} was not ready within {self.patience:g} s")
        if self.healthy and not self.is_alive():
            raise Trouble(f"{self.name} ended before it was ready")
        return self

    def is_alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def is_well(self) -> bool:
        return self.is_alive() and (self.healthy is None or self.healthy())

    def fault(self) -> str:
        """At the end of a run, what is wrong with it."""
        return "" if self.is_alive() else f"{self.name} ended before the run did"

    def end(self) -> None:
        if self.process is None:
            return
        if self.session:
            self.process.terminate()
            process.kill_session(self.process)
        else:
            process.end(self.process)
        self.process = None

    def __enter__(self) -> Helper:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.end()


class TreeReader(Helper):
    """Reads the time of all that this program has started, and its own, into a log of cpuload: what of the machine's load is not of this was made by
    others."""

    def __init__(self, build: Path, log: Path) -> None:
        log.write_text("")
        super().__init__(build / "cpuload", "-p", str(os.getpid()), "-o", log, "500m")

    def end(self) -> None:
        """When it has read what came last."""
        if self.is_alive():
            time.sleep(0.6)
        super().end()
