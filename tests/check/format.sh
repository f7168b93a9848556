#!/bin/sh
# SPDX-License-Identifier: MIT
# The layout is what clang-format 14 makes of it; `make format` mends it.
. "$(dirname "$0")/lib.sh"

for tool in clang-format-14 clang-format; do
	"$tool" --version 2>/dev/null | grep -q ' version 14\.' && break
	tool=
done
[ -n "$tool" ] || skip "clang-format 14 is missing"
cd "$top" || exit 99
for file in $(sources agent decoder tools tests); do
	"$tool" --dry-run -Werror "$file" 2>"$work/log" && continue
	head -n 3 "$work/log"
	fail "$file: run \`make format\`"
done
exit 0
