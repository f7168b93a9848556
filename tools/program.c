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

#include "tools/native.h"

#define SCRIPTS_MAX 5 /* #! lines that the kernel follows */
#define SEGMENTS_MAX 512

__attribute__((format(printf, 3, 4))) static int refuse(char *why, size_t size,
							const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(why, size, format, arguments);
	va_end(arguments);
	return TD_PROGRAM_REFUSED;
}

static int refuse_interpreter(const char *loader, char *why, size_t size)
{
	const char *slash = strrchr(loader, '/');

	/* another one means another libc, which has not ours */
	if (!strcmp(slash ? slash + 1 : loader, TD_NATIVE_LOADER))
		return 0;
	return refuse(why, size,
		      "uses another C library (its loader is %s); tdagent needs glibc",
		      loader);
}

/* Whether the dynamic section names a library: what needs none needs no libc. */
static bool needs_library(int fd, const Elf64_Phdr *section)
{
	Elf64_Dyn entry;

	for (size_t at = 0; at + sizeof(entry) <= section->p_filesz;
	     at += sizeof(entry)) {
		if (pread(fd, &entry, sizeof(entry), (off_t)(section->p_offset + at)) !=
			    (ssize_t)sizeof(entry) ||
		    entry.d_tag == DT_NULL)
			return false;
		if (entry.d_tag == DT_NEEDED)
			return true;
	}
	return false;
}

static int check_segments(int fd, const Elf64_Ehdr *header, char *why, size_t size)
{
	char loader[256];
	bool dynamic = false, alone = false;

	for (unsigned i = 0; i < header->e_phnum && i < SEGMENTS_MAX; i++) {
		Elf64_Phdr segment;
		off_t offset = (off_t)(header->e_phoff + i * sizeof(segment));
		ssize_t length;

		if (pread(fd, &segment, sizeof(segment), offset) !=
		    (ssize_t)sizeof(segment))
			break;
		if (segment.p_type == PT_DYNAMIC)
			alone = !needs_library(fd, &segment);
		if (segment.p_type != PT_INTERP)
			continue;
		length = pread(fd, loader, sizeof(loader) - 1, (off_t)segment.p_offset);
		loader[length < 0 ? 0 : length] = '\0';
		if (refuse_interpreter(loader, why, size))
			return TD_PROGRAM_REFUSED;
		dynamic = true;
	}
	if (!dynamic)
		return refuse(
			why, size,
			"is statically linked; LD_PRELOAD cannot reach it; link it dynamically");
	if (alone)
		return refuse(
			why, size,
			"uses no C library, and has signals that we would not know of; "
			"link it with libc (Go: -ldflags=-linkmode=external)");
	return 0;
}

static int check_elf(int fd, enum td_program_use use, const Elf64_Ehdr *header,
		     ssize_t length, char *why, size_t size)
{
	if (length < (ssize_t)sizeof(*header) ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 ||
	    header->e_ident[EI_DATA] != ELFDATA2LSB ||
	    header->e_machine != TD_NATIVE_MACHINE ||
	    header->e_phentsize != sizeof(Elf64_Phdr))
		return refuse(why, size,
			      "is not a program for " TD_NATIVE_NAME
			      ", and this tdagent is");
	return use == TD_PROGRAM_TRACE ? 0 : check_segments(fd, header, why, size);
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
	union {
		Elf64_Ehdr header;
		char line[256];
	} start = {.line = ""};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t length;
	int status;

	if (fd < 0) /* it may be run and not be read: nothing to be known */
		return 0;
	length = pread(fd, &start, sizeof(start.line) - 1, 0);
	if (length >= SELFMAG && !memcmp(start.line, ELFMAG, SELFMAG)) {
		status = check_rights(fd, use, why, size);
		if (!status)
			status = check_elf(fd, use, &start.header, length, why, size);
	} else if (length >= 2 && !memcmp(start.line, "#!", 2)) {
		status = check_script(start.line, use, scripts, why, size);
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
