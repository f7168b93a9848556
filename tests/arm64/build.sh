#!/bin/bash
# SPDX-License-Identifier: MIT
# build.sh DIR: makes what an aarch64 build and its tests need, in DIR, unless it is
# there: sysroot/ to link against, the stock arm64 kernel, the guest's root file
# system.  All of it comes from the Debian mirror that apt already uses; the
# machine's own packages get a cross compiler and QEMU, no foreign architecture.  An
# interrupted build leaves no DIR; a second one waits for the first.  Needs Debian 12
# (exit 77 elsewhere, or without the mirror) and root or sudo for packages.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../packages.sh"
dir=${1:?usage: build.sh DIR}
packages='gcc-aarch64-linux-gnu g++-aarch64-linux-gnu qemu-system-arm cpio pkg-config
libprotobuf-c-dev protobuf-c-compiler'
sysroot_packages='libc6-dev libelf-dev libdw-dev libcapstone-dev libunwind-dev zlib1g-dev
libiberty-dev libprotobuf-c-dev check'
guest_packages='bash busybox-static coreutils diffutils findutils grep mawk procps python3
sed tar util-linux libdw1 libcapstone4 libunwind8 libprotobuf-c1 libsubunit0 libstdc++6
binutils'

say()
{
	echo "arm64: $*"
}

# The machine's own sources, read for arm64 into files of our own.
private_apt()
{
	mkdir -p apt/parts apt/lists/partial apt/archives/partial
	touch apt/sources.list apt/status
	[ ! -s /etc/apt/sources.list ] || cp /etc/apt/sources.list apt/
	find /etc/apt/sources.list.d -name '*.list' -exec cp {} apt/parts/ \;
	find /etc/apt/sources.list.d -name '*.sources' -exec cp {} apt/parts/ \;
	apt_options=(-qq -o APT::Architecture=arm64
		-o APT::Architectures=arm64 -o Acquire::Languages=none
		-o "Dir::Etc::sourcelist=$PWD/apt/sources.list"
		-o "Dir::Etc::sourceparts=$PWD/apt/parts" -o "Dir::State::lists=$PWD/apt/lists"
		-o "Dir::State::status=$PWD/apt/status" -o "Dir::Cache=$PWD/apt"
		-o APT::Sandbox::User= -o Debug::NoLocking=1)
	apt-get "${apt_options[@]}" update >apt.log 2>&1 ||
		{ tail -n 3 apt.log; say "no arm64 packages to be had"; exit 77; }
}

# unpack DIR PACKAGE...: with all that they depend on, into DIR.
unpack()
{
	local to=$1 package
	shift
	mkdir -p "$to"
	rm -f apt/archives/*.deb
	apt-get "${apt_options[@]}" install -y \
		--no-install-recommends --download-only "$@" >apt.log 2>&1 ||
		{ tail -n 5 apt.log; exit 1; }
	say "$(du -cm apt/archives/*.deb | tail -n 1 | cut -f 1) MB of packages for $to"
	for package in apt/archives/*.deb; do
		dpkg -x "$package" "$to"
	done
}

get_kernel()
{
	local image
	image=$(apt-cache "${apt_options[@]}" depends linux-image-cloud-arm64 |
		sed -n 's/.*Depends: \(linux-image-[^ ]*\).*/\1/p' | head -n 1)
	mkdir kernel
	(cd kernel && apt-get "${apt_options[@]}" download "$image" && dpkg -x ./*.deb .)
	cp kernel/boot/vmlinuz-* Image
}

make_root()
{
	rm -rf root/usr/share/{doc,man,locale,info,bash-completion,zsh,perl} root/var/lib/dpkg \
		root/usr/lib/*/perl root/usr/bin/perl*
	mkdir -p root/{proc,sys,dev,tmp,root,run}
	local applet
	for applet in $(busybox --list); do
		[ -e "root/bin/$applet" ] || [ -e "root/usr/bin/$applet" ] ||
			[ -e "root/sbin/$applet" ] || ln -s /bin/busybox "root/bin/$applet"
	done
	ln -sf bash root/bin/sh
	ln -sf mawk root/usr/bin/awk
	install -m 755 "$here/guest/init" root/init
	printf 'root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n' >root/etc/passwd
	printf 'root:x:0:\nnogroup:x:65534:\n' >root/etc/group
	(cd root && find . | cpio -o -H newc --quiet -R 0:0) >rootfs.cpio
}

[ ! -e "$dir/rootfs.cpio" ] || exit 0
grep -qsx 'VERSION_CODENAME=bookworm' /etc/os-release ||
	{ say "it is made on Debian 12 only; TDAGENT_ARM64 may name one that is"; exit 77; }
mkdir -p "$(dirname "$dir")"
exec 9>"$dir.lock"
flock 9
[ ! -e "$dir/rootfs.cpio" ] || exit 0
[ ! -e "$dir" ] || { say "$dir is there, and is not ours"; exit 1; }
say "making $dir, once (about a minute)"
# shellcheck disable=SC2086 # a list of names
need_packages $packages
rm -rf "$dir.building"
mkdir "$dir.building"
cd "$dir.building"
private_apt
# shellcheck disable=SC2086 # lists of names
{
	unpack sysroot $sysroot_packages
	unpack root $guest_packages
}
get_kernel
make_root
rm -rf root kernel apt
mv "$dir.building" "$dir"
say "done"
