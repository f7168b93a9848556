#!/bin/sh
# SPDX-License-Identifier: MIT
# Groups of events on aarch64: of a processor that the tables know, and of one that they
# do not.
. "$(dirname "$0")/lib.sh"

failures=0
for cpu in neoverse-n1 max,pauth-impdef=on; do
	echo "== $cpu"
	guest -i -t 300 -c $cpu -- "sh ../top/tests/arm64/guest/tests.sh tests/arm64/guest/events.sh" ||
		failures=1
done
exit $failures
