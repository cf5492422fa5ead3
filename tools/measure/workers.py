# SPDX-License-Identifier: MIT
"""Processes side by side, for each of which a folder is its own: what one of them writes there nobody else sees."""

import ctypes
import multiprocessing
import os
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from measure.process import ENDING, output_of
from measure.text import Trouble

T_co = TypeVar("T_co", covariant=True)
# <sched.h>; os.unshare is of Python 3.12.
CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000


class Coming(Protocol[T_co]):
    def get(self) -> T_co:
        """Waits for it; raises what was raised."""


class Done(Coming[T_co]):
    def __init__(self, made: T_co) -> None:
        self.made = made

    def get(self) -> T_co:
        return self.made


# Of a worker: what it does, the folder, and where its own layers are made. None once it has the folder.
_do: Callable[..., Any]
_folder: tuple[Path, Path] | None


def _begin(do: Callable[..., Any], folder: Path, layers: Path) -> None:
    global _do, _folder
    _do, _folder = do, (folder, layers)
    for number in ENDING:
        signal.signal(number, _end)


def _end(number: int, _frame: object) -> None:
    # What cleans up is not disturbed.
    for other in ENDING:
        signal.signal(other, signal.SIG_IGN)
    raise SystemExit(1)


def _run(*args: object) -> Any:
    global _folder
    if _folder:
        _own(*_folder)
        _folder = None
    return _do(*args)


def _own(folder: Path, layers: Path) -> None:
    user, group, libc = os.getuid(), os.getgid(), ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS | (0 if user == 0 else CLONE_NEWUSER)) != 0:
        raise Trouble(f"a worker can't have mounts of its own: {os.strerror(ctypes.get_errno())}")
    if user != 0:
        for name, text in {"setgroups": "deny", "uid_map": f"0 {user} 1", "gid_map": f"0 {group} 1"}.items():
            Path("/proc/self", name).write_text(text)
    mine = Path(tempfile.mkdtemp(dir=layers))
    for name in ("upper", "work"):
        (mine / name).mkdir()
    output_of(["mount", "--make-rprivate", "/"])
    where = f"lowerdir={folder},upperdir={mine}/upper,workdir={mine}/work"
    output_of(["mount", "-t", "overlay", "overlay", "-o", where, folder], "a worker can't have a copy of its own")


@contextmanager
def workers(number: int, folder: Path, do: Callable[..., T_co],
            told: Callable[[T_co], None]) -> Iterator[Callable[..., Coming[T_co]]]:  # fmt: skip
    """Gives a function that has `do` done with its arguments, by the next of them that is free, and `told` what came of it. One alone is this process, on
    the folder itself. What has not ended in the end is given up."""
    if number == 1:

        def at_once(*args: object) -> Coming[T_co]:
            made = do(*args)
            told(made)
            return Done(made)

        yield at_once
        return
    layers = folder.with_name(f"{folder.name}.layers")
    output_of(["rm", "-rf", layers])
    layers.mkdir()
    try:
        with multiprocessing.get_context("fork").Pool(number, _begin, (do, folder, layers)) as pool:
            yield lambda *args: pool.apply_async(_run, args, callback=told)
    finally:
        output_of(["rm", "-rf", layers])
