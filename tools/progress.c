// SPDX-License-Identifier: MIT
#include "tools/progress.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "decoder/names.h"
#include "decoder/text.h"
#include "tools/live.h"
#include "tools/print.h"

struct td_progress {
	pid_t pid;
	struct timespec start;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t ended;
	int end;       /* under lock: the thread shall end */
	char *figures; /* the thread's: of the last line that had some */
};

static double seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) +
	       (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

/* "; Retir 29 BadSp 10 ... %", of complete totals. */
static void put_topdown(FILE *line, const struct td_report *report)
{
	struct td_topdown_map map = {.slots = td_report_counter(report, "slots")};
	struct td_topdown_value node[TD_NODES];

	for (int i = 0; i < TD_NODES; i++)
		map.node[i] = td_report_counter(report, td_topdown_tree[i].name);
	if (map.slots != 0 || !report->total[0])
		return;
	td_topdown_totals(&map, report->total, report->total_rounded, node);
	if (!node[TD_NODE_RETIRING].present)
		return;
	fputc(';', line);
	for (int i = 0; i < TD_NODES_LEVEL1 && node[i].present; i++)
		fprintf(line, " %.5s %.0f", td_topdown_tree[i].title,
			100 * node[i].estimate.value);
	fputs(" %", line);
}

/* What there is of the profile up to now; nothing while there is none. */
static void put_profile(FILE *line, pid_t pid)
{
	struct td_report_query query = {.top = 0};
	char path[TD_LIVE_PATH], why[TD_LIVE_PATH];
	struct td_profile profile;
	struct td_report *report;

	if (td_live_find(pid, path, why, sizeof(why)) < 0 ||
	    td_profile_read(&profile, path, why, sizeof(why)) != 0)
		return;
	report = td_report_new(&query);
	if (report && td_report_add(report, &profile, path, TD_FATE_RUNNING) == 0) {
		fprintf(line, "%s, %" PRIu64 " samples, %" PRIu64 " windows",
			report->simulated ? " SIMULATED" : "", report->samples,
			report->windows);
		if (report->elsewhere)
			fprintf(line, " (%s cores; %" PRIu64 " samples on the others)",
				td_cores_name(report->cores), report->elsewhere);
		put_topdown(line, report);
	}
	if (report)
		td_report_free(report);
	td_profile_free(&profile);
}

/* While the program ends, or goes on as one without us, the last figures stay. */
static void find_figures(struct td_progress *progress)
{
	size_t size;
	char *text = NULL;
	FILE *line = open_memstream(&text, &size);

	if (!line)
		return;
	put_profile(line, progress->pid);
	if (fclose(line) == 0 && size) {
		free(progress->figures);
		progress->figures = text;
		return;
	}
	free(text);
}

static void show(struct td_progress *progress)
{
	size_t width = td_print_style_of(stderr).width, size;
	char *text = NULL;
	FILE *line;

	find_figures(progress);
	line = open_memstream(&text, &size);
	if (!line)
		return;
	fprintf(line, "tdagent: %.0f s%s", seconds_since(&progress->start),
		progress->figures ? progress->figures : "");
	/* at the last column the terminal would begin another line */
	if (fclose(line) == 0)
		fprintf(stderr, "\r%.*s\033[K", (int)td_text_prefix(text, width - 1),
			text);
	free(text);
}

static void *work(void *context)
{
	struct td_progress *progress = context;
	struct timespec next = progress->start;

	pthread_mutex_lock(&progress->lock);
	while (!progress->end) {
		next.tv_sec++;
		while (!progress->end &&
		       pthread_cond_timedwait(&progress->ended, &progress->lock, &next) !=
			       ETIMEDOUT)
			;
		if (!progress->end)
			show(progress);
	}
	pthread_mutex_unlock(&progress->lock);
	fputs("\r\033[K", stderr);
	return NULL;
}

/* The signals that are for the program go to the thread that waits for it. */
static int start_thread(struct td_progress *progress)
{
	pthread_condattr_t clock;
	sigset_t all, before;
	int err;

	pthread_mutex_init(&progress->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&progress->ended, &clock);
	pthread_condattr_destroy(&clock);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&progress->thread, NULL, work, progress);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

struct td_progress *td_progress_start(pid_t pid)
{
	struct td_progress *progress =
		isatty(STDERR_FILENO) ? calloc(1, sizeof(*progress)) : NULL;

	if (!progress)
		return NULL;
	progress->pid = pid;
	clock_gettime(CLOCK_MONOTONIC, &progress->start);
	if (start_thread(progress)) {
		free(progress);
		return NULL;
	}
	return progress;
}

void td_progress_stop(struct td_progress *progress)
{
	if (!progress)
		return;
	pthread_mutex_lock(&progress->lock);
	progress->end = 1;
	pthread_cond_signal(&progress->ended);
	pthread_mutex_unlock(&progress->lock);
	pthread_join(progress->thread, NULL);
	free(progress->figures);
	free(progress);
}
