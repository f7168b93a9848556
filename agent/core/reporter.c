// SPDX-License-Identifier: MIT
#include "agent/core/reporter.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/core/core.h"
#include "agent/core/log.h"
#include "agent/sigsafe/store.h"
#include "agent/sigsafe/syscall.h"

#define STACK (64 * 1024)
#define ENVIRONMENT_MAX 32

/* What the report may know of the program's environment: above all not its
 * LD_PRELOAD and LD_LIBRARY_PATH. */
static const char *const passed_on[] = {
	"PATH",   "HOME",     "TERM",     "COLUMNS", "LANG",
	"LC_ALL", "LC_CTYPE", "NO_COLOR", "TMPDIR",
};

struct job {
	const char *tool;
	char *argv[6];
	char *envp[ENVIRONMENT_MAX];
	int keep_fd; /* to be inherited, -1 none */
	int error;   /* of exec, set by the child in our memory */
};

/* Directories up from the library to where the tool may be. */
static const char *const places[] = {
	"/../bin/tdagent",      /* installed */
	"/../../bin/tdagent",   /* installed, with a multiarch directory */
	"/../../tools/tdagent", /* the build tree */
};

static bool find_tool(char *path, size_t size)
{
	static char real[PATH_MAX]; /* one report a process, perhaps from a small stack */
	struct dl_find_object found;
	char *slash;

	/* not dladdr(), whose lock somebody has who is in dlopen(), perhaps for ever */
	if (_dl_find_object((void *)td_reporter_run, &found) == 0 &&
	    realpath(found.dlfo_link_map->l_name, real) &&
	    (slash = strrchr(real, '/')) != NULL) {
		*slash = 0;
		for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
			int n = snprintf(path, size, "%s%s", real, places[i]);

			if (n > 0 && (size_t)n < size && access(path, X_OK) == 0)
				return true;
		}
	}
	snprintf(path, size, "%s/tdagent", TD_BINDIR);
	return access(path, X_OK) == 0;
}

static void fill_environment(struct job *job)
{
	size_t used = 0;

	for (char **variable = environ; variable && *variable; variable++)
		for (size_t i = 0; i < sizeof(passed_on) / sizeof(passed_on[0]); i++) {
			size_t length = strlen(passed_on[i]);

			if (used < ENVIRONMENT_MAX - 1 &&
			    strncmp(*variable, passed_on[i], length) == 0 &&
			    (*variable)[length] == '=')
				job->envp[used++] = *variable;
		}
	job->envp[used] = NULL;
}

/* In the child, which shares our memory until exec: raw calls only. */
static int run_child(void *argument)
{
	struct job *job = argument;
	sigset_t none;

	sigemptyset(&none);
	td_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, 8);
	if (job->keep_fd >= 0)
		td_syscall3(SYS_fcntl, job->keep_fd, F_SETFD, 0);
	td_syscall3(SYS_dup3, 2, 1, 0); /* the program's stdout stays its own */
	/* what the program may have forbidden itself outlives exec */
	td_syscall2(SYS_prctl, PR_SET_TSC, PR_TSC_ENABLE);
	job->error = (int)td_syscall3(SYS_execve, job->tool, job->argv, job->envp);
	td_syscall1(SYS_exit, 127);
	return 127;
}

/* Starts the job and waits for it; the program's SIGCHLD and wait() see nothing. */
static int run_job(struct job *job)
{
	void *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	sigset_t all, saved;
	int status = 0;
	pid_t pid;

	if (stack == MAP_FAILED)
		return -ENOMEM;
	sigfillset(&all);
	td_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &saved, 8);
	pid = clone(run_child, (char *)stack + STACK, CLONE_VM | CLONE_VFORK, job);
	td_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &saved, NULL, 8);
	munmap(stack, STACK);
	if (pid < 0)
		return -errno;
	while (td_syscall4(SYS_wait4, pid, &status, __WALL, NULL) == -EINTR)
		;
	if (job->error)
		return job->error;
	/* what else went wrong the tool has said itself */
	return WIFEXITED(status) && WEXITSTATUS(status) != 127 ? 0 : -EIO;
}

static void name_report(char *argument, size_t size)
{
	static char path[TD_PATH_MAX];
	const char *program = strrchr(td_store.header->exe, '/');

	if (td_output_expand(td_core.options.report_file, td_core.pid,
			     program ? program + 1 : "program", path, sizeof(path)) == 0)
		snprintf(argument, size, "--output=%s", path);
}

void td_reporter_run(void)
{
	static char tool[PATH_MAX], output[TD_PATH_MAX + 16] = "--output=/dev/stderr";
	static char profile[sizeof(td_core.path)];
	struct job job = {.tool = tool, .keep_fd = -1};
	int error = -ENOENT;

	if (td_core.options.report == TD_REPORT_STDERR && !td_log_possible())
		return;
	if (td_core.path[0]) {
		snprintf(profile, sizeof(profile), "%s", td_core.path);
	} else {
		job.keep_fd = td_store.fd;
		snprintf(profile, sizeof(profile), "/proc/self/fd/%d", td_store.fd);
	}
	job.argv[0] = (char *)"tdagent";
	job.argv[1] = (char *)"report";
	job.argv[2] = (char *)"--no-pager"; /* the terminal is the program's */
	job.argv[3] = profile;
	if (td_core.options.report == TD_REPORT_FILE) {
		name_report(output, sizeof(output));
		job.argv[3] = output;
		job.argv[4] = profile;
	}
	fill_environment(&job);
	if (find_tool(tool, sizeof(tool)))
		error = run_job(&job);
	if (error && td_core.path[0])
		td_say("no report (%s); the profile is %s: tdagent report shows it",
		       error == -EIO ? "tdagent report failed" : strerror(-error),
		       td_core.path);
	else if (error)
		td_say("no report: %s", strerror(-error));
}
