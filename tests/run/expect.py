# SPDX-License-Identifier: MIT
"""Checks a report: expect.py REPORT.json STATEMENTS [TRUTH]

The statements may use what is defined here, `report` (the whole JSON) and
`truth` (the JSON lines that the program printed about itself).  All failures
are printed, with the report's functions; the exit status tells.
"""
import json
import math
import os
import sys

failed = []


def check(condition, message):
    if not condition:
        failed.append(message)


def functions(name=None, module=None):
    """All rows with this name and this module (its base name)."""
    return [f for f in report["functions"]
            if name in (None, f["name"]) and module in (None, os.path.basename(f["module"]))]


def function(name, module=None):
    """The only row with this name."""
    rows = functions(name, module)
    check(len(rows) == 1, "%d rows named %s" % (len(rows), name))
    return rows[0] if rows else {"name": name, "module": "", "samples": 0, "share": 0.0}


def sampling_error(share, samples):
    """Four standard deviations: a healthy test fails once in 15,000 times."""
    return 4 * math.sqrt(max(share * (1 - share), 0.01) / max(samples, 1))


def share_is(expected, found, what, points=1.0):
    samples = report["totals"]["samples"]
    check(samples >= 100, "only %d samples" % samples)
    allowed = sampling_error(expected, samples) + points / 100
    check(abs(found - expected) <= allowed, "%s has %.1f %%, not %.1f +- %.1f"
          % (what, 100 * found, 100 * expected, 100 * allowed))


def has_share(name, expected, module=None, points=1.0):
    """The function's share is right, and it is its samples' part of all."""
    row = function(name, module)
    share_is(expected, row["share"], name, points)
    part = row["samples"] / max(report["totals"]["samples"], 1)
    check(abs(part - row["share"]) < 0.001, "%s: share is not samples / total" % name)


def not_twice(period_s):
    """A thread has no more samples than its life has periods.  CPU time would tell too,
    but not on a virtual machine: time that the hypervisor takes away is in it, or not."""
    samples, took = report["totals"]["samples"], report["run"]["duration_s"]
    check(samples * period_s < 1.3 * took + 2 * period_s, "%d samples in %.3f s" % (samples, took))


def thread(name):
    rows = [t for t in report["threads"] if t["name"] == name]
    check(len(rows) == 1, "%d threads named %s" % (len(rows), name))
    return rows[0] if rows else {"name": name, "tid": 0, "samples": 0}


def shares_are(points=2.0):
    """Each function of the demonstration's truth has its share: by the median of its calls, and as much further away as
    their mean is.  On a busy machine some calls take twice as long."""
    for true in truth:
        apart = 100 * abs(true["mean_share"] - true["share"])
        has_share(true["name"], true["share"], points=points + apart)


def mixes_are(points=2.0):
    """Each function of the truth has its declared top-down fractions."""
    for true in truth:
        row = function(true["name"])
        found = row.get("topdown", {})
        for node in sorted(set(true) - {"name", "share", "mean_share"}):
            check(node in found, "%s: no %s" % (true["name"], node))
            if node in found:
                fraction_is(true["name"] + " " + node, true[node], found[node], points / 100)


def totals_agree():
    """Functions and totals of the demonstration do.  Where a hypervisor pauses the machine CPU
    time goes on, and with it the simulated slots, but there is one sample: totals may be as much
    further away as the calls' means move time from one function to others."""
    paused = sum(abs(true["mean_share"] - true["share"]) for true in truth) / 2
    apart = report["run"]["check"]
    check(apart["difference"] < apart["explained"] + 0.05 + paused,
          "functions and totals disagree: %s, paused %.3f" % (apart, paused))


def fraction_is(what, expected, found, allowed):
    value, low, high = found["value"], found["low"], found["high"]
    check(abs(value - expected) <= allowed,
          "%s: %.4f, declared %.4f" % (what, value, expected))
    check(low <= value <= high, "%s: %.4f not in its interval %.4f..%.4f"
          % (what, value, low, high))
    check(low - allowed <= expected <= high + allowed,
          "%s: interval %.4f..%.4f without %.4f" % (what, low, high, expected))


def print_functions():
    for f in report.get("functions", [])[:15]:
        print("  %6.2f %%  %6d  %s  %s" % (100 * f["share"], f["samples"], f["name"], f["module"]))


try:
    report = json.load(open(sys.argv[1]))
except ValueError as error:
    sys.exit("%s: not JSON: %s" % (sys.argv[1], error))
truth = [json.loads(line) for line in open(sys.argv[3])]
exec(compile(open(sys.argv[2]).read(), "statements", "exec"))
if failed:
    print("\n".join(failed))
    print_functions()
    sys.exit(1)
