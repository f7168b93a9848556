# SPDX-License-Identifier: MIT
# Shared by the checks: rules that are proved on sources and built objects.
# Source it first; run checks from the top of the build tree, as `make check`
# does.
set -u
export LC_ALL=C

top=$(cd "$(dirname "$0")/../.." && pwd)
check=$top/tests/check
check_name=$(basename "$0" .sh)
cc=${CC:-cc}
# as the Makefile compiles them
compile="$cc -std=gnu11 -include config.h -I. -I$top"
failures=0

fail()
{
	echo "FAIL: $check_name: $*"
	failures=$((failures + 1))
}

# skip WHY: a tool is missing.
skip()
{
	echo "SKIP: $check_name: $*"
	exit 77
}

# need FILE...: what `make` builds.
need()
{
	for file; do
		[ -e "$file" ] || { echo "$file is missing: run make first"; exit 99; }
	done
}

# sources NAME...: the project's own files of these rooms, without generated ones.
sources()
{
	(cd "$top" && find "$@" -name '*.[ch]' ! -name '*.pb-c.*' | sort)
}

# native: of the paths on stdin those that this machine's compiler can compile.
native()
{
	case $($cc -dumpmachine) in
	aarch64-*) grep -v -e /x86_64/ -e _sse2 ;;
	*) grep -v /aarch64/ ;;
	esac
}

finish()
{
	status=$?
	trap - EXIT
	rm -rf "$work"
	[ $failures -eq 0 ] || status=1
	exit $status
}

work=$(mktemp -d "${TMPDIR:-/tmp}/tdagent-check.XXXXXX") || exit 99
trap finish EXIT
trap 'exit 99' HUP INT TERM
