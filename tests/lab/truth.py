# SPDX-License-Identifier: MIT
"""Compares a report's functions with the truth of awkward or random: truth.py REPORT.json TRUTH [OPTION...]

REPORT.json is `tdagent report --top=0 --format=json`; TRUTH is what the program
printed (truth.h).  Functions are found by object and address: the lab's programs are not here
under their paths.  Prints one line a function; the exit status says whether all is
within the limits:

  --limit CYCLES=POINTS  level 1 of functions of so many cycles a visit, or more; the one with most
                         cycles that a function reaches counts.  What its interval says may
                         be beyond, by 2.5 times that (chance makes one in a million so), up to
                         twice the limit.  A shorter function is told only with its callers,
                         or is within the widest limit or 2.5 times its interval.
  --short POINTS         a shorter function may be so far off, instead of the widest limit
  --level2 FACTOR        level 2 may be so much farther away (2)
  --unanswered N         so many functions may have none though they are long enough for a limit: how
                         long visits are is estimated, and below 25 cycles there is no answer (0)
  --samples N            a function with fewer is only shown (100)
  --totals POINTS        a caller together with all that it calls; not given: not looked at
  --but NAME             a function that is known to be told wrongly: only shown
  --shares CYCLES=PERCENT  samples of functions of so many cycles a visit stand for what these take, but
                         for so many percent of it and for chance
  --inside PERCENT       of the intervals of functions that are told apart hold the truth, at
                         least; not given: not looked at
"""
import argparse
import json
import math
import os
import sys

import chance
from accuracy import CLAMP_HEAVY, CLAMPED_NODES, LEVEL1, fractions, read_truth

SURE_SIGMA = 1.96 * chance.SURE  # that many deviations


class Function:
    """What is true of one, and its row of the report (None: it has none)."""

    def __init__(self, truth, row):
        self.truth, self.row = truth, row
        self.name, self.visit = truth["name"], truth["visit"]
        self.node = fractions(truth)

    @property
    def samples(self):
        return self.row["samples"] if self.row else 0

    @property
    def topdown(self):
        """Without what the emulator's events cannot say of it (README.md)."""
        out = CLAMPED_NODES if self.truth.get("clamped", 0) & CLAMP_HEAVY else ()
        measured = self.row.get("topdown", {}) if self.row else {}
        return {node: value for node, value in measured.items() if node not in out}

    @property
    def evidence(self):
        """As the report says; one without the field measures by own windows only."""
        if not self.row:
            return "none"
        return self.row.get("evidence", "own" if self.topdown else "none")

    def worst(self, level):
        """(points, node) farthest from the truth; None: not measured."""
        found = [(100 * abs(value["value"] - self.node[node]), node)
                 for node, value in self.topdown.items() if (node in LEVEL1) == (level == 1)]
        return max(found) if found else None

    def half_width(self, node):
        """Of the interval, points: of its longer side, for a bound may cut the other."""
        value = self.topdown[node]
        return 100 * max(value["high"] - value["value"], value["value"] - value["low"])

    def pairs(self):
        """(node, value, low, high, truth) of each measured node."""
        return [(node, value["value"], value["low"], value["high"], self.node[node])
                for node, value in self.topdown.items()]


def functions(report, truth):
    """Each declared function, with its row."""
    rows = {(os.path.basename(row["module"]), row["address"]): row for row in report["functions"]}
    program = os.path.basename(report["run"]["command"].split()[0])
    return [Function(t, rows.get((t["object"] or program, t["address"])))
            for t in truth if t["what"] == "function"]


def with_callees(name, all_of_them):
    """True slots and categories of a function together with all that only it calls."""
    slots, topdown = 0, {}
    wanted = {name}
    for function in all_of_them:  # callers come before those they call
        truth = function.truth
        if truth["name"] not in wanted and truth.get("caller") not in wanted:
            continue
        wanted.add(truth["name"])
        slots += truth["slots"]
        for node, value in truth["topdown"].items():
            topdown[node] = topdown.get(node, 0) + value
    return fractions({"slots": slots, "topdown": topdown})


