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
expect "$(profile loader)" <<'END'
has_share("work_of_plugin_one", 2 / 3, "plugin_one.so")
has_share("work_of_plugin_two", 1 / 3, "plugin_two.so")
END
rm "$(profile loader)"

agent "$prog/loader" --truth "$one" "$two"
python3 - "$work/agent.out" <<'END'
import json, sys
runs = [json.loads(l)["run"] for l in open(sys.argv[1]) if l.startswith("{")]
print("the second plugin was mapped", "at the same address" if runs[0] == runs[1] else "elsewhere")
END
expect "$(profile loader)" <<'END'
has_share("work_of_plugin_one", 1 / 2, "plugin_one.so")
has_share("work_of_plugin_two", 1 / 2, "plugin_two.so")
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
