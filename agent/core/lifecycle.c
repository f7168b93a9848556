// SPDX-License-Identifier: MIT
#include "agent/core/lifecycle.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/core/actions.h"
#include "agent/core/backend.h"
#include "agent/core/callpaths.h"
#include "agent/core/core.h"
#include "agent/core/facts.h"
#include "agent/core/latency.h"
#include "agent/core/log.h"
#include "agent/core/masks.h"
#include "agent/core/notes.h"
#include "agent/core/profile.h"
#include "agent/core/real.h"
#include "agent/core/reporter.h"
#include "agent/core/stacks.h"
#include "agent/core/threads.h"
#include "agent/core/vernier.h"
#include "agent/sigsafe/clock.h"
#include "agent/sigsafe/descriptors.h"
#include "agent/sigsafe/handler.h"
#include "agent/sigsafe/syscall.h"

struct td_core td_core;

static pthread_mutex_t core_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t end_key; /* its destructor ends a thread's part */
static sigset_t fork_mask;    /* between the fork handlers, under the lock */

void td_core_lock(sigset_t *saved)
{
	sigset_t all, before;

	sigfillset(&all);
	td_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, 8);
	pthread_mutex_lock(&core_mutex);
	/* not earlier: who has had the lock until now may have it in the same place */
	*saved = before;
}

void td_core_unlock(const sigset_t *saved)
{
	pthread_mutex_unlock(&core_mutex);
	td_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, saved, NULL, 8);
}

/* One TDAGENT_NAME=value of the environment; a bad one keeps the default. */
static void set_option(const char *variable, struct td_options *options)
{
	const char *equals = strchr(variable, '=');
	char name[64], why[256];
	size_t length;

	if (!equals)
		return;
	length = (size_t)(equals - variable);
	if (length >= sizeof(name))
		length = sizeof(name) - 1;
	memcpy(name, variable, length);
	name[length] = 0;
	if (td_options_set(options, name, equals + 1, why, sizeof(why)) != 0 &&
	    !td_core.quiet)
		td_say("%s", why);
}

static void read_options(struct td_options *options)
{
	struct td_options defaults;
	char why[256];

	td_options_init(options);
	for (char **variable = environ; variable && *variable; variable++)
		if (strncmp(*variable, "TDAGENT_", 8) == 0)
			set_option(*variable + 8, options);
	if (td_options_check(options, why, sizeof(why)) != 0) {
		if (!td_core.quiet)
			td_say("%s", why);
		td_options_init(&defaults);
		options->long_period = defaults.long_period;
		options->short_period = defaults.short_period;
	}
	td_debug_areas = options->debug;
}

static int choose(void)
{
	int error = td_core.confinement == TD_CONFINED_NO_PERF
			    ? td_backend_choose_timer(&td_core.options, &td_core.choice)
			    : td_backend_choose(&td_core.options, &td_core.choice);

	if (error)
		td_core_note("not profiling: %s", td_core.choice.reason);
	return error;
}

/* A child of which nobody waits for a report may go without a file until it has
 * something for it.  Rings are emptied outside of handlers, too. */
static bool may_wait(void)
{
	return td_core.quiet && td_core.choice.windows != TD_WINDOWS_VERNIER;
}

/* Everything that a process needs, the first one and a forked child alike.
 * `chosen`: how to measure is known, and the handler is installed. */
static void begin(bool chosen)
{
	static char why[sizeof(td_core.path) + 256];
	int error;

	td_core.pid = (uint32_t)getpid();
	td_core.seed = td_core.options.seed ? td_core.options.seed
					    : td_clock_now(CLOCK_REALTIME) ^ td_core.pid;
	if (!chosen && choose() != 0)
		return;
	error = td_profile_create(td_backend_counters(&td_core.choice), may_wait(), why,
				  sizeof(why));
	if (error) {
		td_core_note("not profiling: %s", why);
		if (chosen)
			td_actions_remove();
		return;
	}
	td_notes_begin(td_store.header);
	td_callpaths_start();
	td_backend_describe(&td_core.options, &td_core.choice, td_store.header);
	td_latency_detect(&td_core.options, td_store.header);
	error = chosen ? 0 : td_actions_install();
	if (error) {
		td_core_note("not profiling: no handler for signal %d: %s",
			     td_signal.number, strerror(-error));
		td_profile_close(1);
		return;
	}
	td_debug(TD_DEBUG_CORE, "profile %s: %s", td_core.path, td_core.choice.reason);
	atomic_store(&td_core.running, true);
	td_threads_attach_self();
}

static void before_fork(void)
{
	if (!td_core_is_mute())
		td_core_lock(&fork_mask);
}

static atomic_bool gave_rights_up;

/* Who has become another user may not write where the files of its children go, which
 * say nothing. */
