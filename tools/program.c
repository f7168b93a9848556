// SPDX-License-Identifier: MIT
#include "tools/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "decoder/native.h"
#include "decoder/preload.h"

#define SCRIPTS_MAX 5 /* #! lines that the kernel follows */

__attribute__((format(printf, 3, 4))) static int refuse(char *why, size_t size,
							const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(why, size, format, arguments);
	va_end(arguments);
	return TD_PROGRAM_REFUSED;
}

/* Where the sanitizer's runtime is the first already, we come second. */
static int refuse_sanitizer(const char *runtime, char *why, size_t size)
{
	const char *preloads = getenv("LD_PRELOAD");

	if (preloads && td_preload_sanitizer(preloads))
		return 0;
	return refuse(why, size,
		      "uses AddressSanitizer, whose runtime must be the first library; "
		      "set LD_PRELOAD=%s",
		      runtime);
}

static int check_elf(int fd, enum td_program_use use, char *why, size_t size)
{
	char name[TD_PRELOAD_NAME];
	enum td_preload how = td_preload_into(fd, name);

	if (use == TD_PROGRAM_TRACE && how != TD_PRELOAD_MACHINE)
		return 0;
	switch (how) {
	case TD_PRELOAD_WELL:
		break;
	case TD_PRELOAD_MACHINE:
		return refuse(why, size,
			      "is not a program for " TD_NATIVE_NAME
			      ", and this tdagent is");
	case TD_PRELOAD_LIBC:
		return refuse(
			why, size,
			"uses another C library (its loader is %s); tdagent needs glibc",
			name);
	case TD_PRELOAD_SANITIZER:
		return refuse_sanitizer(name, why, size);
	case TD_PRELOAD_STATIC:
		return refuse(
			why, size,
			"is statically linked; LD_PRELOAD cannot reach it; link it dynamically");
	case TD_PRELOAD_ALONE:
		return refuse(
			why, size,
			"uses no C library, and has signals that we would not know of; "
			"link it with libc (Go: -ldflags=-linkmode=external)");
	}
	return 0;
}

/* Where exec changes identity or rights, the loader ignores LD_PRELOAD; and the kernel
 * does not give them to a process that is traced. */
static int check_rights(int fd, enum td_program_use use, char *why, size_t size)
{
	struct stat stat;
	const char *what = NULL;

	if (fstat(fd, &stat))
		return refuse(why, size, "%s", strerror(errno));
	if (stat.st_mode & S_ISUID)
		what = "is setuid";
	else if ((stat.st_mode & S_ISGID) && (stat.st_mode & S_IXGRP))
		what = "is setgid";
	else if (fgetxattr(fd, "security.capability", NULL, 0) > 0)
		what = "has file capabilities";
	if (!what)
		return 0;
	return refuse(why, size, "%s; %s; %s a copy of it without", what,
		      use == TD_PROGRAM_TRACE ? "traced it would run without these rights"
					      : "LD_PRELOAD does not work there",
		      use == TD_PROGRAM_TRACE ? "audit" : "profile");
}

/* Returns the length of the interpreter's path at `*start`, 0 if none. */
static size_t interpreter(const char *line, const char **start)
{
	*start = line + 2 + strspn(line + 2, " \t");
	return strcspn(*start, " \t\r\n");
}

static int check_file(const char *path, enum td_program_use use, int scripts, char *why,
		      size_t size);

static int check_script(const char *line, enum td_program_use use, int scripts, char *why,
			size_t size)
{
	char path[PATH_MAX];
	const char *start;
	size_t length = interpreter(line, &start);
	char inner[256];
	int status;

	if (!length || length >= sizeof(path) || scripts == SCRIPTS_MAX)
		return refuse(why, size, "has no usable #! line");
	memcpy(path, start, length);
	path[length] = '\0';
	if (access(path, X_OK))
		return refuse(why, size, "its interpreter %s: %s", path, strerror(errno));
	status = check_file(path, use, scripts + 1, inner, sizeof(inner));
	if (status)
		refuse(why, size, "its interpreter %s %s", path, inner);
	return status;
}

static int check_file(const char *path, enum td_program_use use, int scripts, char *why,
		      size_t size)
{
	char start[256] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t length;
	int status;

	if (fd < 0) /* it may be run and not be read: nothing to be known */
		return 0;
	length = pread(fd, start, sizeof(start) - 1, 0);
	if (length >= SELFMAG && !memcmp(start, ELFMAG, SELFMAG)) {
		status = check_rights(fd, use, why, size);
		if (!status)
			status = check_elf(fd, use, why, size);
	} else if (length >= 2 && !memcmp(start, "#!", 2)) {
		status = check_script(start, use, scripts, why, size);
	} else { /* execvp() gives it to the shell */
		status = check_script("#!/bin/sh", use, scripts, why, size);
	}
	close(fd);
	return status;
}

/* 0, or the errno that says why this one cannot be run. */
static int runnable(const char *path)
{
	struct stat stat_buffer;

	if (stat(path, &stat_buffer))
		return errno;
	if (S_ISDIR(stat_buffer.st_mode))
		return EISDIR;
	if (!S_ISREG(stat_buffer.st_mode) || access(path, X_OK))
		return EACCES;
	return 0;
}

/* Like execvp(): the first that can be run; else EACCES if there was one. */
static int search(const char *name, char *path, size_t size)
{
	const char *rest = getenv("PATH");
	int error = ENOENT;

	if (!rest)
		rest = "/bin:/usr/bin";
	for (;;) {
		int length = (int)strcspn(rest, ":");
		int found;

		/* an empty entry is the current directory */
		snprintf(path, size, "%.*s%s%s", length, rest, length ? "/" : "./", name);
		found = runnable(path);
		if (!found)
			return 0;
		if (found == EACCES)
			error = EACCES;
		if (!rest[length])
			return error;
		rest += length + 1;
	}
}

int td_program_find(const char *name, enum td_program_use use, char *path, size_t size,
		    char *why, size_t why_size)
{
	int error;

	if (strchr(name, '/')) {
		snprintf(path, size, "%s", name);
		error = runnable(path);
	} else {
		error = *name ? search(name, path, size) : ENOENT;
	}
	if (!error)
		return check_file(path, use, 0, why, why_size);
	if (error == ENOENT && !strchr(name, '/'))
		refuse(why, why_size, "not found in PATH");
	else
		refuse(why, why_size, "%s", strerror(error));
	return error == ENOENT || error == ENOTDIR ? TD_PROGRAM_MISSING
						   : TD_PROGRAM_REFUSED;
}
