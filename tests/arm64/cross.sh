#!/bin/sh
# SPDX-License-Identifier: MIT
# cross.sh [GOAL...]: builds for aarch64 in arm64/ of the build tree that it runs in;
# without a goal all, and the tests.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
machine=$("$here/where.sh")
[ -e "$machine/rootfs.cpio" ] || exit 77
sysroot=$machine/sysroot
libraries=$sysroot/usr/lib/aarch64-linux-gnu
# what is built against another sysroot names its libraries
[ ! -e arm64/Makefile ] || grep -qF -e "--sysroot=$sysroot" arm64/Makefile || rm -rf arm64
mkdir -p arm64
cd arm64
export PKG_CONFIG_SYSROOT_DIR="$sysroot" PKG_CONFIG_LIBDIR="$libraries/pkgconfig"
[ -e Makefile ] ||
	"$top/configure" -q --host=aarch64-linux-gnu --build="$("$top/build-aux/config.guess")" \
		--enable-werror PKG_CONFIG=pkg-config \
		CC="aarch64-linux-gnu-gcc --sysroot=$sysroot" \
		CXX="aarch64-linux-gnu-g++ --sysroot=$sysroot"
if [ $# -gt 0 ]; then
	exec make -s -j"$(nproc)" "$@"
fi
make -s -j"$(nproc)"
make -s -j"$(nproc)" check TESTS=
