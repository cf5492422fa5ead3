#!/bin/sh
# SPDX-License-Identifier: MIT
# about: 32 processors, and 500 workloads: starts, holds, ends
# machines: many
# limit: 150
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"

hold 10% 6 ssburn
[ "${1-}" = short ] || hold 10% 8 -n 500 sh -c 'while :; do :; done'

finish
