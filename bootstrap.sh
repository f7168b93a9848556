#!/bin/sh
# SPDX-License-Identifier: MIT
# From nothing to a first report: installs what is needed (Debian, Ubuntu),
# builds in build/, profiles the demonstration program and shows its report.
# May be run again at any time.  --build stops after building, --tests installs
# and builds what the tests need too (check.sh uses both), --others the programs
# that some tests compare with if they are there.
set -eu

cd "$(dirname "$0")"
. ./packages.sh

build_packages='gcc g++ make libc6-dev binutils autoconf automake libtool pkg-config
libelf-dev libdw-dev libcapstone-dev libunwind-dev zlib1g-dev libiberty-dev
libprotobuf-c-dev protobuf-c-compiler libcurl4-openssl-dev libncurses-dev libpfm4-dev'
test_packages='check python3 groff universal-ctags clang-format xz-utils zstd sqlite3 openssl strace tmux'
other_packages='golang-go prometheus python3-prometheus-client chromium
redis-server postgresql stress-ng libjemalloc2 libgoogle-perftools4
default-jdk-headless nodejs'

die()
{
	echo "bootstrap.sh: $*" >&2
	exit 1
}

build()
{
	[ -e configure ] || autoreconf -i
	mkdir -p build
	if [ ! -e build/Makefile ]; then
		# shellcheck disable=SC2086 # a list of options
		(cd build && ../configure -q ${CONFIGURE_FLAGS:-})
	elif [ -n "${td_missing:-}" ]; then # what is new changes what is built
		(cd build && ./config.status -q --recheck && ./config.status -q)
		td_missing=
	fi
	make -C build -s -j"$(nproc)" "$@"
}

show()
{
	echo
	echo "== tdagent run -- tests/prog/demo: top-down, simulated (the program makes it up)"
	build/tools/tdagent run --long=1ms -- build/tests/prog/demo
	echo
	echo "== tdagent run --pmu=clock -- tests/prog/demo: what this machine really measured"
	build/tools/tdagent run --long=1ms --pmu=clock -- build/tests/prog/demo
	echo
	echo "Next: build/tools/tdagent run -- YOUR-PROGRAM; sudo make -C build install"
}

tests=
others=
stop=
for argument; do
	case $argument in
	--tests) tests=yes ;;
	--others) others=yes ;;
	--build) stop=yes ;;
	*) die "$argument: no such option; write --build, --tests, --others or nothing" ;;
	esac
done
# shellcheck disable=SC2086 # lists of names
need_packages $build_packages ${tests:+$test_packages} ${others:+$other_packages}
build
[ -z "$tests" ] || build check TESTS=
[ -n "$stop" ] || show
