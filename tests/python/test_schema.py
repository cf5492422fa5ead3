# SPDX-License-Identifier: MIT
"""Tables have the columns of their schemas, with their dtypes."""
import math

import pandas as pd
import pytest
from showstopper._schema import SCHEMAS, checked, described


def test_checked_orders_columns_and_sets_dtypes():
    frame = pd.DataFrame({name: [0] for name in reversed(SCHEMAS["accuracy"].names)}).assign(more=1)
    frame = frame.assign(label="a", file=math.nan, bursts=math.nan)
    found = checked(frame, SCHEMAS["accuracy"])
    assert list(found) == SCHEMAS["accuracy"].names
    assert found["file"][0] is None and found["bursts"].isna().all()
    assert [str(found[name].dtype) for name in ("label", "samples", "bursts", "load")] == [
        "object",
        "Int64",
        "Int64",
        "float64",
    ]


def test_a_missing_column_is_refused():
    with pytest.raises(KeyError):
        checked(pd.DataFrame({"label": ["a"]}), SCHEMAS["repeats"])


@pytest.mark.parametrize("name", list(SCHEMAS))
def test_each_column_is_described_and_named_once(name):
    schema = SCHEMAS[name]
    assert len(set(schema.names)) == len(schema.names)
    assert all(column.meaning for column in schema.columns)
    assert len(described(schema).splitlines()) == len(schema.columns)
    known = {of for column in schema.columns for of in column.samples or () if of}
    assert known <= set(schema.names)
