# SPDX-License-Identifier: MIT
"""What a window costs, in instructions, exactly: make bench-lab.

Counted by the emulator, not by anything that is measured with: in a window
(from the log of register accesses, over windows that hold nothing but our own
code), for opening and closing one (the truth of the agent's code, the difference
of a long and a short run), and in the kernel (guest time is instructions; the
same program without the agent is taken off).  Asserts nothing.

bench.py [vernier | sigreturn]: the other engine, which has nothing of ours in a window;
with TDAGENT_RETURN=sigreturn.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.abspath("agent/.libs/libtdagent.so")
TDAGENT = os.path.abspath("tools/tdagent")
SLOTS_WRITE = re.compile(r"^W .* reg 30c val 0 insns (\d+)")
READ = re.compile(r"^R .* reg ([0-9a-f]+) val [0-9a-f]+ insns (\d+)")
ENGINE = "vernier" if sys.argv[1:] == ["vernier"] else "rdpmc"
BACK = "sigreturn" if sys.argv[1:] == ["sigreturn"] else "user"
GOALS = (80, 1000) if BACK == "user" else (48, 800)
ROUNDS = (500, 2500)
LONG = 100000


class Lab:
    def __init__(self, directory):
        self.directory = directory
        self.input = os.path.join(directory, "in")
        os.mkdir(self.input)
        for path in (LIBRARY, os.path.abspath("tests/lab/phases")):
            shutil.copy(path, self.input)

    def run(self, command, options=()):
        """(truth, report or None) of `command`, which is phases' arguments with their variables."""
        out = os.path.join(self.directory, "out")
        subprocess.run(["bash", os.path.join(HERE, "run.sh"), "-i", "-o", out + ".tar", *options,
                        self.input, "--", command + " >/out/truth"], check=True)
        shutil.rmtree(out, ignore_errors=True)
        with tarfile.open(out + ".tar") as tar:
            tar.extractall(out)
        with open(os.path.join(out, "truth")) as lines:
            truth = [json.loads(line) for line in lines]
        profile = os.path.join(out, "profile")
        if not os.path.exists(profile):
            return truth, None
        text = subprocess.run([TDAGENT, "report", "--format=json", "--top=0", profile],
                              check=True, capture_output=True).stdout
        return truth, json.loads(text)


def with_agent(short, arguments):
    return ("TDAGENT_REPORT=none TDAGENT_RETURN=%s TDAGENT_WINDOWS=%s TDAGENT_LONG=%d TDAGENT_SHORT=%d "
            "TDAGENT_OUTPUT=/out/profile LD_PRELOAD=/in/libtdagent.so ./phases %s" % (
                BACK, ENGINE, LONG, short, arguments))


def instructions(truth, what):
    return sum(t["insns"] for t in truth if t["what"] == what)


def elapsed(truth):
    return [t for t in truth if t["what"] == "machine"][0]["elapsed_ns"]


def kernel(truth):
    """Guest time is one ns an instruction: what is not the program is the kernel."""
    return elapsed(truth) - sum(instructions(truth, what)
                                for what in ("function", "rest", "agent", "part"))


def inside(lab):
    """Our instructions in a window, from its reset to the reading of both registers."""
    log = os.path.join(lab.directory, "log")
    lab.run(with_agent(2000, "-r 200"), ["-l", log])
    lengths, reset = {"40000003": [], "20000000": []}, None
    last = {}
    with open(log) as lines:
        for line in lines:
            write, read = SLOTS_WRITE.match(line), READ.match(line)
            if write:
                reset = int(write.group(1))
            elif read and reset is not None and read.group(1) in lengths:
                last[read.group(1)] = int(read.group(2)) - reset
                if read.group(1) == "20000000": # SLOTS is read where it opens, too
                    for register in lengths:
                        lengths[register].append(last.get(register, 0))
                    reset = None
    for register, name in (("40000003", "SLOTS"), ("20000000", "PERF_METRICS")):
        shortest = min(lengths[register])
        print("  reset to the reading of %-13s %4d  (%d windows without the program)" % (
            name, shortest, lengths[register].count(shortest)))


def around(lab, short):
    """Open and close: the agent's code, and the kernel's work for it, a sample."""
    runs = [lab.run(with_agent(short, "-r %d" % rounds)) for rounds in ROUNDS]
    bare = [lab.run("./phases -r %d" % rounds)[0] for rounds in ROUNDS]
    samples = runs[1][1]["totals"]["samples"] - runs[0][1]["totals"]["samples"]
    ours = instructions(runs[1][0], "agent") - instructions(runs[0][0], "agent")
    rest = instructions(runs[1][0], "rest") - instructions(runs[0][0], "rest") - (
        instructions(bare[1], "rest") - instructions(bare[0], "rest"))
    below = kernel(runs[1][0]) - kernel(runs[0][0]) - kernel(bare[1]) + kernel(bare[0])
    interrupts = [truth[0]["interrupts"] for truth, report in runs]
    print("  windows of %5d cycles: %6.0f ours, %5.0f libc and vdso, %6.0f kernel; %.2f interrupts"
          % (short, ours / samples, rest / samples, below / samples,
             (interrupts[1] - interrupts[0]) / samples))


def by_function(lab, short):
    symbols = subprocess.run(["nm", "-S", "--defined-only", LIBRARY], check=True,
                             capture_output=True, text=True).stdout
    parts = {}
    for line in symbols.splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in "tT":
            parts[int(words[0], 16)] = (int(words[1], 16), words[3])
    with open(os.path.join(lab.input, "parts"), "w") as file:
        for start, (size, name) in sorted(parts.items()):
            file.write("%x %x %s\n" % (start, size, name))
    runs = [lab.run(with_agent(short, "-a parts -r %d" % rounds)) for rounds in ROUNDS]
    samples = runs[1][1]["totals"]["samples"] - runs[0][1]["totals"]["samples"]
    insns = [{t["name"]: t["insns"] for t in truth if t["what"] == "part"} for truth, _ in runs]
    cost = sorted(((insns[1][name] - insns[0][name]) / samples, name) for name in insns[0])
    for value, name in reversed(cost):
        if value >= 5:
            print("  %7.1f  %s" % (value, name))


def main():
    with tempfile.TemporaryDirectory(prefix="tdagent-bench.") as directory:
        lab = Lab(directory)
        if ENGINE == "rdpmc":
            print("instructions of ours in a window (goal: at most %d)" % GOALS[0])
            inside(lab)
        print("instructions for a sample and its window, open and close (goal: at most %d)" % GOALS[1])
        for short in (300, 1000, 5000):
            around(lab, short)
        print("the same at 1000 cycles, by function")
        by_function(lab, 1000)


if __name__ == "__main__":
    sys.exit(main())
