#!/bin/sh
# SPDX-License-Identifier: MIT
# Windows that the kernel cuts on aarch64, by two cycle counters in one group.
. "$(dirname "$0")/lib.sh"

# 32 cycles an instruction: README.md says why
guest -i -n 5 -t 300 -- "sh ../top/tests/arm64/guest/tests.sh tests/arm64/guest/vernier.sh"
