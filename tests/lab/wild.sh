#!/bin/sh
# SPDX-License-Identifier: MIT
# A program whose signals jump, switch stacks, come within each other and cancel threads,
# while windows are open: it computes what it computes without us, and goes on to be sampled.
. "$(dirname "$0")/lib.sh"
cp "$builddir/tests/prog/wild" "$guest_dir/" || exit 99

# survives LABEL OPTIONS RETURN
survives()
{
	echo "== $1"
	lab_setup=TDAGENT_RETURN=$3
	measure_program "$1" "$2" 40000 1000 "./wild 2 600 20"
	lab_setup=
	cat "$work/$1/truth"
	grep -q '^0 wrong' "$work/$1/truth" || fail "$1: it computed what is wrong"
	# of some 3,000; a thread that is lost soon after its start has dozens
	HOW=$3 holds "$1" <<'END'
valid = report["totals"]["windows"]["valid"]
check(valid > 1000, "%d windows" % valid)
by_itself = "back in user mode" in report["run"]["reason"]
check(by_itself == (os.environ["HOW"] == "user"), "the reason is '%s'" % report["run"]["reason"])
END
}

survives metrics "-m spr -s 2" user
survives groups "-m skx -s 2" user
survives sigreturn "-m spr -s 2" sigreturn
