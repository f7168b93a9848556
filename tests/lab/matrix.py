# SPDX-License-Identifier: MIT
"""How far functions are from the truth, and how often 95 % intervals contain it: matrix.py [OPTION...] DIRECTORY...

Each directory has a run's report.json (`tdagent report --top=0 --format=json`) and truth (truth.h).
One line for each level and length of a visit, of the functions that are told apart:

  functions  of all runs; "none": so many more have no answer
  worst      the worst fraction of the worst function of a run, in points: the mean of the runs, and of the worst run
  rms        root mean square of all fractions, points; +-: of their half widths
  hold       intervals that contain the truth, percent.  Those of one run are not independent of each other, runs are:
             the error is that of the mean over runs.

  --label TEXT       before all
  --samples N        a function with fewer is not counted (100)
  --low P --high P   percent of all intervals that have to hold; not given: not looked at
  --functions        a line for each function as well, the one whose intervals hold least first
"""
import argparse
import collections
import json
import math
import os
import sys

import truth as lab

LENGTHS = ((1000, "1000 or more"), (100, "100 to 1000"), (25, "25 to 100"), (0, "less"))


class Sum:
    """Fractions, each with its interval and the truth, run by run."""

    def __init__(self):
        self.runs = collections.defaultdict(list)
        self.functions = self.unanswered = 0

    def add(self, run, pairs):
        self.functions += bool(pairs)
        self.unanswered += not pairs
        self.runs[run] += [(100 * (value - true), 50 * (high - low), low <= true <= high)
                           for _, value, low, high, true in pairs]

    @property
    def all(self):
        return [pair for pairs in self.runs.values() for pair in pairs]

    def root_mean_square(self, column):
        return math.sqrt(sum(pair[column] ** 2 for pair in self.all) / max(len(self.all), 1))

    @property
    def percent(self):
        return 100 * sum(holds for _, _, holds in self.all) / max(len(self.all), 1)

    @property
    def deviation(self):
        """Of `percent`, by how much runs differ."""
        mean, n = self.percent / 100, len(self.runs)
        if n < 2 or not self.all:
            return 100.0
        squares = sum((sum(holds - mean for _, _, holds in pairs)) ** 2 for pairs in self.runs.values())
        return 100 * math.sqrt(squares * n / (n - 1)) / len(self.all)

    def columns(self):
        worst = [max(abs(error) for error, _, _ in pairs) for pairs in self.runs.values() if pairs]
        if not worst:
            return "%9d %4d" % (self.functions, self.unanswered)
        return "%9d %4d  %6.2f %6.2f  %6.2f %6.2f  %5.1f +- %3.1f" % (
            self.functions, self.unanswered, sum(worst) / len(worst), max(worst),
            self.root_mean_square(0), self.root_mean_square(1), self.percent, self.deviation)


def collect(directories, fewest):
    """Sums by level and visit, by function, of all; and the runs' windows."""
    groups, by_function, all_of_them, windows = {}, {}, Sum(), []
    for run, directory in enumerate(directories):
        with open(os.path.join(directory, "report.json")) as file:
            report = json.load(file)
        windows.append(report["run"]["samples"])
        for function in lab.functions(report, lab.read_truth(os.path.join(directory, "truth"))):
            if function.samples < fewest:
                continue
            told = function.pairs() if function.evidence != "callers" else []
            length = next(name for least, name in LENGTHS if function.visit >= least)
            for level in 1, 2:
                pairs = [pair for pair in told if (pair[0] in lab.LEVEL1) == (level == 1)]
                groups.setdefault((level, length), Sum()).add(run, pairs)
            all_of_them.add(run, told)
            by_function.setdefault(function.name, Sum()).add(run, told)
    return groups, by_function, all_of_them, windows


def main():
    parser = argparse.ArgumentParser(description="How far from the truth functions are, and whether intervals hold.")
    parser.add_argument("directories", nargs="+")
    parser.add_argument("--label", default="")
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--low", type=float)
    parser.add_argument("--high", type=float)
    parser.add_argument("--functions", action="store_true")
    limits = parser.parse_args()
    groups, by_function, all_of_them, windows = collect(limits.directories, limits.samples)
    print("%s: %d runs of %d to %d samples" % (limits.label, len(windows), min(windows), max(windows)))
    print("  %-22s %9s %4s  %6s %6s  %6s %6s  %5s" % (
        "cycles a visit", "functions", "none", "worst", "of all", "rms", "+-", "hold"))
    for level in 1, 2:
        for _, length in LENGTHS:
            found = groups.get((level, length))
            if found and found.all:
                print("  level %d, %-13s %s" % (level, length, found.columns()))
    print("  %-22s %s" % ("all", all_of_them.columns()))
    if limits.functions:
        for name, found in sorted(by_function.items(), key=lambda item: item[1].percent):
            print("  %-22s %s" % (name, found.columns()))
    percent = all_of_them.percent
    if limits.low is None or limits.low <= percent <= (limits.high or 100):
        return 0
    print("FAIL: %.1f %% of the intervals contain the truth, not %g to %g" % (
        percent, limits.low, limits.high or 100))
    return 1


if __name__ == "__main__":
    sys.exit(main())
