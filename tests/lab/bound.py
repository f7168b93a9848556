#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How well short functions can be known when windows have edges: bound.py [WINDOWS]

A lower bound (Cramer and Rao's, for counts with these means and covariances) of the standard
deviation of level 1 fractions, in points, with all else known exactly: in what order the functions of a group
run and how long, what edges cost.  What is not known is what was in a single window.  Windows are
taken together by where they open and how long they are, and once more also by where they end and
whether they are own: for that, an estimator would have to know the times of each such class.
And with each function's direction from the edges' mix known, as own windows' lines show it.  Functions and mixes are those of awkward.c, edges those of truth.sh: 25 to 75 cycles
each, two of them between the arming and the program.  For doc/accuracy.md; no test.
"""
import itertools
import random
import sys

EDGE_MIX = (0.0, 0.05, 0.55, 0.40)
OWN = 45  # cycles of the agent's in a window, and two edges behind the program
LONGEST, STEP, SHORTEST = 600, 10, 30
DRAWS = 800
FEWEST = 10  # draws of a class, for a covariance
NODES = 3  # the fourth is what is left

CHAIN = {"link8": (8, (0.60, 0.05, 0.25, 0.10)), "link27": (27, (0.15, 0.03, 0.62, 0.20)),
         "link40": (40, (0.20, 0.06, 0.09, 0.65)), "link30": (30, (0.45, 0.35, 0.10, 0.10))}
PAIR = {"alternate": (108, (0.65, 0.05, 0.15, 0.15)), "alternate_in": (108, (0.15, 0.05, 0.15, 0.65))}


def inverse(matrix):
    n = len(matrix)
    rows = [list(row) + [float(i == j) for j in range(n)] for i, row in enumerate(matrix)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for r in range(n):
            if r != i:
                by = rows[r][i]
                rows[r] = [x - by * y for x, y in zip(rows[r], rows[i])]
    return [row[n:] for row in rows]


def times(lengths, at, cycles):
    """Cycles in each function from place `at` of the group's round on; where that ends, and
    whether it was one visit."""
    found, place, visits = [0.0] * len(lengths), 0, 0
    while at >= lengths[place]:
        at -= lengths[place]
        place += 1
    last = place
    while cycles > 0:
        step = min(cycles, lengths[place] - at)
        found[place] += step
        last, visits = place, visits + 1
        cycles, at, place = cycles - step, 0, (place + 1) % len(lengths)
    return found, (last, visits == 1)


def away(mix, sign):
    """truth.c's two mixes, 40 % from their mean."""
    outer, inner = sign * 0.4 * min(mix[0], mix[3]), sign * 0.4 * min(mix[1], mix[2])
    return (mix[0] + outer, mix[1] + inner, mix[2] - inner, mix[3] - outer)


def count(mixes, spent, before, cycles, edge, noise):
    """One window's counts without the known cost, rounded to 255ths."""
    y = [edge * m for m in EDGE_MIX]
    for mix, t in zip(mixes, spent):
        now = away(mix, random.choice((-1, 1))) if noise else mix
        y = [a + t * m for a, m in zip(y, now)]
    step = (before + cycles + OWN) / 255
    return [a + random.uniform(-step, step) / 2 for a in y]


class Class:
    """Windows opened in one function that are alike: where they end, whether they are own."""

    def __init__(self, functions):
        self.n, self.spent, self.y = 0, [0.0] * functions, [0.0] * NODES
        self.squares = [[0.0] * NODES for _ in range(NODES)]

    def add(self, spent, y):
        self.n += 1
        self.spent = [a + b for a, b in zip(self.spent, spent)]
        for i in range(NODES):
            self.y[i] += y[i]
            for j in range(NODES):
                self.squares[i][j] += y[i] * y[j]

    def add_information(self, information, windows):
        mean = [t / self.n for t in self.spent]
        covariance = [[(self.squares[i][j] - self.y[i] * self.y[j] / self.n) / (self.n - 1)
                       for j in range(NODES)] for i in range(NODES)]
        weight = inverse(covariance)
        for a in range(len(information)):
            for b in range(len(information)):
                information[a][b] += (windows * mean[a // NODES] * mean[b // NODES] *
                                      weight[a % NODES][b % NODES])


def classes(mixes, lengths, place, requested, setting):
    """Windows of one length that open in one function, by class."""
    edges, noise, by_end = setting
    found, first = {}, sum(lengths[:place])
    for _ in range(DRAWS):
        edge = sum(random.uniform(25, 75) for _ in range(2)) if edges else 0
        edge = min(edge, requested)
        spent, end = times(lengths, first + random.random() * lengths[place], requested - edge)
        y = count(mixes, spent, 2 * edge, requested - edge, edge, noise)
        found.setdefault(end if by_end else None, Class(len(lengths))).add(spent, y)
    return [c for c in found.values() if c.n >= FEWEST]


def information_of(group, windows, setting):
    """Of all nodes of all functions, in this order."""
    lengths, mixes = [f[0] for f in group.values()], [f[1] for f in group.values()]
    n = NODES * len(lengths)
    information = [[0.0] * n for _ in range(n)]
    for place, length in enumerate(lengths):
        for requested in range(SHORTEST, LONGEST, STEP):
            here = windows * length / sum(lengths) * STEP / LONGEST
            for c in classes(mixes, lengths, place, requested, setting):
                c.add_information(information, here * c.n / DRAWS)
    return information


def bound(group, information):
    """{function: standard deviation of its worst node, points}"""
    error = inverse(information)
    found = {}
    for place, name in enumerate(group):
        block = [[error[NODES * place + i][NODES * place + j] for j in range(NODES)] for i in range(NODES)]
        nodes = [block[i][i] for i in range(NODES)] + [sum(map(sum, block))]
        found[name] = 100 * max(nodes) ** 0.5
    return found


def bound_along(group, information):
    """The same where only each function's distance from the edges' mix is not known."""
    away = [[r - m for r, m in zip(f[1], EDGE_MIX)] for f in group.values()]
    n = len(away)
    along = [[sum(away[a][i] * information[NODES * a + i][NODES * b + j] * away[b][j]
                  for i in range(NODES) for j in range(NODES)) for b in range(n)] for a in range(n)]
    error = inverse(along)
    return {name: 100 * error[place][place] ** 0.5 * max(map(abs, away[place]))
            for place, name in enumerate(group)}


def show(found):
    print("  ".join("%s %.2f" % item for item in found.items()), end="")


def main():
    windows = float(sys.argv[1]) if len(sys.argv) > 1 else 100000
    random.seed(1)
    for title, group, share in (("chain", CHAIN, 0.11), ("pair", PAIR, 0.058)):
        for edges, noise, by_end in itertools.product((0, 1), repeat=3):
            information = information_of(group, windows * share, (edges, noise, by_end))
            print("%-6s %-6s%-6s%-8s " % (title, "edges" if edges else "", "noise" if noise else "",
                                          "by end" if by_end else ""), end="")
            show(bound(group, information))
            print("\n%30s" % "directions known: ", end="")
            show(bound_along(group, information))
            print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
