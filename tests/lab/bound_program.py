#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How well all functions of a program can be known: bound_program.py [-h] [OPTION]...

Windows of awkward or phases are drawn by the program's own order, behind edges and with noise as in
truth.sh (25 to 75 cycles, two of them before the program, see --before; two mixes 40 % to either side of a function's
mean, that change after 400 instructions on average).  Of so many of them: by how much is the worst level 1
fraction of the worst function off, in points, its median and in parentheses what 95 of 100 runs are below?
By the best weights for counts with these means and covariances, if that much is known of a window:

  paces    all: instructions in each function, and each function's cycles an instruction
  single   instructions in each function; cycles an instruction are to be found
  insns    their mean in windows that open in one function, in such that close in one, and in own windows,
           of as many instructions; cycles an instruction are to be found
  times    mean cycles in each function, in such windows of as many cycles asked for
  either   of the last two what tells more of a function

What edges cost on average, how much they vary and their mix are known in all of these; the law of edges is
not used.  Needs numpy.  For doc/accuracy.md; no test.
"""
import argparse
import collections
import itertools
import os
import re
import sys

try:
    import numpy as np
except ImportError:
    sys.exit("bound_program.py: numpy is missing (python3-numpy)")

HERE = os.path.dirname(os.path.abspath(__file__))
EDGE_MIX = np.array([0.0, 0.05, 0.55, 0.40])
EDGE, EDGE_SPREAD = 50.0, 25.0  # cycles
SPREAD, DWELL = 0.4, 400.0
FEWEST = 20  # windows drawn of a class, for a covariance
ROUNDS = 40  # of the program
ERRORS = 4000  # drawn, for the worst function
CLASSES = ((1000, 1e9), (100, 1000), (25, 100))  # cycles a visit
PARAMETERS = 5  # of a function: ROWS as fractions of its slots, and the logarithm of its pace
PACE = 4
ROWS = ("retiring", "issued, not retired", "recovery", "frontend")

# What is read with a group: rows, of so many of the windows.  Whole events are counted, in cycles' worth of
# slots; recovery in cycles.  PERF_METRICS has bad speculation in one row and is rounded to 255ths.
Counters = collections.namedtuple("Counters", "groups own shortest both read")
COUNTERS = {
    "groups": Counters((((0, 1), 15 / 32), ((2, 3), 15 / 32), ((0, 1, 2, 3), 1 / 16)), 54, 56, True,
                       np.array([1 / 96, 1 / 48, 1 / 6, 1 / 96])),
    "metrics": Counters((((0, 2, 3), 1.0),), 3, 6, False, None),
}
METRICS_OWN = 45  # cycles of the agent's in what is rounded
Setting = collections.namedtuple("Setting", "counters short edges noise before")

# awkward.c: instructions of the visits of one run of each pattern; runs a round; rounds from one to the next
CHAIN = (("chain", 1), ("link8", 8), ("chain", 2), ("link27", 27), ("chain", 1), ("link40", 40),
         ("chain", 1), ("link30", 30), ("chain", 1))
SPLIT = 3 * (("splitter", 125), ("split", 83)) + (("splitter", 125), ("split", 42), ("split_cold", 121),
                                                  ("split", 41))
PATTERNS = (
    (50 * (("alternate", 112), ("alternate_in", 68)), 1, 1),
    ((("long_out", 12010), ("long_in", 4502)), 1, 1),
    (27 * (("recursive", 185), ("recurse", 213)), 1, 1),
    (25 * (("ping", 27), ("pong", 17)) + 25 * (("pong", 26), ("ping", 7)), 8, 1),
    (200 * CHAIN, 1, 1), (15 * SPLIT, 1, 1),
    (100 * (("tailer", 76), ("tail_first", 41), ("tail_second", 106), ("tail_third", 61)), 1, 1),
    (45 * (("caller_plt", 124), ("far_plt", 81)), 1, 1), (40 * (("caller_got", 124), ("far_got", 111)), 1, 1),
    ((("phased", 301), ("phased+", 301)), 9, 1),
    (300 * (("lockstep", 240), ("step_one", 398), ("step_two", 362)), 1, 20),
    (20 * (("share_one", 214), ("shared", 61)), 1, 1),
    (14 * (("share_two", 454), ("shared", 61), ("share_two", 93), ("shared", 61)), 1, 1),
    ((("steady_2000", 4001),), 2, 1), ((("steady_5000", 5000),), 1, 1),
    ((("steady_12000", 15002),), 1, 2), ((("steady_30000", 21002),), 1, 4),
)
DISPATCH = ("dispatch", 34)  # before each run
RECURSES = {"recurse": 12}  # visits that follow each other


def table_of(source, start):
    with open(os.path.join(HERE, source), encoding="utf-8") as text:
        return text.read().split(start)[1].split("\n};")[0]


def declared(source):
    """{range: (cycles an instruction, level 1)} of a program's source; a name's second range with a +."""
    table, found = table_of(source, "struct lab_range ranges[] = {"), {}
    for name, cpi, mix in re.findall(r'(?:RANGE|NAMED)\(\s*"?(\w+).*?([\d.]+),\s*\{([\d, ]+)\}', table, re.S):
        found[name + "+" if name in found else name] = (
            float(cpi), np.array([int(n) for n in mix.split(",")[:4]]) / 10000)
    return found


class Program:
    """Ranges, and the visits of ROUNDS rounds: `at`, the range, and `insns`."""

    def __init__(self, ranges, visits):
        self.names = list(ranges)
        self.pace = np.array([cpi for cpi, _ in ranges.values()])
        self.mix = np.array([mix for _, mix in ranges.values()])
        number = {name: i for i, name in enumerate(self.names)}
        self.at = np.array([number[name] for name, _ in visits])
        self.insns = np.array([float(n) for _, n in visits])
        self.function = np.array([number[name.rstrip("+")] for name in self.names])
        self.cycles = np.bincount(self.at, self.insns * self.pace[self.at], len(self.names))
        self.join = np.eye(len(self.names))[self.function]

    def visit(self):
        """Cycles a visit, of each function."""
        at = self.function[self.at]
        arrivals = np.bincount(at[np.r_[True, at[1:] != at[:-1]]], minlength=len(self.names))
        times = np.array([RECURSES.get(name, 1) for name in self.names])
        return self.join.T @ self.cycles / np.maximum(arrivals * times, 1)


def awkward(rng):
    visits = []
    for turn in range(ROUNDS):
        for which in rng.permutation(len(PATTERNS)):
            run, times, every = PATTERNS[which]
            visits += (times if turn % every == 0 else 0) * ([DISPATCH] + list(run))
    return Program(declared("awkward.c"), visits)


def phases(rng):
    ranges = declared("phases.c")
    calls = {name: int(cycles) for name, cycles in re.findall(r"\{(\w+), (\d+)\}",
                                                             table_of("phases.c", "} phases[] = {"))}
    order = [name for name, cycles in calls.items() for _ in range(60000 // cycles)]
    visits = [order[i] for _ in range(ROUNDS) for i in rng.permutation(len(order))]
    return Program(ranges, [(name, calls[name] / ranges[name][0]) for name in visits])


def rows_of(mix, setting):
    """ROWS of level 1 fractions.  With one mix and no edges half of bad speculation is recovery."""
    half = 0.5 if setting.counters == "groups" and not setting.edges and not setting.noise else 0.0
    return np.stack([mix[..., 0], half * mix[..., 1], (1 - half) * mix[..., 1], mix[..., 2]], -1)


class States:
    """Paces and rows, less the edges', of each range's two states: the fast one, the slow one."""

    def __init__(self, program, setting):
        spread, mix = SPREAD if setting.noise else 0.0, program.mix
        outer, inner = np.minimum(mix[:, 0], mix[:, 3]), np.minimum(mix[:, 1], mix[:, 2])
        away = spread * np.stack([outer, inner, -inner, -outer], 1)
        self.edge = rows_of(EDGE_MIX if setting.edges else 0 * EDGE_MIX, setting)
        self.pace = [program.pace * (1 - sign * spread / 2) for sign in (1, -1)]
        self.rows = [rows_of(mix + sign * away, setting) - self.edge for sign in (1, -1)]
        self.mean = rows_of(mix, setting) - self.edge
        self.slow_share = (1 + spread / 2) / 2  # of the time


class Windows:
    """`n` windows; those in which the program was, with what was in them."""

    def __init__(self, program, setting, n, rng):
        self.program, self.setting, self.n = program, setting, n
        self.states = States(program, setting)
        counters = COUNTERS[setting.counters]
        asked = self._asked(counters, rng)
        edges = np.zeros((2, n))
        for where, times in enumerate((setting.before, 2) if setting.edges else ()):
            edges[where] = times * EDGE + rng.uniform(-EDGE_SPREAD, EDGE_SPREAD, (times, n)).sum(0)
        cycles = asked - counters.own - edges[0]
        here = cycles > 0
        self._run(cycles[here], rng)
        self.start = asked[here] - counters.own - (setting.before * EDGE if setting.edges else 0)
        self.start += rng.normal(0, 0.4, here.sum())  # whole cycles are counted
        self.length = (cycles + edges.sum(0) + METRICS_OWN)[here]
        paced = [pace[:, None] * rows for pace, rows in zip(self.states.pace, self.states.rows)]
        self.counts = self.spent[0] @ paced[0] + self.spent[1] @ paced[1]
        self.insns = self.spent[0] + self.spent[1]
        self.times = self.spent[0] * self.states.pace[0] + self.spent[1] * self.states.pace[1]

    def _asked(self, counters, rng):
        draws = counters.shortest + rng.random((2, self.n)) * (2 * self.setting.short - counters.shortest)
        return draws.min(0) if counters.both else draws[0]

    def _open(self, n, rng):
        """At any time: the visit, instructions left of it, whether each range is in its fast state."""
        program, clock = self.program, np.cumsum(self.program.insns * self.program.pace[self.program.at])
        visit = np.searchsorted(clock, rng.random(n) * clock[-1])
        fast = rng.random((n, len(program.names))) < 0.5
        self.opened = program.at[visit]
        fast[np.arange(n), self.opened] = rng.random(n) >= self.states.slow_share
        return visit, program.insns[visit] * rng.random(n), fast

    def _run(self, cycles, rng):
        """Until the windows' cycles have passed: by visits, and changes of states in them."""
        program, n = self.program, len(cycles)
        visit, left, fast = self._open(n, rng)
        self.spent = np.zeros((2, n, len(program.names)), np.float32)
        self.visits = np.zeros(n, int)
        cycles, live = cycles.copy(), np.arange(n)
        while len(live):
            at = program.at[visit[live]]
            pace = np.where(fast[live, at], self.states.pace[0][at], self.states.pace[1][at])
            change = rng.exponential(DWELL, len(live)) if self.setting.noise else np.full(len(live), np.inf)
            rest, ends = left[live], cycles[live] / pace
            step = np.minimum(np.minimum(rest, change), ends)
            self.spent[np.where(fast[live, at], 0, 1), live, at] += step
            cycles[live] -= step * pace
            left[live] -= step
            over, gone = ends <= step, rest <= step
            changed = ~over & ~gone
            fast[live[changed], at[changed]] ^= True
            moved = live[gone & ~over]
            visit[moved] = (visit[moved] + 1) % len(program.at)
            left[moved] = program.insns[visit[moved]]
            self.visits[moved] += 1
            live = live[~over]
        self.closed = program.at[visit]

    def read(self, rows):
        """Variances of reading so many rows, cycles squared."""
        read = COUNTERS[self.setting.counters].read
        if read is not None:
            return np.tile(read[list(rows)], (len(self.start), 1))
        return np.repeat(((self.length / 255) ** 2 / 10 + 0.03)[:, None], len(rows), 1)

    def seen(self, rows, with_start, rng):
        y = self.counts[:, list(rows)]
        y = y + rng.normal(size=y.shape) * np.sqrt(self.read(rows))
        return np.column_stack([y, self.start]) if with_start else y


