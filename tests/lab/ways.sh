#!/bin/sh
# SPDX-License-Identifier: MIT
# Functions that own windows would mislead about: the answers are right, and so is what they
# say of their errors.
. "$(dirname "$0")/lib.sh"
cp "$builddir/tests/lab/ways" "$guest_dir/" || exit 99

# A third of the windows that the goals are for: the function of two ways was 0.7 to 4.2 points off in
# twelve runs, 90 to 96 % of all inside; and 8.7 +- 0.1 in five of them when those own windows were
# believed that only begin with its short way.
measure_program ways "" 20000 300 "./ways -r 1900"
truthful ways --limit 100=6 --limit 30=4 --inside 80
