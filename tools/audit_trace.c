// SPDX-License-Identifier: MIT
#include "tools/audit_trace.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/audit_step.h"

#define OPTIONS (PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD)

/* The sleeps between two looks at the CPU clock, and at a call that may wait. */
#define NAP_MIN_NS 20000
#define NAP_MAX_NS 2000000
#define CALL_NS 5000000
/* A thread that does not stop when asked has gone into an uninterruptible sleep. */
#define ASK_NS 20000000

struct thread {
	pid_t tid;
	bool leaving; /* in a system call that outlasted its window */
};

struct tracer {
	pid_t pid;
	const struct td_audit_settings *settings;
	struct td_audit_result *result;
	struct td_audit_stepper stepper;
	struct thread *thread;
	size_t threads, room;
	pid_t asked;   /* to stop for a window, 0: nobody */
	uint64_t next; /* CPU time of the next moment */
	clockid_t clock;
	uint64_t random;
	bool ended;
	int status;
};

int td_audit_seize(pid_t pid)
{
	return ptrace(PTRACE_SEIZE, pid, NULL, (void *)OPTIONS) ? -errno : 0;
}

/* splitmix64 (Vigna, public domain algorithm) */
static uint64_t random_next(struct tracer *t)
{
	uint64_t z = t->random += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* 1 to 2 * mean - 1, each as likely. */
static uint64_t random_about(struct tracer *t, uint64_t mean)
{
	return 1 + (uint64_t)((unsigned __int128)random_next(t) * (2 * mean - 1) >> 64);
}

/* What it was when the clock cannot be read any more. */
static uint64_t cpu_now(struct tracer *t)
{
	struct timespec now;

	if (!clock_gettime(t->clock, &now))
		t->result->cpu_ns =
			(uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	return t->result->cpu_ns;
}

static void plan(struct tracer *t)
{
	t->asked = 0;
	t->next = cpu_now(t) + random_about(t, t->settings->period_ns);
}

static void go_on(pid_t tid, int signal)
{
	ptrace(PTRACE_CONT, tid, NULL, (void *)(long)signal); /* NOLINT: a number */
}

static struct thread *find(struct tracer *t, pid_t tid)
{
	for (size_t i = 0; i < t->threads; i++)
		if (t->thread[i].tid == tid)
			return &t->thread[i];
	return NULL;
}

/* Without memory it is traced, and never chosen. */
static void add(struct tracer *t, pid_t tid)
{
	if (t->threads == t->room) {
		size_t room = t->room ? 2 * t->room : 16;
		void *grown = reallocarray(t->thread, room, sizeof(*t->thread));

		if (!grown)
			return;
		t->thread = grown;
		t->room = room;
	}
	t->thread[t->threads++] = (struct thread){.tid = tid};
	t->result->threads++;
}

static bool stepping(const struct tracer *t)
{
	return t->stepper.phase != TD_AUDIT_CLOSED;
}

static void forget(struct tracer *t, pid_t tid)
{
	struct thread *thread = find(t, tid);

	if (stepping(t) && t->stepper.tid == tid) {
		td_audit_stepper_abandon(&t->stepper, TD_AUDIT_ENDED);
		plan(t);
	}
	if (t->asked == tid)
		plan(t);
	if (thread)
		*thread = t->thread[--t->threads];
}

/* A process of its own, made by clone() with some other signal at its end. */
static bool is_thread_of(pid_t pid, pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)pid, (int)tid);
	return !access(path, F_OK);
}

static void arrived(struct tracer *t, pid_t tid)
{
	if (!is_thread_of(t->pid, tid)) {
		ptrace(PTRACE_DETACH, tid, NULL, NULL);
		return;
	}
	add(t, tid);
	go_on(tid, 0);
}

/* All other threads are gone, and the one that called it has the process's number. */
static void became_another(struct tracer *t)
{
	if (stepping(t))
		td_audit_stepper_abandon(&t->stepper, TD_AUDIT_ENDED);
	if (find(t, t->pid) != t->thread)
		t->thread[0] = (struct thread){.tid = t->pid};
	t->thread[0].leaving = false;
	t->threads = 1;
	plan(t);
	td_audit_code_exec(t->result->code);
	go_on(t->pid, 0);
}

static void open_window(struct tracer *t, pid_t tid)
{
	uint64_t length[TD_AUDIT_LENGTHS_MAX] = {0};

	t->asked = 0;
	for (size_t i = 0; i < t->settings->lengths; i++)
		length[i] = random_about(t, t->settings->length[i]);
	td_audit_stepper_open(&t->stepper, tid, length);
	if (!stepping(t))
		plan(t);
}

/*
 * Stopped by a signal.  When that came from the terminal the shell must see us
 * stopped, too; SIGSTOP is for the program alone, which somebody else may continue.
 */
static void group_stop(struct tracer *t, pid_t tid, int signal)
{
	ptrace(PTRACE_LISTEN, tid, NULL, NULL);
	if (t->asked == tid)
		plan(t);
	if (tid != t->pid || signal == SIGSTOP)
		return;
	raise(SIGSTOP);
	kill(t->pid, SIGCONT);
}

