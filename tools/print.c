// SPDX-License-Identifier: MIT
#include "tools/print.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "decoder/text.h"

const struct td_report_process *td_print_first(const struct td_report *report)
{
	const struct td_report_process *first = &report->process[0];

	for (size_t i = 1; i < report->processes; i++) {
		const struct td_report_process *p = &report->process[i];

		if (p->header.start_realtime_ns < first->header.start_realtime_ns)
			first = p;
	}
	return first;
}

const char *td_print_fate(enum td_fate fate)
{
	static const char *const words[] = {
		[TD_FATE_EXITED] = "exited",   [TD_FATE_EXEC] = "exec",
		[TD_FATE_RUNNING] = "running", [TD_FATE_KILLED] = "killed",
		[TD_FATE_UNKNOWN] = "unknown",
	};

	return words[fate];
}

double td_print_duration(const struct td_report_process *process)
{
	if (process->end_ns < process->header.start_ns)
		return 0;
	return (double)(process->end_ns - process->header.start_ns) / 1e9;
}

char *td_print_command(const struct td_file_header *header)
{
	char joined[sizeof(header->command)];
	size_t end = sizeof(joined);

	memcpy(joined, header->command, sizeof(joined));
	while (end && !joined[end - 1])
		end--;
	for (size_t i = 0; i < end; i++) {
		if (!joined[i] || joined[i] == '\n' || joined[i] == '\t')
			joined[i] = ' ';
	}
	if (end == 0)
		return td_text_clean(header->exe, sizeof(header->exe));
	return td_text_clean(joined, end);
}

uint64_t td_print_sum(const uint64_t *count, size_t entries)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < entries; i++)
		sum += count[i];
	return sum;
}

const char *td_print_evidence(enum td_evidence evidence)
{
	switch (evidence) {
	case TD_EVIDENCE_OWN:
		return "own";
	case TD_EVIDENCE_SEPARATED:
		return "separated";
	case TD_EVIDENCE_CALLERS:
		return "callers";
	case TD_EVIDENCE_NONE:
		break;
	}
	return "";
}

static const struct {
	char mark;
	const char *means;
} legend[] = {
	{'^', "with all that the function calls: by itself it is too short, or too rare"},
	{'*', "above the threshold of top-down analysis (level 2: under such a parent "
	      "only)"},
	{'<', "the bottleneck: the largest that is above its threshold, of level 2 if "
	      "there is one"},
	{'?',
	 "too uncertain to act on (more than ±10 points, too few windows, or not told "
	 "from its callers)"},
};
#define LEGEND (sizeof(legend) / sizeof(legend[0]))

void td_print_seen(char *marks, const char *cell)
{
	for (size_t i = 0; i < LEGEND; i++) {
		size_t used = strlen(marks);

		if (strchr(cell, legend[i].mark) && !strchr(marks, legend[i].mark) &&
		    used + 1 < TD_PRINT_MARKS) {
			marks[used] = legend[i].mark;
			marks[used + 1] = '\0';
		}
	}
}

void td_print_legend(FILE *out, const struct td_print_style *style, const char *marks)
{
	for (size_t i = 0; i < LEGEND; i++)
		if (strchr(marks, legend[i].mark))
			td_print_line(out, style, NULL, "%c %s", legend[i].mark,
				      legend[i].means);
}

const char *td_print_mark(const struct td_topdown_value value[TD_NODES], int node)
{
	if (!value[node].flagged)
		return "";
	return td_topdown_bottleneck(value) == node ? "<" : "*";
}

const char *td_print_colour(const struct td_topdown_value value[TD_NODES], int node)
{
	if (!value[node].flagged)
		return NULL;
	return td_topdown_bottleneck(value) == node ? "\033[1;31m" : "\033[31m";
}

void td_print_coloured(FILE *out, const struct td_print_style *style, const char *colour,
		       const char *text)
{
	if (colour && style->colour)
		fprintf(out, "%s%s\033[0m", colour, text);
	else
		fputs(text, out);
}

struct td_print_style td_print_style_of(FILE *out)
{
	struct td_print_style style = {0};
	const char *columns = getenv("COLUMNS"), *plain = getenv("NO_COLOR");
	int terminal = isatty(fileno(out));
	struct winsize size;
	long width;

	if (terminal && ioctl(fileno(out), TIOCGWINSZ, &size) == 0)
		style.width = size.ws_col;
	if (!style.width && columns) {
		width = strtol(columns, NULL, 10);
		style.width = width > 0 && width < 10000 ? (size_t)width : 0;
	}
	/* nothing cuts the lines of a file: there the table takes what it needs */
	if (!style.width && terminal)
		style.width = 80;
	style.colour = terminal && !(plain && plain[0]);
	return style;
}
