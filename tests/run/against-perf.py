# SPDX-License-Identifier: MIT
"""Compares a report with `perf script` of the same run.

    against-perf.py LABEL REPORT.json PERF-SCRIPT.txt

PERF-SCRIPT.txt is the output of
    perf script --show-mmap-events -F comm,pid,tid,ip,dso
Perf names functions of stripped modules after the nearest symbol, so functions
are compared by module and start address as .eh_frame_hdr has them, read here by
a few lines that share nothing with the agent's.  Code without unwind
information is one row a module, code without a file is one row "JIT".

Prints a row for each of the five hottest functions of either side; fails when
one of them differs by more than 3 points + 4 standard deviations.
"""
import bisect
import collections
import functools
import json
import math
import os
import re
import struct
import sys

POINTS = 0.03
MMAP = re.compile(r"PERF_RECORD_MMAP2?\s+(\d+)/\d+: \[(0x[0-9a-f]+)\((0x[0-9a-f]+)\) @ (\S+) .*\]: "
                  r"..x. (.*)$")
SAMPLE = re.compile(r"^.*?\s(\d+)/\d+\s+([0-9a-f]+)\s+\((.*)\)$")


class Module:
    """Start and end of every function with unwind information."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        self.segments = []
        self.starts, self.ends = [], []
        phoff, = struct.unpack_from("<Q", self.bytes, 32)
        size, count = struct.unpack_from("<HH", self.bytes, 54)
        for i in range(count):
            kind, _, offset, vaddr, _, filesz = struct.unpack_from(
                "<IIQQQQ", self.bytes, phoff + i * size)
            if kind == 1:  # PT_LOAD
                self.segments.append((offset, vaddr, filesz))
        for i in range(count):
            kind, _, offset, vaddr = struct.unpack_from("<IIQQ", self.bytes, phoff + i * size)
            if kind == 0x6474e550:  # PT_GNU_EH_FRAME
                self.read_table(offset, vaddr)

    def read_table(self, offset, vaddr):
        if self.bytes[offset:offset + 4] != b"\x01\x1b\x03\x3b":
            sys.exit("an .eh_frame_hdr of an unusual encoding")
        count, = struct.unpack_from("<I", self.bytes, offset + 8)
        for start, fde in struct.iter_unpack("<ii", self.bytes[offset + 12:offset + 12 + 8 * count]):
            size, = struct.unpack_from("<I", self.bytes, self.offset(vaddr + fde) + 12)
            self.starts.append(vaddr + start)
            self.ends.append(vaddr + start + size)

    def offset(self, vaddr):
        return next(vaddr - v + o for o, v, size in self.segments if v <= vaddr < v + size)

    def vaddr(self, offset):
        return next(offset - o + v for o, v, size in self.segments if o <= offset < o + size)

    def function(self, vaddr):
        """The start of the function with unwind information, or None."""
        i = bisect.bisect_right(self.starts, vaddr) - 1
        return self.starts[i] if i >= 0 and vaddr < self.ends[i] else None


@functools.lru_cache(maxsize=None)
def module_at(path):
    return Module(path)


def key_of(path, vaddr):
    path = os.path.realpath(path)  # perf has the file, the loader the name asked for
    return os.path.basename(path), module_at(path).function(vaddr)


def key_of_address(mmaps, ip):
    for start, size, offset, path in reversed(mmaps):
        if start <= ip < start + size:
            if not os.path.isfile(path):
                return path if path == "[vdso]" else "JIT", None
            return key_of(path, module_at(path).vaddr(ip - start + offset))
    return "JIT", None


def perf_counts(path, pid):
    """Samples by key; those of the agent's own code are left out."""
    mmaps, counts = [], collections.Counter()
    for line in open(path, errors="replace"):
        found = MMAP.search(line)
        if found and int(found[1]) == pid:
            mmaps.append((int(found[2], 16), int(found[3], 16), int(found[4], 16), found[5]))
            continue
        found = SAMPLE.match(line.rstrip())
        if found and int(found[1]) == pid and "libtdagent" not in found[3]:
            counts[key_of_address(mmaps, int(found[2], 16))] += 1
    return counts


def report_counts(report):
    """The report's samples by the same keys, and a name for each."""
    counts, names = collections.Counter(), {}
    for row in report["functions"]:
        key = key_of_row(row)
        counts[key] += row["samples"]
        names.setdefault(key, row["name"])
    return counts, names


def key_of_row(row):
    module = row["module"]
    if not os.path.isfile(module):
        return module if module == "[vdso]" else "JIT", None
    return key_of(module, int(str(row["address"]), 0))


def main():
    label, report_path, perf_path = sys.argv[1:]
    report = json.load(open(report_path))
    agent, names = report_counts(report)
    perf = perf_counts(perf_path, report["run"]["pid"])
    totals = sum(agent.values()), sum(perf.values())
    if min(totals) < 100:
        sys.exit("%s: too few samples: agent %d, perf %d" % ((label,) + totals))
    bad = 0
    hottest = dict.fromkeys([k for k, _ in agent.most_common(5)] + [k for k, _ in perf.most_common(5)])
    for key in hottest:
        a, p = agent[key] / totals[0], perf[key] / totals[1]
        mean = max((agent[key] + perf[key]) / sum(totals), 0.01)
        allowed = POINTS + 4 * math.sqrt(mean * (1 - mean) * (1 / totals[0] + 1 / totals[1]))
        verdict = "" if abs(a - p) <= allowed else "DIFFERS"
        bad += verdict != ""
        print("%-9s %6.2f %6.2f %6.2f %6.2f  %-24s %s %s" % (
            label, 100 * a, 100 * p, 100 * (a - p), 100 * allowed,
            names.get(key, "0x%x" % key[1] if key[1] else "(no unwind information)")[:40],
            key[0], verdict))
    sys.exit(bad > 0)


main()
