#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""CPython's own tests, without the agent and with it: the same results, case by case.

    cpython.py [--slice K/N] [--jobs N] [--timeout S] [--record FILE] WORK AGENT... -- [MODULE...]

AGENT are the variables (NAME=value) that put the agent into a program, but for where
its profiles go; WORK is an empty directory.  No MODULE means all that `python3 -m test` knows; a slice is every
Nth of them, from the Kth (1..N).  Each module prints a row: how many cases it has,
and what is not "passed" on either side.  N modules run at a time, as `-m test -j N`
would, each in a directory of its own.  Those whose results differ, or that took too
long, run again when the others are done, alone, both ways and up to twice, and count
only if no time agrees: some fail now and then by themselves, or on a busy machine.
FILE keeps the rows of what has been run, and modules that are in it are not run again.

Exit 0: the same everywhere; 1: not, or nothing was profiled; 77: CPython's test package is missing.
"""
import argparse
import concurrent.futures
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree

# Cases that are not the same and need not be, each with its reason.
KNOWN = {
    "test_pass_fds_redirected": "lists every descriptor up to the limit, ours among them",
}
# Cases that are not run at all, by module, each with its reason.
LEFT_OUT = {
    "test_socket": {"ThreadedVSOCKSocketStreamTest": "waits for ever where /dev/vsock has no loopback"},
}
TRIES = 3


def environment(work, agent):
    plain = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": work, "LC_ALL": "C.UTF-8"}
    plain.update(pair.split("=", 1) for pair in agent)
    if agent:
        plain["TDAGENT_OUTPUT"] = os.path.join(work, "profiles", "%e.%p")
    return plain


def outcomes(path):
    """Each case that did not simply pass, and how; and how many there were."""
    results = {}
    cases = 0
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        cases += 1
        kinds = {child.tag for child in case} & {"failure", "error", "skipped"}
        name = case.get("name")
        if kinds and not any(known in name for known in KNOWN):
            results[name] = " ".join(sorted(kinds))
    return results, cases


def run(module, room, agent, timeout):
    """(status, outcomes, cases) of a module's run in a new directory."""
    shutil.rmtree(room, ignore_errors=True)
    os.makedirs(os.path.join(room, "profiles"))
    report = os.path.join(room, "results.xml")
    command = [sys.executable, "-m", "test", "--junit-xml", report]
    for case in LEFT_OUT.get(module, {}):
        command += ["--ignore", case]
    with open(os.path.join(room, "out"), "wb") as out:
        child = subprocess.Popen(command + [module], cwd=room, env=environment(room, agent), stdin=subprocess.DEVNULL,
                                 stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            status = str(child.wait(timeout))
        except subprocess.TimeoutExpired:
            status = "timeout"
            os.killpg(child.pid, 9)
            child.wait()
    try:
        results, cases = outcomes(report)
    except (OSError, xml.etree.ElementTree.ParseError):
        results, cases = {}, 0
    if set(results.values()) <= {"skipped"} and status not in ("0", "timeout") and cases:
        status = "0"  # all that failed is known
    return status, results, cases


def describe(result):
    status, results, _ = result
    failed = sorted(name.split(".")[-1] for name, kind in results.items() if kind != "skipped")
    skipped = sum(kind == "skipped" for kind in results.values())
    words = {"0": "passed", "timeout": "timeout"}.get(status, "status " + status)
    return "; ".join([words] + (["%d skipped" % skipped] if skipped else []) + (["failed: " + " ".join(failed)] if failed else []))


def difference(without, with_agent):
    names = set(without[1].items()) ^ set(with_agent[1].items())
    return ", ".join(sorted({name for name, _ in names})) or "status"


class Comparison:
    """One module, both ways, as often as it is tried."""

    def __init__(self, module):
        self.module = module
        self.attempts = self.profiles = 0
        self.without = self.with_agent = None

    def settled(self):
        """Nothing is learned by another time."""
        return self.without == self.with_agent and self.without[0] != "timeout"

    def attempt(self, options):
        room = os.path.join(options.work, self.module)
        self.without = run(self.module, room, [], options.timeout)
        self.with_agent = run(self.module, room, options.agent, options.timeout)
        self.attempts += 1
        self.profiles = len(os.listdir(os.path.join(room, "profiles")))
        shutil.rmtree(room, ignore_errors=True)
        if self.without != self.with_agent:
            print("%s, time %d: %s" % (self.module, self.attempts, difference(self.without, self.with_agent)), flush=True)
        return self

    def row(self):
        verdict = "same" if self.without == self.with_agent else "DIFFERENT"
        if self.attempts > 1 and verdict == "same":
            verdict += ", time %d" % self.attempts
        left, right = describe(self.without), describe(self.with_agent)
        return "%-30s %5d  %-13s %s" % (
            self.module, self.without[2], verdict, left if left == right else left + " | with: " + right)


def compare_all(modules, options):
    """Yields each comparison when it is settled, or as well as can be."""
    again = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        first = [pool.submit(Comparison(module).attempt, options) for module in modules]
        for done in concurrent.futures.as_completed(first):
            comparison = done.result()
            if comparison.settled():
                yield comparison
            else:
                again.append(comparison)
    for comparison in again:
        while not comparison.settled() and comparison.attempts < TRIES:
            comparison.attempt(options)
            if comparison.without == comparison.with_agent:
                break
        yield comparison


def every_module():
    listed = subprocess.run([sys.executable, "-m", "test", "--list-tests"], capture_output=True, text=True, check=False)
    if listed.returncode:
        print("CPython: not tested, its test package is missing")
        sys.exit(77)
    return listed.stdout.split()


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--slice", default="1/1")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=300)
    parser.add_argument("--record")
    parser.add_argument("work")
    parser.add_argument("agent", nargs="+")
    if "--" not in sys.argv:
        parser.error("-- MODULE... is missing")
    split = sys.argv.index("--")
    options = parser.parse_args(sys.argv[1:split])
    part, parts = map(int, options.slice.split("/"))
    options.modules = (sys.argv[split + 1:] or every_module())[part - 1::parts]
    return options


def recorded(path):
    if not path or not os.path.exists(path):
        return set()
    with open(path) as rows:
        return {line.split()[0] for line in rows if line.strip()}


def main():
    options = parse()
    done = recorded(options.record)
    modules = cases = profiles = 0
    different, endless = [], []
    for comparison in compare_all([module for module in options.modules if module not in done], options):
        print(comparison.row(), flush=True)
        if options.record:
            with open(options.record, "a") as record:
                print(comparison.row(), file=record)
        modules += 1
        cases += comparison.without[2]
        profiles += comparison.profiles
        if comparison.without != comparison.with_agent:
            different.append(comparison.module)
        elif comparison.without[0] == "timeout":
            endless.append(comparison.module)
    print("CPython: %d modules, %d cases, %d profiles; not in time either way: %s; different: %s" % (
        modules, cases, profiles, " ".join(endless) or "none", " ".join(different) or "none"))
    return 1 if different or (modules and not profiles) else 0


if __name__ == "__main__":
    sys.exit(main())
