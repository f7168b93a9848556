#!/bin/sh
# SPDX-License-Identifier: MIT
# Names of stripped programs: from a separate debug file beside them and from
# MiniDebugInfo; without either, addresses.
. "$(dirname "$0")/lib.sh"

for tool in objcopy strip nm xz; do
	command -v $tool >/dev/null || skip "$tool is missing"
done

# burns PROGRAM NAME: what the report of PROGRAM calls its hottest function.
burns()
{
	agent "$work/$1" 200
	guest report $clean "$tdagent" report --format=csv --top=1 "$(profile "$1")"
	ended "exit 0" report
	found=$(sed -n '2s/^,"\([^"]*\)".*/\1/p' "$work/report.out")
	case $found in
	$2) ;;
	*) fail "$1: $found, not $2" ;;
	esac
}

mkdir "$work/.debug"
cp "$prog/burn" "$work/link"
objcopy --only-keep-debug "$work/link" "$work/.debug/link.debug"
strip "$work/link"
objcopy --add-gnu-debuglink="$work/.debug/link.debug" "$work/link"
burns link burn_sixty

cp "$prog/burn" "$work/mini"
nm --format=posix --defined-only "$work/mini" | awk '$2 ~ /[tT]/ { print $1 }' >"$work/keep"
objcopy --only-keep-debug "$work/mini" "$work/mini.debug"
objcopy -S --keep-symbols="$work/keep" "$work/mini.debug" "$work/minidebug"
xz "$work/minidebug"
strip "$work/mini"
objcopy --add-section .gnu_debugdata="$work/minidebug.xz" "$work/mini"
burns mini burn_sixty

cp "$prog/burn" "$work/bare"
strip "$work/bare"
burns bare 'bare+0x*'
