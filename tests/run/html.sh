#!/bin/sh
# SPDX-License-Identifier: MIT
# The HTML report: it holds the JSON report and nothing from elsewhere, and a browser
# shows the same numbers, by keyboard, whatever functions are called.
. "$(dirname "$0")/lib.sh"

agent TDAGENT_PMU=simulated TDAGENT_CALLPATH=on "$prog/demo" 10
profile=$(profile demo)
agent TDAGENT_PMU=clock TDAGENT_LONG=500us "$prog/burn" 100
plainest=$(profile burn)

for name in demo burn; do
	for format in json html; do
		guest report $clean "$tdagent" report --format=$format --output="$work/$name.$format" "$(profile $name)"
		ended "exit 0" report
	done
done
python3 "$here/page.py" contents "$work/demo.html" "$work/demo.json" || fail "demo: see above"
python3 "$here/page.py" contents "$work/burn.html" "$work/burn.json" || fail "burn: see above"
guest report $clean "$tdagent" report --format=html --output=/dev/full "$profile" "$plainest"
ended "exit 1" report

command -v chromium >/dev/null || {
	[ "$failures" -eq 0 ] && skip "the page was not looked at: chromium is missing; its contents are right"
	exit 1
}
python3 "$here/page.py" browser "$work" || fail "browser: see above"
