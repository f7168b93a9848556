// SPDX-License-Identifier: MIT
#include "tools/tui.h"

#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/commands.h"
#include "tools/pager.h"
#include "tools/tui_draw.h"

#define KEY_ESCAPE 27
#define TRAIL 64 /* functions to go back through */

struct browser {
	const struct td_report *report;
	struct td_paths tree;
	const struct td_paths *paths; /* &tree, NULL without call paths */
	int count;
	char **path;
	struct td_tui_list list;
	struct td_tui_details details; /* line NULL: the list is shown */
	size_t trail[TRAIL];
	size_t depth;
	bool prompt; /* the filter is being written */
	bool leave;
	int err;
};

static void forget_details(struct browser *browser)
{
	if (browser->details.line)
		td_tui_details_free(&browser->details);
}

static void show(struct browser *browser, size_t function)
{
	forget_details(browser);
	browser->err = td_tui_details_make(&browser->details, browser->report,
					   browser->paths, function, (size_t)COLS);
}

static void enter(struct browser *browser, size_t function)
{
	if (function == SIZE_MAX)
		return;
	if (browser->depth == TRAIL) {
		memmove(browser->trail, browser->trail + 1,
			(TRAIL - 1) * sizeof(browser->trail[0]));
		browser->depth--;
	}
	browser->trail[browser->depth++] = function;
	show(browser, function);
}

static void go_back(struct browser *browser)
{
	browser->depth--;
	if (browser->depth)
		show(browser, browser->trail[browser->depth - 1]);
	else
		forget_details(browser);
}

/* In a child, which has the terminal meanwhile. */
__attribute__((noreturn)) static void run_annotate(const struct browser *browser,
						   const struct td_report_function *f)
{
	const char *jitdump = browser->report->query.jitdump;
	char **argv = calloc((size_t)browser->count + 5, sizeof(*argv));
	char *module = NULL, *names = NULL;
	int argc = 0;

	if (!argv ||
	    asprintf(&module, "--module=%s", td_report_module(browser->report, f)) < 0 ||
	    (jitdump && asprintf(&names, "--jitdump=%s", jitdump) < 0))
		_exit(1);
	setenv("LESS", "R", 1);
	argv[argc++] = (char *)(uintptr_t) "annotate";
	argv[argc++] = module;
	if (names)
		argv[argc++] = names;
	argv[argc++] = f->name;
	for (int i = 0; i < browser->count; i++)
		argv[argc++] = browser->path[i];
	exit(td_cmd_annotate(argc, argv));
}

