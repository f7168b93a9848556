# SPDX-License-Identifier: MIT
# data/events/*.events (data/events/README.md) to C: awk -f event_tables.awk FILE...
function refuse(what) {
	printf "%s:%d: %s\n", FILENAME, FNR, what >"/dev/stderr"
	failed = 1
	exit 1
}
function known(name) {
	if (!(name in number))
		refuse("no event " name)
	return number[name]
}
function finish() {
	if (!family)
		return
	if (events > 32 || groups > 7 || judgeds > 6 || parts > 6)
		refuse("too many events or groups")
	out = out sprintf("\t{\n\t\t.name = \"%s\",\n\t\t.width = %d,\n\t\t.source = \"%s\",\n\t\t.resource = %d,\n", family, width, source, resource)
	if (over)
		out = out "\t\t.over = {" over "},\n"
	out = out "\t\t.cpus = " cpus ",\n"
	if (cpus)
		out = out "\t\t.cpu = {" cpu "},\n"
	out = out "\t\t.events = " events ",\n\t\t.event = {\n" event "\t\t},\n"
	out = out "\t\t.terms = " terms ",\n"
	if (terms)
		out = out "\t\t.term = {\n" term "\t\t},\n"
	out = out "\t\t.formulas = " formulas ",\n"
	if (formulas)
		out = out "\t\t.formula = {\n" formula "\t\t},\n"
	out = out "\t\t.groups = " groups ",\n\t\t.group = {\n" group "\t\t},\n"
	out = out "\t\t.judgeds = " judgeds ",\n"
	if (judgeds)
		out = out "\t\t.judged = {\n" judged "\t\t},\n"
	out = out "\t\t.parts = " parts ",\n"
	if (parts)
		out = out "\t\t.part = {\n" part "\t\t},\n"
	out = out "\t},\n"
}
function begin_family() {
	finish()
	family = $2
	width = resource = events = terms = formulas = groups = judgeds = parts = cpus = 0
	source = over = cpu = event = term = formula = group = judged = part = ""
	split("", number)
}
function add_cpus(   i, part, range) {
	for (i = 3; i <= NF; i++) {
		if ($2 == "intel" || $2 == "atom")
			cpu = cpu sprintf("{TD_VENDOR_%s, 6, 0x%s, 0x%s}, ", toupper($2), $i, $i)
		else if (split($i, part, ":") == 2) {
			if (split(part[2], range, "-") == 1)
				range[2] = range[1]
			cpu = cpu sprintf("{TD_VENDOR_%s, 0x%s, 0x%s, 0x%s}, ", toupper($2), part[1], range[1], range[2])
		} else
			refuse("cpu " $2 ": " $i)
		cpus++
	}
}
function add_over(   i, part) {
	for (i = 2; i <= NF; i++) {
		if (split($i, part, "=") != 2 || part[2] !~ /^[1-9][0-9]?$/)
			refuse("over: " $i)
		over = over sprintf("[TD_NODE_%s] = %d, ", toupper(part[1]), part[2])
	}
}
function add_event(   i, config, counter) {
	config = $3 == "generic" ? "TD_EVENT_GENERIC | " $4 : "TD_EVENT(0x" $3 ", 0x" $4 ")"
	counter = -1
	for (i = 5; i <= NF; i++) {
		if ($i ~ /^cmask=[0-9]+$/)
			config = config " | " substr($i, 7) "ull << 24"
		else if ($i == "edge")
			config = config " | 1ull << 18"
		else if ($i == "inv")
			config = config " | 1ull << 23"
		else if ($i == "any")
			config = config " | 1ull << 21"
		else if ($i ~ /^counter=[0-9]+$/)
			counter = substr($i, 9)
		else
			refuse("event " $2 ": " $i)
	}
	if ($2 in number)
		refuse("event " $2 " twice")
	number[$2] = events++
	event = event sprintf("\t\t\t{\"%s\", %s, %d},\n", $2, config, counter)
}
function add_terms(   i, sign, part) {
	sign = ""
	for (i = 4; i <= NF; i++) {
		if ($i == "+" || $i == "-") {
			sign = $i
			continue
		}
		if (split($i, part, "[*]") != 2)
			refuse("node " $2 ": " $i)
		term = term sprintf("\t\t\t{\"%s\", %s%d, %d},\n", $2, sign, part[1], known(part[2]))
		terms++
	}
}
function add_formula(   text) {
	text = $0
	sub(/^formula[ \t]+[a-z_0-9]+[ \t]*=[ \t]*/, "", text)
	formula = formula sprintf("\t\t\t{\"%s\", \"%s\"},\n", $2, text)
	formulas++
}
function group_of(most,   i, list, nodes, n) {
	nodes = "0"
	for (i = 3; i <= NF && $i != ":"; i++) {
		list = list known($i) ", "
		n++
	}
	if (n > most)
		refuse($1 " " $2 " has more than " most " events")
	for (i++; i <= NF; i++)
		nodes = nodes " | TD_NODE_BIT(" $i ")"
	return sprintf("\t\t\t{\"%s\", %d, {%s}, %s},\n", $2, n, list, nodes)
}
/^[ \t]*(#|$)/ { next }
$1 == "family" { begin_family(); next }
!family { refuse("family comes first") }
$1 == "cpu" { add_cpus(); next }
$1 == "width" { width = $2; next }
$1 == "resource" { resource = 1; next }
$1 == "over" { add_over(); next }
$1 == "source" { source = substr($0, 8); next }
$1 == "event" { add_event(); next }
$1 == "node" { add_terms(); next }
$1 == "formula" { add_formula(); next }
$1 == "group" { group = group group_of(groups ? 4 : 5); groups++; next }
$1 == "judged" { judged = judged group_of(3); judgeds++; next }
$1 == "parts" { part = part group_of(3); parts++; next }
{ refuse("what is " $1 "?") }
END {
	if (failed)
		exit 1
	finish()
	print "/* Made by event_tables.awk from data/events; SPDX-License-Identifier: MIT */"
	print "#include \"decoder/events.h\"\n"
	print "const struct td_event_family td_event_families[] = {"
	printf "%s", out
	print "};\n"
	print "const size_t td_event_family_count =\n\tsizeof(td_event_families) / sizeof(td_event_families[0]);"
}
