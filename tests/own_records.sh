#!/bin/sh
# SPDX-License-Identifier: MIT
# own_records.sh COMMAND…: runs it where the records of attached groups are its own. Else runs of other tests would give back, and say so,
# what runs that it killed have left. Where that isn't permitted it is run as it is.
alone() {
	unshare -m sh -c 'mkdir -p /run/showstopper && mount -t tmpfs none /run/showstopper && exec "$@"' sh "$@"
}
if [ "$(id -u)" -eq 0 ] && alone true 2>/dev/null; then
	alone "$@"
	exit
fi
exec "$@"