static void annotate(struct browser *browser, size_t function)
{
	int status = 0;
	pid_t pid;

	if (function == SIZE_MAX)
		return;
	def_prog_mode();
	endwin();
	pid = fork();
	if (pid == 0)
		run_annotate(browser, &browser->report->function[function]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	/* a pager waits for the reader, but for bad news there is none */
	if (pid < 0 || status || !td_pager_is_there()) {
		fputs("Enter goes on\n", stderr);
		while (pid > 0 && getchar() != '\n' && !feof(stdin))
			;
	}
	reset_prog_mode();
	clear();
}

static void help(void)
{
	td_tui_draw_help();
	getch();
}

/* Keys that move, for both screens: rows to go, 0 for another key. */
static long steps(int key, size_t height)
{
	switch (key) {
	case KEY_DOWN:
	case 'j':
		return 1;
	case KEY_UP:
	case 'k':
		return -1;
	case KEY_NPAGE:
		return (long)height;
	case KEY_PPAGE:
		return -(long)height;
	case KEY_HOME:
	case 'g':
		return -LONG_MAX;
	case KEY_END:
	case 'G':
		return LONG_MAX;
	default:
		return 0;
	}
}

static void filter_key(struct browser *browser, int key)
{
	char *filter = browser->list.filter;
	size_t length = strlen(filter);

	if (key == KEY_ESCAPE)
		filter[0] = '\0';
	else if ((key == KEY_BACKSPACE || key == 127 || key == 8) && length)
		filter[length - 1] = '\0';
	else if (key >= ' ' && key < 127 && length + 1 < TD_TUI_FILTER)
		filter[length] = (char)key, filter[length + 1] = '\0';
	if (key == KEY_ESCAPE || key == '\n' || key == KEY_ENTER)
		browser->prompt = false;
	td_tui_list_arrange(&browser->list);
}

static void sort_key(struct td_tui_list *list, int key)
{
	if (key == 'r') {
		list->reverse = !list->reverse;
		td_tui_list_arrange(list);
	} else {
		td_tui_list_sort(list, key == 's' ? 1 : -1);
	}
}

static void list_key(struct browser *browser, int key)
{
	struct td_tui_list *list = &browser->list;
	size_t function = td_tui_list_function(list);

	switch (key) {
	case '\n':
	case KEY_ENTER:
		enter(browser, function);
		break;
	case ' ':
		td_tui_list_open(list, function != SIZE_MAX && !list->open[function]);
		break;
	case KEY_RIGHT:
	case KEY_LEFT:
		td_tui_list_open(list, key == KEY_RIGHT);
		break;
	case 's':
	case 'S':
	case 'r':
		sort_key(list, key);
		break;
	case '/':
		browser->prompt = true;
		break;
	case KEY_ESCAPE:
		list->filter[0] = '\0';
		td_tui_list_arrange(list);
		break;
	case 'a':
		annotate(browser, function);
		break;
	default:
		break;
	}
	td_tui_list_move(list, steps(key, td_tui_list_height()), td_tui_list_height());
}

static void details_key(struct browser *browser, int key)
{
	struct td_tui_details *details = &browser->details;
	size_t height = td_tui_details_height();

	switch (key) {
	case '\n':
	case KEY_ENTER:
		enter(browser, details->line[details->at].link);
		break;
	case '\t':
		td_tui_details_link(details, 1, height);
		break;
	case KEY_BTAB:
		td_tui_details_link(details, -1, height);
		break;
	case KEY_ESCAPE:
	case KEY_BACKSPACE:
	case 127:
	case KEY_LEFT:
		go_back(browser);
		break;
	case 'a':
		annotate(browser, details->function);
		break;
	default:
		td_tui_details_move(details, steps(key, height), height);
		break;
	}
}

/* Lines are folded for the width: made anew, the cursor where it was. */
static void resized(struct browser *browser)
{
	size_t at = browser->details.at;

	if (!browser->details.line) {
		td_tui_list_move(&browser->list, 0, td_tui_list_height());
		return;
	}
	show(browser, browser->details.function);
	td_tui_details_move(&browser->details, (long)at, td_tui_details_height());
}

static void key_pressed(struct browser *browser, int key)
{
	if (key == KEY_RESIZE)
		resized(browser);
	else if (browser->prompt)
		filter_key(browser, key);
	else if (key == 'q')
		browser->leave = true;
	else if (key == '?')
		help();
	else if (browser->details.line)
		details_key(browser, key);
	else
		list_key(browser, key);
}

static void draw(const struct browser *browser)
{
	if (browser->details.line)
		td_tui_draw_details(browser->report, &browser->details);
	else
		td_tui_draw_list(&browser->list, browser->prompt);
}

static void browse(struct browser *browser)
{
	while (!browser->leave && !browser->err) {
		int key;

		draw(browser);
		errno = 0;
		key = getch();
		if (key != ERR)
			key_pressed(browser, key);
		else if (errno != EINTR)
			browser->leave = true; /* the terminal is gone */
	}
}

static int prepare(struct browser *browser)
{
	int err = td_tui_list_make(&browser->list, browser->report);

	if (!err && browser->report->has_paths) {
		err = td_paths_tree(browser->report, &browser->tree);
		browser->paths = &browser->tree;
	}
	return err;
}

int td_tui_run(const struct td_report *report, int count, char **path)
{
	struct browser browser = {.report = report, .count = count, .path = path};
	SCREEN *screen;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return -ENOTTY;
	browser.err = prepare(&browser);
	setlocale(LC_CTYPE, "");
	screen = browser.err ? NULL : newterm(NULL, stdout, stdin);
	if (screen) {
		set_escdelay(25);
		cbreak();
		noecho();
		keypad(stdscr, TRUE);
		curs_set(0);
		td_tui_draw_start();
		browse(&browser);
		endwin();
		delscreen(screen);
	} else if (!browser.err) {
		browser.err = -ENOTTY;
	}
	forget_details(&browser);
	td_paths_free(&browser.tree);
	td_tui_list_free(&browser.list);
	return browser.err;
}
