#!/bin/sh
# SPDX-License-Identifier: MIT
# Code that was loaded and unloaded has its names, also where one plugin lands
# at the address of another.
. "$(dirname "$0")/lib.sh"

one=$prog/.libs/plugin_one.so
two=$prog/.libs/plugin_two.so

plain "$prog/loader" "$one" "$two" "$one"
agent "$prog/loader" "$one" "$two" "$one"
same loader
rm "$(profile loader)"

# One plugin runs twice, the other once, the same work: a third of the samples is the other's.
# A busy machine is not equally fast all the time, and where a hypervisor pauses it CPU time
# goes on and no sample is taken: shares may be as much further away as CPU time is.  Names that
# are mixed up are 33 points.
agent "$prog/loader" --truth "$one" "$two" "$one"
python3 - "$work/agent.out" >"$work/parts" <<'END'
import json, sys
runs = [json.loads(l) for l in open(sys.argv[1]) if l.startswith("{")]
same = runs[0]["run"] == runs[1]["run"]
print("the second plugin was mapped", "at the same address" if same else "elsewhere", file=sys.stderr)
print(runs[1]["cpu"] / sum(r["cpu"] for r in runs))
END
expect "$(profile loader)" <<END
points = 1 + min(13, 100 * abs($(cat "$work/parts") - 1 / 3))
has_share("work_of_plugin_one", 2 / 3, "plugin_one.so", points)
has_share("work_of_plugin_two", 1 / 3, "plugin_two.so", points)
END
rm "$(profile loader)"

# A relative path, opened in a directory that nobody knows later.
mkdir "$work/inner"
cp "$one" "$work/inner/"
(cd "$work/inner" && agent "$prog/loader" ./plugin_one.so)
expect "$(profile loader)" <<END
check(function("work_of_plugin_one")["module"] == "$(cd "$work/inner" && pwd -P)/plugin_one.so",
      "module " + function("work_of_plugin_one")["module"])
END
