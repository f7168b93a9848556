// SPDX-License-Identifier: MIT
#include "agent/core/facts.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "agent/core/core.h"
#include "agent/sigsafe/clock.h"
#include "agent/sigsafe/proc.h"
#include "agent/sigsafe/syscall.h"
#include "decoder/cpu_name.h"

uint64_t td_facts_process_start(uint32_t pid)
{
	static char
		text[512]; /* enough for the start; a small thread may have forked us */
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	td_proc_read(path, text, sizeof(text));
	return td_proc_start(text);
}

static void read_cpu(char *cpu, size_t size)
{
	static char text[4096]; /* a small thread may have forked us */

	if (td_proc_read("/proc/cpuinfo", text, sizeof(text)) > 0)
		td_cpu_name(text, cpu, size);
}

/* The kernel asks every processor for this file: once, for all that are forked. */
static void fill_cpu(char *cpu, size_t size)
{
	static char known[sizeof(((struct td_file_header *)0)->cpu)];

	if (!known[0])
		read_cpu(known, sizeof(known));
	snprintf(cpu, size, "%s", known);
}

void td_facts_fill(struct td_file_header *header)
{
	struct utsname name;
	ssize_t n;

	header->machine = TD_ARCH_MACHINE;
	header->pid = (uint32_t)getpid();
	header->ppid = (uint32_t)getppid();
	header->start_realtime_ns = td_clock_now(CLOCK_REALTIME);
	header->start_ns = td_clock_now(CLOCK_MONOTONIC);
	memcpy(header->labels, td_core.options.labels, sizeof(header->labels));
	n = readlink("/proc/self/exe", header->exe, sizeof(header->exe) - 1);
	header->exe[n > 0 ? n : 0] = 0;
	fill_cpu(header->cpu, sizeof(header->cpu));
	if (uname(&name) == 0) {
		snprintf(header->kernel, sizeof(header->kernel), "%.16s %.64s",
			 name.sysname, name.release);
		snprintf(header->host, sizeof(header->host), "%.63s", name.nodename);
	}
}

/* Looks for LD_PRELOAD=...libtdagent.so... among NUL-separated strings. */
static bool preloads_us(const char *strings, size_t size)
{
	for (const char *at = strings; at < strings + size; at += strlen(at) + 1)
		if (strncmp(at, "LD_PRELOAD=", 11) == 0 && strstr(at, "libtdagent.so"))
			return true;
	return false;
}

/* By its mappings.  A program that gives itself a title writes over its environment. */
static bool has_us_mapped(pid_t pid)
{
	static char text[4096]; /* as is_profiled()'s */
	static const char name[] = "/libtdagent.so";
	const size_t kept = sizeof(name) - 2; /* of what was read before */
	char path[32];
	size_t used = 0;
	long fd, n = 0;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	fd = td_syscall4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return false;
	do {
		if (used > kept) {
			memmove(text, text + used - kept, kept);
			used = kept;
		}
		n = td_syscall3(SYS_read, fd, text + used, sizeof(text) - used);
		used += n > 0 ? (size_t)n : 0;
	} while ((n > 0 || n == -EINTR) && !memmem(text, used, name, sizeof(name) - 1));
	td_syscall1(SYS_close, fd);
	return n > 0;
}

/* Whether it handles one of the signals that may be ours.  Who has given up rights lets
 * nobody look at its memory, but this all may read.  Shells and supervisors that start
 * others as somebody else handle it, too: bash on a terminal whatever would end it, what
 * is written in Go every signal there is.  Few servers handle the two. */
static bool handles_our_signal(pid_t pid)
{
	const unsigned long long ours = 1ull << (SIGTRAP - 1) | 1ull << (SIGPROF - 1);
	const unsigned long long theirs = 1ull << (SIGXCPU - 1) | 1ull << (SIGSTKFLT - 1);
	static char text[4096]; /* likewise */
	unsigned long long handled;
	char path[32];
	const char *at;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (td_proc_read(path, text, sizeof(text)) <= 0)
		return false;
	at = strstr(text, "\nSigCgt:");
	handled = at ? strtoull(at + 8, NULL, 16) : 0;
	return (handled & ours) && !(handled & theirs);
}

