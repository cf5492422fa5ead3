# SPDX-License-Identifier: MIT
"""Which files of a batch's report have figures that others read."""

from collections.abc import Iterator
from pathlib import Path

from measure.text import first_line, lines_of

KINDS = "accuracy accuracy-runs throughput interference interference-runs times"


def is_emulated(folder: Path) -> bool:
    return any(line.startswith("Emulated") for file in folder.glob("runs/*/environment.txt") for line in lines_of(file))


def measured_files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Kind and file, of a batch, or of what was kept of one. Emulated guests have figures of no meaning."""
    if is_emulated(folder):
        return
    for kind in KINDS.split():
        if has_text(folder / f"{kind}.csv"):
            yield kind, folder / f"{kind}.csv"
    for kind in ("overall", "efficiency"):
        for file in sorted(folder.glob(f"{kind}-*-steps.csv")):
            if has_text(file):
                yield kind, file
    if has_text(folder / "ratio.csv"):
        yield kind_of_ratio(folder), folder / "ratio.csv"


def has_text(file: Path) -> bool:
    return file.is_file() and file.stat().st_size > 0


def kind_of_ratio(folder: Path) -> str:
    """Table 6 is of guests beside containers. Of a batch in several environments without guests it is the host beside containers; of others, anything."""
    fields = first_line(folder / "runs.tsv").split("\t")
    environment = fields[5] if len(fields) > 5 else ""
    if environment == "qemu" or folder.name.endswith("-qemu"):
        return "ratio"
    if (environment == "native" and folder.name == "native") or folder.name.endswith("-native"):
        return "ratio-host"
    return "ratio-other"
