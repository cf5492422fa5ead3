#!/bin/sh
# SPDX-License-Identifier: MIT
# about: 32 processors: starts, holds, ends
# machines: many
# limit: 60
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"

hold 5% 6 ssburn

finish
