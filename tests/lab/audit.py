#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""audit.py AUDIT TRUTH [--calls]: an audit's JSON against the emulator's account.

A function whose visits take m instructions on average is left, at a random moment of it,
by the next instruction with probability 1/m, and in the next u instructions at most
with u/m, however long each visit is.  Where all visits take m instructions and m is not
below u, the latter is exact: --calls says that they do, and that a call is a visit.
Moments are in a function as often as its instructions say.

Each of these is a count of independent moments, so its chance is a tail of the binomial
distribution (chance.py); of all functions' windows together at most that, as parts of
different chances vary less.  The limit is such that a right audit fails in one of 20,000
runs of this program, however much it compares.
"""
import argparse
import json
import os
import sys

import chance

ALARM = 5e-5
WINDOWS = 10  # of one length; with fewer nothing could fail


def truth_of(path):
    """(object, address) -> what the emulator counted there."""
    with open(path, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines if line.startswith("{")]
    return {(row.get("object", ""), int(row["address"], 16)): row
            for row in rows if row["what"] == "function"}


def exact(mean, visit):
    """Probability to be in the function still, lengths 1 .. 2 mean - 1, each as likely."""
    lengths = range(1, 2 * mean)
    return sum(max(0.0, 1 - u / visit) for u in lengths) / len(lengths)


class Comparison:
    def __init__(self, audit, truth, calls):
        self.truth, self.calls = truth, calls
        self.program = os.path.basename(audit["run"]["command"][0])
        self.chances, self.failures, self.cells = [], [], 0
        self.pools = {}  # mean length -> windows, stayed, expected of all functions
        self.functions = [(f, self.of(f)) for f in audit["functions"] if self.of(f)]
        self.moments = sum(f["moments"] for f, _ in self.functions)
        self.insns = sum(row["insns"] for row in truth.values())

    def of(self, function):
        """The truth of it; None: it is not among the declared ones."""
        module = function["module"]
        return self.truth.get(("" if module == self.program else module,
                               int(function["address"], 16)))

    def add(self, probability, *words):
        self.chances.append((probability, " ".join(str(word) for word in words)))
        return probability

    def share(self, function, row):
        """Of the moments; a function that none met was 0 times met."""
        share, met = row["insns"] / self.insns, function["moments"]
        self.add(chance.as_far(met, self.moments, share), row["name"] + ":", met, "of",
                 self.moments, "moments, %.2f expected" % (share * self.moments))
        return "%7.4f %7.4f" % (share, met / max(self.moments, 1))

    def stayed(self, name, mean, windows, stayed, want):
        """Exactly so many were expected, or at least."""
        compare = chance.as_far if self.calls or mean == 1 else chance.at_most
        return self.add(compare(stayed, windows, want),
                        "%s, mean %d: %d of %d windows stayed, %.2f expected" % (
                            name, mean, stayed, windows, want * windows))

    def cell(self, row, cell, visit):
        """One function's windows of one mean length; returns what to print."""
        mean, windows, stayed = cell["mean"], cell["windows"], cell["same_function"]["stayed"]
        want = exact(mean, visit) if self.calls or mean == 1 else max(0.0, 1 - mean / visit)
        pool = self.pools.get(mean, (0, 0, 0.0))
        self.pools[mean] = (pool[0] + windows, pool[1] + stayed, pool[2] + want * windows)
        if windows < WINDOWS:
            return ""
        probability = self.stayed(row["name"], mean, windows, stayed, want)
        self.cells += 1
        without = cell["no_call_or_return"]
        if self.calls and without["stayed"] != without["windows"]:
            self.failures.append("%s, mean %d: left without a call or return" % (row["name"], mean))
        return " %6.3f %6.3f %7.1g" % (stayed / windows, want, probability)

    def compare(self, function, row):
        visit = row["insns"] / max(row["calls" if self.calls else "entries"], 1)
        line = "%-16s %8.1f %s" % (row["name"], visit, self.share(function, row))
        for cell in function["lengths"]:
            line += self.cell(row, cell, visit)
        print(line)

    def compare_all(self):
        print("%-16s %8s %7s %7s  then for each length: stayed, expected%s, chance" % (
            "function", "visit", "share", "moments", "" if self.calls else " (1) or least"))
        for function, row in self.functions:
            self.compare(function, row)
        met = [row["name"] for _, row in self.functions]
        for row in self.truth.values():
            if row["name"] not in met:
                print("%-16s not met: %s" % (row["name"], self.share({"moments": 0}, row)))
        for mean, (windows, stayed, want) in self.pools.items():
            self.stayed("all", mean, windows, stayed, want / max(windows, 1))
        if self.cells < 20:
            self.failures.append("only %d cells have %d windows" % (self.cells, WINDOWS))
        limit = ALARM / max(len(self.chances), 1)
        least = min(self.chances, default=(1.0, "nothing"))
        print("%d comparisons, the least likely has %.1g (limit %.1g): %s" % (
            len(self.chances), least[0], limit, least[1]))
        self.failures += ["%s (by chance: %.1g)" % (what, probability)
                          for probability, what in self.chances if probability < limit]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("audit")
    parser.add_argument("truth")
    parser.add_argument("--calls", action="store_true")
    options = parser.parse_args()
    with open(options.audit, encoding="utf-8") as file:
        audit = json.load(file)
    comparison = Comparison(audit, truth_of(options.truth), options.calls)
    print("%d moments, %d of them in %d functions; lost %s" % (
        audit["run"]["moments"], comparison.moments, len(comparison.truth),
        audit["run"]["lost"]))
    comparison.compare_all()
    for failure in comparison.failures:
        print("FAIL: " + failure)
    return bool(comparison.failures)


if __name__ == "__main__":
    sys.exit(main())
