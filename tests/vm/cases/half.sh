#!/bin/sh
# SPDX-License-Identifier: MIT
# about: half load, by one ssburn for each processor
# machines: plain
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"

hold 50% 8 ssburn
finish
