#!/bin/sh
# SPDX-License-Identifier: MIT
# How many of the report's 95 % intervals contain the truth: 200 runs of each setting.
# coverage.sh [-k DIRECTORY] [RUNS [SETTING...]]; -k keeps the profiles there, and
# takes those that are there already: a change of the estimator needs no new runs.
. "$(dirname "$0")/lib.sh"

kept=$work/runs
if [ "${1:-}" = -k ]; then
	kept=$2
	shift 2
fi
runs=${1:-200}
[ $# -eq 0 ] || shift
settings=${*:-plain noise edge random vernier}
runs_a_boot=20
level1=TDAGENT_LEVEL=1
edge="-e 50~50,0,500,5500,4000,0,300,4500,3000"

# repeat LABEL FIRST OPTIONS SHORT COMMAND: with seeds from FIRST on, in one boot.  %s in
# COMMAND is the seed.
repeat()
{
	command=$(echo "$5" | sed 's/%s/$s/g')
	agent=$(with_agent 20000 "$4" | sed 's/TDAGENT_SEED=1/TDAGENT_SEED=$s/; s|/out/|/out/$s/|')
	lab "$1-$2" "-S $2 $3" "s=$2; while [ \$s -lt $(($2 + runs_a_boot)) ]; do
		mkdir /out/\$s; $agent LD_LIBRARY_PATH=/in $command >/out/\$s/truth || exit 1
		s=\$((s + 1)); done"
	ended "exit 0" "$1-$2"
	mkdir -p "$kept/$1"
	mv "$work/$1-$2"/[0-9]* "$kept/$1/"
}

# covered LABEL OPTIONS SHORT COMMAND
covered()
{
	echo
	echo "== $1: $4, windows of $3 cycles $2"
	first=1
	while [ $first -le "$runs" ]; do
		[ -d "$kept/$1/$first" ] || repeat "$1" $first "$2" "$3" "$4"
		first=$((first + runs_a_boot))
	done
	for run in "$kept/$1"/*; do
		"$tdagent" report --top=0 --format=json "$run/profile" >"$run/report.json" ||
			fail "$run: no report"
	done
	python3 "$lab_tests/coverage.py" --label "$1" "$kept/$1"/* || fail "$1: see above"
}

for setting in $settings; do
	case $setting in
	plain) covered plain "" 300 "./awkward -r 500 -s %s" ;;
	noise) covered noise "" 300 "./awkward -r 500 -s %s -n 40,400" ;;
	edge) covered edge "$edge" 1000 "./awkward -r 500 -s %s -n 40,400" ;;
	vernier)
		lab_windows=vernier
		covered vernier "" 300 "./awkward -r 500 -s %s"
		lab_windows=
		;;
	random) covered random "" 300 "./random -r 1000 -s %s" ;;
	# four counters
	skx) covered skx "-m skx" 300 "$level1 ./awkward -r 500 -s %s" ;;
	skx-noise) covered skx-noise "-m skx" 300 "$level1 ./awkward -r 500 -s %s -n 40,400" ;;
	skx-edge) covered skx-edge "-m skx $edge" 300 "$level1 ./awkward -r 500 -s %s -n 40,400" ;;
	*) fail "no such setting: $setting" ;;
	esac
done
