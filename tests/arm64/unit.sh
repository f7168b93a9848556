#!/bin/sh
# SPDX-License-Identifier: MIT
# The unit tests on aarch64.
. "$(dirname "$0")/lib.sh"

cd "$stage/build" || exit 99
tests=$(find tests/unit -type f -name 'test_*' | sort | tr '\n' ' ')
cd "$OLDPWD" || exit 99
[ "$(echo "$tests" | wc -w)" -gt 20 ] || { echo "few unit tests: $tests"; exit 99; }
in_guest "$tests"