static bool is_profiled(pid_t pid)
{
	static char text[65536]; /* at the start only; stacks may be as small */
	char path[32];
	long n;

	snprintf(path, sizeof(path), "/proc/%d/environ", pid);
	n = td_proc_read(path, text, sizeof(text));
	if (n == -EACCES)
		return handles_our_signal(pid);
	return n >= 0 && (preloads_us(text, (size_t)n) || has_us_mapped(pid));
}

/* Whom a process belongs to.  Read, not asked for: a filter may be on calls that we do
 * not make otherwise, and /proc may be another PID namespace's, with its numbers. */
struct ties {
	int pid, parent, group, session;
};

static bool read_ties(const char *path, struct ties *ties)
{
	char text[512];
	const char *at;

	if (td_proc_read(path, text, sizeof(text)) <= 0 || !(at = strrchr(text, ')')))
		return false;
	return sscanf(text, "%d", &ties->pid) == 1 &&
	       sscanf(at + 1, " %*c %d %d %d", &ties->parent, &ties->group,
		      &ties->session) == 3;
}

bool td_facts_parent_is_profiled(void)
{
	struct ties own, parent;
	char path[32];

	if (!read_ties("/proc/self/stat", &own))
		return false;
	if (is_profiled(own.parent))
		return true;
	if (own.group == own.pid)
		return false;
	/* who takes in those without a parent is of another session; not so the shell of
	 * a pipeline, whose first program is the leader and nobody's parent */
	snprintf(path, sizeof(path), "/proc/%d/stat", own.parent);
	return read_ties(path, &parent) && parent.session != own.session &&
	       is_profiled(own.group);
}

/* The program's dynamic section in memory, NULL if that is not known. */
static const Elf64_Dyn *own_dynamic(void)
{
	const Elf64_Phdr *segments = (const Elf64_Phdr *)getauxval(AT_PHDR);
	unsigned long count = segments ? getauxval(AT_PHNUM) : 0;
	const Elf64_Phdr *self = NULL, *dynamic = NULL;

	for (unsigned long i = 0; i < count; i++) {
		if (segments[i].p_type == PT_PHDR)
			self = &segments[i];
		else if (segments[i].p_type == PT_DYNAMIC)
			dynamic = &segments[i];
	}
	if (!self || !dynamic)
		return NULL;
	return (const Elf64_Dyn *)((uintptr_t)segments - self->p_vaddr +
				   dynamic->p_vaddr);
}

bool td_facts_program_uses_libc(void)
{
	const Elf64_Dyn *entry = own_dynamic();

	if (!entry)
		return true;
	while (entry->d_tag != DT_NULL && entry->d_tag != DT_NEEDED)
		entry++;
	return entry->d_tag == DT_NEEDED;
}

/* By the library that it puts into each program, whatever the tool. */
bool td_facts_under_valgrind(void)
{
	const char *preloaded = getenv("LD_PRELOAD");

	return preloaded && strstr(preloaded, "/vgpreload_core");
}

bool td_facts_traced(void)
{
	char text[2048];
	char *at;

	if (td_proc_read("/proc/self/status", text, sizeof(text)) <= 0)
		return false;
	at = strstr(text, "TracerPid:");
	return at && atoi(at + 10) != 0;
}

unsigned td_facts_kernel(void)
{
	static unsigned known; /* the same at every call, whoever comes first */
	struct utsname name;
	unsigned major = 0, minor = 0;

	if (known)
		return known;
	if (uname(&name) != 0 || sscanf(name.release, "%u.%u", &major, &minor) != 2)
		return 0;
	known = major * 1000 + minor;
	return known;
}

/* The fastest clock, where the kernel does not say what it is now. */
static uint64_t fastest_per_us(void)
{
	char text[32];

	return td_proc_read("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", text,
			    sizeof(text)) > 0
		       ? strtoull(text, NULL, 10) / 1000
		       : 0;
}

uint64_t td_facts_cycles_per_us(void)
{
	static char text[4096]; /* as above */
	char *at;

	if (td_proc_read("/proc/cpuinfo", text, sizeof(text)) <= 0)
		return 0;
	at = strstr(text, "cpu MHz");
	at = at ? strstr(at, ": ") : NULL;
	return at ? strtoull(at + 2, NULL, 10) : fastest_per_us();
}