class Comparison:
    def __init__(self, report, truth, limits):
        self.limits = limits
        self.all = functions(report, truth)
        self.cycles = sum(t["cycles"] for t in truth if t["what"] in ("function", "rest"))
        self.failed = []
        self.unanswered = []

    def fail(self, *words):
        self.failed.append(" ".join(str(word) for word in words))

    def limit(self, function):
        """Points; None: too short for any."""
        reached = [limit for limit in self.limits.limit if function.visit >= limit[0]]
        return max(reached)[1] if reached else None

    def allowed(self, limit, said, factor):
        """Points: limit (None: no limit of its own) and what the interval says, of a level."""
        if limit is None:
            short = self.limits.short or max(points for _, points in self.limits.limit)
            return max(factor * short, said)
        return max(factor * limit, min(said, 2 * factor * limit))

    def show(self, function):
        row = function.row or {}
        found = ["%5.2f %-18s" % found if found else " " * 24
                 for found in (function.worst(1), function.worst(2))]
        width = max([function.half_width(node) for node in function.topdown], default=0)
        print("%-14s %7.0f %6.2f %6.2f %7d %6d  %-9s %5s  %s %s %5.1f" % (
            function.name, function.visit, 100 * function.truth["cycles"] / self.cycles,
            100 * row.get("share", 0), function.samples, row.get("windows", {}).get("valid", 0),
            function.evidence, "%.2f" % row["identifiability"] if "identifiability" in row else "",
            found[0], found[1], width))

    def check(self, function):
        if function.samples < self.limits.samples or function.name in self.limits.but:
            return
        limit = self.limit(function)
        found = function.worst(1), function.worst(2)
        if limit is not None and (function.evidence == "callers" or not found[0]):
            self.unanswered.append("%s of %.0f cycles a visit" % (function.name, function.visit))
        if function.evidence == "callers":
            return
        for level, difference in enumerate(found):
            if not difference:
                continue
            factor = self.limits.level2 if level else 1
            allowed = self.allowed(limit, chance.SURE * function.half_width(difference[1]), factor)
            if difference[0] > allowed:
                self.fail(function.name, "(%s): %s is %.2f points from the truth, not %.2f" % (
                    function.evidence, difference[1], difference[0], allowed))

    def check_share(self, function):
        cycles, percent = self.limits.shares
        share, true = function.row["share"], function.truth["cycles"] / self.cycles
        if function.visit < cycles or function.samples < self.limits.samples:
            return
        deviation = math.sqrt(true * (1 - true) * share / function.samples)
        if abs(share - true) > percent / 100 * true + SURE_SIGMA * deviation:
            self.fail(function.name, "has %.2f %% of the samples and takes %.2f %% of the time" % (
                100 * share, 100 * true))

    def check_total(self, function):
        total = (function.row or {}).get("total", {}).get("topdown", {})
        truth = with_callees(function.name, self.all)
        found = max([(100 * abs(value["value"] - truth[node]), node)
                     for node, value in total.items() if node in LEVEL1], default=None)
        if not found:
            self.fail(function.name, "has no total")
            return
        print("%-14s with all that it calls: %5.2f %s" % (function.name, *found))
        if found[0] > self.limits.totals:
            self.fail(function.name, "with all that it calls: %.2f points" % found[0])

    def check_inside(self):
        pairs = [pair for function in self.all if function.evidence in ("own", "separated")
                 for pair in function.pairs()]
        inside = 100 * sum(low <= true <= high for _, _, low, high, true in pairs) / max(len(pairs), 1)
        print("%.1f %% of %d intervals hold the truth" % (inside, len(pairs)))
        if inside < self.limits.inside:
            self.fail("%.1f %% of the intervals hold the truth, not %g" % (inside, self.limits.inside))

    def check_all(self):
        print("%-14s %7s %6s %6s %7s %6s  %-9s %5s  %-24s %-24s %5s" % (
            "function", "visit", "true %", "share", "samples", "own", "evidence", "ident",
            "level 1", "level 2", "+-"))
        for function in self.all:
            self.show(function)
            self.check(function)
            if self.limits.shares and function.row:
                self.check_share(function)
        if self.unanswered:
            print("no answer: " + ", ".join(self.unanswered))
        if len(self.unanswered) > self.limits.unanswered:
            self.fail("%d functions have no answer, not %d at most" % (
                len(self.unanswered), self.limits.unanswered))
        if self.limits.inside is not None:
            self.check_inside()
        if self.limits.totals is None:
            return
        callers = {f.truth["caller"] for f in self.all if f.truth.get("caller")}
        for function in self.all:
            if function.name in callers and function.name != "dispatch":
                self.check_total(function)


def pair(text):
    cycles, points = text.split("=")
    return float(cycles), float(points)


def main():
    parser = argparse.ArgumentParser(description="Compares functions with the lab's truth.")
    parser.add_argument("report")
    parser.add_argument("truth")
    parser.add_argument("--limit", type=pair, action="append", default=[])
    parser.add_argument("--level2", type=float, default=2)
    parser.add_argument("--unanswered", type=int, default=0)
    parser.add_argument("--short", type=float)
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--but", action="append", default=[])
    parser.add_argument("--totals", type=float)
    parser.add_argument("--shares", type=pair)
    parser.add_argument("--inside", type=float)
    limits = parser.parse_args()
    with open(limits.report) as file:
        report = json.load(file)
    comparison = Comparison(report, read_truth(limits.truth), limits)
    comparison.check_all()
    for line in comparison.failed:
        print("FAIL: " + line)
    return bool(comparison.failed)


if __name__ == "__main__":
    sys.exit(main())
