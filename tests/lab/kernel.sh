#!/bin/bash
# SPDX-License-Identifier: MIT
# kernel.sh LAB SUITE: gets LAB/vmlinuz-SUITE, unless it is there: the kernel of that
# Debian, from the mirror that apt already uses.  trixie: Linux 6.12; trixie-backports:
# one that knows metrics_clear (6.14 and later), for run.sh's model spr-clear.
# Exits with 77 where it is not to be had.
set -euo pipefail

lab=${1:?usage: kernel.sh LAB SUITE} suite=${2:?usage: kernel.sh LAB SUITE}
kernel=$lab/vmlinuz-$suite
[ ! -s "$kernel" ] || exit 0
[ -d "$lab" ] || { echo "kernel.sh: no lab in $lab"; exit 77; }
mirror=$(apt-get --print-uris update 2>/dev/null |
	sed -n "s|^'\(.*\)/dists/bookworm/InRelease'.*|\1|p" | head -n 1) || true
[ -n "$mirror" ] || { echo "kernel.sh: apt has no mirror of Debian 12 here"; exit 77; }

work=$(mktemp -d "${TMPDIR:-/tmp}/tdagent-kernel.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir -p parts lists/partial archives/partial
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >sources.list
options=(-qq -o "Dir::Etc::sourcelist=$work/sources.list" -o "Dir::Etc::sourceparts=$work/parts"
	-o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work" -o APT::Sandbox::User=)

# newest PACKAGE PATTERN: what PACKAGE depends on that has such a name
newest()
{
	apt-cache "${options[@]}" depends "$1" | sed -n "s/.*Depends: \($2[^ ]*\).*/\1/p" | head -n 1
}

apt-get "${options[@]}" update >apt.log 2>&1 ||
	{ echo "kernel.sh: no $suite: $(head -n 1 apt.log)"; exit 77; }
image=$(newest linux-image-amd64 linux-image-[0-9])
binary=$(newest "$image" linux-binary-) # what holds the kernel itself, since 7.0
apt-get "${options[@]}" download "${binary:-$image}"
dpkg -x ./*.deb .
cp "$(find . -name 'vmlinuz*' -type f | head -n 1)" "$lab/part-of-kernel"
mv "$lab/part-of-kernel" "$kernel"
echo "lab: $image"
