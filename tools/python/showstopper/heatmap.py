# SPDX-License-Identifier: MIT
"""The numbers of a table with names of rows and columns, whose cells may have a mark behind the number."""
from __future__ import annotations

import numpy as np
import pandas as pd

from ._errors import InputError
from ._schema import SCHEMAS, checked

__all__ = ["heatmap"]

CELLS_MOST = 100_000
_CELL = r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?: +(.*))?"


def heatmap(table: pd.DataFrame) -> pd.DataFrame:
    """The cells of a table, row after row.

    Args:
        table: its first column has the names of the rows. Other cells are numbers, or texts such as "44.2 p": a number, and a mark behind
            a blank. Empty ones are not known.

    Returns:
        A row per cell: row, column (their names), value, mark (text; None if there is none).

    Raises:
        InputError: a cell is no number, or there are no cells, or more than 100,000.
    """
    if table.shape[1] < 2:
        raise InputError("found no column behind the names of rows, expected one or more")
    if table.empty:
        raise InputError("found no whole row after the header")
    rows, columns = table.shape[0], table.shape[1] - 1
    if rows * columns > CELLS_MOST:
        raise InputError(f"found {rows} rows of {columns} cells, expected at most {CELLS_MOST} cells")
    cells = table.astype(object).set_axis([table.columns[0], *map(str, table.columns[1:])], axis=1)
    texts = pd.Series(cells.iloc[:, 1:].to_numpy().ravel())
    names = {"row": np.repeat(cells.iloc[:, 0].astype(str).to_numpy(object), columns), "column": [*cells][1:] * rows}
    texts = texts.where(texts.notna(), "").astype(str)
    found = texts.str.extract(rf"^{_CELL}$")
    values = found[0].astype(np.float64)
    odd = np.flatnonzero(~np.isfinite(values) & (texts != ""))
    if odd.size:
        row, column = (names[name][odd[0]] for name in ("row", "column"))
        expected = "expected a number, with a blank before what follows"
        raise InputError(f"row {row}: {column}: found '{texts[odd[0]]}', {expected}")
    return checked(pd.DataFrame({**names, "value": values, "mark": found[1].where(found[1] != "")}), SCHEMAS["heatmap"])
