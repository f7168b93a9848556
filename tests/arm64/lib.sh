# SPDX-License-Identifier: MIT
# Shared by the tests of the aarch64 port.  Source it first; run them from the top of
# the build tree, as `make check-arm64` does.
set -u

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
machine=$("$here/where.sh")
[ -e "$machine/rootfs.cpio" ] ||
	{ echo "SKIP: $(basename "$0" .sh): no arm64 machine; make check-arm64 makes it"; exit 77; }
[ -e arm64/agent/.libs/libtdagent.so ] || { echo "run make check-arm64 first"; exit 99; }
work=$(mktemp -d "${TMPDIR:-/tmp}/tdagent-arm64-test.XXXXXX") || exit 99
boot=
trap '[ -z "$boot" ] || kill "$boot" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM

# What tests need of both trees: /in/build and /in/top.
stage=$work/stage
mkdir -p "$stage/build" "$stage/top"
(cd "$top" && cp -a --parents tests/run tests/arm64 tests/unit doc/formats.md "$stage/top/")
(cd arm64 && find agent/.libs/libtdagent.so tools/tdagent tests/prog tests/unit tests/arm64 \
	-type f -perm -u+x -print0 | xargs -0 cp -a --parents -t "$stage/build/")

# guest [OPTION...] -- COMMAND: in the build tree.
guest()
{
	options=
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	# shellcheck disable=SC2086 # $options is several words
	bash "$here/boot.sh" $options "$stage" -- "cd /in/build && $*" &
	boot=$!
	wait $boot
}

# in_guest TEST...: runs each; the boot's exit status.  Time is counted in instructions:
# that this machine is busy is not seen there, but for the limit, which is of its time.
in_guest()
{
	guest -i -t 7200 -- "${TDAGENT_TEST_PMU:+TDAGENT_TEST_PMU=$TDAGENT_TEST_PMU }sh ../top/tests/arm64/guest/tests.sh $*"
}
