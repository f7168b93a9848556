# SPDX-License-Identifier: MIT
"""What measuring costs: prints, asserts nothing.

    bench.py [--rounds N] [--engines] [COMMAND...]      default: the demonstration

Run it from the top of the build tree (`make bench`).  In every round each
profiler runs the same command once, in an order that changes from round to
round; a ratio is taken within its round, and the median of the rounds is shown
with the smallest and the largest.  CPU time is user + system of the command and
its children (wait4), without the profiler's own process, which has a column of
its own ("beside").  CPU time added by a sample, its window included, is the
difference to no profiler; the more samples, the less noise in it, hence the
short periods.  tdagent's report at exit is not part of it: it is in the
start-up table.  What a process or a thread more costs has
tables of its own.  What `tdagent report` costs stands at the end: CPU time by the
size of symbol tables, memory by the number of profiles.

--engines: the two that cut windows (TDAGENT_WINDOWS) against each other, and no more.
"""
import argparse
import ctypes
import json
import os
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

TOP = os.getcwd()
LIBRARY = os.path.join(TOP, "agent/.libs/libtdagent.so")
TDAGENT = os.path.join(TOP, "tools/tdagent")
GPERFTOOLS = "libprofiler.so.0"


def measured(command, environment):
    """CPU and wall seconds of one run; output goes nowhere."""
    null = os.open(os.devnull, os.O_RDWR)
    actions = [(os.POSIX_SPAWN_DUP2, null, fd) for fd in (0, 1, 2)]
    start = time.monotonic()
    pid = os.posix_spawnp(command[0], command, environment, file_actions=actions)
    _, status, usage = os.wait4(pid, 0)
    wall = time.monotonic() - start
    os.close(null)
    if status:
        sys.exit("%s: status %d" % (" ".join(command), status))
    return usage.ru_utime + usage.ru_stime, wall


def clean(**more):
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**kept, "LC_ALL": "C", **more}


class Profiler:
    """No profiler: also what the others are compared with."""
    name = "none"

    def __init__(self, directory):
        self.directory = directory

    def available(self):
        return ""

    def environment(self):
        return {}

    def run(self, command):
        return measured(command, clean(**self.environment())) + (0.0,)

    def samples(self):
        """Signals and samples of the last run, and a remark."""
        return None, None, ""


class Tdagent(Profiler):
    def __init__(self, directory, name, **settings):
        self.directory = directory
        self.name = name
        self.settings = settings

    def available(self):
        return "" if os.path.exists(LIBRARY) else LIBRARY + " is missing"

    def profile(self):
        return os.path.join(self.directory, self.name.replace("/", "-"))

    def environment(self):
        # the demonstration would be simulated, which costs something else
        return {"LD_PRELOAD": LIBRARY, "TDAGENT_OUTPUT": self.profile(),
                "TDAGENT_REPORT": "none", "TDAGENT_PMU": "clock", **self.settings}

    def samples(self):
        report = json.loads(subprocess.check_output(
            [TDAGENT, "report", "--format=json", self.profile()]))
        windows = report["totals"]["windows"]
        ends = windows["valid"] + sum(windows["rejected"].values())
        samples = report["totals"]["samples"]
        return samples + ends, samples, "%d samples, %d windows, %d valid" % (
            samples, ends, windows["valid"])


