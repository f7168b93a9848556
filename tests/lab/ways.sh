#!/bin/sh
# SPDX-License-Identifier: MIT
# Functions that own windows would mislead about: the answers are right, and so is what they
# say of their errors.
. "$(dirname "$0")/lib.sh"
cp "$builddir/tests/lab/ways" "$guest_dir/" || exit 99

# A third of the windows that the goals are for.
measure_program ways "" 20000 300 "./ways -r 1900"
truthful ways --limit 100=1.5 --limit 30=3 --inside 90