def add_alike(information, spent, weight, rows, mean):
    """Of windows (or sums of them) with so many cycles `spent` in each function, and the inverse covariance
    `weight` of their rows: adds to information[function, parameter, function, parameter]."""
    parts = [[(row, np.ones(len(mean)))] + ([(PACE, mean[:, row])] if row != PACE else []) for row in rows]
    for (i, one), (j, other) in itertools.product(enumerate(parts), repeat=2):
        product = spent.T @ (spent * weight[:, i, j][:, None])
        for (p, by), (q, other_by) in itertools.product(one, other):
            information[:, p, :, q] += product * by[:, None] * other_by


def empty(program):
    n = len(program.names)
    return np.zeros((n, PARAMETERS, n, PARAMETERS))


def state_scatter(windows):
    """By what chance of states moves each range's rows and start, a window: variance of the time by which it
    is more in one of them, half the states' difference."""
    states, insns = windows.states, windows.insns
    half = (states.pace[0][:, None] * states.rows[0] - states.pace[1][:, None] * states.rows[1]) / 2
    half = np.column_stack([half, (states.pace[0] - states.pace[1]) / 2])
    if not windows.setting.noise:
        return 0 * insns, half
    memory = DWELL / 2
    return 2 * memory * (insns - memory * (1 - np.exp(-insns / memory))), half


