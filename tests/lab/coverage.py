# SPDX-License-Identifier: MIT
"""How often 95 % intervals contain the truth: coverage.py [OPTION...] DIRECTORY...

Each directory has a run's report.json (`tdagent report --top=0 --format=json`) and
truth (truth.h).  A pair is a function with an answer and one of its nodes.  Pairs of one run are
not independent of each other, runs are: the error is that of the mean over runs.

  --low P --high P   percent of the pairs that have to be inside (93, 97)
  --label TEXT       the first column
"""
import argparse
import collections
import json
import math
import os
import sys

import truth as lab


class Share:
    """Pairs inside of their interval, run by run."""

    def __init__(self):
        self.runs = collections.defaultdict(lambda: [0, 0])
        self.error = self.width = 0.0

    def add(self, run, pair):
        _, value, low, high, true = pair
        self.runs[run][0] += low <= true <= high
        self.runs[run][1] += 1
        self.error += abs(value - true)
        self.width += (high - low) / 2

    @property
    def pairs(self):
        return sum(n for _, n in self.runs.values())

    @property
    def percent(self):
        return 100 * sum(k for k, _ in self.runs.values()) / max(self.pairs, 1)

    @property
    def deviation(self):
        """Of `percent`, by how much runs differ."""
        mean, n = self.percent / 100, len(self.runs)
        if n < 2:
            return 100.0
        squares = sum((k - mean * m) ** 2 for k, m in self.runs.values())
        return 100 * math.sqrt(squares * n / (n - 1)) / self.pairs

    def columns(self):
        n = max(self.pairs, 1)
        return "%7d  %5.1f +- %3.1f  %6.2f  %6.2f" % (
            self.pairs, self.percent, self.deviation, 100 * self.error / n, 100 * self.width / n)


def length(visit):
    return next(("%d cycles a visit" % least for least in (1000, 100, 25) if visit >= least), "shorter visits")


def collect(directories):
    """Shares by evidence and level, by visit, and by function."""
    groups, by_function = collections.OrderedDict(), {}
    for run, directory in enumerate(directories):
        with open(os.path.join(directory, "report.json")) as file:
            report = json.load(file)
        for function in lab.functions(report, lab.read_truth(os.path.join(directory, "truth"))):
            if function.evidence == "callers":
                continue
            for pair in function.pairs():
                level = "level 1" if pair[0] in lab.LEVEL1 else "level 2"
                for key in ("all",), (function.evidence, level), (length(function.visit),):
                    groups.setdefault(key, Share()).add(run, pair)
                by_function.setdefault(function.name, Share()).add(run, pair)
    return groups, by_function


def main():
    parser = argparse.ArgumentParser(description="How often intervals contain the truth.")
    parser.add_argument("directories", nargs="+")
    parser.add_argument("--low", type=float, default=93)
    parser.add_argument("--high", type=float, default=97)
    parser.add_argument("--label", default="")
    limits = parser.parse_args()
    groups, by_function = collect(limits.directories)
    if not groups:
        print("FAIL: no function has an answer")
        return 1
    print("%-20s %-20s %7s  %12s  %6s  %6s" % (
        "%d runs" % len(limits.directories), "", "pairs", "% inside", "|error|", "+-"))
    for key, share in sorted(groups.items()):
        print("%-20s %-20s %s" % (limits.label, " ".join(key), share.columns()))
    for name, share in sorted(by_function.items(), key=lambda item: item[1].percent):
        print("%-20s %-20s %s" % ("", name, share.columns()))
    percent = groups[("all",)].percent
    if limits.low <= percent <= limits.high:
        return 0
    print("FAIL: %.1f %% of the intervals contain the truth, not %g to %g" % (
        percent, limits.low, limits.high))
    return 1


if __name__ == "__main__":
    sys.exit(main())
