#!/bin/sh
# SPDX-License-Identifier: MIT
# Functions that own windows would mislead about: the answers are right, and so is what they
# say of their errors.
. "$(dirname "$0")/lib.sh"
cp "$builddir/tests/lab/ways" "$guest_dir/" || exit 99

# A third of the windows that the goals are for: the function of two ways was 1.2 to 3.2 points off in
# six runs, 92 to 98 % of all inside; and 8.7 to 9.0 +- 0.3 in 12 of 13 when own windows were believed.
measure_program ways "" 20000 300 "./ways -r 1900"
truthful ways --limit 100=6 --limit 30=4 --inside 80
