# SPDX-License-Identifier: MIT
"""How tables look."""
import math

import pandas as pd
import pytest
from showstopper._schema import Column, Schema
from showstopper.cli.tables import to_csv, to_json, to_markdown, to_text

NAN = math.nan
SCHEMA = Schema(
    "t",
    (
        Column("label", "text", "", "", title="label"),
        Column("file", "text", "", ""),
        Column("load", "float", "", "", 3, "load %", 1, 100),
        Column("p_high", "float", "", "", None, "p", 4, least=1e-4),
        Column("bursts", "int", "", "", 0, "in bursts", lack="unavailable"),
    ),
)


def frame(label="a", load=0.25, p=0.5, bursts=1, file="f"):
    return pd.DataFrame({"label": [label], "file": [file], "load": [load], "p_high": [p], "bursts": [bursts]})


@pytest.mark.parametrize(
    "values, csv, json",
    [
        ({}, "a,f,0.250,0.5,1", '"a" "f" 0.250 0.5 1'),
        ({"load": -0.0001}, "a,f,0.000,0.5,1", '"a" "f" 0.000 0.5 1'),
        ({"load": NAN, "bursts": NAN, "file": None}, "a,,,0.5,", '"a" null null 0.5 null'),
        ({"p": math.inf}, "a,f,0.250,inf,1", '"a" "f" 0.250 "inf" 1'),
        ({"load": math.inf}, "a,f,,0.5,1", '"a" "f" null 0.5 1'),
        ({"p": 0.1}, "a,f,0.250,0.10000000000000001,1", '"a" "f" 0.250 0.10000000000000001 1'),
        ({"label": 'x,"y"'}, '"x,""y""",f,0.250,0.5,1', '"x,\\"y\\"" "f" 0.250 0.5 1'),
        ({"label": "x\n\udcff"}, '"x\n\udcff",f,0.250,0.5,1', '"x?\ufffd" "f" 0.250 0.5 1'),
    ],
)
def test_tables_for_programs(values, csv, json):
    row = ",".join(f'"{name}":{text}' for name, text in zip(SCHEMA.names, json.split(" ")))
    assert to_csv(frame(**values), SCHEMA) == f"label,file,load,p_high,bursts\n{csv}\n"
    assert to_json(frame(**values), SCHEMA) == f"[\n{{{row}}}\n]\n"


@pytest.mark.parametrize("writer, text", [(to_json, "[\n]\n"), (to_text, "\n"), (to_markdown, "|\n|\n")])
def test_without_rows(writer, text):
    assert writer(frame()[:0], SCHEMA) == text and "0.10000000000000001" in to_csv(frame(load=0.1), SCHEMA, True)


def test_text_has_numbers_at_the_right_and_texts_at_the_left():
    rows = pd.concat((frame("long name", 1.0), frame("b", 0.05)))
    lines = [
        "label      load %       p  in bursts",
        "long name   100.0  0.5000          1",
        "b             5.0  0.5000          1",
    ]
    assert to_text(rows, SCHEMA).splitlines() == lines


@pytest.mark.parametrize(
    "values, header, row",
    [
        ({"label": "a|b*\x1b"}, "label load_% p in_bursts", "a\\|b\\*? 25.0 0.5000 1"),
        ({"p": 0.00009}, "label load_% p in_bursts", "a 25.0 \\<0.0001 1"),
        ({"p": math.inf}, "label load_% p in_bursts", "a 25.0 no_end 1"),
        ({"load": NAN, "bursts": NAN}, "label p in_bursts", "a 0.5000 unavailable"),
    ],
)
def test_cells_for_people(values, header, row):
    lines = to_markdown(frame(**values), SCHEMA).replace("| ---", "").splitlines()
    assert [line.replace(" | ", "/").strip("| ").replace(" ", "_").replace("/", " ") for line in lines[::2]] == [
        header,
        row,
    ]


@pytest.mark.parametrize(
    "samples, bursts, text",
    [(20, 0, "25.0"), (19, 0, "19 samples"), (1, 0, "1 sample"), (21, 2, "19 samples"), (19, NAN, "19 samples")],
)
def test_a_figure_of_few_samples_is_their_number(samples, bursts, text):
    schema = Schema("t", (SCHEMA["load"]._replace(samples=("samples", "bursts")),))
    rows = frame(bursts=bursts).assign(samples=samples)
    assert to_text(rows, schema).splitlines()[-1].strip() == text and to_csv(rows, schema) == "load\n0.250\n"
