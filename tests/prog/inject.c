// SPDX-License-Identifier: MIT
/*
 * Runs a program in which one system call fails, once.
 *
 *     inject CALL ERROR N COUNT [NAME=value...] PROGRAM [ARGUMENT...]
 *
 * The N-th CALL fails with ERROR, a number; with N 0 none does.  The dynamic
 * linker's calls are left alone and not counted.  How many there were is written
 * to the file COUNT.  The program is not traced: it sees nothing of us but the
 * error.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "tests/prog/notify.h"

/* Younger architectures have the younger calls only. */
#ifndef SYS_readlink
#define SYS_readlink SYS_readlinkat
#define SYS_mkdir SYS_mkdirat
#define SYS_unlink SYS_unlinkat
#endif

#define CALL(name)                                                                       \
	{                                                                                \
#name, SYS_##name                                                        \
	}
static const struct {
	const char *name;
	unsigned number;
} calls[] = {
	CALL(openat),       CALL(close),           CALL(read),
	CALL(pread64),      CALL(pwrite64),        CALL(fallocate),
	CALL(ftruncate),    CALL(newfstatat),      CALL(fstat),
	CALL(readlink),     CALL(mkdir),           CALL(unlink),
	CALL(mmap),         CALL(munmap),          CALL(mprotect),
	CALL(fcntl),        CALL(ioctl),           CALL(dup),
	CALL(getdents64),   CALL(perf_event_open), CALL(prlimit64),
	CALL(rt_sigaction), CALL(rt_sigprocmask),  CALL(timer_create),
	CALL(clone),        CALL(timer_settime),   CALL(timer_delete),
	CALL(uname),        CALL(getrandom),       CALL(sched_getaffinity),
	CALL(prctl),        CALL(gettid),
};
#define CALLS (sizeof(calls) / sizeof(calls[0]))

/* Is the instruction in the dynamic linker, or in us before the exec? */
static bool is_not_counted(pid_t pid, uint64_t ip)
{
	char path[32], line[512];
	bool found = false;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "r");
	while (maps && !found && fgets(line, sizeof(line), maps)) {
		uint64_t start, end;

		found = sscanf(line, "%" SCNx64 "-%" SCNx64, &start, &end) == 2 &&
			ip >= start && ip < end;
	}
	if (maps)
		fclose(maps);
	return !found || strstr(line, "/ld-linux") || strstr(line, "/inject");
}

struct injection {
	unsigned long count, fail;
	int error;
};

static void answer_one(void *context, int listener, const struct seccomp_notif *call,
		       struct seccomp_notif_resp *answer)
{
	struct injection *injection = context;

	(void)listener;
	answer->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	if (!is_not_counted((pid_t)call->pid, call->data.instruction_pointer) &&
	    ++injection->count == injection->fail) {
		answer->flags = 0;
		answer->error = -injection->error;
	}
}

static int run(unsigned number, char **command, struct injection *injection)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	return notify_run(filter, sizeof(filter) / sizeof(filter[0]), command, answer_one,
			  injection);
}

int main(int argc, char **argv)
{
	struct injection injection = {0};
	size_t call = 0;
	int status;
	FILE *file;

	while (argc > 5 && call < CALLS && strcmp(argv[1], calls[call].name))
		call++;
	if (argc < 6 || call == CALLS) {
		fprintf(stderr,
			"usage: inject CALL ERROR N COUNT PROGRAM [ARGUMENT...]\n");
		return 99;
	}
	injection.error = atoi(argv[2]);
	injection.fail = strtoul(argv[3], NULL, 10);
	status = run(calls[call].number, argv + 5, &injection);
	file = fopen(argv[4], "w");
	if (!file || fprintf(file, "%lu\n", injection.count) < 0 || fclose(file))
		notify_die(argv[4]);
	return notify_end(status);
}