static void stopped(struct tracer *t, pid_t tid, int status)
{
	struct thread *thread = find(t, tid);
	int signal = WSTOPSIG(status);
	int event = status >> 16;

	if (event == PTRACE_EVENT_EXEC) {
		became_another(t);
	} else if (!thread) {
		arrived(t, tid);
	} else if (stepping(t) && t->stepper.tid == tid) {
		if (td_audit_stepper_stop(&t->stepper, status))
			group_stop(t, tid, signal);
		if (!stepping(t))
			plan(t);
	} else if (event == PTRACE_EVENT_STOP && signal != SIGTRAP) {
		group_stop(t, tid, signal);
	} else if (event == PTRACE_EVENT_STOP && t->asked == tid) {
		open_window(t, tid);
	} else {
		bool ours = event || signal == (SIGTRAP | 0x80);

		if (ours)
			thread->leaving = false;
		go_on(tid, ours ? 0 : signal);
		/* any stop takes a pending interrupt with it */
		if (t->asked == tid)
			plan(t);
	}
}

static void handle(struct tracer *t, pid_t tid, int status)
{
	if (WIFSTOPPED(status)) {
		stopped(t, tid, status);
		return;
	}
	forget(t, tid);
	if (tid == t->pid) {
		t->ended = true;
		t->status = status;
	}
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Sleeps until a child has something to say, or that long. */
static void nap(uint64_t ns)
{
	struct timespec timeout = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigtimedwait(&child, NULL, &timeout);
}

/*
 * Handles one stop or end; waits for it at most that long, UINT64_MAX: for ever.
 * Returns false if there was none.
 */
static bool handle_next(struct tracer *t, uint64_t ns)
{
	int status;
	pid_t tid = waitpid(-1, &status, __WALL | (ns == UINT64_MAX ? 0 : WNOHANG));

	/* a SIGCHLD may be of what was handled before */
	for (uint64_t now = now_ns(), end = now + ns; !tid && now < end; now = now_ns()) {
		nap(end - now);
		tid = waitpid(-1, &status, __WALL | WNOHANG);
	}
	if (tid > 0)
		handle(t, tid, status);
	else if (tid < 0 && errno == ECHILD) /* cannot be: it was ours */
		t->ended = true;
	return tid > 0;
}

/* One of the threads that are running, each as likely; 0: none is. */
static pid_t choose(struct tracer *t)
{
	uint64_t running = 0;
	pid_t chosen = 0;

	for (size_t i = 0; i < t->threads; i++) {
		const struct thread *thread = &t->thread[i];

		if (thread->leaving || td_audit_state(t->pid, thread->tid) != 'R')
			continue;
		running++;
		if ((unsigned __int128)random_next(t) * running >> 64 == 0)
			chosen = thread->tid;
	}
	return chosen;
}

static uint64_t nap_length(struct tracer *t, uint64_t now)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t busy = cpus > 0 && t->threads > (size_t)cpus ? (uint64_t)cpus
			: t->threads                          ? t->threads
							      : 1;
	uint64_t ns = t->next > now ? (t->next - now) / busy : 0;

	return ns < NAP_MIN_NS ? NAP_MIN_NS : ns > NAP_MAX_NS ? NAP_MAX_NS : ns;
}

/* Nothing is stepped: wait for the next moment, and choose who it meets. */
static void wait_for_moment(struct tracer *t)
{
	uint64_t now;

	if (t->result->moments >= t->settings->windows) {
		handle_next(t, UINT64_MAX);
		return;
	}
	now = cpu_now(t);
	if (now < t->next) {
		handle_next(t, nap_length(t, now));
		return;
	}
	t->asked = choose(t);
	if (t->asked && ptrace(PTRACE_INTERRUPT, t->asked, NULL, NULL))
		t->asked = 0;
	if (!t->asked)
		handle_next(t, NAP_MIN_NS);
}

static void turn(struct tracer *t)
{
	if (t->asked) {
		if (!handle_next(t, ASK_NS))
			plan(t); /* its stop will be passed over */
	} else if (!stepping(t)) {
		wait_for_moment(t);
	} else if (t->stepper.phase != TD_AUDIT_CALL) {
		handle_next(t, UINT64_MAX);
	} else if (!handle_next(t, CALL_NS)) {
		td_audit_stepper_look(&t->stepper);
		if (!stepping(t)) {
			struct thread *thread = find(t, t->stepper.tid);

			if (thread)
				thread->leaving = true;
			plan(t);
		}
	}
}

int td_audit_trace(pid_t pid, const struct td_audit_settings *settings,
		   struct td_audit_result *result)
{
	struct tracer t = {.pid = pid,
			   .settings = settings,
			   .result = result,
			   .random = settings->seed,
			   .stepper = {.result = result, .pid = pid}};
	sigset_t child;

	*result = (struct td_audit_result){.table.classes = settings->lengths};
	result->code = td_audit_code_new(pid);
	add(&t, pid);
	if (!result->code || !t.threads) {
		free(t.thread);
		return -ENOMEM;
	}
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	clock_getcpuclockid(pid, &t.clock);
	plan(&t);
	while (!t.ended)
		turn(&t);
	free(t.thread);
	return t.status;
}

void td_audit_result_free(struct td_audit_result *result)
{
	if (result->code)
		td_audit_code_free(result->code);
	td_audit_free(&result->table);
}
