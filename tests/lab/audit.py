#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""audit.py AUDIT TRUTH [--calls]: an audit's JSON against the emulator's account.

A function whose visits take m instructions on average is left, at a random moment of it,
by the next instruction with probability 1/m, and in the next u instructions at most
with u/m, however long each visit is.  Where all visits take m instructions and m is not
below u, the latter is exact: --calls says that they do, and that a call is a visit.
All within 4 sigma of the binomial distribution.
"""
import argparse
import json
import sys

SIGMA = 4.0


def functions_of(path):
    """name -> (instructions, visits), of functions that the audit has under one name."""
    found, several = {}, set()
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line) if line.startswith("{") else {}
            if row.get("what") != "function":
                continue
            several |= {row["name"]} & found.keys()
            found[row["name"]] = row
    return {name: row for name, row in found.items() if name not in several}


def sigma_of(share, windows):
    """At least that of one window."""
    return max(share * (1 - share) / windows, 1 / windows**2) ** 0.5


def exact(mean, visit):
    """Probability to be in the function still, lengths 1 .. 2 mean - 1, each as likely."""
    lengths = range(1, 2 * mean)
    return sum(max(0.0, 1 - u / visit) for u in lengths) / len(lengths)


def compare(name, cell, visit, calls, failures):
    """One function's windows of one mean length; returns what to print."""
    mean, windows = cell["mean"], cell["windows"]
    stayed = cell["same_function"]["stayed"] / windows
    want = exact(mean, visit) if calls or mean == 1 else max(0.0, 1 - mean / visit)
    off = (stayed - want) / sigma_of(want, windows)
    if off < -SIGMA or (off > SIGMA and (calls or mean == 1)):
        failures.append("%s, mean %d: %.3f of %d windows stayed, %.3f expected" %
                        (name, mean, stayed, windows, want))
    if calls and cell["no_call_or_return"]["stayed"] != cell["no_call_or_return"]["windows"]:
        failures.append("%s, mean %d: left without a call or return" % (name, mean))
    return " %6.3f %6.3f %+5.1f" % (stayed, want, off)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("audit")
    parser.add_argument("truth")
    parser.add_argument("--calls", action="store_true")
    options = parser.parse_args()
    with open(options.audit, encoding="utf-8") as file:
        audit = json.load(file)
    truth = functions_of(options.truth)
    total = sum(row["insns"] for row in truth.values())
    failures, compared = [], 0
    moments = sum(f["moments"] for f in audit["functions"] if f["name"] in truth)
    print("%d moments, %d of them in %d functions; lost %s" % (
        audit["run"]["moments"], moments, len(truth), audit["run"]["lost"]))
    print("%-16s %8s %7s %7s  then for each length: stayed, expected%s, sigma" % (
        "function", "visit", "share", "moments", "" if options.calls else " (1) or least"))
    for found in audit["functions"]:
        row = truth.get(found["name"])
        visits = row and row["calls" if options.calls else "entries"]
        if not visits:
            continue
        share = row["insns"] / total
        seen = found["moments"] / moments
        if abs(seen - share) > SIGMA * sigma_of(share, moments):
            failures.append("%s: %.4f of the moments, %.4f of the instructions" %
                            (found["name"], seen, share))
        line = "%-16s %8.1f %7.4f %7.4f" % (found["name"], row["insns"] / visits, share, seen)
        for cell in found["lengths"]:
            if cell["windows"] >= 10:
                compared += 1
                line += compare(found["name"], cell, row["insns"] / visits, options.calls, failures)
        print(line)
    if compared < 20:
        failures.append("only %d cells have 10 windows" % compared)
    print("\n".join(failures))
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