class Gperftools(Profiler):
    name = "gperftools 1000 Hz"

    def available(self):
        listed = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True).stdout
        return "" if GPERFTOOLS in listed else GPERFTOOLS + " is missing (google-perftools)"

    def profile(self):
        return os.path.join(self.directory, "gperftools.profile")

    def environment(self):
        return {"LD_PRELOAD": GPERFTOOLS, "CPUPROFILE": self.profile(),
                "CPUPROFILE_FREQUENCY": "1000"}

    def samples(self):
        """Each record is count, depth and that many addresses; five words lead,
        a record of count 0 ends."""
        with open(self.profile(), "rb") as file:
            data = file.read()
        words = struct.unpack("<%dQ" % (len(data) // 8), data[:len(data) // 8 * 8])
        at, total = 5, 0
        while words[at]:
            total += words[at]
            at += 2 + words[at + 1]
        return total, total, ""


class Perf(Profiler):
    """The command is measured inside of perf, by this program again."""
    name = "perf record 1000 Hz"

    def available(self):
        if not shutil.which("perf"):
            return "perf is missing"
        probe = subprocess.run(["perf", "record", "-q", "-e", "cpu-clock:u", "-o",
                                self.data(), "true"], capture_output=True, text=True)
        return probe.stderr.splitlines()[0] if probe.returncode else ""

    def data(self):
        return os.path.join(self.directory, "perf.data")

    def run(self, command):
        result = os.path.join(self.directory, "measured")
        outer, _ = measured(["perf", "record", "-q", "-e", "cpu-clock:u", "-F", "1000", "-o",
                             self.data(), "--", sys.executable, __file__, "--measure", result]
                            + command, clean())
        with open(result) as file:
            cpu, wall, own = json.load(file)
        return cpu, wall, max(outer - cpu - own, 0.0)

    def samples(self):
        total = subprocess.check_output(["perf", "script", "-i", self.data(), "-F", "ip"],
                                        stderr=subprocess.DEVNULL).count(b"\n")
        return total, total, ""


def spread(values, form):
    return " ".join(form % v for v in (statistics.median(values), min(values), max(values)))


def overhead(profilers, command, rounds):
    times = {p.name: [] for p in profilers}
    for i in range(rounds + 1):  # the first one warms up
        turn = i % len(profilers)
        for profiler in profilers[turn:] + profilers[:turn]:
            result = profiler.run(command)
            if i:
                times[profiler.name].append(result)
    print("\nOverhead: %s, %d rounds; ratios: median, smallest, largest"
          % (" ".join(os.path.relpath(c) if os.path.exists(c) else c for c in command), rounds))
    print("%-22s %7s %7s %7s  %-20s %-20s %9s %9s" % (
        "", "cpu s", "wall s", "beside", "cpu ratio", "wall ratio", "us/sample", "signals/s"))
    base = times[profilers[0].name]
    for profiler in profilers:
        print_row(profiler, times[profiler.name], base)


def print_row(profiler, rows, base):
    cpu, wall, beside = (statistics.median(column) for column in zip(*rows))
    ratios = [[row[i] / zero[i] for row, zero in zip(rows, base)] for i in (0, 1)]
    signals, samples, remark = profiler.samples()
    rates = "%9s %9s" % ("", "") if not samples else "%9.1f %9.0f" % (
        1e6 * statistics.median(row[0] - zero[0] for row, zero in zip(rows, base)) / samples,
        signals / rows[-1][0])
    print("%-22s %7.3f %7.3f %7.3f  %-20s %-20s %s %s" % (
        profiler.name, cpu, wall, beside, spread(ratios[0], "%.3f"), spread(ratios[1], "%.3f"),
        rates, remark))


def start_up(command, rounds, directory):
    output = os.path.join(directory, "start.profile")
    silent = {"LD_PRELOAD": LIBRARY, "TDAGENT_OUTPUT": output, "TDAGENT_REPORT": "none"}
    loud = {"LD_PRELOAD": LIBRARY, "TDAGENT_OUTPUT": output}
    kinds = {"none": {}, "tdagent, no report": silent, "tdagent, report": loud}
    times = {kind: [] for kind in kinds}
    for i in range(rounds + 1):
        order = list(kinds)
        for kind in order[i % 3:] + order[:i % 3]:
            cpu, wall = measured(command, clean(**kinds[kind]))
            if i:
                times[kind].append((cpu, wall))
    print("\nStart-up and end: %s, %d rounds, medians" % (" ".join(command), rounds))
    print("%-22s %9s %9s %8s %9s" % ("", "cpu us", "wall us", "ratio", "added us"))
    base = statistics.median(wall for _, wall in times["none"])
    for kind in kinds:
        cpu, wall = (statistics.median(column) for column in zip(*times[kind]))
        print("%-22s %9.0f %9.0f %8.3f %9.0f" % (
            kind, 1e6 * cpu, 1e6 * wall, wall / base, 1e6 * (wall - base)))


def starts(what, count, rounds, directory):
    """A process or thread that does nothing, in turns."""
    command = [os.path.join(TOP, "tests/prog/starts"), what, str(count)]
    kinds = {"none": {}, "tdagent": {
        "LD_PRELOAD": LIBRARY, "TDAGENT_REPORT": "none", "TDAGENT_PMU": "clock",
        "TDAGENT_OUTPUT": os.path.join(directory, "starts.%p")}}
    costs = {kind: [] for kind in kinds}
    for i in range(rounds + 1):
        for kind in sorted(kinds, reverse=i % 2):
            out = subprocess.check_output(command, env=clean(**kinds[kind]), text=True)
            if i:
                costs[kind].append([float(us) for us in out.split()])
    print("\nA %s that does nothing, %d times a round, %d rounds; us: median, smallest, largest"
          % ("process (fork)" if what == "fork" else what, count, rounds))
    for kind, rows in costs.items():
        cpu, wall = zip(*rows)
        print("%-22s cpu %-22s wall %s" % (kind, spread(cpu, "%.0f"), spread(wall, "%.0f")))


def opened(command, directory, **environment):
    log = os.path.join(directory, "strace")
    subprocess.run(["strace", "-f", "-qq", "-e", "trace=open,openat,openat2", "-e", "signal=none",
                    "-o", log, "env"] + ["%s=%s" % item for item in environment.items()] + command,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=clean())
    with open(log) as file:
        return [line.split('"')[1] for line in file if '"' in line and "= -1" not in line]


def print_opened(command, directory):
    """A symbol table that is read at start would show as an ELF file opened
    once more than without the agent."""
    if not shutil.which("strace"):
        print("\nFiles opened: strace is missing")
        return
    before = opened(command, directory)
    after = opened(command, directory, LD_PRELOAD=LIBRARY, TDAGENT_REPORT="none",
                   TDAGENT_OUTPUT=os.path.join(directory, "start.profile"))
    for path in before:
        if path in after:
            after.remove(path)
    print("\nFiles opened by %s with the agent (no report) and not without:" % " ".join(command))
    for path in after:
        print("  " + path)


def record(command, path):
    measured(command, clean(LD_PRELOAD=LIBRARY, TDAGENT_OUTPUT=path, TDAGENT_REPORT="none",
                            TDAGENT_PMU="clock", TDAGENT_LONG="1ms", TDAGENT_SHORT="10us"))


def symbols(program):
    listed = subprocess.run(["nm", "--defined-only", program], capture_output=True, text=True)
    return len(listed.stdout.splitlines()) or "unknown"


def print_report_cost(rounds, directory):
    """The report reads symbol tables: its CPU time for a program with many against
    one with few, in turns."""
    if not shutil.which("node"):
        print("\nReport of a program with many symbols: left out, node is missing")
        return
    node = os.path.realpath(shutil.which("node"))
    work = "const z = require('zlib'), t = Date.now(); " \
           "while (Date.now() - t < 1000) z.gzipSync(JSON.stringify([...Array(9999).keys()]))"
    programs = [os.path.join(TOP, "tests/prog/demo"), node]
    profiles = [os.path.join(directory, name) for name in ("few", "many")]
    record([programs[0], "10"], profiles[0])
    record([programs[1], "-e", work], profiles[1])
    times = [[], []]
    for i in range(5 * rounds + 1):
        for which in ((0, 1), (1, 0))[i % 2]:
            cpu, _ = measured([TDAGENT, "report", profiles[which]], clean())
            if i:
                times[which].append(cpu)
    print("\nReport's CPU time, %d rounds; median, smallest, largest" % (5 * rounds))
    for which in 0, 1:
        print("%-22s %s symbols, %s ms" % (
            os.path.basename(programs[which]), symbols(programs[which]),
            spread([1e3 * cpu for cpu in times[which]], "%.1f")))
    print("%-22s %s" % ("ratio", spread([b / a for a, b in zip(*times)], "%.2f")))


def peak(command):
    """KiB.  A child of this program would begin with the peak of this one, so that of
    a shell is taken, which leaves it to us."""
    PR_SET_CHILD_SUBREAPER = 36
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    shell = subprocess.Popen(["sh", "-c", '"$@" >/dev/null & echo $!', "sh"] + command,
                             env=clean(), stdout=subprocess.PIPE)
    pid = int(shell.stdout.readline())
    shell.wait()
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit("%s: status %d" % (" ".join(command), status))
    return usage.ru_maxrss


def print_merge(rounds, directory):
    """Ten profiles, and each of them a thousand times: what is merged is the same, so
    memory that grows is of the number of profiles alone."""
    for name in "ten", "thousands":
        os.mkdir(os.path.join(directory, name))
    for i in range(10):
        path = os.path.join(directory, "ten", str(i))
        record([os.path.join(TOP, "tests/prog/demo"), "3"], path)
        for j in range(1000):
            os.link(path, os.path.join(directory, "thousands", "%d-%d" % (i, j)))
    kinds = {"ten": 10, "thousands": 10000}
    peaks = {name: [] for name in kinds}
    for _ in range(rounds):
        for name in kinds:
            peaks[name].append(peak([TDAGENT, "report", os.path.join(directory, name)]))
    print("\nPeak of memory of the report of merged profiles, %d rounds; median, smallest, largest"
          % rounds)
    for name in kinds:
        print("%-22s %s KiB" % ("%d profiles" % kinds[name], spread(peaks[name], "%.0f")))
    print("%-22s %s" % ("ratio", spread([b / a for a, b in zip(*peaks.values())], "%.2f")))


def engines(directory):
    settings = (("1 ms/10 us", {"TDAGENT_LONG": "1ms", "TDAGENT_SHORT": "10us"}), ("default", {}))
    return [Profiler(directory)] + [
        Tdagent(directory, "%s %s" % (name, what), TDAGENT_WINDOWS=windows, **setting)
        for what, setting in settings
        for name, windows in (("strobe", "rdpmc"), ("vernier", "vernier"))]


def main():
    if sys.argv[1:2] == ["--measure"]:
        start = time.process_time()
        cpu, wall = measured(sys.argv[3:], dict(os.environ))
        with open(sys.argv[2], "w") as file:
            json.dump([cpu, wall, start], file)
        return
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--engines", action="store_true")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    command = options.command or [os.path.join(TOP, "tests/prog/demo"), "30"]
    with tempfile.TemporaryDirectory(prefix="tdagent-bench.") as directory:
        if options.engines:
            overhead(engines(directory), command, options.rounds)
            return
        profilers = [Profiler(directory), Tdagent(directory, "tdagent default"),
                     Tdagent(directory, "tdagent 1 ms/10 us", TDAGENT_LONG="1ms", TDAGENT_SHORT="10us"),
                     Tdagent(directory, "tdagent 0.2 ms/10 us", TDAGENT_LONG="200us", TDAGENT_SHORT="10us"),
                     Gperftools(directory), Perf(directory)]
        for profiler in profilers:
            if profiler.available():
                print("%s: left out, %s" % (profiler.name, profiler.available()))
        overhead([p for p in profilers if not p.available()], command, options.rounds)
        start_up(["true"], 30 * options.rounds, directory)
        print_opened(["true"], directory)
        for what in "fork", "thread":
            starts(what, 500, options.rounds, directory)
        if shutil.which("node"):
            start_up(["node", "-e", "0"], 2 * options.rounds + 1, directory)
            print_opened(["node", "-e", "0"], directory)
        print_report_cost(options.rounds, directory)
        print_merge(options.rounds, directory)


if __name__ == "__main__":
    main()
