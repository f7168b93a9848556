#!/bin/sh
# SPDX-License-Identifier: MIT
# The agent never ends its host.  The hooks that stand before _exit() and its
# kind define these names and reach libc through pointers: so no object of the
# agent may leave one undefined.
. "$(dirname "$0")/lib.sh"

ends='exit _exit _Exit quick_exit abort raise kill tgkill __assert_fail __assert __fortify_fail
err errx verr verrx error error_at_line __libc_fatal'
for room in hook core sigsafe; do
	archive=agent/.libs/lib$room.a
	need $archive
	for object in $(ar t $archive); do
		ar p $archive "$object" >"$work/object.o"
		undefined=$(nm -u "$work/object.o" | sed 's/^ *[Uw] //; s/@.*//')
		for name in $ends; do
			echo "$undefined" | grep -qxF "$name" &&
				fail "agent/$room: $object calls $name()"
		done
	done
done
exit 0
