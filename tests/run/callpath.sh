#!/bin/sh
# SPDX-License-Identifier: MIT
# Call paths: totals are what the program says of itself, on all kinds of stacks,
# and the program is as it was.
. "$(dirname "$0")/lib.sh"

on=TDAGENT_CALLPATH=on

compare $on "$prog/paths" 5
rm -f "$work"/profiles/*

agent $on TDAGENT_PMU=simulated TDAGENT_SHORT=20us "$prog/paths" --truth
ended "exit 0" agent
expect "$(profile paths)" "$(truth agent)" <<'END'
for true in truth:
    if "total" in true:
        # while the machine pauses for 60 ms there is one sample
        share_is(true["total"], function(true["name"])["total"]["share"], "total of " + true["name"], points=4.0)
parts = function("parts")["total"]
whole = function("main")["total"]
# deep is cut off from its callers, and a new stack has none
outside = sum(t["total"] for t in truth if t.get("name") in ("deep", "coroutine", "small") and "total" in t)
share_is(1 - outside, parts["share"], "total of parts", points=4.0)
check(abs(parts["samples"] - whole["samples"]) <= 0.02 * whole["samples"], "main has other samples than parts")
check(function("recurse")["samples"] <= 2, "recurse itself has samples")
for row in report["functions"]:
    check(row["total"]["samples"] >= row["samples"], row["name"] + " has less in all than itself")
    check(row["total"]["samples"] <= report["totals"]["samples"], row["name"] + " counts twice")
# In the short functions windows hold something of each; their caller's are right.
chain = function("chain")["total"]
check(chain["windows"] > 50, "%d windows in chain" % chain["windows"])
for true in truth:
    for node, value in true.get("topdown", {}).items():
        found = chain["topdown"][node]
        half = (found["high"] - found["low"]) / 2
        check(abs(found["value"] - value) <= 0.02 + 2 * half,
              "chain: %s %.3f+-%.3f, not %.3f" % (node, found["value"], half, value))
        check(half < 0.2, "chain: %s is not known" % node)
check(any("outermost callers" in n for n in report["run"]["notes"]), "no note about deep")
check(not any("damaged" in n for n in report["run"]["notes"]), "damaged")
END
guest report $clean "$tdagent" report --sort=total "$(profile paths)"
ended "exit 0" report
grep -q "Total %" "$work/report.out" || fail "no totals in the text"
rm -f "$work"/profiles/*

# Without the option: no totals, no tree.
agent "$prog/paths" 2
expect "$(profile paths)" <<'END'
check(all("total" not in row for row in report["functions"]), "totals without call paths")
END
rm -f "$work"/profiles/*

# Exceptions are thrown by the program's own unwinder, through our frames or not.
compare $on TDAGENT_LONG=100us "$prog/throw"
guest bindings $clean $preload $on LD_DEBUG=bindings "$prog/throw"
grep -q "symbol .__gxx_personality_v0" "$work/bindings.err" || fail "LD_DEBUG told nothing"
grep -E "to [^ ]*libtdagent[^ ]* .*symbol .(_Unwind_|unw_|__register_frame|__frame_state)" "$work/bindings.err" &&
	fail "bound to the agent: see above"
rm -f "$work"/profiles/*

# Code that goes away, in the middle of paths.
one=$prog/.libs/plugin_one.so
two=$prog/.libs/plugin_two.so
compare $on "$prog/loader" "$one" "$two" "$one"
expect "$(profile loader)" <<'END'
for name in "work_of_plugin_one", "work_of_plugin_two":
    row = function(name)
    # nothing but the clock is called from there
    check(row["samples"] <= row["total"]["samples"] <= 1.02 * row["samples"] + 2,
          "%s: %d samples, %d in all" % (name, row["samples"], row["total"]["samples"]))
share_is(1, function("main")["total"]["share"], "total of main")
END
rm -f "$work"/profiles/*

# Code without tables, and many short threads, whose trees become one.
compare $on "$prog/jit"
compare $on "$prog/nounwind"
compare $on TDAGENT_LONG=200us "$prog/manythreads"
expect "$(profile manythreads)" <<'END'
check(any(t["state"] == "folded" for t in report["threads"]), "nothing was folded")
deepest = max(row["total"]["samples"] for row in report["functions"] if row["name"] != "main")
check(deepest >= 0.9 * (report["totals"]["samples"] - 20), "the folded thread's tree is lost: %d of %d"
      % (deepest, report["totals"]["samples"]))
END
compare $on "$prog/forker"
compare $on "$prog/sigs"
compare $on "$prog/masked"
