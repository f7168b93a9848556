#!/bin/sh
# SPDX-License-Identifier: MIT
# Groups of events on machines that events.sh has not: Sapphire Rapids whose hypervisor
# hides PERF_METRICS, Zen 4.
# --long [MODEL[-SETTING]...]: 32,000 windows, two mixes, cost of returns to user mode.
. "$(dirname "$0")/lib.sh"

with_command

if [ "${1:-}" = --long ]; then
	shift
	wanted=$*
	for model in spr-nometrics zen4 grt; do
		settings $model
	done
	exit
fi

rounds=1000
# full counters: nothing is rounded to 255ths
groups nometrics "-m spr-nometrics" 3
# six counters, of which cycles and instructions take two
groups zen4 "-m zen4" 4

echo
echo "== tdagent probe"
probes nometrics "-m spr-nometrics"
says nometrics "--pmu=auto     events"
says nometrics "this CPU has it, the virtual machine hides it; groups of events"
says nometrics "sapphirerapids: works, 4 of level 1's 4 events fit"
probes zen4 "-m zen4"
says zen4 "--pmu=auto     events"
says zen4 "zen4: works, 4 of level 1's 4 events fit"
