#!/bin/sh
# SPDX-License-Identifier: MIT
# Lets libFuzzer look for input that our readers do not survive: fuzz.sh [SECONDS [TARGET...]], in a build tree.
# In fuzz/ there: build/ has what is built for it (clang; three minutes, once), corpus/TARGET what it goes on from,
# found/ the input of a finding (`fuzz/TARGET INPUT` shows it again).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
seconds=${1:-60}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- formula jitdump options perf_map perf_script profile unwind_table
command -v clang >/dev/null || { echo "fuzz: clang is missing, which has libFuzzer"; exit 77; }

work=$PWD/fuzz
mkdir -p "$work/build" "$work/found"
cd "$work/build"
sanitize="-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined"
[ -e Makefile ] || "$top/configure" -q CC=clang CFLAGS="$sanitize -fsanitize=fuzzer-no-link"
make -s -j"$(nproc)" decoder/libdecoder.la tools/libprint.la

# link TARGET SOURCE...
link()
{
	target=$1
	shift
	# shellcheck disable=SC2086 # words
	./libtool --silent --tag=CC --mode=link clang $sanitize -fsanitize=fuzzer -std=gnu11 -include config.h -I. \
		-I"$top" -o "$work/$target" "$here/$target.c" "$@" tools/libprint.la decoder/libdecoder.la
}

# begin TARGET: input to begin with
begin()
{
	case $1 in
	formula)
		printf 'config:0-7,32-35' >format
		sed -n 's/^[a-z_0-9]*[ \t][ \t]*//p' "$top/data/events/skylake.events" | split -l 1 - line-
		;;
	jitdump) # a header, and four bytes of main()
		{
			printf 'DTiJ\1\0\0\0\50\0\0\0\76\0\0\0\0\0\0\0\7\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
			printf '\0\0\0\0\101\0\0\0\11\0\0\0\0\0\0\0\7\0\0\0\7\0\0\0\0\20\0\0\0\0\0\0\0\20\0\0\0\0\0\0'
			printf '\4\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0main\0aaaa'
		} >one
		;;
	options)
		printf 'LONG=1ms\0SHORT=300\0JITTER=20\0EVENTS=cycles,cpu/event=1,umask=2/,r1234\0LABELS=a=b' >one
		printf 'OUTPUT=%%p-%%e\0LATENCY=x@1000\0PMU=clock\0LEVEL=auto\0RETURN=user\0DEBUG=core' >another
		;;
	perf_map) printf '7f00 10 foo\n7f10 20 bar baz\n7f08 ff x\n' >lines ;;
	perf_script)
		printf 'demo 12/13 [001] 1.500000001: 1000 cpu/topdown-retiring/u: 55 main+0x12 (/bin/demo)' >sample
		printf 'demo 12/13 1.5: PERF_RECORD_MMAP2 12/13: [0x400000(0x1000) @ 0x1000 08:02 3 0]: r-xp /bin/demo' >map
		printf '# event : name = cycles:u, , id = { 1 }, { sample_period, sample_freq } = 4000, freq = 1' >event
		;;
	profile) # with Check
		make -s -C "$work/build" tests/fuzz/seeds
		CK_FORK=no "$work/build/tests/fuzz/seeds" . >/dev/null
		;;
	unwind_table)
		objcopy -O binary -j .eh_frame_hdr -j .eh_frame "$(command -v ls)" sections
		{ printf '\0\1\0\0'; cat sections; } >table
		rm sections
		;;
	esac
}

failed=
for target; do
	case $target in
	profile) link profile "$top/tests/unit/printed.c" "$top/tests/unit/json.c" -lcheck ;;
	perf_script) link perf_script "$top/tools/perf_script.c" ;;
	*) link "$target" ;;
	esac
	mkdir -p "$work/corpus/$target"
	cd "$work/corpus/$target"
	[ -n "$(ls)" ] || begin "$target"
	cd "$work"
	echo "fuzz: $target, $seconds s"
	"./$target" -max_total_time="$seconds" -timeout=30 -rss_limit_mb=4096 -max_len=200000 -print_final_stats=1 \
		"-artifact_prefix=found/$target-" "corpus/$target" 2>"$target.log" || failed="$failed $target"
	grep -E '^(stat::number_of_executed_units|SUMMARY|==.*ERROR)|runtime error' "$target.log" || true
	cd "$work/build"
done
[ -z "$failed" ] || { echo "fuzz: found something in$failed: $work/found, and a log beside it"; exit 1; }
