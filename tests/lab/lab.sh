#!/bin/sh
# SPDX-License-Identifier: MIT
# Without the lab, `make check` says what it leaves out; with it, a first run.
lab=$("$(dirname "$0")/where.sh")
if [ ! -x "$lab/qemu-system-x86_64" ]; then
	echo "SKIP: lab tests: not tested, the lab is not built; run \`make check-lab\`"
	exit 77
fi
. "$(dirname "$0")/lib.sh"
measure spr "-m spr" 100000 300 "-r 300"
accurate spr --windows 50 --enough 10 --brief
