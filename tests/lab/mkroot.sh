#!/bin/bash
# SPDX-License-Identifier: MIT
# mkroot.sh DIR: makes DIR/rootfs.cpio: busybox, libc and friends, labcat, /init.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
dir=$(cd "$1" && pwd)
root=$dir/rootfs
libraries=/lib/x86_64-linux-gnu

rm -rf "$root"
mkdir -p "$root"/{bin,sbin,lib64,lib/x86_64-linux-gnu,etc,proc,sys,dev,root,in,out,lab,tmp,usr/bin}
cp /bin/busybox "$root/bin/"
for applet in $(busybox --list); do
	[ "$applet" = busybox ] || ln -sf /bin/busybox "$root/bin/$applet"
done
gcc -O2 -static -I"$here/guest" -o "$root/bin/labcat" "$here/guest/labtool.c"
ln -sf labcat "$root/bin/labexit"
install -m 755 "$here/guest/init" "$root/init"
echo 'root:x:0:0::/root:/bin/sh' >"$root/etc/passwd"
echo 'root:x:0:' >"$root/etc/group"
cp -L /lib64/ld-linux-x86-64.so.2 "$root/lib64/"
for library in libc.so.6 libm.so.6 libpthread.so.0 libdl.so.2 librt.so.1 libgcc_s.so.1 \
	libresolv.so.2 libstdc++.so.6; do
	cp -L $libraries/$library "$root$libraries/"
done
(cd "$root" && find . | cpio -o -H newc --quiet -R 0:0) >"$dir/rootfs.cpio"
rm -rf "$root"