def of_single(windows, few=40000):
    """Information of windows whose instructions in each function are known."""
    program, setting = windows.program, windows.setting
    information, (scatter, half) = empty(program), state_scatter(windows)
    some = slice(0, few)
    scatter, spent = scatter[some], (windows.insns * program.pace)[some]
    scale = len(windows.start) / len(spent) / windows.n
    for rows, share in COUNTERS[setting.counters].groups:
        every = list(rows) + [PACE]
        covariance = np.zeros((len(spent), len(every), len(every)))
        for (i, row), (j, other) in itertools.product(enumerate(every), repeat=2):
            covariance[:, i, j] = scatter @ (half[:, row] * half[:, other])
        start = 1 / 6 + (setting.before * EDGE_SPREAD ** 2 / 3 if setting.edges else 0)
        read = np.column_stack([windows.read(rows)[some], np.full(len(spent), start)])
        covariance[:, range(len(every)), range(len(every))] += read
        add_alike(information, spent, np.linalg.inv(covariance) * share * scale, every, windows.states.mean)
    return information


def joined(windows):
    """Means of functions, where ranges of one name are taken together."""
    join, cycles = windows.program.join, windows.program.cycles[:, None]
    return (join.T @ (windows.states.mean * cycles)) / np.maximum(join.T @ cycles, 1e-9)


