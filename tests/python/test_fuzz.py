# SPDX-License-Identifier: MIT
"""Whatever is in a file, a command ends with a table or with a message that names the file.

FUZZ_TRIALS=5000 tries longer; a failure prints the seed, and the content is left in the folder that pytest names.
"""
import gzip
import os
import random
from pathlib import Path

import pytest
import test_history
from showstopper.cli.importing import execute
from showstopper.cli.main import run

LOG = "time_s,monotonic_s,target,load,estimate,duty,runnable,others,trace_s,time_unix_s\n" + "".join(
    f"{i},{100 + i},{target},{target + i % 3 / 100},.4,.3,2,.01,{i},{1700000000 + i}\n"
    for i, target in enumerate(target for target in (0.2, 0.4, 0.6, 0.4, 0.2) for _ in range(8))
)
ITERATIONS = "instance,iteration,start_s,end_s,status\n" + "".join(
    f"{i % 2},{i // 2},{100 + i / 2},{101.25 + i / 2},0\n" for i in range(84)
)
ANSWERS = "request,url,planned_s,arrival_s,sent_s,end_s,response_s,status,outcome,bytes,time_unix_s\n" + "".join(
    f"{i},http://a/,{100 + i / 4},{100 + i / 4},{100 + i / 4},{100.125 + i / 4},.125,200,good,5,{1700000000 + i / 4}\n"
    for i in range(160)
)
METER = "time_unix_s,power_w\n" + "".join(f"{1700000000 + i},{20 + i % 3}\n" for i in range(33))
TABLE = "row,x,y\na,1,2\nb,3,4\n"
VALUES = "name,x,y\n" + "".join(f"{'ab'[i % 2]},{i},{i * i % 11}.5\n" for i in range(24))
REQUESTS = Path(__file__).with_name("requests")

CASES = {
    **{
        name: (LOG, line)
        for name, line in {
            "accuracy": "accuracy FILE",
            "accuracy by target": "accuracy --per-target FILE",
            "repeats": "repeats FILE LOG",
            "timeline": "timeline FILE ITERATIONS",
            "throughput": "throughput FILE ITERATIONS",
            "curve": "curve FILE ITERATIONS",
            "overall": "overall FILE ITERATIONS",
            "interference": "interference FILE ITERATIONS",
            "ratio": "ratio -l a FILE ITERATIONS -l a LOG ITERATIONS",
            "efficiency": "efficiency FILE ITERATIONS --power METER",
            "latency of a log": "latency ANSWERS --log FILE",
        }.items()
    },
    "iterations": (ITERATIONS, "curve LOG FILE"),
    "boxes of iterations": (ITERATIONS, "boxes FILE"),
    "meter": (METER, "efficiency LOG ITERATIONS --power FILE"),
    "fleet": (LOG, "fleet FILE LOG"),
    "compare": (VALUES, "compare FILE --by name"),
    "boxes": (VALUES, "boxes FILE --column y"),
    "means": (VALUES, "means FILE --column y"),
    "histogram": (VALUES, "histogram FILE --column y"),
    "heatmap": (TABLE, "heatmap FILE"),
    "model": (VALUES, "model FILE --column x --column y"),
    "latency": (ANSWERS, "latency FILE --log LOG"),
    **{f"latency of {file.name}": (file.read_text(), "latency FILE") for file in sorted(REQUESTS.iterdir())},
}
PIECES = [
    b"",
    b"-",
    b"nan",
    b"inf",
    b"1e308",
    b"-1e-320",
    b"9" * 25,
    b'"',
    b",",
    b",,",
    b"\n",
    b"\0",
    b"\xff",
    b"{",
    b"[]",
]


def mutated(random_, content):
    data = bytearray(content)
    for _ in range(random_.choice((1, 1, 2, 5))):
        start = random_.randrange(len(data) + 1)
        kind = random_.randrange(5)
        if kind == 0:
            del data[start : start + random_.choice((1, 3, 40, 10**6))]
        elif kind == 1:
            data[start : start + random_.randrange(6)] = random_.choice(PIECES)
        elif kind == 2:  # a cell
            cells = bytes(data).split(b",")
            cells[random_.randrange(len(cells))] = random_.choice(PIECES)
            data = bytearray(b",".join(cells))
        else:  # a line again, elsewhere, or gone
            lines = bytes(data).splitlines(keepends=True) or [b"\n"]
            line = random_.choice(lines)
            if kind == 3:
                lines.insert(random_.randrange(len(lines) + 1), line)
            else:
                lines.remove(line)
            data = bytearray(b"".join(lines))
    return bytes(data)


HISTORIES = {
    "sadf": (test_history.SADF_MORE, ""),
    "sadf -j": (test_history.SADF_JSON, ""),
    "mpstat": (test_history.NIGHT, ""),
    "sar": (test_history.SAR, ""),
    "log": (test_history.LOG, ""),
    "alibaba": (test_history.ALI, "--mean-of all"),
    "machines": (test_history.ALI, "--machines"),
    "azure": (test_history.AZURE, ""),
    "google": (test_history.GOOGLE, "--capacity 2"),
    "csv": (test_history.ANY, "--from csv --delimiter | --time 1 --column 2"),
    "dates": ("".join(f"{n}/3/2026 6:{n} PM;{n % 7},5%\n" for n in range(10, 31)), "--from csv"),
    "prometheus": (test_history.PROM, ""),
    "gzip": (gzip.compress(test_history.SADF.encode(), mtime=0), "--from sadf"),
}


@pytest.mark.parametrize("name", HISTORIES)
def test_no_content_breaks_ssimport(name, tmp_path, monkeypatch, capsysbinary):
    monkeypatch.chdir(tmp_path)
    content, line = HISTORIES[name]
    content = content.encode() if isinstance(content, str) else content
    for seed in range(-1, int(os.environ.get("FUZZ_TRIALS", "8"))):
        Path("FILE").write_bytes(content if seed < 0 else mutated(random.Random(f"{name} {seed}"), content))
        status = execute([*line.split(), "FILE"])
        out, error = capsysbinary.readouterr()
        assert error.startswith(b"ssimport: ") and error.count(b"\n") == 1, f"seed {seed}: {error!r}"
        assert (status == 0 and out) or (status == 125 and not out and seed >= 0), f"seed {seed}: {error!r}"


@pytest.mark.parametrize("name", CASES)
def test_no_content_breaks_a_command(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    content, line = CASES[name]
    for others in ("LOG", "ITERATIONS", "METER", "ANSWERS"):
        Path(others).write_text(globals()[others])
    Path("FILE").write_text(content)
    assert run(line.split()).status == 0
    for seed in range(int(os.environ.get("FUZZ_TRIALS", "8"))):
        Path("FILE").write_bytes(mutated(random.Random(f"{name} {seed}"), content.encode()))
        status, out, error = run(line.split())
        assert (status == 0 and out) or (status == 125 and error.startswith("ssreport: ")), f"seed {seed}: {error}"
