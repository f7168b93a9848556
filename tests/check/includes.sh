#!/bin/sh
# SPDX-License-Identifier: MIT
# Rooms depend one way: hook -> core -> sigsafe -> the profile's format;
# tools -> decoder.
. "$(dirname "$0")/lib.sh"

# may ROOM PATTERN: the project headers that files of the room include.
may()
{
	for file in $(sources "$1"); do
		sed -n 's/^#[[:space:]]*include[[:space:]]*"\(.*\)".*/\1/p' "$top/$file" |
			grep -vE "^($2)" >"$work/wrong"
		while read -r header; do
			fail "$file includes $header; $1 may include: $2"
		done <"$work/wrong"
	done
}

may agent/hook 'agent/hook/|agent/core/|agent/sigsafe/|decoder/'
may agent/core 'agent/core/|agent/sigsafe/|decoder/'
may agent/sigsafe 'agent/sigsafe/|decoder/(format|registers|unwind_table)\.h$'
may decoder 'decoder/'
may tools 'tools/|decoder/'

# Headers whose functions lock or allocate have no business in a handler.
for file in $(sources agent/sigsafe); do
	grep -nE '^#[[:space:]]*include[[:space:]]*<(stdio|stdlib|malloc|pthread|threads|dirent|locale|syslog|printf)\.h>' \
		"$top/$file" && fail "$file: see the line above; sigsafe does without this header"
done
exit 0
