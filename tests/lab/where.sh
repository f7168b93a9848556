#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints where the lab is, or will be: $TDAGENT_LAB, otherwise a directory named
# after all that it is made of, so that a change makes a new one.
here=$(cd "$(dirname "$0")" && pwd)
[ -z "${TDAGENT_LAB:-}" ] || { echo "$TDAGENT_LAB"; exit 0; }
key=$({ getconf GNU_LIBC_VERSION; cd "$here" && cat qemu-pmu.patch build.sh mkroot.sh guest/*; } |
	sha256sum | cut -c 1-16)
echo "${XDG_CACHE_HOME:-${HOME:-${TMPDIR:-/tmp}}/.cache}/tdagent-lab/$key"
