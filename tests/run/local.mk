# SPDX-License-Identifier: MIT
# End-to-end tests: each is a script that runs from the top of the build tree.
# They need python3 (and skip without it).
run_tests = \
	tests/run/annotate.sh \
	tests/run/audit.sh \
	tests/run/badinput.sh \
	tests/run/callpath.sh \
	tests/run/chance.sh \
	tests/run/children.sh \
	tests/run/command.sh \
	tests/run/constant.sh \
	tests/run/cores.sh \
	tests/run/corners.sh \
	tests/run/denied.sh \
	tests/run/diff.sh \
	tests/run/exec.sh \
	tests/run/export.sh \
	tests/run/families.sh \
	tests/run/faults.sh \
	tests/run/foreign.sh \
	tests/run/fork.sh \
	tests/run/guest.sh \
	tests/run/html.sh \
	tests/run/import.sh \
	tests/run/isolation.sh \
	tests/run/jit.sh \
	tests/run/killed.sh \
	tests/run/latency.sh \
	tests/run/later.sh \
	tests/run/many.sh \
	tests/run/options.sh \
	tests/run/periods.sh \
	tests/run/plugins.sh \
	tests/run/progress.sh \
	tests/run/push.sh \
	tests/run/real-programs.sh \
	tests/run/report.sh \
	tests/run/runtimes.sh \
	tests/run/shares.sh \
	tests/run/simulated.sh \
	tests/run/stacks.sh \
	tests/run/symbols.sh \
	tests/run/text.sh \
	tests/run/threads.sh \
	tests/run/traced.sh \
	tests/run/tui.sh \
	tests/run/vernier.sh \
	tests/run/vernier-life.sh \
	tests/run/vernier-killed.sh \
	tests/run/waits.sh \
	tests/run/windows.sh

TESTS += $(run_tests)
EXTRA_DIST += $(run_tests) tests/run/lib.sh tests/run/constant.py tests/run/expect.py tests/run/export.py tests/run/against-perf.py tests/run/browser.py tests/run/page.py \
	tests/run/runtimes/J.java tests/run/runtimes/cgo.go tests/run/runtimes/workers.js

# The long form of real-programs.sh, alone: its shares come from a busy machine.
.PHONY: check-real
check-real: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS=
	$(top_srcdir)/tests/run/real-programs.sh --long

# The full forms of what `make check` has in short, an hour or so: other people's
# tests and servers, a thousand processes killed, hours in memory and file, real
# programs against perf.
EXTRA_DIST += tests/run/guests.sh tests/run/suites.sh tests/run/cpython.py
.PHONY: check-long
check-long: check-real
	$(top_srcdir)/tests/run/killed.sh --long
	$(top_srcdir)/tests/run/waits.sh --long
	$(top_srcdir)/tests/run/runtimes.sh --long
	$(top_srcdir)/tests/run/constant.sh --long
	$(top_srcdir)/tests/run/guests.sh
	$(top_srcdir)/tests/run/suites.sh
