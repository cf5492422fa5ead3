# SPDX-License-Identifier: MIT
from .cli.main import main

main()
