#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints where the aarch64 machine is, or will be: $TDAGENT_ARM64, otherwise a
# directory named after all that it is made of, so that a change makes a new one.
here=$(cd "$(dirname "$0")" && pwd)
[ -z "${TDAGENT_ARM64:-}" ] || { echo "$TDAGENT_ARM64"; exit 0; }
key=$(cd "$here" && cat build.sh guest/init | sha256sum | cut -c 1-16)
echo "${XDG_CACHE_HOME:-${HOME:-${TMPDIR:-/tmp}}/.cache}/tdagent-arm64/$key"
