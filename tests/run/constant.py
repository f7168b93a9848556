# SPDX-License-Identifier: MIT
"""Whether a profiled program's memory and file stay as they are.

    constant.py PROFILE SPACE COMMAND...

Runs COMMAND with SPACE bytes of address space (-1: all), reads the header of
its PROFILE and its /proc/PID/smaps once the window log is a tenth beyond full,
and again until it was offered twice what it holds; kills it.
"""
import os, resource, signal, struct, subprocess, sys, time

START, END = 1.1, 2.0  # windows offered, in logs
MINUTES = 10  # a machine that cannot do that is no machine for this test
# New code may be seen late, and more threads at once than before; a reading sees more
# or fewer of their stacks.  What is not bounded takes a hundred blocks, or far more.
LATE_KIB, LATE_BLOCKS = 256, 32


def header(path):
    """What doc/formats.md, 1.2, says of these fields; None before there is one."""
    try:
        with open(path, "rb") as file:
            data = file.read(8192)
    except FileNotFoundError:
        return None
    if not data.startswith(b"tdagent\n"):
        return None
    return {
        "pid": struct.unpack_from("=I", data, 48)[0],
        "blocks": struct.unpack_from("=I", data, 36)[0],
        "room": struct.unpack_from("=I", data, 40)[0],
        "log": struct.unpack_from("=I", data, 6244)[0],
        "offered": struct.unpack_from("=Q", data, 6248)[0],
    }


def resident(pid, profile):
    """KiB in memory: of the profile, and of all mappings."""
    ours, total, name = 0, 0, ""
    with open("/proc/%d/smaps" % pid) as smaps:
        for line in smaps:
            field = line.split()
            if not field[0].endswith(":"):
                name = field[5] if len(field) > 5 else ""
            elif field[0] == "Rss:":
                total += int(field[1])
                ours += int(field[1]) if name == profile else 0
    return ours, total


def reading(process, profile):
    seen = header(profile)
    if not seen or not seen["log"]:
        return None
    ours, total = resident(process.pid, profile)
    return {"offered": seen["offered"] / seen["log"], "log": seen["log"], "blocks": seen["blocks"],
            "room": seen["room"], "file": os.stat(profile).st_size, "profile": ours, "all": total}


def wait_for(process, profile, logs, until):
    """Readings, until that many logs of windows were offered."""
    while time.monotonic() < until:
        if process.poll() is not None:
            sys.exit("it ended early: %d" % process.returncode)
        now = reading(process, profile)
        if now:
            yield now
            if now["offered"] >= logs:
                return
        time.sleep(0.1)
    sys.exit("not %.1f logs of windows within %d minutes" % (logs, MINUTES))


def compare(start, now):
    if now["blocks"] > start["blocks"] + LATE_BLOCKS:
        sys.exit("blocks: %d, then %d" % (start["blocks"], now["blocks"]))
    if now["blocks"] == start["blocks"] and now["file"] > start["file"]:
        sys.exit("the file: %d bytes, then %d" % (start["file"], now["file"]))
    for what in ("profile", "all"):
        if now[what] > start[what] + LATE_KIB:
            sys.exit("resident of %s: %d KiB, then %d" % (what, start[what], now[what]))


def watch(process, profile):
    until = time.monotonic() + 60 * MINUTES
    first = None
    for start in wait_for(process, profile, START, until):
        first = first or start
    if start["blocks"] >= start["room"]:  # what has no room to grow does not grow
        sys.exit("the profile is full: %(blocks)d blocks, the log %(log)d" % start)
    if start["profile"] < 1024:
        sys.exit("resident of the profile is not seen: %d KiB" % start["profile"])
    for now in wait_for(process, profile, END, until):
        compare(start, now)
    for moment in (first, start, now):
        print("%(offered).2f logs of %(log)d: %(blocks)d blocks, file %(file)d, "
              "resident %(profile)d KiB of the profile, %(all)d in all" % moment)


def limit():
    if space >= 0:
        resource.setrlimit(resource.RLIMIT_AS, (space, space))
        resource.setrlimit(resource.RLIMIT_STACK, (256 << 10, 256 << 10))


profile, space, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
process = subprocess.Popen(command, preexec_fn=limit, stdout=subprocess.DEVNULL)
try:
    watch(process, os.path.realpath(profile))
finally:
    process.send_signal(signal.SIGKILL)
    process.wait()
