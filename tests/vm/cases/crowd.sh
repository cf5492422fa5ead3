#!/bin/sh
# SPDX-License-Identifier: MIT
# about: 500 workloads: starts, holds, ends
# machines: eight
# limit: 90
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"

hold 15% 8 -n 500 sh -c 'while :; do :; done'

finish
