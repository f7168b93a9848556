#!/bin/sh
# SPDX-License-Identifier: MIT
# The same program twice, with other samples: no difference.  3 points of one
# function from retiring to backend bound: that is found, and nothing else.
. "$(dirname "$0")/lib.sh"

# version LABEL SEED ARGUMENTS: $work/LABEL/profile; some 1,000 windows a function
version()
{
	lab "$1" "" "TDAGENT_SEED=$2 $(with_agent 100000 1000 | sed 's/^TDAGENT_SEED=1 //') ./phases -r 2200 $3 >/out/truth"
	ended "exit 0" "$1"
}

# differ STATUS A B: diff's JSON in $work/diff.out; the lab has no noise.  diff itself finds
# something in one of 20 comparisons of equal programs at most; two points of a share are 6
# standard deviations here.
differ()
{
	set -- "$1" --noise=0 --threshold=2 "$work/$2/profile" "$work/$3/profile"
	status=$1
	shift
	guest diff "$tdagent" diff --format=json "$@"
	ended "exit $status" diff
	"$tdagent" diff "$@"
}

version first 11 ""
version second 12 ""
version changed 13 "-x steady:3"

echo "== the same program"
differ 0 first second

echo "== steady: 3 points"
differ 1 first changed
python3 - "$work/diff.out" "$work/first/truth" <<'END' || fail "changed: see above"
import json, sys
found = json.load(open(sys.argv[1]))
rows = {row["name"]: row for row in found["functions"]}
# the program is not here, as far as names are looked up
address = [json.loads(line)["address"] for line in open(sys.argv[2]) if '"name": "steady"' in line][0]
steady = rows["phases+" + address]
assert min(steady["windows"]) >= 900, steady
assert steady["verdict"] == "worse", steady
for node, change in (("retiring", -0.03), ("backend_bound", 0.03), ("core_bound", 0.03)):
    assert steady[node]["verdict"] == "worse", (node, steady[node])
    slack = 0.002  # rounding, as far as all windows have it
    assert steady[node]["low"] - slack <= change <= steady[node]["high"] + slack, (node, steady[node])
assert steady["memory_bound"]["verdict"] == "no evidence", steady
others = [name for name, row in rows.items() if row["verdict"] != "no evidence"]
assert others == [steady["name"]], others
assert sum(row["retiring"]["tested"] for row in rows.values() if "retiring" in row) >= 12
END
