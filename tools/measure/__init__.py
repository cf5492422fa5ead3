# SPDX-License-Identifier: MIT
"""What experiments and benchmarks have in common: see tools/experiments/README.md."""

import sys
from pathlib import Path

# Where the package showstopper is.
sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "python"))
