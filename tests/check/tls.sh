#!/bin/sh
# SPDX-License-Identifier: MIT
# Thread-local variables by initial-exec only: the other models call
# __tls_get_addr(), which may allocate in a signal handler.
. "$(dirname "$0")/lib.sh"

library=agent/.libs/libtdagent.so
need $library
readelf -rW $library >"$work/relocations" || exit 99
grep -E 'DTPMOD|DTPOFF|TLSDESC|TLSGD' "$work/relocations" &&
	fail "the relocations above are not initial-exec"
nm -D -u $library | grep -w __tls_get_addr && fail "__tls_get_addr is called"
exit 0
