# SPDX-License-Identifier: MIT
include tests/unit/local.mk
include tests/prog/local.mk
include tests/run/local.mk
include tests/check/local.mk
include tests/bench/local.mk
include tests/lab/local.mk
include tests/arm64/local.mk
include tests/fuzz/local.mk
