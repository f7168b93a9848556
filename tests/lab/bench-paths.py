# SPDX-License-Identifier: MIT
"""What a call path costs, in instructions, exactly: part of make bench-lab.

Two walks a sample, at the open and at the close of its window: the agent's code
and what it calls, with call paths and without, by depth.  Beside it what walking
the frame pointers of the same stack takes.  Asserts nothing.
"""
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.abspath("agent/.libs/libtdagent.so")
TDAGENT = os.path.abspath("tools/tdagent")
ROUNDS = (100, 400)
DEPTHS = (5, 20, 60)


class Lab:
    def __init__(self, directory):
        self.directory = directory
        self.input = os.path.join(directory, "in")
        os.mkdir(self.input)
        for path in (LIBRARY, os.path.abspath("tests/lab/callers")):
            shutil.copy(path, self.input)

    def run(self, command):
        """{what: instructions} and the number of samples, None without a profile."""
        out = os.path.join(self.directory, "out")
        subprocess.run(["bash", os.path.join(HERE, "run.sh"), "-i", "-o", out + ".tar",
                        self.input, "--", command + " >/out/truth"], check=True)
        shutil.rmtree(out, ignore_errors=True)
        with tarfile.open(out + ".tar") as tar:
            tar.extractall(out)
        with open(os.path.join(out, "truth")) as lines:
            truth = {t["what"]: t for t in map(json.loads, lines)}
        profile = os.path.join(out, "profile")
        if not os.path.exists(profile):
            return truth, None
        text = subprocess.run([TDAGENT, "report", "--format=json", profile],
                              check=True, capture_output=True).stdout
        return truth, json.loads(text)["totals"]["samples"]


def sample(lab, callpath, depth):
    """Instructions of user mode for one sample and its window."""
    runs = [lab.run("TDAGENT_SEED=1 TDAGENT_REPORT=none TDAGENT_LONG=100000 TDAGENT_SHORT=2000 "
                    "TDAGENT_CALLPATH=%s TDAGENT_OUTPUT=/out/profile LD_PRELOAD=/in/libtdagent.so "
                    "./callers -d %d -r %d" % (callpath, depth, rounds)) for rounds in ROUNDS]
    ours = [truth["agent"]["insns"] + truth["rest"]["insns"] for truth, _ in runs]
    return (ours[1] - ours[0]) / (runs[1][1] - runs[0][1])


def main():
    with tempfile.TemporaryDirectory(prefix="tdagent-bench.") as directory:
        lab = Lab(directory)
        print("instructions of user mode for call paths, a sample and its window (two walks)")
        for depth in DEPTHS:
            frames = lab.run("./callers -w 1000 -d %d" % depth)[0]
            pointers = frames["walks"]["insns"] / 1000
            without, with_paths = (sample(lab, word, depth) for word in ("off", "on"))
            print("  below %2d calls: %6.0f, %5.0f without call paths; frame pointers: %d frames, %4.0f"
                  % (depth, with_paths, without, frames["walked"]["frames"], pointers), flush=True)


if __name__ == "__main__":
    sys.exit(main())
