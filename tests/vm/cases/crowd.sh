#!/bin/sh
# SPDX-License-Identifier: MIT
# about: 500 workloads: starts, holds, ends
# machines: single
# slow: 4
# limit: 90
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"

# 500 that look after them are dear to an emulated machine.
hold 25% 6 -n 500 sh -c 'while :; do :; done'

finish
