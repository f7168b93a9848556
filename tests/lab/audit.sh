#!/bin/sh
# SPDX-License-Identifier: MIT
# What the audit sees by stepping, against how long each function stays, as the emulator
# has counted it in a run without the audit.
. "$(dirname "$0")/lib.sh"

mkdir "$guest_dir/lib"
strip -o "$guest_dir/tdagent" "$tdagent"
copy_libraries "$guest_dir/lib" "$tdagent"
strip "$guest_dir"/lib/*

# agree LABEL OPTIONS COMMAND [OPTION...]
agree()
{
	label=$1
	echo "== $label: $3 by windows of $2"
	lab "$label" "" "export LD_LIBRARY_PATH=/in:/in/lib; ./$3 >/out/truth
		./tdagent audit $2 --format=json --output=/out/audit -- ./$3 >/dev/null"
	ended "exit 0" "$label"
	shift 3
	python3 "$lab_tests/audit.py" "$work/$label/audit" "$work/$label/truth" "$@" ||
		fail "$label: the audit is wrong"
}

agree phases "--windows=600 --period=300us --length=1,30,100,300" "phases -r 600" --calls
agree awkward "--windows=2000 --period=100us --length=1,10,30,100" "awkward -r 3000"
