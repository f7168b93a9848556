#!/bin/sh
# SPDX-License-Identifier: MIT
# Functions come out with the share of CPU time that they have by construction.
. "$(dirname "$0")/lib.sh"

agent "$prog/burn" --truth 1500
ended "exit 0" agent
expect "$(profile burn)" "$(truth agent)" <<'END'
for true in truth:
    has_share(true["name"], true["share"], "burn")
check(report["schema"] == 1, "schema")
check(report["run"]["backend"] == "clock", "backend " + report["run"]["backend"])
check("slots" not in report["totals"], "a software clock has no slots")
check(all("topdown" not in f for f in functions()), "a software clock has no top-down")
END

# Windows that are valid, and all of them accounted for.
expect "$(profile burn)" <<'END'
windows = report["totals"]["windows"]
rejected = sum(windows["rejected"].values())
samples = report["totals"]["samples"]
check(windows["valid"] > samples / 2, "%d valid windows of %d samples" % (windows["valid"], samples))
check(windows["valid"] + rejected <= samples, "more windows than samples")
valid = sum(f["windows"]["valid"] for f in functions())
check(valid == windows["valid"], "%d valid windows in functions, %d in all" % (valid, windows["valid"]))
check(sum(f["samples"] for f in functions()) == samples, "samples do not add up")
END

# Code without unwind information: its share is there, whatever its name.
compare "$prog/nounwind"
expect "$(profile nounwind)" <<'END'
has_share("clad_work", 1 / 3, "nounwind")
bare = sum(f["share"] for f in functions(module="nounwind") if f["name"] != "clad_work")
share_is(2 / 3, bare, "code without unwind information")
END

# Code that no file explains.
compare "$prog/jit"
expect "$(profile jit)" <<'END'
has_share("compiled_work", 1 / 3, "jit")
known = sum(f["share"] for f in functions(module="jit"))
jit = [f for f in functions() if "jit" in (f["name"] + f["module"]).lower() and f["name"] != "compiled_work"]
check(jit, "nothing says JIT")
share_is(2 / 3, max([f["share"] for f in jit] + [0]), "the JIT page")
END

# C++: the unwinder of the program stays its own, and names are demangled.
compare "$prog/throw"
expect "$(profile throw)" <<'END'
price = [f for f in functions(module="throw") if f["name"].startswith("shop::Basket<int>::price(")]
settle = [f for f in functions(module="throw") if f["name"].startswith("shop::settle(")]
# what throws may be in a cold part, which a sample meets now and then
for name, rows in (("price", price), ("settle", settle)):
    hot = [f for f in rows if "[clone .cold]" not in f["name"]]
    check(len(hot) == 1, "%d rows for %s" % (len(hot), name))
share_is(5 / 7, sum(f["share"] for f in price), "price", 2.0)
share_is(2 / 7, sum(f["share"] for f in settle), "settle", 2.0)
END