static void look_for_room(void)
{
	static bool said;
	char directory[sizeof(td_core.path)];
	char *slash;

	if (said || !atomic_load(&gave_rights_up) || !td_core.options.output[0] ||
	    td_core.options.children == TD_CHILDREN_OFF)
		return;
	memcpy(directory, td_core.path, sizeof(directory));
	slash = strrchr(directory, '/');
	if (!slash)
		return; /* in memory: that was said */
	slash[1] = 0;
	said = access(directory, W_OK | X_OK) != 0;
	if (said)
		td_core_note("children have no profiles: %s cannot be written any more: "
			     "%s; set TDAGENT_OUTPUT to a place that works",
			     directory, strerror(errno));
}

static void after_fork_in_parent(void)
{
	int saved_errno = errno;
	sigset_t mask = fork_mask;

	if (td_core_is_mute())
		return;
	if (atomic_load(&td_core.running))
		look_for_room();
	td_core_unlock(&mask);
	errno = saved_errno;
}

/* What a child takes over: between the two handlers in it. */
static bool fork_goes_on, fork_chosen, fork_hidden, fork_rests;
static int fork_signal;

/* The parent's events, profile and threads are not ours: lets go of them without
 * an ioctl or a write.  Before others' handlers in the child, which may start threads: so
 * under the program's mask, but for what was hidden of it, and without malloc(), whose
 * own handler may be among them. */
static void let_go(void)
{
	sigset_t mask = fork_mask;

	fork_goes_on = atomic_load(&td_core.running) && !atomic_load(&td_core.down) &&
		       td_core.options.children != TD_CHILDREN_OFF;
	fork_chosen = fork_goes_on && td_backend_inherit(&td_core.choice);
	fork_hidden = td_masks_hidden();
	fork_rests = td_self && td_self->rests;
	fork_signal = td_signal.number;
	if (td_core.pid)
		td_core.pid = (uint32_t)getpid();
	pthread_mutex_init(&core_mutex, NULL);
	atomic_store(&td_core.running, false);
	td_threads_forget();
	if (!fork_chosen)
		td_actions_remove();
	td_profile_close(0);
	td_identity_forget();
	td_paths_forget();
	if (fork_hidden)
		sigaddset(&mask, fork_signal);
	td_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, 8);
}

/* Behind others' handlers: a process of its own.  It opens files, which is no place of
 * the program's where a thread that is to be cancelled ends. */
static void start_anew(void)
{
	sigset_t all, mask;
	int cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	sigfillset(&all);
	td_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &mask, 8);
	td_core.quiet = td_core.options.children == TD_CHILDREN_QUIET;
	begin(fork_chosen);
	if (fork_rests)
		td_threads_rest(true);
	/* the forking thread's mask was hidden: so is ours, or as the program knows it */
	if (fork_hidden && td_self && sigismember(&mask, fork_signal) == 1) {
		td_self->unblocked = true;
		sigdelset(&mask, fork_signal); /* none that came there waits here */
	}
	td_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, 8);
	pthread_setcancelstate(cancel, NULL);
}

static void after_fork_in_child(void)
{
	if (!td_core_is_mute())
		let_go();
}

static void behind_fork_in_child(void)
{
	if (!td_core_is_mute() && fork_goes_on)
		start_anew();
}

void td_lifecycle_watch_forks(void)
{
	static atomic_bool watched;

	if (!atomic_exchange(&watched, true))
		td_real()->__register_atfork(before_fork, after_fork_in_parent,
					     after_fork_in_child, NULL);
}

/* Other destructors of the thread may still run code worth profiling: let them
 * go first, as far as libc repeats its rounds. */
static void end_thread(void *rounds)
{
	uintptr_t round = (uintptr_t)rounds;

	if (round < PTHREAD_DESTRUCTOR_ITERATIONS - 1)
		pthread_setspecific(end_key, (void *)(round + 1));
	else
		td_threads_detach_self();
}

size_t td_lifecycle_stack_room(void)
{
	return atomic_load(&td_core.running) && !td_core_is_mute() ? td_stacks_room() : 0;
}

void td_lifecycle_thread_begin(bool hidden, size_t stack)
{
	if (!atomic_load(&td_core.running) || td_core_is_mute())
		return;
	td_stacks_know(stack);
	td_threads_attach_self();
	td_masks_begin(hidden);
	pthread_setspecific(end_key, (void *)1);
}

/* Before the other options: to say what is wrong with them takes system calls. */
static enum td_seccomp seccomp_option(void)
{
	static struct td_options options;
	const char *value = getenv("TDAGENT_SECCOMP");
	char why[256];

	td_options_init(&options);
	if (value)
		td_options_set(&options, "SECCOMP", value, why, sizeof(why));
	return options.seccomp;
}

/* Whether we can live under the filter that the program was started with, if one is
 * there; if not, not a system call more. */
static bool is_tolerated(void)
{
	enum td_seccomp how = seccomp_option();

	if (how == TD_SECCOMP_TRUST || !td_confined_by_filter())
		return true;
	td_core.confinement =
		how == TD_SECCOMP_OFF ? TD_CONFINED_MUTE : td_confined_look();
	if (td_core.confinement < TD_CONFINED)
		return true;
	if (td_core.confinement == TD_CONFINED && !td_facts_parent_is_profiled()) {
		td_log_start();
		td_say("not profiling: a seccomp filter ends who makes the system calls of "
		       "a profiler");
	}
	atomic_store(&td_core.down, TD_DOWN_SECCOMP);
	return false;
}

