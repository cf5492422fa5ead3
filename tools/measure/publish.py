# SPDX-License-Identifier: MIT
"""Figures into documents: between <!-- NAME: begin --> and <!-- NAME: end -->, below a line that says where they come from.
What is published together is written together, or not at all; a folder of files only goes where another one takes its place."""

import os
import re
import shutil
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path

from measure import machine, sources
from measure.text import Trouble, refuse


def command_line(program: str, arguments: list[str]) -> str:
    """As it stands above figures."""
    plain = re.compile(r"[A-Za-z0-9_./,:=%+@-]+")
    return " ".join([program, *(word if plain.fullmatch(word) else f"'{word}'" for word in arguments)])


def replaced(document: str, name: str, lines: str) -> str | None:
    """The document with another block; None unless it has both marks, once and in this order."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    found = document.splitlines()
    if found.count(begin) != 1 or found.count(end) != 1 or found.index(begin) > found.index(end):
        return None
    new = found[: found.index(begin) + 1] + lines.splitlines() + found[found.index(end) :]
    return "\n".join(new) + "\n"


@dataclass
class Publication:
    """What one program publishes, by one command."""

    command: str
    root: Path = machine.ROOT
    measured_revision: str = ""
    measured_date: str = ""
    revision: str = field(init=False)
    begun: list[int] | None = None  # ticks, when measuring began
    # Text, another file, or those of a folder.
    new: dict[Path, str | bytes | dict[str, str]] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.revision = machine.revision(self.root)

    @property
    def to(self) -> Path:
        """A draft, where one is asked for."""
        return Path(os.environ.get("PUBLISH_ROOT") or self.root)

    def look(self, document: str, *names: str) -> None:
        """Before anything is measured: there must be room for what is to be published."""
        path = self.to / document
        refuse(not self.revision, f"--publish: the revision is unknown: {self.root} is no git checkout")
        refuse(not os.access(path, os.W_OK), f"--publish: can't write {path}")
        for name in names:
            marks = f"the lines <!-- {name}: begin --> and <!-- {name}: end -->, once and in this order"
            refuse(replaced(self.text_of(path), name, "") is None, f"--publish: {path} needs {marks}")

    def text_of(self, path: Path) -> str:
        text = self.new.get(path)
        return text if isinstance(text, str) else path.read_text(encoding="utf-8")

    def begin(self) -> None:
        """Before anything is measured that is published; not where what was kept of an earlier process goes into it."""
        self.begun = machine.tick_counts()

    def measured(self, revision: str, date: str, where: str, paths: list[str]) -> None:
        """What an earlier revision measured, while none of these has changed."""
        self.measured_revision, self.measured_date = revision, date
        is_another = revision != self.revision and machine.has_changed(self.root, revision, paths)
        begun = f"{where} was begun with revision {revision or 'that is not known'}"
        refuse(is_another, f"--publish: {begun}, and what measures is another now; choose another --output")

    def heading(self, build: Path, block: str = "") -> str:
        """That of a block also names its sources, by which `publish-all --stale` sees whether it is still true."""
        date = self.measured_date or datetime.now(timezone.utc).strftime("%Y-%m-%d")
        stolen = machine.stolen_since(self.begun) if self.begun else None
        on = machine.description(build) + (f", {stolen:.2f} % of its busy time stolen" if stolen is not None else "")
        of = f", {sources.said(self.root, block)}" if block else ""
        return f"Revision {self.measured_revision or self.revision}, {date}, {on}{of}: `{self.command}`"

    def block(self, document: str, name: str, text: str, build: Path) -> None:
        self.look(document, name)
        has_changed = machine.revision(self.root) != self.revision
        refuse(has_changed, "--publish: the sources have changed since the start; nothing is published")
        path = self.to / document
        refuse(not text.strip("\n"), f"--publish: nothing to write into {path} as {name}")
        old, lines = self.text_of(path), text.rstrip("\n")
        self.new[path] = replaced(old, name, f"\n{lines}\n\n<sub>{self.heading(build, name)}</sub>\n\n") or old
        self.said.append(f"published: {path}, {name}")

    def copy(self, path: str, content: bytes) -> None:
        self.new[self.to / path] = content

    def folder(self, path: str, files: dict[str, str]) -> None:
        self.new[self.to / path] = files

    def write(self) -> None:
        """All of it. What can't be written leaves everything as it was: what was there stands aside until all is in its place."""
        moved: list[Path] = []
        try:
            for path, content in self.new.items():
                put(beside(path, "new"), content, path)
            for path in self.new:
                remove(beside(path, "old"))
                if path.is_dir():
                    path.rename(beside(path, "old"))
                elif path.exists():
                    os.link(path, beside(path, "old"))
                moved.append(path)
                beside(path, "new").replace(path)
        except OSError as error:
            for path in reversed(moved):
                remove(path)
                if beside(path, "old").exists():
                    beside(path, "old").rename(path)
            raise Trouble(f"--publish: can't write {error.filename}: {error.strerror}; nothing is published") from error
        finally:
            for path in self.new:
                remove(beside(path, "new"))
        for path in self.new:
            remove(beside(path, "old"))
        print("".join(f"{line}\n" for line in self.said), end="")


def beside(path: Path, what: str) -> Path:
    return path.with_name(f"{path.name}.{what}")


def put(to: Path, content: str | bytes | dict[str, str], like: Path) -> None:
    """The text of a document, which keeps its rights; another file; or those of a folder."""
    remove(to)
    if isinstance(content, str):
        shutil.copy2(like, to)
        to.write_text(content, encoding="utf-8")
    elif isinstance(content, bytes):
        to.write_bytes(content)
    else:
        to.mkdir(parents=True)
        for name, text in content.items():
            (to / name).write_text(text, encoding="utf-8")


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
