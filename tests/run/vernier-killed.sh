#!/bin/sh
# SPDX-License-Identifier: MIT
# `tdagent run` keeps the rings: what a killed program leaves in them is in its report.
. "$(dirname "$0")/lib.sh"

settings="TDAGENT_OUTPUT=$work/profiles/%e.%p TDAGENT_REPORT=none TDAGENT_LONG=1ms TDAGENT_WINDOWS=vernier"

# run_it LABEL PROGRAM...: under tdagent run.
run_it()
{
	label=$1
	shift
	guest "$label" $clean $settings "$tdagent" run -- "$@"
}

# Nothing but the ring knows of most of these 40 ms: a tick comes after 250.
run_it killed "$prog/exits" kill
ended "signal 9" killed
expect "$(profile exits)" <<'END'
if report["run"]["trigger"].startswith("POSIX"):
    sys.exit("no perf events here: " + report["run"]["reason"])
totals = report["totals"]
check(totals["samples"] > 25, "%d samples of 40 ms" % totals["samples"])
check(sum(f["samples"] for f in report["functions"]) == totals["samples"], "samples without a function")
check(sum(f["samples"] for f in report["functions"] if os.path.basename(f["module"]) == "exits") >
      0.5 * totals["samples"], "samples not in the program")
check(not functions(module=""), "unknown code")
not_twice(1e-3)
notes = " ".join(report["run"]["notes"])
check("killed: thread" in notes and "the last 1000 ms" in notes, "no note: " + notes)
END
rm "$(profile exits)"

# The same without it has almost nothing, and no note.
guest alone $clean $settings LD_PRELOAD="$library" "$prog/exits" kill
ended "signal 9" alone
expect "$(profile exits)" <<'END'
# time that a hypervisor takes away may be CPU time
check(report["totals"]["samples"] < 25 or report["run"]["cpu_time_s"] > 0.25,
      "%d samples" % report["totals"]["samples"])
check(not any("killed" in note for note in report["run"]["notes"]), "a note")
check("rings emptied each 250 ms of CPU time" in report["run"]["reason"], report["run"]["reason"])
END
rm "$(profile exits)"

# Who ends in his own way has emptied the rings himself: nothing is counted twice.
for way in return _exit abort thread exec; do
	run_it $way "$prog/exits" $way
	for file in $(profiles exits); do
		expect "$file" <<'END'
check(not any("killed" in note for note in report["run"]["notes"]), "a note")
not_twice(1e-3)
END
		rm "$file"
	done
done

# Threads that end give their rings back.
run_it leftovers "$prog/leftovers"
ended "exit 0" leftovers
[ "$(sort -u "$work/leftovers.out" | wc -l)" -eq 1 ] || { fail "threads leave something:"; cat "$work/leftovers.out"; }
rm -f $(profiles leftovers)

# Nobody listens: the program does not mind, and the profile says so.
guest nobody $clean $settings LD_PRELOAD="$library" _TDAGENT_COLLECTOR=nobody "$prog/exits" exit
ended "exit 8" nobody
expect "$(profile exits)" <<'END'
check(any("tdagent run takes no rings" in note for note in report["run"]["notes"]), "no note")
check(report["totals"]["samples"] > 25, "%d samples of 40 ms" % report["totals"]["samples"])
END