def sums_by(key, n, values):
    return np.stack([np.bincount(key, column, n) for column in values.T], 1)


def composition(windows, of_time):
    """What is known on average, in cycles of the mean pace; and the bins' clock."""
    program, setting = windows.program, windows.setting
    spent = windows.times if of_time else windows.insns * program.pace
    clock = windows.start if of_time else windows.insns.sum(1)
    width = setting.short / 15
    return spent @ program.join, np.maximum(clock / width, 0).astype(int)


class Bins:
    """Windows by where they open, by where they close, and own ones; each by the bins' clock."""

    def __init__(self, windows, of_time):
        program = windows.program
        self.windows, self.of_time, self.functions = windows, of_time, len(program.names)
        self.spent, self.clock = composition(windows, of_time)
        opened, closed = program.function[windows.opened], program.function[windows.closed]
        self.keys = ((opened, None), (closed, None), (opened, windows.visits == 0))
        self.size = (self.clock.max() + 1) * self.functions
        self.sums = [self._sums(key, mask, self.spent) for key, mask in self.keys]

    def _sums(self, key, mask, values):
        key = self.clock * self.functions + key
        return sums_by(key if mask is None else key[mask], self.size, values if mask is None else values[mask])

    def residuals(self, y, exact):
        """Of each sort of class: away from its mean; own windows' composition is known where `exact`."""
        found = []
        for key, mask in self.keys:
            z = exact if mask is not None and exact is not None else y
            ones = np.ones((len(y), 1))
            mean = self._sums(key, mask, z) / np.maximum(self._sums(key, mask, ones), 1)
            z = z - mean[self.clock * self.functions + key]
            found.append(z if mask is None else z * mask[:, None])
        return found

    def covariances(self, residuals):
        """[bin, sort, function, row, sort, function, row]"""
        n, rows, bins = self.functions, residuals[0].shape[1], self.size // self.functions
        found = np.zeros((bins, 3, n, rows, 3, n, rows))
        for (i, one), (j, other) in itertools.product(enumerate(residuals), repeat=2):
            pair = (self.clock * n + self.keys[i][0]) * n + self.keys[j][0]
            for a, b in itertools.product(range(rows), repeat=2):
                found[:, i, :, a, j, :, b] = np.bincount(pair, one[:, a] * other[:, b],
                                                         bins * n * n).reshape(bins, n, n)
        return found

    def design(self, every):
        """[sort, class, row, function, parameter]: what the sums of rows are made of."""
        mean, n = joined(self.windows), self.functions
        found = np.zeros((3, self.size, len(every), n, PARAMETERS))
        for (sort, sums), (i, row) in itertools.product(enumerate(self.sums), enumerate(every)):
            found[sort, :, i, :, row] = sums
            if row != PACE and not self.of_time:
                found[sort, :, i, :, PACE] = sums * mean[:, row]
        return found

    def enough(self):
        """[sort, class]"""
        ones = np.ones((len(self.clock), 1))
        return np.stack([self._sums(key, mask, ones)[:, 0] >= FEWEST for key, mask in self.keys])

    def add(self, information, rows, share, rng):
        """One group's."""
        mean, n = joined(self.windows), self.functions
        every = list(rows) + ([] if self.of_time else [PACE])
        y = self.windows.seen(rows, not self.of_time, rng)
        fit = np.stack([self.spent @ (mean[:, row] if row != PACE else np.ones(n)) for row in every], 1)
        exact = None if self.of_time and self.windows.setting.edges else y - fit
        covariance = self.covariances(self.residuals(y, exact))
        design, enough = self.design(every), self.enough()
        for which in range(len(covariance)):
            here = slice(which * n, (which + 1) * n)
            used = np.repeat(enough[:, here], len(every))
            drawn, size = (self.clock == which).sum(), used.sum()
            if not size or drawn <= size:
                continue
            scatter = covariance[which].reshape(len(used), -1)[np.ix_(used, used)]
            scatter[range(size), range(size)] *= 1.0001
            part = design[:, here].reshape(len(used), -1)[used]
            added = part.T @ np.linalg.solve(scatter, part) * (1 - size / drawn)
            information += added.reshape(information.shape) * share / self.windows.n


