#!/bin/sh
# SPDX-License-Identifier: MIT
# end-to-end.sh [TEST...]: end-to-end tests on aarch64; without arguments those that
# rest on what the architecture decides: signals and windows, functions, call paths
# through handlers and plug-ins, fork, single steps.  By the clock: the PMU has events.sh.
. "$(dirname "$0")/lib.sh"

TDAGENT_TEST_PMU=clock
[ $# -gt 0 ] || set -- tests/run/audit.sh tests/run/callpath.sh tests/run/guest.sh \
	tests/run/killed.sh tests/run/plugins.sh tests/run/report.sh tests/run/shares.sh \
	tests/run/threads.sh tests/run/windows.sh
in_guest "$*"
