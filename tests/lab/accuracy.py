# SPDX-License-Identifier: MIT
"""Compares a report with the lab's truth: accuracy.py REPORT.json TRUTH [OPTION...]

REPORT.json is `tdagent report --top=0 --format=json`; TRUTH is what
tests/lab/phases printed.  Functions are found by their address: the lab's
program is not here under its path.  Prints one line a function: how often it was
sampled, how many windows it has, and by how many points the fraction that is
farthest from the truth misses it, for level 1 and 2.  The exit status says
whether all is within the limits.  Shares of the samples fail where chance (chance.py) makes one that
is 1 % off in one of ten million cases: one of all that check-lab compares, in one of 10,000 runs.

  --points N   of a function with enough windows, level 1 (1.0)
  --points2 N  the same of level 2 (as level 1)
  --totals N   of a process and of its threads (0.5)
  --windows N  that are enough (200)
  --enough N   functions that must have enough windows (1)
  --share N    percent that a share of the samples may be off, besides chance (1)
  --slots N    percent that totals may miss the slots by (0.5)
  --instructions N  percent that instructions a slot may be off, of the windows of a function
               with enough of them (not compared)
  --thread TID=REPORT.json   what `tdagent report --thread=TID` said
  --functions-only   totals are not looked at
  --as-said    a fraction that the report knows less well only has to be within 2.5 times its interval
  --brief      one line for all functions
  --cores TYPE  of a hybrid's large or small cores, as the report is
"""
import argparse
import json
import math
import sys

import chance

SHARE_ALARM = 1e-7
LEVEL1 = ("retiring", "bad_speculation", "frontend_bound", "backend_bound")
CLAMP_HEAVY = 2  # guest/labpmu.h
CLAMPED_NODES = ("heavy_operations", "light_operations")
DERIVED = (("light_operations", "retiring", "heavy_operations"),
           ("machine_clears", "bad_speculation", "branch_mispredicts"),
           ("fetch_bandwidth", "frontend_bound", "fetch_latency"),
           ("core_bound", "backend_bound", "memory_bound"))


def read_truth(path):
    with open(path) as lines:
        return [json.loads(line) for line in lines if line.startswith("{")]


def fractions(truth):
    """All twelve nodes of what the emulator counted."""
    slots = max(truth["slots"], 1)
    node = {name: value / slots for name, value in truth["topdown"].items()}
    for name, parent, other in DERIVED:
        node[name] = node[parent] - node[other]
    return node


def worst(topdown, truth, level):
    """(points, node) of the fraction that is farthest from the truth; None: not measured."""
    expected = fractions(truth)
    # the emulator's own limit (README.md): the events cannot say so many light uops
    inexpressible = CLAMPED_NODES if truth.get("clamped", 0) & CLAMP_HEAVY else ()
    found = [(100 * abs(topdown[node]["value"] - expected[node]), node)
             for node in topdown
             if (node in LEVEL1) == (level == 1) and node not in inexpressible]
    return max(found) if found else None


def points(difference):
    return "%5.2f %-18s" % difference if difference else "%5s %-18s" % ("-", "")