def of_bins(windows, of_time, rng):
    information, bins = empty(windows.program), Bins(windows, of_time)
    for rows, share in COUNTERS[windows.setting.counters].groups:
        bins.add(information, rows, share, rng)
    return information


def nodes_of(program, function, of_ranges):
    """[node, function, parameter]: how a function's level 1 follows from the parameters."""
    found = np.zeros((4, len(program.names), PARAMETERS))
    share = program.cycles / (program.join @ (program.join.T @ program.cycles))
    for which in np.where(program.function == function)[0] if of_ranges else [function]:
        by = share[which] if of_ranges else 1.0
        for node, row in ((0, 0), (1, 1), (1, 2), (2, 3)):
            found[node, which, row] = by
        found[3, which, :PACE] = -by
    return found.reshape(4, -1)


def errors(program, information, number, paces=False, of_ranges=False):
    """[function]: the covariance of its four nodes, points."""
    n = len(program.names) * PARAMETERS
    matrix = number * information.reshape(n, n)
    known_before = np.diag(matrix) <= 0
    if paces:
        known_before |= np.arange(n) % PARAMETERS == PACE
    matrix[known_before, known_before] += 1e15
    inverse = np.linalg.inv(matrix)
    nodes = [nodes_of(program, function, of_ranges) for function in range(len(program.names))]
    return np.array([1e4 * node @ inverse @ node.T for node in nodes])


