# SPDX-License-Identifier: MIT
# The aarch64 port: make check-arm64 cross-builds it and tests it in QEMU.
if AARCH64
check_PROGRAMS += tests/arm64/counters
tests_arm64_counters_SOURCES = tests/arm64/counters.c
tests_arm64_counters_CFLAGS = $(AM_CFLAGS) -O2
endif

arm64_tests = \
	tests/arm64/counters.sh \
	tests/arm64/end-to-end.sh \
	tests/arm64/events.sh \
	tests/arm64/unit.sh \
	tests/arm64/vernier.sh

EXTRA_DIST += $(arm64_tests) tests/arm64/boot.sh tests/arm64/build.sh tests/arm64/counters.c \
	tests/arm64/cross.sh tests/arm64/lib.sh tests/arm64/where.sh \
	tests/arm64/README.md tests/arm64/guest/events.sh tests/arm64/guest/init tests/arm64/guest/tests.sh \
	tests/arm64/guest/vernier.sh

.PHONY: arm64 check-arm64
# 77: not on this system; then the tests skip themselves.
arm64:
	$(srcdir)/tests/arm64/build.sh "$$($(srcdir)/tests/arm64/where.sh)" || test $$? -eq 77
	$(srcdir)/tests/arm64/cross.sh || test $$? -eq 77

# A log of its own, so that `make check` keeps its.  Not check: nothing here is of this
# machine's architecture, so its tests need not be built.
check-arm64: arm64
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(arm64_tests)' TEST_SUITE_LOG=arm64-suite.log
CLEANFILES += arm64-suite.log
clean-local:
	rm -rf arm64
