# SPDX-License-Identifier: MIT
"""Checks exported files against the report's JSON: export.py CHECK REPORT.json FILE [MORE]

  raw         FILE is what `go tool pprof -raw` printed
  web         FILE is a pprof file, which the web interface of pprof shows
  folded      FILE has folded stacks of samples
  speedscope  FILE is speedscope's
  browser     the same, shown by speedscope in MORE, its release directory, by chromium
  metrics     FILE has OpenMetrics
"""
import functools
import http.server
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

failed = []


def check(condition, message):
    if not condition:
        failed.append(message)


def samples_by_function():
    return {f["name"]: f["samples"] for f in report["functions"] if f["samples"]}


def slots_of(row):
    """What the documentation says of a function's slots, for one process."""
    return row["samples"] / report["totals"]["samples"] * report["totals"]["slots"]


def near(found, expected, what):
    check(abs(found - expected) <= 1e-6 * abs(expected) + 4, "%s is %s, not %s" % (what, found, expected))


def pprof_samples(text):
    """Of `pprof -raw`: the types, and (values, location numbers, labels) of each sample."""
    part = text.split("Samples:\n")[1].split("Locations\n")[0].splitlines()
    types = [word.split("/")[0] for word in part[0].replace("[dflt]", "").split()]
    samples = []
    for line in part[1:]:
        values = re.match(r"\s+([-0-9 ]+): ([0-9 ]+)$", line)
        if values:
            samples.append(([int(v) for v in values[1].split()],
                            [int(v) for v in values[2].split()], {}))
        else:
            samples[-1][2].update(re.findall(r"(\w+):\[([^]]*)\]", line))
    return types, samples


def raw(text):
    types, samples = pprof_samples(text)
    names = {int(m[1]): m[2] for m in
             re.finditer(r"^\s+(\d+): 0x[0-9a-f]+ (?:M=\d+ )?(.*) :0(?::0)? s=0$", text, re.M)}
    rows = {f["name"]: f for f in report["functions"]}
    made_up = "SIMULATED_" if report["simulated"] else ""
    sums = {}
    for values, locations, labels in samples:
        of = sums.setdefault(names[locations[0]], dict.fromkeys(types, 0))
        for kind, value in zip(types, values):
            of[kind] += value
        check(labels.get("thread") in {t["name"] for t in report["threads"]}, "labels %s" % labels)
        check(labels.get("tid") in {str(t["tid"]) for t in report["threads"]}, "labels %s" % labels)
    check(types[0] == "samples", "the first type is %s" % types[0])
    check({n: s["samples"] for n, s in sums.items()} == samples_by_function(), "samples: %s" % sums)
    for name, of in sums.items():
        row = rows[name]
        check(of["windows"] == row["windows"]["valid"], "%s: %d windows" % (name, of["windows"]))
        near(of["cpu"], row["cpu_time_s"] * 1e9, name + "'s CPU time")
        if "slots" not in report["totals"]:
            continue
        near(of[made_up + "slots"], slots_of(row), name + "'s slots")
        for node, value in row.get("topdown", {}).items():
            near(of[made_up + node], slots_of(row) * value["value"], "%s's %s" % (name, node))
    for row in report["functions"]:
        check(row.get("build_id", "") in text, "no build-id of " + row["module"])
    check(report["run"]["profile"] and "backend " + report["run"]["backend"] in text, "no run facts")


def free_port():
    with socket.socket() as at:
        at.bind(("127.0.0.1", 0))
        return at.getsockname()[1]


def page(url, process):
    for _ in range(100):
        try:
            return urllib.request.urlopen(url, timeout=10).read().decode()
        except urllib.error.URLError:
            if process.poll() is not None:
                break
            time.sleep(0.1)
    return ""