def deviation(covariance):
    """A function's worst node."""
    return np.sqrt(np.diagonal(covariance, axis1=1, axis2=2).max(1))


def better(one, other):
    return np.where((deviation(one) <= deviation(other))[:, None, None], one, other)


def known(windows, number, rng):
    """{what is known: errors}"""
    program, found = windows.program, {}
    single = of_single(windows)
    found["paces"] = errors(program, single, number, True, True)
    found["single"] = errors(program, single, number, False, True)
    found["insns"] = errors(program, of_bins(windows, False, rng), number)
    found["times"] = errors(program, of_bins(windows, True, rng), number)
    found["either"] = better(found["insns"], found["times"])
    return found


def worst(program, covariance, rng):
    """For each of CLASSES: the worst function's worst node, median and 95 %, of all runs; points."""
    values, vectors = np.linalg.eigh(covariance)
    drawn = rng.normal(size=(ERRORS, *values.shape)) * np.sqrt(np.maximum(values, 0))
    off = np.abs(np.einsum("fij,nfj->nfi", vectors, drawn)).max(2)
    visit = program.visit() * (program.function == np.arange(len(program.names)))
    found = []
    for least, most in CLASSES:
        of_class = (visit >= least) & (visit < most)
        found.append(np.percentile(off[:, of_class].max(1), (50, 95)) if of_class.any() else None)
    return found


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("program", nargs="?", default="awkward", choices=("awkward", "phases"))
    parser.add_argument("-c", "--counters", default="groups", choices=COUNTERS,
                        help="four counters, level 1 by groups in turn; or PERF_METRICS")
    parser.add_argument("-n", "--number", type=float, default=30000, help="of windows (30000)")
    parser.add_argument("-s", "--short", default="300", help="mean length, or several: 150,300 (300)")
    parser.add_argument("-b", "--before", type=int, default=2, help="edges before the program (2)")
    parser.add_argument("-e", "--edges-and-noise", action="store_true", help="that alone")
    parser.add_argument("-d", "--draw", type=int, default=100000, help="windows to compute with (100000; too few say too much)")
    parser.add_argument("-v", "--verbose", action="store_true", help="standard deviations of each function")
    return parser.parse_args()


def show(program, found, rng, verbose):
    for name, covariance in found.items():
        cells = ["%5.2f (%.2f)" % tuple(cell) if cell is not None else "" for cell in
                 worst(program, covariance, rng)]
        print("    %-8s %s" % (name, " ".join("%-14s" % cell for cell in cells)), flush=True)
    if verbose:
        visit = program.visit()
        for i in np.argsort(-visit):
            print("    %-16s %8.1f %s" % (program.names[i], visit[i], " ".join(
                "%7.2f" % deviation(covariance)[i] for covariance in found.values())))


def main():
    args, rng = arguments(), np.random.default_rng(1)
    program = {"awkward": awkward, "phases": phases}[args.program](rng)
    print("%-12s %-14s %-14s %s" % ("points", *("%d or more" % least for least, _ in CLASSES)))
    for short in args.short.split(","):
        for edges, noise in ((1, 1),) if args.edges_and_noise else ((0, 0), (0, 1), (1, 0), (1, 1)):
            setting = Setting(args.counters, float(short), edges, noise, args.before)
            print("  windows of %s%s%s" % (short, ", edges" if edges else "", ", noise" if noise else ""))
            found = known(Windows(program, setting, args.draw, rng), args.number, rng)
            show(program, found, rng, args.verbose)
    return 0


if __name__ == "__main__":
    sys.exit(main())
