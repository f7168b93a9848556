#!/bin/sh
# SPDX-License-Identifier: MIT
# unit.sh [TEST...]: the unit tests on aarch64; without arguments all.
. "$(dirname "$0")/lib.sh"

if [ $# -eq 0 ]; then
	set -- $(cd "$stage/build" && find tests/unit -type f -name 'test_*' | sort)
	[ $# -gt 20 ] || { echo "few unit tests: $*"; exit 99; }
fi
in_guest "$*"