def web(path):
    port = free_port()
    process = subprocess.Popen(["go", "tool", "pprof", "-no_browser", "-http=127.0.0.1:%d" % port, path],
                               stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        shown = page("http://127.0.0.1:%d/ui/flamegraph" % port, process)
    finally:
        # go runs pprof as a child
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()
    for name in samples_by_function():
        check(name in shown, "pprof's flame graph lacks " + name)


def folded(text):
    found = {}
    for line in text.splitlines():
        match = re.fullmatch(r"([^;]+(?:;[^;]+)+) ([0-9]+)", line)
        check(match, "no folded line: " + line)
        stack = match[1].split(";")
        check(stack[0] in {t["name"] for t in report["threads"]}, "root " + stack[0])
        found[stack[-1]] = found.get(stack[-1], 0) + int(match[2])
    check(found == samples_by_function(), "samples: %s" % found)


def speedscope_profiles(text):
    """Of each profile: the weights of its functions."""
    whole = json.loads(text)
    frames = whole["shared"]["frames"]
    profiles = {}
    for profile in whole["profiles"]:
        check(profile["type"] == "sampled" and len(profile["samples"]) == len(profile["weights"]),
              "profile " + profile["name"])
        check(profile["endValue"] == sum(profile["weights"]), "end of " + profile["name"])
        sums = profiles.setdefault(profile["name"], {})
        for stack, weight in zip(profile["samples"], profile["weights"]):
            leaf = frames[stack[-1]]["name"]
            sums[leaf] = sums.get(leaf, 0) + weight
    return profiles


def speedscope(text):
    profiles = speedscope_profiles(text)
    check(profiles["samples"] == samples_by_function(), "samples: %s" % profiles["samples"])
    for name, sums in profiles.items():
        if name.endswith("slots"):
            near(sum(sums.values()), report["totals"]["slots"], name)
        check(name in ("samples", "cpu", "windows") or not report["simulated"] or "SIMULATED" in name,
              name + " does not say SIMULATED")


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def browser(path, release):
    work = tempfile.mkdtemp()
    site = os.path.join(work, "site")
    shutil.copytree(release, site)
    shutil.copy(path, os.path.join(site, "profile.speedscope.json"))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = "http://127.0.0.1:%d/" % server.server_address[1]
    command = ["chromium", "--headless=new", "--no-sandbox", "--use-angle=swiftshader",
               "--enable-unsafe-swiftshader", "--virtual-time-budget=8000",
               "--user-data-dir=" + os.path.join(work, "profile"), "--dump-dom",
               base + "index.html#profileURL=" + base + "profile.speedscope.json"]
    shown = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                           timeout=100, check=False).stdout
    shutil.rmtree(work)
    for name, sums in speedscope_profiles(open(path, encoding="utf-8").read()).items():
        # its list of profiles has each one's name and total; times have a unit
        total = "{:,}".format(sum(sums.values()))
        check('<span>%s</span>' % name in shown, "speedscope does not show " + name)
        check(name == "cpu" or total in shown, "speedscope shows another total of %s than %s" % (name, total))


SAMPLE = re.compile(r'([a-z_]+)(?:\{((?:[a-z]\w*="(?:[^"\\\n]|\\["\\n])*",?)+)\})? (-?[0-9.e+-]+)')


def metrics(text):
    """A small reader of what OpenMetrics 1.0 asks for; `found` by name and labels."""
    check(text.endswith("\n# EOF\n"), "no end")
    found, family, kind, closed = {}, None, None, set()
    for line in text.splitlines()[:-1]:
        if line.startswith("# TYPE "):
            closed.add(family)
            family, kind = line.split()[2:]
            check(family not in closed, family + " is there twice")
        elif line.startswith("# UNIT "):
            check(line.split()[2] == family and family.endswith("_" + line.split()[3]), line)
        elif line.startswith("# HELP "):
            check(line.split()[2] == family and len(line.split()) > 4, line)
        else:
            match = SAMPLE.fullmatch(line)
            check(match, "no sample: " + line)
            suffix = {"counter": "_total", "info": "_info", "gauge": ""}[kind]
            check(match[1] == family + suffix, "%s in the family %s" % (match[1], family))
            labels = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', match[2] or ""))
            key = (match[1], tuple(sorted(labels.items())))
            check(key not in found, "twice: " + line)
            found[key] = float(match[3])

    def value(name, **labels):
        if report["simulated"] and ("slots" in name or "ratio" in name):
            labels["simulated"] = "true"
        return found.get((name, tuple(sorted(labels.items()))))

    totals = report["totals"]
    check(value("tdagent_samples_total") == totals["samples"], "samples")
    check(value("tdagent_windows_total") == totals["windows"]["valid"], "windows")
    for cause, count in totals["windows"]["rejected"].items():
        check(value("tdagent_rejected_windows_total", cause=cause) == count, cause)
    near(value("tdagent_cpu_seconds_total") * 1e9, totals["cpu_time_s"] * 1e9, "CPU time")
    check(value("tdagent_slots_total") == totals.get("slots"), "slots")
    for node, estimate in totals.get("topdown", {}).items():
        level = "1" if node in ("retiring", "bad_speculation", "frontend_bound", "backend_bound") else "2"
        for part, name in (("value", "ratio"), ("low", "low_ratio"), ("high", "high_ratio")):
            shown = value("tdagent_topdown_" + name, node=node, level=level)
            check(shown is not None and abs(shown - estimate[part]) < 1e-6, "%s of %s" % (part, node))


report = json.load(open(sys.argv[2], encoding="utf-8"))
if sys.argv[1] in ("web", "browser"):
    globals()[sys.argv[1]](*sys.argv[3:])
else:
    globals()[sys.argv[1]](open(sys.argv[3], encoding="utf-8").read())
for message in failed:
    print(message)
sys.exit(1 if failed else 0)
