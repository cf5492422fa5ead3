#!/bin/sh
# SPDX-License-Identifier: MIT
# A short search with libFuzzer: run.sh PROGRAM CORPUS [OPTION]... What it finds new is thrown away; an input that fails is printed
# by libFuzzer in base64.
set -u
program=$1
corpus=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
mkdir "$work/corpus"
cp "$corpus"/* "$work/corpus" || exit 1
"$program" -seed=1 -runs=200000 -max_total_time=20 -timeout=10 -rss_limit_mb=1024 -max_len=4096 \
	-artifact_prefix="$work/" "$@" "$work/corpus"
