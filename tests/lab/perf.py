# SPDX-License-Identifier: MIT
"""perf.py REPORT.json PERF: do process totals agree with `perf stat --topdown -x,`?

Within 1 point; the exit status tells."""
import json
import sys

NODES = ("retiring", "bad_speculation", "frontend_bound", "backend_bound", "heavy_operations",
         "light_operations", "branch_mispredicts", "machine_clears", "fetch_latency",
         "fetch_bandwidth", "memory_bound", "core_bound")


def main():
    with open(sys.argv[1]) as file:
        topdown = json.load(file)["totals"]["topdown"]
    with open(sys.argv[2]) as file:
        lines = [line.strip().rstrip(",").split(",") for line in file]
    rows = [line for line in lines if len(line) in (4, 12) and line[0][:1].isdigit()]
    if len(rows) != 1:
        print("perf stat printed %d rows" % len(rows))
        return 1
    failed = False
    for node, text in zip(NODES, rows[0]):
        ours = 100 * topdown[node]["value"]
        good = abs(ours - float(text)) <= 1
        failed |= not good
        print("%-18s perf %5s tdagent %5.1f%s" % (node, text, ours, "" if good else "  FAIL"))
    return failed


if __name__ == "__main__":
    sys.exit(main())