/* Why nothing can be measured in this program without harm to it, NULL if it can. */
static const char *unfit(void)
{
	if (!td_facts_program_uses_libc())
		return "the program uses no C library, and has signals that we would not know of";
	if (td_facts_under_valgrind())
		return "valgrind runs the program, and a signal of ours would end it";
	return NULL;
}

void td_lifecycle_start(void)
{
	bool child;

	if (!is_tolerated())
		return;
	td_log_start();
	child = td_facts_parent_is_profiled();
	if (unfit()) {
		if (!child)
			td_say("not profiling: %s", unfit());
		return;
	}
	td_core.quiet = child;
	read_options(&td_core.options);
	if (child && td_core.options.children == TD_CHILDREN_OFF)
		return;
	if (td_core.options.children == TD_CHILDREN_REPORT)
		td_core.quiet = false;
	if (pthread_key_create(&end_key, end_thread) != 0)
		return;
	td_stacks_know_first();
	begin(false);
	if (!atomic_load(&td_core.running))
		return;
	pthread_setspecific(end_key, (void *)1); /* main may call pthread_exit() */
	td_threads_attach_others();
	td_lifecycle_watch_forks();
	td_real()->__register_atfork(NULL, NULL, behind_fork_in_child, NULL);
	at_quick_exit(td_lifecycle_finish);
}

/* A profile without a sample is of no use to anybody. */
static void finish_without_samples(void)
{
	if (!td_core.quiet && td_core.options.report == TD_REPORT_STDERR)
		td_say("no sample was taken: the program used less CPU time in user mode than the "
		       "long period (%llu us on average); TDAGENT_LONG=100us sees more",
		       (unsigned long long)td_core.choice.plan.long_period / 1000);
	td_profile_discard();
}

static void say_down(enum td_down why)
{
	if (why == TD_DOWN_SIGNAL)
		td_core_note(
			"the program reads signal %d from a descriptor, which we use: "
			"measured until then",
			td_signal.number);
	else if (why == TD_DOWN_TRACED)
		td_core_note("the program lets its parent trace it: measured until then");
	else
		td_core_note("the program %s: measured until then%s%s",
			     why == TD_DOWN_SECCOMP
				     ? "confines itself (seccomp)"
				     : "handles system calls itself (user dispatch)",
			     td_core.path[0] ? "; tdagent report " : "", td_core.path);
}

/* Whatever comes later, not a word from us; a filter may mean every thread. */
static void leave_confined(void)
{
	td_threads_settle();
	td_store.header->end_ns = td_clock_now(CLOCK_MONOTONIC);
	td_store.header->state = TD_STATE_EXITED;
	if (!td_threads_sampled())
		td_profile_discard();
	td_descriptor_forget_all();
}

void td_lifecycle_stand_down(enum td_down why)
{
	int saved_errno = errno;
	sigset_t saved;

	if (!td_core_is_here() || !atomic_load(&td_core.running) ||
	    atomic_load(&td_core.down) >= (int)why)
		return;
	if (!atomic_load(&td_core.down))
		say_down(why);
	td_masks_show();
	td_threads_finish();
	td_core_lock(&saved);
	td_handler_drain();
	if (why >= TD_DOWN_SECCOMP)
		leave_confined();
	td_core_unlock(&saved);
	atomic_store(&td_core.down, why);
	errno = saved_errno;
}

void td_lifecycle_settle(void)
{
	int saved_errno = errno;
	sigset_t saved;

	if (!td_store.later || !td_core_is_here())
		return;
	td_core_lock(&saved);
	td_store_settle();
	td_core_unlock(&saved);
	errno = saved_errno;
}

void td_lifecycle_give_up_rights(void)
{
	if (!td_core_is_elsewhere())
		atomic_store(&gave_rights_up, true);
	td_lifecycle_settle();
}

void td_lifecycle_finish(void)
{
	int saved_errno = errno;

	if (!td_core_is_here() || !atomic_exchange(&td_core.running, false))
		return;
	td_threads_finish();
	td_store.header->end_ns = td_clock_now(CLOCK_MONOTONIC);
	td_store.header->state = TD_STATE_EXITED;
	if (!td_threads_sampled())
		finish_without_samples();
	else if (!td_core.quiet && td_core.options.report != TD_REPORT_NONE)
		td_reporter_run();
	errno = saved_errno;
}

bool td_lifecycle_before_exec(void)
{
	if (td_core_is_elsewhere())
		td_actions_before_exec_elsewhere();
	if (!td_core_is_here() || !atomic_load(&td_core.running))
		return false;
	td_actions_before_exec();
	td_vernier_drain_all();
	td_latency_take_own();
	td_store.header->end_ns = td_clock_now(CLOCK_MONOTONIC);
	td_store.header->state = TD_STATE_EXEC;
	return true;
}

void td_lifecycle_after_failed_exec(void)
{
	td_store.header->state = TD_STATE_RUNNING;
	td_store.header->end_ns = 0;
	td_actions_after_exec();
}
