#!/bin/sh
# SPDX-License-Identifier: MIT
# Groups of events on machines that events.sh has not: Sapphire Rapids whose hypervisor
# hides PERF_METRICS, Zen 4.
# --long: 30,000 windows, cost of returns to user mode.
. "$(dirname "$0")/lib.sh"

with_command

rounds=1000
if [ "${1:-}" = --long ]; then
	rounds=7500
	groups nometrics-edges "-m spr-nometrics -e 50~50,0,500,5500,4000" 3
	groups zen4-edges "-m zen4 -e 50~50,0,500,5500,4000" 5
fi
# full counters: nothing is rounded to 255ths
groups nometrics "-m spr-nometrics" 3
# six counters, of which cycles and instructions take two
groups zen4 "-m zen4" 5

echo
echo "== tdagent probe"
probes nometrics "-m spr-nometrics"
says nometrics "--pmu=auto     events"
says nometrics "no SLOTS and PERF_METRICS"
says nometrics "sapphirerapids: works, 4 of a group's events fit"
probes zen4 "-m zen4"
says zen4 "--pmu=auto     events"
says zen4 "zen4: works, 4 of a group's events fit"
