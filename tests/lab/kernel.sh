#!/bin/bash
# SPDX-License-Identifier: MIT
# kernel.sh LAB: gets LAB/vmlinuz-new, unless it is there: a kernel that knows
# metrics_clear (Linux 6.14 and later), as the backports of the next Debian release
# have it, from the mirror that apt already uses; for run.sh's model spr-clear.
# Exits with 77 where it is not to be had.
set -euo pipefail

lab=${1:?usage: kernel.sh LAB}
suite=trixie-backports
[ ! -s "$lab/vmlinuz-new" ] || exit 0
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
cp "$(find . -name 'vmlinuz*' -type f | head -n 1)" "$lab/vmlinuz-new.part"
mv "$lab/vmlinuz-new.part" "$lab/vmlinuz-new"
echo "lab: $image for spr-clear"
