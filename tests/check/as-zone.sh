#!/bin/sh
# SPDX-License-Identifier: MIT
# What the signal-safe zone calls: everything that the archive leaves undefined
# must stand in as-zone.allow, with its reason.  Also without optimisation: an
# optimiser removes calls (malloc and free in a pair) that are in the source.
# libgcc's unwinder is part of it, with the calls that it has been given.
. "$(dirname "$0")/lib.sh"

# zone WHAT OBJECT...: compares what is undefined in them together.
zone()
{
	what=$1
	shift
	ld -r -o "$work/zone.o" "$@" || { fail "$what: ld -r failed"; return; }
	nm -u "$work/zone.o" | sed 's/^ *[Uw] //; s/@.*//' | sort -u >"$work/undefined"
	for name in $(comm -23 "$work/undefined" "$work/allowed"); do
		users=
		for object in "$work"/O0/*.o; do
			nm -u "$object" | grep -qw "$name" && users="$users $(basename "$object" .o)"
		done
		fail "$what: $name is not allowed in a signal handler (used by:${users:- ?});" \
			"if it is safe, give the reason in tests/check/as-zone.allow"
	done
}

archive=agent/.libs/libsigsafe.a
unwinder=agent/unwinder.o
need $archive $unwinder
sed 's/#.*//; s/[[:space:]]*$//; /^$/d' "$check/as-zone.allow" | sort -u >"$work/allowed"
grep -nE '^[^#[:space:]]+[[:space:]]*(#[[:space:]]*)?$' "$check/as-zone.allow" &&
	fail "as-zone.allow: each name needs its reason"

mkdir "$work/O0"
for source in $({ sources agent/sigsafe decoder/registers.c decoder/unwind_table.c | grep '\.c$'
	cd "$top" && find agent/sigsafe -name '*.S'; } | native); do
	$compile -O0 -fPIC -c "$top/$source" -o "$work/O0/$(echo "${source%.[cS]}" | tr / _).o" || exit 99
done
zone "as built" --whole-archive $archive $unwinder
zone "at -O0" "$work"/O0/*.o $unwinder
