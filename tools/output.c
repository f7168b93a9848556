// SPDX-License-Identifier: MIT
#include "tools/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/commands.h"
#include "tools/directory.h"
#include "tools/found.h"

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Appends `text` to a pattern: its % are no conversions. */
static int append_escaped(char *pattern, size_t size, const char *text)
{
	size_t used = strlen(pattern);

	for (; *text; text++) {
		if (used + 3 > size)
			return -ENAMETOOLONG;
		if (*text == '%')
			pattern[used++] = '%';
		pattern[used++] = *text;
	}
	pattern[used] = '\0';
	return 0;
}

static int append(char *pattern, size_t size, const char *text)
{
	size_t used = strlen(pattern);

	if (strlen(text) >= size - used)
		return -ENAMETOOLONG;
	strcpy(pattern + used, text);
	return 0;
}

static int pattern_fresh(struct td_output *output, char *why, size_t why_size)
{
	char directory[PATH_MAX];
	size_t size = sizeof(output->pattern);
	int error = td_directory_fresh(output->program, directory, sizeof(directory), why,
				       why_size);

	if (error)
		return error;
	error = append_escaped(output->pattern, size, directory);
	if (!error)
		error = append(output->pattern, size, "/%e.%p.tdp");
	if (error) {
		rmdir(directory);
		snprintf(why, why_size, "%s: the path is too long", directory);
	}
	output->fresh = !error;
	return error;
}

/* The directory of the profile that process `pid` writes. */
static int directory_of(const struct td_output *output, uint32_t pid, char *directory,
			size_t size)
{
	int error =
		td_output_expand(output->pattern, pid, output->program, directory, size);

	char *slash;

	if (error)
		return error;
	slash = strrchr(directory, '/');
	slash[slash == directory] = '\0'; /* "/" keeps its own */
	return 0;
}

/* A directory with %p in its name is the agent's to find fault with. */
static int directory_check(const struct td_output *output, char *why, size_t why_size)
{
	const char *slash = strrchr(output->pattern, '/');
	char directory[PATH_MAX];

	if (memmem(output->pattern, (size_t)(slash - output->pattern), "%p", 2) ||
	    directory_of(output, 0, directory, sizeof(directory)))
		return 0;
	if (!access(directory, W_OK | X_OK))
		return 0;
	snprintf(why, why_size,
		 "%s: %s; give --output=FILE in a directory that you can write",
		 directory, strerror(errno));
	return -EACCES;
}

static int pattern_given(struct td_output *output, const char *given, char *why,
			 size_t why_size)
{
	char *directory = *given == '/' ? NULL : getcwd(NULL, 0);
	size_t size = sizeof(output->pattern);
	int error = 0;

	if (directory)
		error = append_escaped(output->pattern, size, directory);
	if (directory && !error)
		error = append(output->pattern, size, "/");
	free(directory);
	if (!error)
		error = append(output->pattern, size, given);
	if (error) {
		snprintf(why, why_size, "%s: the path is too long", given);
		return error;
	}
	return directory_check(output, why, why_size);
}

int td_output_open(struct td_output *output, const char *given, const char *program,
		   char *why, size_t why_size)
{
	const char *slash = strrchr(program, '/');

	*output = (struct td_output){.since = now()};
	snprintf(output->program, sizeof(output->program), "%s",
		 slash ? slash + 1 : program);
	if (*given)
		return pattern_given(output, given, why, why_size);
	return pattern_fresh(output, why, why_size);
}

void td_output_close(const struct td_output *output)
{
	char directory[PATH_MAX];

	if (output->fresh && !directory_of(output, 0, directory, sizeof(directory)))
		rmdir(directory);
}

/* The report goes to a descriptor, not to a name: /dev/stderr would be
 * opened anew and a log behind it overwritten. */
static int destination_open(const struct td_output *output,
			    const struct td_options *options, uint32_t pid)
{
	char path[PATH_MAX];
	int fd;

	if (options->report == TD_REPORT_STDERR)
		return dup(STDERR_FILENO);
	if (td_output_expand(options->report_file, pid, output->program, path,
			     sizeof(path)))
		return -1;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		fprintf(stderr, "tdagent run: %s: %s\n", path, strerror(errno));
	return fd;
}

/* One report of the profiles of `pid`, or of all others one by one. */
static void report_process(const struct td_found *found, uint32_t pid)
{
	char **argv = calloc(found->count + 3, sizeof(*argv));
	int argc = 0;

	if (!argv)
		return;
	argv[argc++] = (char[]){"report"};
	argv[argc++] = (char[]){"--no-pager"};
	for (size_t i = 0; i < found->count; i++)
		if (found->profiles[i].pid == pid)
			argv[argc++] = found->profiles[i].path;
	if (argc > 2)
		td_cmd_report(argc, argv);
	fflush(stdout);
	free(argv);
}

