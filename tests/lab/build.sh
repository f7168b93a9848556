#!/bin/bash
# SPDX-License-Identifier: MIT
# build.sh DIR: builds the lab in DIR (some 4 minutes) unless it is there: QEMU
# from Debian's source package with our patch, the stock kernel, firmware, the
# guest's root file system.  All of it comes from the Debian mirror that apt
# already uses.  An interrupted build leaves no DIR; a second one waits for the
# first.  Needs Debian 12 (exit 77 elsewhere) and root or sudo for packages.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../packages.sh"
dir=${1:?usage: build.sh DIR}
qemu='qemu-7.2+dfsg'
packages='dpkg-dev gcc libc6-dev ninja-build pkg-config libglib2.0-dev libpixman-1-dev
libfdt-dev zlib1g-dev python3 python3-venv meson flex bison cpio busybox-static xz-utils
patch linux-perf'

say()
{
	echo "lab: $*"
}

# The machine's own sources, asked for source packages too; in files of our own,
# for the machine's settings are not ours to change.
private_apt()
{
	mkdir -p apt/parts apt/lists/partial apt/archives/partial
	touch apt/sources.list
	local file
	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ ! -s "$file" ] || sed -n 's/^deb /&/p; s/^deb /deb-src /p' "$file" >>apt/sources.list
	done
	for file in /etc/apt/sources.list.d/*.sources; do
		[ ! -s "$file" ] || sed 's/^Types:.*/Types: deb deb-src/' "$file" \
			>"apt/parts/$(basename "$file")"
	done
	apt_options=(-qq -o "Dir::Etc::sourcelist=$PWD/apt/sources.list"
		-o "Dir::Etc::sourceparts=$PWD/apt/parts" -o "Dir::State::lists=$PWD/apt/lists"
		-o "Dir::Cache=$PWD/apt" -o APT::Sandbox::User=)
	apt-get "${apt_options[@]}" update >apt.log 2>&1 || { cat apt.log; exit 1; }
}

build_qemu()
{
	mkdir src build
	(cd src && apt-get "${apt_options[@]}" source qemu >../source.log 2>&1) ||
		{ tail -n 5 source.log; exit 1; }
	[ -d "src/$qemu" ] || { say "this is not $qemu, which the patch is for:"; ls src; exit 1; }
	(cd "src/$qemu" && patch -s -p1 <"$here/qemu-pmu.patch")
	(cd build && "../src/$qemu/configure" --target-list=x86_64-softmmu --without-default-features \
		--enable-tcg --enable-fdt --disable-docs --disable-tools --disable-guest-agent \
		--disable-kvm --disable-werror >../configure.log 2>&1) ||
		{ tail -n 20 configure.log; exit 1; }
	say "compiling QEMU"
	ninja -C build -j"$(nproc)" qemu-system-x86_64 >ninja.log 2>&1 ||
		{ tail -n 20 ninja.log; exit 1; }
	strip -o qemu-system-x86_64 build/qemu-system-x86_64
}

# The uncompressed kernel boots by PVH and saves 3 s of emulated unxz.
get_kernel()
{
	local image
	image=$(apt-cache "${apt_options[@]}" depends linux-image-amd64 |
		sed -n 's/.*Depends: \(linux-image-[^ ]*\).*/\1/p' | head -n 1)
	mkdir -p kernel fw
	(cd kernel && apt-get "${apt_options[@]}" download "$image" seabios qemu-system-data)
	for package in kernel/*.deb; do
		dpkg -x "$package" kernel
	done
	cp -L kernel/usr/share/seabios/bios-256k.bin fw/
	cp -L kernel/usr/share/qemu/{linuxboot_dma,kvmvapic,pvh}.bin fw/
	python3 - <<-'PYTHON'
	import glob, lzma
	packed = open(glob.glob('kernel/boot/vmlinuz-*')[0], 'rb').read()
	kernel = lzma.LZMADecompressor().decompress(packed[packed.find(b'\xfd7zXZ\0'):])
	assert kernel[:4] == b'\x7fELF'
	open('vmlinux', 'wb').write(kernel)
	PYTHON
}

is_built()
{
	[ -x "$dir/qemu-system-x86_64" ]
}

is_built && exit 0
grep -qsx 'VERSION_CODENAME=bookworm' /etc/os-release ||
	{ say "it is built on Debian 12 only; TDAGENT_LAB may name one that is"; exit 77; }
mkdir -p "$(dirname "$dir")"
exec 9>"$dir.lock"
flock 9
is_built && exit 0
[ ! -e "$dir" ] || { say "$dir is there, and is no lab"; exit 1; }
say "building in $dir, once (about 4 minutes)"
# shellcheck disable=SC2086 # a list of names
need_packages $packages
rm -rf "$dir.building"
mkdir "$dir.building"
cd "$dir.building"
private_apt
get_kernel
build_qemu
"$here/mkroot.sh" .
rm -rf src build kernel apt
mv "$dir.building" "$dir"
say "done"