class Comparison:
    def __init__(self, report, truth, limits):
        self.report, self.limits = report, limits
        self.truth = truth
        self.failed = []
        self.worst = {1: None, 2: None}
        self.enough = 0
        self.farthest_share = 0.0
        self.farthest_instructions = 0.0

    def of(self, what):
        return [t for t in self.truth if t["what"] == what and
                t.get("cores") in (None, self.limits.cores)]

    def fail(self, *words):
        self.failed.append(" ".join(str(word) for word in words))

    def check_function(self, truth, cycles):
        rows = [f for f in self.report["functions"] if f["address"] == truth["address"] and
                f["module"].endswith("/phases")]
        if len(rows) != 1:
            self.fail(truth["name"], "has", len(rows), "rows")
            return
        row = rows[0]
        samples = self.report["totals"]["samples"]
        share = truth["cycles"] / cycles
        sigma = math.sqrt(share * (1 - share) / max(samples, 1))
        off = (row["share"] - share) / sigma
        windows = row["windows"]["valid"]
        found = {level: worst(row.get("topdown", {}), truth, level) for level in (1, 2)}
        if not self.limits.brief:
            print("%-16s %6.2f %6.2f %+5.1f %7d %7d  %s %s" % (
                truth["name"], 100 * share, 100 * row["share"], off, row["samples"], windows,
                points(found[1]), points(found[2])))
        self.check_share(truth["name"], row["share"], share, samples)
        self.farthest_share = max(self.farthest_share, abs(off))
        if windows < self.limits.windows:
            return
        self.enough += 1
        for level, difference in found.items():
            if not difference:
                continue
            self.worst[level] = max(self.worst[level] or difference, difference)
            limit = self.limits.points
            if level == 2 and self.limits.points2 is not None:
                limit = self.limits.points2
            if self.limits.as_said:
                said = row["topdown"][difference[1]]
                limit = max(limit, chance.SURE * 50 * (said["high"] - said["low"]))
            if difference[0] > limit:
                self.fail(truth["name"], "%s: %.2f points from the truth" %
                          (difference[1], difference[0]))
        if not found[1]:
            self.fail(truth["name"], "has windows and no top-down")
        if self.limits.instructions is not None:
            self.check_instructions(truth, row["counters"])

    def check_instructions(self, truth, counters):
        """Of the same windows as their slots; our own are taken out of both."""
        if "instructions" not in counters:
            self.fail(truth["name"], "has no instructions")
            return
        found = counters["instructions"]["sum"] / counters["slots"]["sum"]
        off = 100 * (found * truth["slots"] / truth["insns"] - 1)
        self.farthest_instructions = max(self.farthest_instructions, abs(off))
        if abs(off) > self.limits.instructions:
            self.fail(truth["name"], "%+.2f %% of the instructions" % off)

    def check_share(self, name, found, share, samples):
        slack = self.limits.share / 100 * share
        allowed = min(max(found, share - slack), share + slack)
        probability = chance.as_far(round(found * samples), samples, allowed)
        if probability < SHARE_ALARM:
            self.fail(name, "has %.2f %% of the samples, not %.2f (by chance: %.1g)" %
                      (100 * found, 100 * share, probability))

    def check_functions(self):
        # The agent samples the program, never itself.  What libc and the vdso do for
        # its handlers is in "rest" all the same, up to 1 % of the program.
        cycles = sum(t["cycles"] for t in self.of("function") + self.of("rest"))
        if not self.limits.brief:
            print("%-16s %6s %6s %5s %7s %7s  %5s %-18s %5s" % (
                "function", "true %", "share", "sigma", "samples", "windows", "level", "1",
                "level 2"))
        for truth in self.of("function"):
            self.check_function(truth, cycles)
        if self.enough < self.limits.enough:
            self.fail("only", self.enough, "functions with", self.limits.windows, "windows")
        print("%d functions with %d windows or more: at most %s points (level 1), %s (level 2); "
              "shares within %.1f sigma" % (
                  self.enough, self.limits.windows,
                  " ".join(points(self.worst[1]).split()),
                  " ".join(points(self.worst[2]).split()), self.farthest_share))
        if self.limits.instructions is not None:
            print("instructions a slot within %.2f %%" % self.farthest_instructions)

    def check_total(self, name, totals, program, agent):
        """Everything since the start is counted, but for a part of our own handlers."""
        counted = totals.get("slots", 0)
        ours = min(max((counted - program["slots"]) / max(agent["slots"], 1), 0), 1)
        clamped = 0
        for function in self.of("function"):
            clamped |= function.get("clamped", 0)
        truth = {"slots": program["slots"] + ours * agent["slots"], "clamped": clamped,
                 "topdown": {node: value + ours * agent["topdown"][node]
                             for node, value in program["topdown"].items()}}
        off = 100 * (counted / max(truth["slots"], 1) - 1)
        found = [worst(totals.get("topdown", {}), truth, level) for level in (1, 2)]
        print("%-14s %.4g slots (%+.2f %%), %.1f %% of them ours: %s %s" % (
            name, counted, off, 100 * ours * agent["slots"] / max(truth["slots"], 1),
            points(found[0]), points(found[1])))
        if not found[0]:
            self.fail(name, "has no top-down")
        if self.limits.totals2 and not found[1]:
            self.fail(name, "has no level 2")
        for limit, difference in zip((self.limits.totals, self.limits.totals2), found):
            if difference and difference[0] > (limit or self.limits.totals):
                self.fail(name, "%s: %.2f points from the truth" % (difference[1], difference[0]))
        if abs(off) > self.limits.slots:
            self.fail(name, "%+.2f %% of the slots" % off)

    def check_totals(self, threads):
        """`threads`: tid to the report of this thread alone."""
        self.check_total("process", self.report["totals"], added_up(self.of("thread")),
                         added_up(self.of("thread_agent")))
        for tid, report in sorted(threads.items()):
            self.check_total("thread %d" % tid, report["totals"],
                             *(t for what in ("thread", "thread_agent") for t in self.of(what)
                               if t["tid"] == tid))


def added_up(truths):
    return {"slots": sum(t["slots"] for t in truths),
            "topdown": {node: sum(t["topdown"][node] for t in truths)
                        for node in truths[0]["topdown"]}}


def read_json(path):
    with open(path) as file:
        return json.load(file)


def of_one_thread(argument):
    tid, path = argument.split("=", 1)
    return int(tid), read_json(path)


def main():
    parser = argparse.ArgumentParser(description="Compares a report with the lab's truth.")
    parser.add_argument("report")
    parser.add_argument("truth")
    parser.add_argument("--points", type=float, default=1.0)
    parser.add_argument("--points2", type=float)
    parser.add_argument("--totals", type=float, default=0.5)
    parser.add_argument("--totals2", type=float,
                        help="level 2 must be there; without: as --totals, if it is there")
    parser.add_argument("--windows", type=int, default=200)
    parser.add_argument("--enough", type=int, default=1)
    parser.add_argument("--share", type=float, default=1)
    parser.add_argument("--slots", type=float, default=0.5)
    parser.add_argument("--instructions", type=float)
    parser.add_argument("--thread", type=of_one_thread, action="append", default=[])
    parser.add_argument("--functions-only", action="store_true")
    parser.add_argument("--as-said", action="store_true")
    parser.add_argument("--brief", action="store_true")
    parser.add_argument("--cores")
    limits = parser.parse_args()
    report = read_json(limits.report)
    comparison = Comparison(report, read_truth(limits.truth), limits)
    windows = report["totals"]["windows"]
    print("%d samples; windows: %d valid, rejected %s; lost %s" % (
        report["totals"]["samples"], windows["valid"],
        json.dumps(windows.get("rejected", {})), json.dumps(report["totals"].get("lost", {}))))
    comparison.check_functions()
    if not limits.functions_only:
        comparison.check_totals(dict(limits.thread))
    for line in comparison.failed:
        print("FAIL: " + line)
    return bool(comparison.failed)


if __name__ == "__main__":
    sys.exit(main())