static void report_others(const struct td_found *found, uint32_t pid)
{
	for (size_t i = 0; i < found->count; i++) {
		uint32_t other = found->profiles[i].pid;
		size_t first = 0;

		while (found->profiles[first].pid != other)
			first++;
		if (other != pid && first == i)
			report_process(found, other);
	}
}

static void report(const struct td_output *output, const struct td_options *options,
		   const struct td_found *found, uint32_t pid)
{
	int fd;

	if (options->report == TD_REPORT_NONE || !found->count)
		return;
	fd = destination_open(output, options, pid);
	if (fd < 0)
		return;
	if (fd != STDOUT_FILENO) {
		dup2(fd, STDOUT_FILENO);
		close(fd);
	}
	/* a reader that went away must not change how we end */
	signal(SIGPIPE, SIG_IGN);
	report_process(found, pid);
	if (options->children == TD_CHILDREN_REPORT)
		report_others(found, pid);
}

/* CPU time in user mode that starting a program takes before the agent's turn. */
#define START_NS 20000000u

/* The long period that a short program needs. */
#define SHORT_RUN "--long=100us"
#define SHORT_RUN_NS 100000u

static uint64_t user_ns(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_CHILDREN, &usage))
		return UINT64_MAX;
	return (uint64_t)usage.ru_utime.tv_sec * 1000000000 +
	       (uint64_t)usage.ru_utime.tv_usec * 1000;
}

/*
 * A program that used too little CPU time leaves no profile, by design.  Its
 * children's time cannot be told from its own, but where they left profiles,
 * the agent started in the program too.
 */
static bool say_no_samples(const struct td_options *options, const struct td_found *found,
			   int status)
{
	bool little = options->long_period.unit == TD_UNIT_NS &&
		      user_ns() <= 2 * options->long_period.value + START_NS;
	char period[32];

	if (!WIFEXITED(status) || (!little && !found->count))
		return false;
	td_period_print(&options->long_period, period, sizeof(period));
	if (options->report != TD_REPORT_NONE)
		fprintf(stderr,
			"tdagent run: no sample was taken: the program itself used too "
			"little CPU time in user mode for --long=%s%s\n",
			period,
			options->long_period.value > SHORT_RUN_NS ? "; " SHORT_RUN
								    " sees more"
								  : "");
	return true;
}

/* As much as can be told from outside; the agent's own line came before. */
static void say_why_none(const char *directory, int status)
{
	struct statvfs space;

	fputs("tdagent run: no profile was written: ", stderr);
	if (access(directory, W_OK | X_OK))
		fprintf(stderr, "%s: %s\n", directory, strerror(errno));
	else if (!statvfs(directory, &space) && !space.f_bavail)
		fprintf(stderr, "%s: the file system is full\n", directory);
	else if (WIFSIGNALED(status))
		fprintf(stderr,
			"the program was ended by signal %d (%s) before it began\n",
			WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status) == 127)
		fputs("the program did not start (exit status 127); a library of it may "
		      "be missing\n",
		      stderr);
	else
		fputs("the agent has said why, or did not start in it: it may have "
		      "become a static or setuid program; --debug=core tells more\n",
		      stderr);
}

static void say_where(const struct td_found *found, uint32_t pid, const char *directory)
{
	const char *where = NULL;
	size_t others = 0;

	for (size_t i = 0; i < found->count; i++) {
		if (found->profiles[i].pid == pid)
			where = found->profiles[i].path;
		else
			others++;
	}
	if (where)
		fprintf(stderr, "tdagent run: profile: %s\n", where);
	if (others)
		fprintf(stderr,
			"tdagent run: %zu more profile%s of its child processes in %s\n",
			others, others == 1 ? "" : "s", directory);
}

static bool has_profile(const struct td_found *found, uint32_t pid)
{
	for (size_t i = 0; i < found->count; i++)
		if (found->profiles[i].pid == pid)
			return true;
	return false;
}

void td_output_report(const struct td_output *output, const struct td_options *options,
		      uint32_t pid, int status)
{
	struct td_found found;
	char directory[PATH_MAX];

	if (directory_of(output, pid, directory, sizeof(directory)))
		return;
	td_found_list(directory, output->since, &found);
	report(output, options, &found, pid);
	if (!has_profile(&found, pid) && !say_no_samples(options, &found, status))
		say_why_none(directory, status);
	/* who wants no report and named the file needs no more words */
	if (options->report != TD_REPORT_NONE || output->fresh)
		say_where(&found, pid, directory);
	td_found_release(&found);
}
